//! In: names. Out: all of them as one text for a message, each in back quotes. Absent: what the names are.

/// The names, each in back quotes, with this between them.
pub(crate) fn quoted<T: AsRef<str>>(names: &[T], between: &str) -> String {
    let mut list = String::new();
    for name in names {
        if !list.is_empty() {
            list.push_str(between);
        }
        list.push('`');
        list.push_str(name.as_ref());
        list.push('`');
    }
    list
}
