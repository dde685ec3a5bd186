//! The command `overlap`.

use crate::answer::{Answer, Runner, note_line, prompt_request};
use crate::args::SizeArgs;
use crate::output::style::KEY;
use crate::output::table;
use crate::output::text::folded;
use crate::reply::{Output, Reply};
use anstyle::Style;
use skilltree::author::Overlap;
use skilltree::visible;

impl Runner<'_> {
    pub(crate) fn overlap(self, size: SizeArgs) -> Answer {
        let (setup, catalog) = self.discover()?;
        let pairs = Overlap::all(&setup.world(), &catalog, &prompt_request(size, None));
        let mut err = setup.missing_skills_note(&catalog);
        if self.json {
            return Ok(Reply::json(&Overlap::all_to_json(&pairs)).with_stderr(&err));
        }
        if pairs.is_empty() && err.is_empty() {
            err = note_line("no two skills have descriptions or triggers that a model may confuse");
        }
        let rows: Vec<Vec<String>> = pairs.iter().map(row).collect();
        let styles = [KEY, KEY, Style::new(), Style::new()];
        let head = ["SKILL", "OTHER SKILL", "SCORE", "REASON"];
        let out =
            if rows.is_empty() { String::new() } else { table::table(&styles, Some(&head), &rows, self.screen.width) };
        Ok(Reply::new(Output::Styled(out)).with_stderr(&err))
    }
}

fn row(pair: &Overlap) -> Vec<String> {
    let shown = |key: &str| visible(key).into_owned();
    vec![shown(&pair.a), shown(&pair.b), format!("{:.2}", pair.score), folded(&pair.reason).into_owned()]
}
