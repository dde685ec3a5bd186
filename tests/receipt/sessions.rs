//! Sessions of random questions about random skills, each answer with its receipt. The receipts are replayed here, and by
//! the module for JavaScript in `wasm`.

use crate::common::ground::{changed, skill};
use crate::common::{Random, path, property};
use pretty_assertions::assert_eq;
use skilltree::dialect::NAMES;
use skilltree::fs::FileRecord;
use skilltree::record::{Differing, Question, Receipt, RecordedRequest, Recorder, ReplayRequest, Session};
use skilltree::{
    Caller, Catalog, Digest, Host, MemFs, Permission, Places, PromptRequest, Requirement, Skill, Trust, World,
    commands, discover,
};

/// How many sessions are tried, here and in the module: 1 000, which take 6 s without optimisation, or the number that the
/// variable `SKILLTREE_SESSIONS` says.
pub(crate) fn sessions() -> u64 {
    let given = std::env::var("SKILLTREE_SESSIONS").ok();
    given
        .map_or(1_000, |given| given.parse().unwrap_or_else(|error| panic!("SKILLTREE_SESSIONS is `{given}`: {error}")))
}

/// A session: its files, and the receipts of its answers.
pub(crate) struct Made {
    pub(crate) files: Vec<(String, String)>,
    pub(crate) receipts: Vec<Receipt>,
}

/// A host that answers by the name of what it is asked about.
struct Moody;

/// A number of few bits that a text always has.
fn mood(text: &str) -> u8 {
    text.bytes().fold(7_u8, |sum, byte| sum.wrapping_mul(31) ^ byte) % 4
}

impl Host for Moody {
    fn meets(&self, need: &Requirement) -> bool {
        matches!(need, Requirement::Bin(name) | Requirement::Env(name) if mood(name) != 0)
    }

    fn trusts(&self, skill: &Skill) -> Trust {
        match mood(&skill.key) {
            0 => Trust::No(Some("it may not".to_owned())),
            1 => Trust::No(None),
            2 => Trust::Yes,
            _ => Trust::Contents { folder: Digest::of(b"x"), manifest: Digest::of(b"y") },
        }
    }

    fn holds(&self, permission: &Permission) -> bool {
        mood(&permission.tag()) != 0
    }

    fn variable(&self, name: &str) -> Option<String> {
        (mood(name) != 0).then(|| format!("the {name}"))
    }

    fn rank(&self, skill: &Skill) -> u64 {
        u64::from(mood(&skill.key))
    }
}

const KEYS: &[&str] = &["tea", "cake", "milk", "Straße", "a b"];
const FIELDS: &[&str] = &[
    "",
    "allowed-tools: Bash(ls) Read\n",
    "context: fork\n",
    "disable-model-invocation: true\n",
    "user-invocable: false\n",
    "requires: {bins: [tool], env: [KEY]}\n",
    "arguments: cups\n",
    "broken: [\n",
];
const BODIES: &[&str] =
    &["Boil.\n", "Boil $ARGUMENTS for $1.\n", "Now: !`date`\n", "${CLAUDE_SESSION_ID} at ${CLAUDE_SKILL_DIR}\n", ""];

fn one<'t>(random: &mut Random, of: &[&'t str]) -> &'t str {
    random.pick::<&str>(of)
}

/// A tree of a few skills in the places of all systems.
fn files(random: &mut Random) -> Vec<(String, String)> {
    let sources = ["/r", "/p/.claude/skills", "/h/.claude/skills", "/p/.sven/skills", "/p/.agents/skills", "/p/skills"];
    let mut files = Vec::new();
    for _ in 0..2 + random.below(3) {
        let (source, key) = (*random.pick(&sources), one(random, KEYS));
        let description = "Makes something good of it. ".repeat(random.below(8));
        let fields = format!("name: {key}\ndescription: {description}\n{}", one(random, FIELDS));
        files.push((format!("{source}/{key}/SKILL.md"), skill(fields.trim_end(), one(random, BODIES))));
        if random.one_in(3) {
            files.push((format!("{source}/{key}/references/more.md"), "More.\n".to_owned()));
        }
    }
    files
}

fn places() -> Places {
    Places { project: Some(path("/p")), home: Some(path("/h")), roots: vec![path("/r")], ..Places::default() }
}

