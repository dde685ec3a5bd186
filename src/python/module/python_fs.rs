//! [`PythonFs`], a file system that is an object of Python with the methods `list` and `read`. One is made for each
//! call of the engine, and asks for each folder once in it. An exception becomes an error of the file system. One that
//! is to end the program is kept instead, and from then on Python is not called any more.

use crate::error::{is_interruption, wrong_type};
use pyo3::exceptions::{
    PyFileNotFoundError, PyIsADirectoryError, PyNotADirectoryError, PyPermissionError, PyTypeError, PyValueError,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString, PyTuple};
use skilltree::fs::{Entry, FileKind, FilePrefix, Metadata};
use skilltree::{Fs, FsError, FsPath};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The answer about a folder. The entries are shared, as the engine asks for the folder of many files.
type Listing = Result<Rc<[Entry]>, FsError>;

/// An object of Python during one call.
pub(crate) struct PythonFs<'p> {
    object: &'p Py<PyAny>,
    listings: RefCell<HashMap<FsPath, Listing>>,
    /// The lengths of the files that have been read.
    lengths: RefCell<HashMap<FsPath, u64>>,
    interruption: RefCell<Option<PyErr>>,
}

impl<'p> PythonFs<'p> {
    pub(crate) fn new(object: &'p Py<PyAny>) -> PythonFs<'p> {
        PythonFs { object, listings: RefCell::default(), lengths: RefCell::default(), interruption: RefCell::default() }
    }

    /// The exception that ended the call, if one did. The engine's answer is of no use then.
    pub(crate) fn into_interruption(self) -> Option<PyErr> {
        self.interruption.into_inner()
    }

    /// Calls Python, and makes an error of an exception.
    fn ask<T>(&self, path: &FsPath, work: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Option<T>>) -> Result<T, FsError> {
        if self.interruption.borrow().is_some() {
            return Err(FsError::Other { path: path.clone(), message: "the call is interrupted".to_owned() });
        }
        Python::attach(|py| match work(self.object.bind(py)) {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(FsError::NotFound(path.clone())),
            Err(error) if is_interruption(py, &error) => {
                self.interruption.replace(Some(error));
                Err(FsError::Other { path: path.clone(), message: "the call is interrupted".to_owned() })
            }
            Err(error) => Err(reason(py, path, &error)),
        })
    }

    fn listing(&self, dir: &FsPath) -> Listing {
        if let Some(known) = self.listings.borrow().get(dir) {
            return known.clone();
        }
        let listed = self.ask(dir, |object| {
            let found = object.call_method1(intern!(object.py(), "list"), (dir.as_str(),))?;
            if found.is_none() { Ok(None) } else { entries(&found).map(Some) }
        });
        let listed = listed.map(Rc::from);
        self.listings.borrow_mut().insert(dir.clone(), listed.clone());
        listed
    }

    /// The kind of what is at a path; `None` if nothing is. What is not in a listing that is known is listed itself
    /// first, as it is a folder in most cases, and an object may be unable to list the folders above.
    fn kind(&self, path: &FsPath) -> Result<Option<FileKind>, FsError> {
        let Some(parent) = path.parent() else { return Ok(Some(FileKind::Dir)) };
        let is_parent_known = self.listings.borrow().get(&parent).is_some_and(Result::is_ok);
        if !is_parent_known {
            match self.listing(path) {
                Ok(_) | Err(FsError::Denied(_) | FsError::Other { .. }) => return Ok(Some(FileKind::Dir)),
                Err(_) => {}
            }
        }
        match self.listing(&parent) {
            Ok(entries) => Ok(entry(&entries, path.name()).map(|entry| entry.kind)),
            Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => Ok(None),
            Err(error) => Err(error.at(path.clone())),
        }
    }

    /// Whether the listing of a file's folder, as far as it is known, has it as something that is no file.
    fn is_known_as_other(&self, file: &FsPath) -> bool {
        let listings = self.listings.borrow();
        let known = file.parent().and_then(|parent| listings.get(&parent)?.as_ref().ok());
        let known = known.and_then(|entries| entry(entries, file.name()));
        known.is_some_and(|entry| matches!(entry.kind, FileKind::Dir | FileKind::Other))
    }
}

/// The entry of a name in a listing, which is sorted.
fn entry<'e>(entries: &'e [Entry], name: &str) -> Option<&'e Entry> {
    let at = entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok()?;
    entries.get(at).filter(|entry| !entry.is_lossy)
}

/// What an exception says about a path.
fn reason(py: Python<'_>, path: &FsPath, error: &PyErr) -> FsError {
    let path = path.clone();
    if error.is_instance_of::<PyFileNotFoundError>(py) {
        FsError::NotFound(path)
    } else if error.is_instance_of::<PyPermissionError>(py) {
        FsError::Denied(path)
    } else if error.is_instance_of::<PyNotADirectoryError>(py) {
        FsError::NotADirectory(path)
    } else if error.is_instance_of::<PyIsADirectoryError>(py) {
        FsError::NotAFile(path)
    } else {
        FsError::Other { path, message: error.to_string() }
    }
}

