//! Who signed something, and whether the user trusts them. `x509` follows certificates to a root, `ssh` knows the signatures of
//! `ssh-keygen`, and `stored` keeps what the user trusts, with the command `trust`.
//!
//! Nothing is trusted because a signature brings it along: each root is one that the user has named. What is not understood is not
//! trusted either.

mod ssh;
mod stored;
mod x509;

pub(crate) use stored::TrustArgs;

use crate::host::is_in_project;
use crate::output::style::{WARNING, paint};
use crate::policy::ListedRoot;
use crate::reply::Failure;
use crate::setup::Setup;
use crate::verify::{Distrust, Signer};
use base64ct::{Base64, Encoding};
use skilltree::{Fs, visible};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};
use x509_cert::der::DateTime;

/// The largest file of roots that is read. The roots of a browser have some hundred KiB.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// How many roots are trusted.
const MAX_ROOTS: usize = 1_000;
/// How many chains of certificates are remembered. The skills of a publisher mostly have one.
const MAX_CHAINS: usize = 1_000;

/// Something that the user trusts, and that signatures lead to.
#[derive(Clone)]
enum Root {
    Certificate(Box<x509::Root>),
    Key(Box<ssh::Line>),
}

impl Root {
    /// Its kind, its ID and its subject.
    fn parts(&self) -> (&'static str, &str, &str) {
        match self {
            Root::Certificate(root) => ("x509", &root.id, &root.subject),
            Root::Key(line) => ("ssh", &line.fingerprint, &line.principals),
        }
    }

    fn id(&self) -> &str {
        self.parts().1
    }

    /// As it stands in a file.
    fn text(&self) -> String {
        match self {
            Root::Certificate(root) => root.pem(),
            Root::Key(line) => line.text.clone(),
        }
    }
}

/// What a file says that names roots.
#[derive(Default)]
struct Named {
    roots: Vec<Root>,
    /// Why lines are not trusted.
    refused: Vec<String>,
}

impl Named {
    /// Reads certificates in PEM, or else the lines of a file `allowed_signers` of OpenSSH.
    ///
    /// # Errors
    /// Why the text names no roots. A certificate that cannot be a root is an error, and a line is not, as other programs may know
    /// more kinds of them.
    fn parse(text: &str) -> Result<Named, String> {
        let mut named = Named::default();
        if text.contains(x509::BEGIN) {
            named.roots = x509::roots(text)?.into_iter().map(|root| Root::Certificate(Box::new(root))).collect();
        } else {
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !ssh::is_comment(line)) {
                match ssh::Line::parse(line) {
                    Ok(line) => named.roots.push(Root::Key(Box::new(line))),
                    Err(why) => named.refused.push(format!("line {} is not trusted: {why}", number + 1)),
                }
            }
        }
        if MAX_ROOTS < named.roots.len() {
            return Err(format!("it has over {MAX_ROOTS} roots"));
        }
        Ok(named)
    }

    /// Reads the file that the user names, with lines for standard error about what is refused in it.
    fn read(setup: &Setup, file: &str) -> Result<(Vec<Root>, String), Failure> {
        let path = setup.path(file)?;
        let shown = visible(file);
        let failed = |why: &str| Failure::error("no-root", format!("`{shown}` names no root: {why}"));
        let read = setup.fs.read(&path, MAX_FILE_BYTES).map_err(skilltree::Error::from)?;
        if MAX_FILE_BYTES < read.len {
            return Err(failed(&format!("it is larger than {MAX_FILE_BYTES} bytes")));
        }
        let text = std::str::from_utf8(&read.bytes).map_err(|_| failed("it is not UTF-8"))?;
        let named = Named::parse(text).map_err(|why| failed(&why))?;
        let warning = |why: &str| format!("{}: `{shown}`: {}\n", paint(WARNING, "warning"), visible(why));
        let mut notes: String = named.refused.iter().map(|why| warning(why)).collect();
        if named.roots.is_empty() {
            let expected = "expected certificates in PEM or lines of `allowed_signers`";
            return Err(failed(expected).with_note(notes));
        }
        if is_in_project(&setup.fs, &path, &setup.project) {
            notes.push_str(&warning("it is in the project, and whoever changes the project can change it"));
        }
        Ok((named.roots, notes))
    }
}

