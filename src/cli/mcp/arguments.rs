//! The arguments of a call of a tool.

use super::convert;
use rmcp::model::JsonObject;
use serde_json::Value;
use skilltree::Error;

/// The largest integer that every client can represent.
const MAX_WHOLE: u64 = 9_007_199_254_740_991;

/// The arguments of a call, validated against the schema.
pub(super) struct Arguments<'a>(pub(super) &'a JsonObject);

impl<'a> Arguments<'a> {
    pub(super) fn only(&self, names: &[&str]) -> Result<(), Error> {
        let other = self.0.keys().find(|key| !names.contains(&key.as_str()));
        other.map_or(Ok(()), |other| Err(Error::unknown_argument(other, names)))
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, Error> {
        let text = self.0.get(name).and_then(Value::as_str);
        text.ok_or_else(|| Error::BadArguments(format!("expected a string for the argument `{name}`")))
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, Error> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
        let texts = value.as_array().map(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        let wrong = || Error::BadArguments(format!("expected an array of strings for the argument `{name}`"));
        texts.flatten().ok_or_else(wrong)
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, Error> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        // Some clients have no integers and send 5 as 5.0.
        let is_whole = |number: &f64| (0.0..=MAX_WHOLE as f64).contains(number) && number.fract() == 0.0;
        let whole = value.as_u64().filter(|number| *number <= MAX_WHOLE);
        let number = whole.or_else(|| value.as_f64().filter(is_whole).map(|number| number as u64));
        let wrong = || {
            let came = convert::shown(&value.to_string());
            let message = format!("expected an integer from 0 to {MAX_WHOLE} for the argument `{name}`, got {came}");
            Error::BadArguments(message)
        };
        number.map(Some).ok_or_else(wrong)
    }
}
