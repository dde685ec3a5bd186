//! The JSON of what codes mean.

use crate::diagnostic::{Code, Explanation};
use crate::text::json::{Fields, Json};

impl Code {
    /// `explain CODE`: what a code means, with an example. `dialect` and `strict` say by which rules the example is checked.
    pub fn to_json(self) -> Json {
        let explained = Explanation::of(self.explanation());
        Fields::default()
            .text("code", self.as_str())
            .text("severity", self.usual_severity().as_str())
            .text("text", explained.text)
            .some_text("dialect", explained.bad.dialect)
            .some("strict", explained.bad.strict.then_some(Json::Bool(true)))
            .text("bad", &explained.bad.text())
            .text("good", &explained.good.text())
            .done()
    }

    /// `explain`: every code.
    pub fn all_to_json() -> Json {
        Json::map([("codes", Json::list(Code::ALL, |code| code.to_json()))])
    }
}
