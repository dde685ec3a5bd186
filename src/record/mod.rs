//! What is kept of answers. Each file has one question:
//!
//! - `session`: what has a conversation been shown and loaded, and what is put back after it was compacted?
//! - `receipt`: what was an answer made of, and is it the same if it is made again?

#[cfg(feature = "receipts")]
pub(crate) mod receipt;
#[cfg(feature = "digest")]
pub(crate) mod session;

#[cfg(feature = "receipts")]
pub use receipt::{
    Difference, Differing, Question, Receipt, ReceiptError, RecordedAnswer, RecordedRequest, Recorder, Replay,
    ReplayRequest,
};
#[cfg(feature = "digest")]
pub use session::{Event, MissingSkill, ReattachRequest, Reattached, SentText, Session, SessionError, SessionEvent};

#[cfg(feature = "digest")]
use crate::discovery::catalog::Catalog;
#[cfg(feature = "digest")]
use crate::discovery::world::World;
#[cfg(feature = "receipts")]
use crate::fs::Fs;

#[cfg(feature = "digest")]
impl Session {
    /// What to put back after a conversation was compacted: the section of the prompt, then each skill that was loaded or
    /// invoked once, the newest first and as it was last asked for (rule 29.4). A skill is read again, and what does not fit
    /// is cut after a whole paragraph, with the path where the rest is. After the first skill that the budget cuts, no other
    /// is put back.
    ///
    /// The host shows [`Reattached::text`] to the model and passes the answer to [`Session::reattached`].
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::record::{ReattachRequest, Session};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("claude").unwrap());
    /// let mut session = Session::default();
    /// session.call(&world, &catalog, r#"{"skill": "tea"}"#)?;
    /// let back = session.reattach(&world, &catalog, &ReattachRequest::default());
    /// assert_eq!(back.keys, ["tea"]);
    /// assert!(back.text.contains("Boil water.") && back.cost <= back.budget);
    /// session.reattached(&back);
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    pub fn reattach(&self, world: &World<'_>, catalog: &Catalog, ask: &ReattachRequest) -> Reattached {
        session::reattach(world, catalog, self, ask)
    }
}

#[cfg(feature = "receipts")]
impl Receipt {
    /// Makes the answer of a receipt again from these files, and says whether it has the same bytes, or else what differs first:
    /// an option, a rule, a file, a folder, the version of this library, or only the answer. The machine is not asked: the
    /// answers of the host are those in the receipt.
    ///
    /// If files of `fs` are [pending](crate::FsError::Pending), the outcome means nothing, and it is called again when they are
    /// there. See [`Recorder`] for an example.
    pub fn replay(&self, fs: &dyn Fs, request: &ReplayRequest) -> Replay {
        receipt::replay(fs, self, request)
    }
}