fn request(random: &mut Random) -> RecordedRequest {
    let key = one(random, KEYS).to_owned();
    let args = one(random, &["", "two cups", "\"green tea\" 3"]).to_owned();
    match random.below(5) {
        0 => RecordedRequest::Prompt(PromptRequest {
            budget: (random.one_in(2)).then(|| random.below(600)),
            window: (random.one_in(4)).then_some(2_000),
            query: (random.one_in(3)).then(|| format!("make {key}").into()),
        }),
        1 | 2 => RecordedRequest::Load {
            key,
            caller: if random.one_in(2) { Caller::Model } else { Caller::User },
            args,
            already_loaded: if random.one_in(6) { vec!["tea".to_owned()] } else { Vec::new() },
        },
        3 => {
            let name = one(random, &["name", "skill", "skill_name", "command"]);
            RecordedRequest::Call { arguments: format!("{{\"{name}\": \"{key}\"}}") }
        }
        _ => RecordedRequest::Invoke { line: format!("/{key} {args}"), reserved: Vec::new() },
    }
}

/// Does in the session what the question asks.
fn advance(session: &mut Session, world: &World<'_>, catalog: &Catalog, request: &RecordedRequest) {
    match request {
        RecordedRequest::Prompt(ask) => _ = session.prompt(world, catalog, ask),
        RecordedRequest::Load { key, caller, args, .. } => {
            let mut ask = skilltree::LoadRequest::new(*caller);
            args.clone_into(&mut ask.args);
            if let Ok(skill) = catalog.find(key, *caller) {
                let _ = session.load(world, catalog, skill, &ask);
            }
        }
        RecordedRequest::Call { arguments } => _ = session.call(world, catalog, arguments),
        RecordedRequest::Invoke { line, .. } => _ = session.invoke(world, catalog, &commands(catalog, &[]), line),
        other => panic!("{other:?}"),
    }
}

/// Makes a session of a few answers.
pub(crate) fn made(random: &mut Random) -> Made {
    let files = files(random);
    let fs = memory(&files);
    let name = random.pick::<&str>(NAMES);
    let own = "about: a dialect of one's own\nprompt: {max_description: 40}\n";
    // Sometimes the dialect of a file.
    let table = changed(name, if random.one_in(8) { own } else { "" });
    let places = places();
    let world = World::new(&fs, &places, &Moody);
    let recorder = Recorder::new(&world);
    let catalog = discover(&recorder.world(), &table);
    let (mut session, mut receipts) = (Session::default(), Vec::new());
    for _ in 0..1 + random.below(4) {
        let mut question = Question::new(request(random));
        if !random.one_in(3) {
            question.session = Some(session.texts_in_context());
        }
        if random.one_in(4) {
            question.outputs = vec!["Friday".to_owned()];
        }
        let given = question.answer(&recorder.world(), &catalog);
        advance(&mut session, &world, &catalog, &question.request);
        if random.one_in(5) {
            session.compacted();
        }
        receipts.push(recorder.receipt(&catalog, question, &given));
    }
    Made { files, receipts }
}

fn memory(files: &[(String, String)]) -> MemFs {
    let mut fs = MemFs::new();
    for (file, text) in files {
        fs.file(file, text.as_bytes());
    }
    fs
}

/// Replays the receipts, and once more after a byte of one of the files was flipped.
fn holds(made: &Made, random: &mut Random) {
    let mut fs = memory(&made.files);
    let request = ReplayRequest::default();
    for receipt in &made.receipts {
        let told = receipt.replay(&fs, &request);
        assert!(told.is_same() && told.changed.is_empty(), "{told:?}\nof {:#}", receipt.to_json());
    }
    let receipt = random.pick(&made.receipts);
    let read = |entry| match entry {
        &(ref file, FileRecord::Read { bytes, .. }) if bytes > 0 => Some((file, bytes)),
        _ => None,
    };
    let read: Vec<_> = receipt.files().iter().filter_map(read).collect();
    if read.is_empty() {
        return;
    }
    let (file, bytes) = *random.pick(&read);
    let (_, text) = made.files.iter().rfind(|(at, _)| at == file.as_str()).expect("it was read");
    let mut text = text.clone().into_bytes();
    text[random.below(bytes)] ^= 1;
    fs.file(file.as_str(), text);
    let told = receipt.replay(&fs, &request);
    assert!(told.changed.contains(file), "{file} is not named: {told:?}");
    if let Some(differs) = told.differs {
        assert_eq!(differs.what, Differing::File(file.clone()), "of {:#}", receipt.to_json());
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "the harness shows what a test prints only if the test fails")]
fn sessions_replay_to_the_byte() {
    let seed = property::seed();
    println!("repeat with: {}", property::command("sessions_replay_to_the_byte", seed));
    let mut answers = 0;
    for n in 0..sessions() {
        let mut random = Random(seed.wrapping_add(n));
        let made = made(&mut random);
        holds(&made, &mut random);
        answers += made.receipts.len();
    }
    println!("{answers} answers of {} sessions", sessions());
    assert!(answers as u64 > 2 * sessions(), "{answers} answers");
}
