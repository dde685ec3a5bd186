//! The JSON of skills that a model may confuse.

use crate::author::Overlap;
use crate::text::json::Json;

impl Overlap {
    /// `overlap`: the pairs, those with most in common first.
    pub fn all_to_json(pairs: &[Overlap]) -> Json {
        let pairs = Json::list(pairs, |pair| {
            Json::map([
                ("a", Json::from(pair.a.as_str())),
                ("b", Json::from(pair.b.as_str())),
                ("score", Json::Number(pair.score.to_string())),
                ("reason", Json::from(pair.reason.as_str())),
            ])
        });
        Json::map([("pairs", pairs)])
    }
}
