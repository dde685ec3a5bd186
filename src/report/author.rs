//! The JSON of answers for those who write skills. That of `matrix` is written row by row, as it has a cell for each
//! file and dialect.

use crate::author::Overlap;
use crate::author::convert::Conversion;
use crate::author::elsewhere::Elsewhere;
use crate::author::matrix::{Matrix, MatrixCell, MatrixRow};
use crate::author::new_skill::NewSkill;
use crate::author::overview::{ClientOverview, Overview};
use crate::diagnostic::Code;
use crate::fs::Fs;
use crate::path::FsPath;
use crate::report::path;
use crate::text::json::{Fields, Json, JsonObject, JsonView};
use std::fmt;

impl Conversion {
    /// `convert`: the folder that was written, and what was lost.
    pub fn to_json(&self, fs: &dyn Fs, folder: &FsPath) -> Json {
        let lost = Json::list(&self.lost, |loss| {
            Json::map([("field", Json::from(loss.field.as_str())), ("reason", Json::from(loss.reason.as_str()))])
        });
        Json::map([("path", path(fs, folder)), ("lost", lost)])
    }
}

impl NewSkill {
    /// `new`: the folder that was written.
    pub fn to_json(&self, fs: &dyn Fs, folder: &FsPath) -> Json {
        Json::map([("path", path(fs, folder))])
    }
}

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

impl Overview {
    /// The overview.
    pub fn to_json(&self, fs: &dyn Fs) -> Json {
        let client = |client: &ClientOverview| {
            Fields::default()
                .text("dialect", &client.dialect)
                .number("seen", client.seen)
                .number("used", client.used)
                .number("lost", client.lost)
                .done()
        };
        let findings = Fields::default().number("errors", self.errors).number("warnings", self.warnings).done();
        Fields::default()
            .put("clients", Json::list(&self.clients, client))
            .number("different", self.different)
            .put("findings", findings)
            .put("nested", Json::list(&self.nested, |folder| path(fs, folder)))
            .done()
    }
}

impl Elsewhere {
    /// The dialects in which a skill is in use, each with the SKILL.md; with `model: false` where it is hidden from the model.
    pub fn all_to_json(fs: &dyn Fs, found: &[Elsewhere]) -> Json {
        Json::list(found, |one| {
            Fields::default()
                .text("dialect", &one.dialect)
                .put("path", path(fs, &one.path))
                .some("model", (!one.is_for_model).then(|| Json::from(false)))
                .done()
        })
    }
}

impl Matrix {
    /// `matrix`, to be written: `Display` writes compact JSON, `{:#}` JSON indented by two spaces.
    ///
    /// ```
    /// use skilltree::author::Matrix;
    /// use skilltree::{MemFs, Places, PromptRequest, World};
    /// let (fs, places) = (MemFs::new(), Places::default());
    /// let matrix = Matrix::of(&World::new(&fs, &places, &()), &[], &PromptRequest::default());
    /// assert_eq!(matrix.json_text(&fs).to_string(), r#"{"dialects":[],"rows":[]}"#);
    /// ```
    pub fn json_text<'m>(&'m self, fs: &'m dyn Fs) -> impl fmt::Display + 'm {
        Report { fs, matrix: self }
    }
}

struct Report<'m> {
    fs: &'m dyn Fs,
    matrix: &'m Matrix,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { fs, matrix } = self;
        let mut object = JsonObject::begin(f)?;
        object.list("dialects", &mut matrix.dialects.iter().map(|name| JsonView::from(name.as_str())))?;
        object
            .list("rows", &mut matrix.rows.iter().map(|row| JsonView::Json(self::row(*fs, &matrix.dialects, row))))?;
        if !matrix.nested.is_empty() {
            object.list("nested", &mut matrix.nested.iter().map(|folder| JsonView::Json(path(*fs, folder))))?;
        }
        if !matrix.looked_no_further.is_empty() {
            let findings = matrix.looked_no_further.iter();
            object.list("findings", &mut findings.map(|finding| JsonView::Json(finding.to_json(*fs))))?;
        }
        object.end()
    }
}

fn row(fs: &dyn Fs, dialects: &[String], row: &MatrixRow) -> Json {
    let cells = dialects.iter().zip(&row.cells).map(|(dialect, cell)| (dialect.as_str(), self::cell(fs, cell)));
    Fields::default().put("path", path(fs, &row.path)).text("name", &row.name).put("cells", Json::map(cells)).done()
}

fn cell(fs: &dyn Fs, cell: &MatrixCell) -> Json {
    Fields::default()
        .text("state", cell.state.as_str())
        .some_text("key", cell.key.as_deref())
        .some_text("code", cell.code.map(Code::as_str))
        .some("by", cell.by.as_ref().map(|by| path(fs, by)))
        .some_text("rule", cell.rule)
        .some("repaired", cell.repaired.then_some(Json::Bool(true)))
        .some("withheld", cell.withheld.then_some(Json::Bool(true)))
        .some("undetermined", cell.undetermined.then_some(Json::Bool(true)))
        .text("message", &cell.message)
        .some_text("help", cell.help.as_deref())
        .done()
}
