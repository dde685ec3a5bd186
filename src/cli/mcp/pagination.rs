//! Splits a sorted list into pages. A cursor contains the name of the list and the last key of the page, so that no
//! item is repeated or missed if the list changes between two pages.

use super::convert::shown;
use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// Separates the list and the key in a cursor; neither contains it.
const MARK: char = '\n';

/// The page after the cursor, of at most `most` items, and the next cursor.
pub(super) fn page<'i, T>(
    list: &str,
    items: &'i [T],
    key: impl Fn(&T) -> &str,
    cursor: Option<&str>,
    most: usize,
) -> Result<(&'i [T], Option<String>), ErrorData> {
    let from = match cursor {
        None => 0,
        Some(cursor) => {
            let text = decoded(cursor).ok_or_else(|| bad(cursor))?;
            let after = text.split_once(MARK).filter(|(of, _)| *of == list).ok_or_else(|| bad(cursor))?.1;
            items.partition_point(|item| key(item) <= after)
        }
    };
    let (_, rest) = items.split_at(from);
    let (page, rest) = rest.split_at(most.min(rest.len()));
    let next = page.last().filter(|_| !rest.is_empty()).map(|last| encoded(&format!("{list}{MARK}{}", key(last))));
    Ok((page, next))
}

/// Like [`page`], for a list in any order without equal keys. The cursor also contains the position of the next item,
/// which counts if the last item of the page is gone.
pub(super) fn page_in_order<'i, T>(
    list: &str,
    items: &'i [T],
    key: impl Fn(&T) -> &str,
    cursor: Option<&str>,
    most: usize,
) -> Result<(&'i [T], Option<String>), ErrorData> {
    let from = match cursor {
        None => 0,
        Some(cursor) => {
            let text = decoded(cursor).ok_or_else(|| bad(cursor))?;
            let after = text.split_once(MARK).filter(|(of, _)| *of == list).ok_or_else(|| bad(cursor))?.1;
            let (at, last) = after.split_once(MARK).ok_or_else(|| bad(cursor))?;
            let at: usize = at.parse().map_err(|_| bad(cursor))?;
            items.iter().position(|item| key(item) == last).map_or(at, |last| last + 1).min(items.len())
        }
    };
    let (_, rest) = items.split_at(from);
    let (page, rest) = rest.split_at(most.min(rest.len()));
    let next = page.last().filter(|_| !rest.is_empty());
    let next = next.map(|last| encoded(&format!("{list}{MARK}{}{MARK}{}", from + page.len(), key(last))));
    Ok((page, next))
}

/// Rejects any cursor, for a list that has only one page.
pub(super) fn no_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(cursor) => Err(bad(&cursor)),
    }
}

fn bad(cursor: &str) -> ErrorData {
    ErrorData::invalid_params(
        format!("`{}` is not a cursor of this list; start again without one", shown(cursor)),
        None,
    )
}

fn encoded(key: &str) -> String {
    key.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn decoded(cursor: &str) -> Option<String> {
    let digits = cursor.as_bytes();
    if digits.is_empty() || digits.len() % 2 != 0 {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let bytes: Option<Vec<u8>> =
        digits.chunks_exact(2).map(|pair| Some(value(*pair.first()?)? << 4 | value(*pair.last()?)?)).collect();
    String::from_utf8(bytes?).ok()
}