/// The entries of a listing, sorted, and each name once.
fn entries(found: &Bound<'_, PyAny>) -> PyResult<Vec<Entry>> {
    if found.is_instance_of::<PyString>() {
        return Err(wrong_type("list()", "an iterable of entries", found));
    }
    let mut entries = Vec::new();
    for one in found.try_iter()? {
        entries.push(entry_of(&one?)?);
    }
    entries.sort_by(|a: &Entry, b| a.name.cmp(&b.name));
    entries.dedup_by(|a, b| a.name == b.name);
    Ok(entries)
}

/// One entry: a name, which ends with a slash if it is that of a folder; a name and its kind; or an object with a
/// `name` and the methods `is_dir` and `is_file`, as `os.scandir` and `pathlib` have them.
fn entry_of(one: &Bound<'_, PyAny>) -> PyResult<Entry> {
    if let Ok(text) = one.cast::<PyString>() {
        let text = text.to_cow()?;
        return Ok(match text.strip_suffix('/') {
            Some(name) => named(name, FileKind::Dir),
            None => named(&text, FileKind::File),
        });
    }
    if let Ok(pair) = one.cast::<PyTuple>() {
        let pair: PyResult<(String, String)> = pair.extract();
        let (name, kind) = pair.map_err(|_| PyTypeError::new_err("an entry must be a pair of a name and its kind"))?;
        let kind = match kind.as_str() {
            "file" => FileKind::File,
            "dir" => FileKind::Dir,
            "other" => FileKind::Other,
            _ => {
                let message = format!("the kind of `{name}` must be `file`, `dir` or `other`, not `{kind}`");
                return Err(PyValueError::new_err(message));
            }
        };
        return Ok(named(&name, kind));
    }
    let py = one.py();
    let Ok(name) = one.getattr(intern!(py, "name")).and_then(|name| name.extract::<String>()) else {
        return Err(wrong_type(
            "an entry of list()",
            "a name, a pair of a name and its kind, or an `os.DirEntry`",
            one,
        ));
    };
    let is = |method: &Bound<'_, PyString>| one.call_method0(method)?.is_truthy();
    let kind = if is(intern!(py, "is_dir"))? {
        FileKind::Dir
    } else if is(intern!(py, "is_file"))? {
        FileKind::File
    } else {
        FileKind::Other
    };
    Ok(named(&name, kind))
}

/// An entry. A name that no path can have is shown, and not opened.
fn named(name: &str, kind: FileKind) -> Entry {
    let is_lossy = FsPath::root().child(name).is_err();
    Entry { name: name.to_owned(), kind, is_symlink: false, is_lossy }
}

/// The length of a file, and the first `at_most` of its bytes.
fn contents(found: &Bound<'_, PyAny>, at_most: u64) -> PyResult<(u64, Vec<u8>)> {
    let head = |bytes: &[u8]| {
        let end = usize::try_from(at_most).unwrap_or(usize::MAX).min(bytes.len());
        (bytes.len() as u64, bytes.get(..end).unwrap_or_default().to_vec())
    };
    if let Ok(bytes) = found.cast::<PyBytes>() {
        return Ok(head(bytes.as_bytes()));
    }
    if let Ok(text) = found.cast::<PyString>() {
        return Ok(head(text.to_cow()?.as_bytes()));
    }
    bytes_like(found)?
        .map_or_else(|| Err(wrong_type("read()", "`bytes` or `str`", found)), |bytes| Ok(head(bytes.as_bytes())))
}

/// The bytes of a `bytearray` or a `memoryview`, which may change later.
pub(crate) fn bytes_like<'py>(found: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if !found.is_instance_of::<PyByteArray>() && !found.is_instance_of::<PyMemoryView>() {
        return Ok(None);
    }
    let copy = found.py().get_type::<PyBytes>().call1((found,))?;
    Ok(Some(copy.cast_into()?))
}

impl Fs for PythonFs<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.listing(dir).map(|entries| entries.to_vec()).map_err(|error| error.at(dir.clone()))
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        if self.is_known_as_other(file) {
            return Err(FsError::NotAFile(file.clone()));
        }
        let (len, bytes) = self.ask(file, |object| {
            let found = object.call_method1(intern!(object.py(), "read"), (file.as_str(),))?;
            if found.is_none() { Ok(None) } else { contents(&found, at_most).map(Some) }
        })?;
        self.lengths.borrow_mut().insert(file.clone(), len);
        Ok(FilePrefix { bytes, len, stamp: None })
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let Some(kind) = self.kind(path)? else { return Ok(None) };
        let known = self.lengths.borrow().get(path).copied();
        let len = match (kind, known) {
            (FileKind::File, Some(len)) => len,
            (FileKind::File, None) => self.read(path, 0)?.len,
            _ => 0,
        };
        Ok(Some(Metadata { kind, is_symlink: false, len, stamp: None }))
    }

    /// The path itself, as the object follows symbolic links, if it has any.
    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        match self.kind(path)? {
            Some(_) => Ok(path.clone()),
            // The error tells a path below a file from one that does not exist.
            None => Err(self.listing(path).err().unwrap_or_else(|| FsError::NotFound(path.clone())).at(path.clone())),
        }
    }
}
