//! The JSON of what codes mean.

use crate::diagnostic::{Code, Explanation};
use crate::text::json::{Fields, Json};

/// `explain CODE`: what a code means, with an example. `dialect` and `strict` say by which rules the example is checked.
pub fn explanation(code: Code) -> Json {
    let explained = Explanation::of(code.explanation());
    Fields::default()
        .text("code", code.as_str())
        .text("severity", code.usual_severity().as_str())
        .text("text", explained.text)
        .some_text("dialect", explained.bad.dialect)
        .some("strict", explained.bad.strict.then_some(Json::Bool(true)))
        .text("bad", &explained.bad.text())
        .text("good", &explained.good.text())
        .done()
}

/// `explain`: every code.
pub fn explanations() -> Json {
    Json::map([("codes", Json::list(Code::ALL, |code| explanation(*code)))])
}
