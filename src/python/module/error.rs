//! Why a call has no answer, and the exception of Python that says so.

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use skilltree::discovery::given::Refusal;
use skilltree::{Error, Json};

/// A refusal of the engine: the code and the message of an exception. It is made without the interpreter, as the engine
/// runs detached from it.
#[derive(Debug)]
pub(crate) struct Failure {
    code: String,
    message: String,
    /// Whether a value that was given is at fault, which Python programs expect to be a `ValueError`.
    is_value: bool,
}

impl Failure {
    /// A failure of a value that was given.
    pub(crate) fn value(code: &str, message: impl Into<String>) -> Failure {
        Failure { code: code.to_owned(), message: message.into(), is_value: true }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { code: error.code().to_owned(), message: error.to_string(), is_value: false }
    }
}

impl From<Box<Refusal>> for Failure {
    fn from(refusal: Box<Refusal>) -> Failure {
        let json = refusal.to_json();
        let code = json.get("error").and_then(|error| error.get("code")).and_then(Json::as_text);
        Failure::value(code.unwrap_or("bad-arguments"), refusal.to_string())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        Python::attach(|py| exception(py, &failure).unwrap_or_else(|error| error))
    }
}

/// The exception is a class of Python's, as one with attributes cannot be made here.
fn exception(py: Python<'_>, failure: &Failure) -> PyResult<PyErr> {
    let name = if failure.is_value { "SkilltreeValueError" } else { "SkilltreeError" };
    let class = py.import("skilltree_engine.errors")?.getattr(name)?.cast_into::<PyType>()?;
    Ok(PyErr::from_value(class.call1((&failure.code, &failure.message))?))
}

/// A `TypeError` that says what was expected, and the type of what was given.
pub(crate) fn wrong_type(name: &str, expected: &str, given: &Bound<'_, PyAny>) -> PyErr {
    let got = given.get_type().qualname().map_or_else(|_| "another type".to_owned(), |name| format!("`{name}`"));
    PyTypeError::new_err(format!("`{name}` must be {expected}, not {got}"))
}

/// Whether an exception ends the program or the task, as `KeyboardInterrupt` does, and is no answer of a file system.
pub(crate) fn is_interruption(py: Python<'_>, error: &PyErr) -> bool {
    !error.is_instance_of::<PyException>(py)
}
