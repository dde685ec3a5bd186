//! Lists of names for messages.

/// The names, each in backticks, with `between` between them.
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
