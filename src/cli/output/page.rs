//! A page of one file: HTML with its own styles. It has no scripts and fetches nothing, which its policy also says, so it can be
//! kept as an artifact and opened anywhere.

use crate::output::style::{ERROR, KEY, WARNING};
use anstyle::Style;
use skilltree::visible;
use std::fmt::{self, Display};

const STYLES: &str = "\
:root { color-scheme: light dark; --faint: light-dark(#59636e, #9198a1); --edge: light-dark(#d1d9e0, #3d444d); \
--good: light-dark(#116329, #3fb950); --warning: light-dark(#7d4e00, #d29922); --error: light-dark(#b3261e, #ff7b72) }
body { margin: 2rem auto; padding: 0 1rem; max-width: 90rem; font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem } h2 { font-size: 1.125rem; margin: 2rem 0 .5rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--edge); text-align: start; vertical-align: top; \
overflow-wrap: anywhere }
thead th { vertical-align: bottom; overflow-wrap: normal } thead th, .faint, summary { color: var(--faint); font-weight: 400 }
tr:has(+ .more) > * { border: 0 } .changes :is(th, td):first-child { width: 1rem } .changes [scope=row] { width: 30% }
.dense thead th + th { writing-mode: sideways-lr } .dense .word { display: none }
ul { padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; list-style: none }
dl { margin: .25rem 0 .5rem 1rem } dd { margin: 0 0 .5rem 1rem }
.good { color: var(--good) } .warning { color: var(--warning) } .error { color: var(--error) }
";

/// The page with this title and the markup of its body, in which texts of files were written by [`Escaped`].
pub(crate) fn page(title: &str, body: &str) -> String {
    let title = Escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLES}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// Text of a stranger as text of HTML: no markup, and control characters made [visible].
pub(crate) struct Escaped<'t>(pub(crate) &'t str);

impl Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in visible(self.0).chars() {
            match char {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&#39;")?,
                _ => write!(out, "{char}")?,
            }
        }
        Ok(())
    }
}

/// The class of what a terminal shows in this style.
pub(crate) fn class(style: Style) -> &'static str {
    [(KEY, "good"), (WARNING, "warning"), (ERROR, "error")]
        .into_iter()
        .find_map(|(known, class)| (known == style).then_some(class))
        .unwrap_or("faint")
}