/// The roots in the text of a file: for namespaces the keys of `allowed_signers` that may sign in one of them, and otherwise certificates in
/// PEM; and why lines are not among them.
///
/// # Errors
/// Why there are none.
pub(crate) fn listed(text: &str, namespaces: &[&'static str]) -> Result<(Vec<ListedRoot>, Vec<String>), String> {
    let named = Named::parse(text)?;
    let mut roots = Vec::new();
    for root in &named.roots {
        match root {
            Root::Certificate(root) if namespaces.is_empty() => {
                roots.push(ListedRoot { id: root.id.clone(), namespace: None, after: 0, before: u64::MAX });
            }
            Root::Certificate(_) => {}
            Root::Key(line) => {
                roots.extend(namespaces.iter().filter(|namespace| line.allows(namespace)).map(|namespace| {
                    let (id, namespace) = (line.fingerprint.clone(), Some(*namespace));
                    ListedRoot { id, namespace, after: line.after, before: line.before }
                }))
            }
        }
    }
    match namespaces {
        _ if !roots.is_empty() => Ok((roots, named.refused)),
        [] => Err("expected certificates in PEM".to_owned()),
        namespaces => {
            let refused = named.refused.first().map(|why| format!("; {why}")).unwrap_or_default();
            let namespaces = namespaces.join("` or `");
            Err(format!("expected lines of `allowed_signers` for the namespace `{namespaces}`{refused}"))
        }
    }
}

/// What was found of a chain of certificates.
type Checked = Result<Rc<x509::Chain>, Distrust>;

/// What the user trusts, at a point in time.
pub(crate) struct Trust {
    roots: Vec<Root>,
    /// In seconds since 1970.
    now: u64,
    /// Lines for standard error about what is not trusted although it is named.
    pub(crate) notes: String,
    /// What was found, as most signatures of a publisher have the same chain.
    chains: RefCell<HashMap<Vec<Vec<u8>>, Checked>>,
}

impl Trust {
    /// What is in these files and what the user has stored, at a time, which is now if it is not named.
    ///
    /// # Errors
    /// For a file that names no root, and what is no time.
    pub(crate) fn new(setup: &Setup, files: &[String], at: Option<&str>) -> Result<Trust, Failure> {
        let now = match at {
            Some(at) => time_of(at).ok_or_else(|| {
                let expected = "expected a date such as 2026-11-27 or a time such as 2026-11-27T12:00:00Z";
                Failure::error("bad-arguments", format!("`{}` is not a time: {expected}", visible(at)))
            })?,
            // A clock before 1970 makes every certificate one of the future.
            None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        };
        let (mut roots, mut notes) = stored::of_user(setup);
        for file in files {
            let (named, refused) = Named::read(setup, file)?;
            roots.extend(named);
            notes.push_str(&refused);
        }
        Ok(Trust { roots, now, notes, chains: RefCell::default() })
    }

    /// Whether this program can check signatures at all.
    ///
    /// # Errors
    /// Never: the program without the feature `signatures` fails here.
    #[allow(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the program without the feature has the same function"
    )]
    pub(crate) fn is_able(&self) -> Result<(), Distrust> {
        Ok(())
    }

    /// The time at which signatures are judged, in seconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Whether the user has named a root.
    pub(crate) fn has_roots(&self) -> bool {
        !self.roots.is_empty()
    }

    /// Whether the user has named a root with this ID.
    pub(crate) fn names(&self, id: &str) -> bool {
        self.roots.iter().any(|root| root.id() == id)
    }

    /// Who signed a message, by a chain of certificates of which the first one signed, and an ECDSA signature in DER with the hash
    /// that belongs to the curve.
    ///
    /// # Errors
    /// Why the signature is not trusted. A signature that does not hold is invalid, whoever issued its certificate.
    pub(crate) fn x509(&self, chain: &[Vec<u8>], signature: &[u8], message: &[u8]) -> Result<Signer, Distrust> {
        let known = self.chains.borrow().get(chain).cloned();
        let checked = known.unwrap_or_else(|| {
            let roots = self.roots.iter().filter_map(|root| match root {
                Root::Certificate(root) => Some(&**root),
                Root::Key(_) => None,
            });
            let checked = x509::Chain::check(chain, &roots.collect::<Vec<_>>(), self.now).map(Rc::new);
            let mut chains = self.chains.borrow_mut();
            if chains.len() < MAX_CHAINS {
                chains.insert(chain.to_vec(), checked.clone());
            }
            checked
        });
        checked?.signer(signature, message)
    }

    /// Who signed a message with `ssh-keygen -Y sign`, for a namespace, and as this identity if one is named.
    ///
    /// # Errors
    /// Why the signature is not trusted.
    pub(crate) fn ssh(
        &self,
        armored: &str,
        namespace: &str,
        identity: Option<&str>,
        message: &[u8],
    ) -> Result<Signer, Distrust> {
        let lines = self.roots.iter().filter_map(|root| match root {
            Root::Key(line) => Some(&**line),
            Root::Certificate(_) => None,
        });
        ssh::signer(armored, (namespace, identity), message, lines, self.now)
    }
}

/// The bytes that a text stands for in Base64.
///
/// # Errors
/// For another text.
pub(crate) fn base64(text: &str) -> Result<Vec<u8>, Distrust> {
    Base64::decode_vec(text).map_err(|_| Distrust::Invalid("a value is not Base64".to_owned()))
}

/// The seconds since 1970 of a date or a time in UTC.
fn time_of(text: &str) -> Option<u64> {
    let whole = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
    Some(whole.parse::<DateTime>().ok()?.unix_duration().as_secs())
}
