//! The search: what is found, in which order and why; that an updated index is the same as a new one; and how relevant the
//! answers are to real requests. In memory and on the disk.

use crate::common;

use common::ground::{Ground, on, skill, table};
#[cfg(unix)]
use common::living::settled;
use common::recording::Recording;
use common::{Tree, property};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use skilltree::fs::FsCall;
use skilltree::offer::{Hits, SearchIndex, SearchRequest};
use skilltree::{Caller, Code, Fs, IncrementalDiscovery, MemFs, World, discover};

/// Skills of a dialect with triggers and keys.
fn skills(skills: &[(&str, &str)]) -> Ground {
    let file = |tree: Tree, (name, fields): &(&str, &str)| {
        tree.with(&format!("/s/{name}/SKILL.md"), skill(&format!("name: {name}\n{fields}"), "Boil the kettle.\n"))
    };
    on(skills.iter().fold(Tree::default(), file)).roots(&["/s"])
}

const SKILLS: &[(&str, &str)] = &[
    ("pdf-forms", "description: Fills in forms and merges documents."),
    ("deployment", "description: Releases a service to the cloud."),
    ("code-review", "description: Reviews changes. Finds mistakes in the code of a service."),
    ("tea", "description: Brews a hot drink of leaves."),
    ("coffee", "description: Brews a hot drink of beans."),
    ("GitHub", "description: Opens issues and pull requests."),
    ("table", "description: 表格处理和数据分析"),
    ("what", "description: Answers."),
    ("hidden", "description: Brews a secret drink of roots.\ndisable-model-invocation: true"),
];

fn request(query: &str) -> SearchRequest {
    SearchRequest::new(query, Caller::User)
}

/// Each hit as `key(fields)`.
fn brief(hits: &Hits) -> String {
    let field = |hit: &skilltree::offer::Hit| -> Vec<&str> { hit.matched.iter().map(|field| field.as_str()).collect() };
    let hits = hits.hits.iter().map(|hit| format!("{}({})", hit.key, field(hit).join(",")));
    hits.collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(case: &str, request: &SearchRequest, expect: &str) {
    let found = skills(SKILLS).of(case, "claude", |_, catalog| brief(&SearchIndex::new(catalog).search(request)));
    assert_eq!(found, expect, "{case}");
}

#[test]
fn by_words() {
    check("rule 28.1: a word", &request("leaves"), "tea(description)");
    check("rule 28.1: letter case", &request("LEAVES"), "tea(description)");
    check("rule 28.1: a singular", &request("merge one document"), "pdf-forms(description)");
    check("rule 28.1: endings", &request("brewing"), "coffee(description) hidden(description) tea(description)");
    check("rule 28.1: part of a name", &request("fill a form"), "pdf-forms(name,description)");
    check("rule 28.1: a name without its marks", &request("pdfforms"), "pdf-forms(name)");
    check("rule 28.1: camel case", &request("hub"), "GitHub(name)");
    check("rule 28.1: a related word", &request("deploying"), "deployment(name)");
    check("rule 28.1: pairs of letters", &request("处理表格"), "table(description)");
    check("rule 28.1: a pair is not there", &request("处表"), "");
    check("no word", &request(""), "");
    check("no letter", &request("?!"), "");
    check("no such word", &request("spaceship"), "");
    check("stop words do not count", &request("with the of"), "");
    check("not the text below", &request("kettle"), "");
}

/// Words that are made to have one beginning: a request that would be compared with too many of them stops.
#[test]
fn words_that_begin_alike_are_bounded() {
    let word = |n: usize| {
        let letters = (0..4).map(|at| char::from(b'a' + u8::try_from(n >> (3 * at) & 7).expect("a digit")));
        format!("con{}", letters.collect::<String>())
    };
    let mut tree = Tree::default().with("/s/photo/SKILL.md", skill("name: pictures\ndescription: A photo.", ""));
    for n in 0..100 {
        let words: Vec<String> = (0..30).map(|at| word(30 * n + at)).collect();
        tree = tree
            .with(&format!("/s/s{n}/SKILL.md"), skill(&format!("name: s{n}\ndescription: {}", words.join(" ")), ""));
    }
    let found = |query: &str| {
        let ground = on(tree.clone()).roots(&["/s"]);
        let mut request = request(query);
        request.limit = 1_000;
        let found = ground.of("alike", "agentskills", |_, catalog| SearchIndex::new(catalog).search(&request).hits);
        found.iter().any(|hit| hit.key == "pictures")
    };
    assert!(found("photography"));
    assert!(
        found(&format!("photography {}", (0..100).map(word).collect::<Vec<_>>().join(" "))),
        "a hundred times 3000"
    );
    assert!(!found(&format!("photography {}", (0..1_900).map(word).collect::<Vec<_>>().join(" "))), "rule 28.1");
}

/// However many skills have a word, they are found by it.
#[test]
fn words_that_all_skills_have() {
    for count in [1, 100, 200, 1_000] {
        let file = |tree: Tree, number: usize| {
            let text = format!("name: t{number}\ndescription: Does task {number} for Acme.");
            tree.with(&format!("/s/t{number}/SKILL.md"), skill(&text, ""))
        };
        let ground = on((0..count).fold(Tree::default(), file)).roots(&["/s"]);
        let case = format!("{count} skills");
        let found =
            ground.of(&case, "agentskills", |_, catalog| SearchIndex::new(catalog).search(&request("acme")).hits);
        assert!(!found.is_empty(), "{case}");
    }
}

#[test]
fn in_order() {
    check(
        "rule 28.2: a name counts more",
        &request("service deployment"),
        "deployment(name,description) code-review(description)",
    );
    check("rule 28.2: a rare word counts more", &request("hot beans"), "coffee(description) tea(description)");
    check(
        "rule 28.4: equal ones by key",
        &request("drink"),
        "coffee(description) hidden(description) tea(description)",
    );
    let limited = |limit| {
        let mut request = request("drink");
        request.limit = limit;
        request
    };
    check("a limit", &limited(2), "coffee(description) hidden(description)");
    check("none", &limited(0), "");
    check("more than there are", &limited(usize::MAX), "coffee(description) hidden(description) tea(description)");
    let for_model = SearchRequest::new("drink", Caller::Model);
    check("not what the caller may not see", &for_model, "coffee(description) tea(description)");
    check("not by its name either", &SearchRequest::new("hidden", Caller::Model), "");
}

#[test]
fn exact_names() {
    check("rule 28.4: a key", &request("tea"), "tea(name)");
    check("rule 28.4: in another letter case, with spaces", &request(" github "), "GitHub(name)");
    check("rule 28.4: a stop word", &request("what"), "what(name)");
    for query in
        ["/tea for the deployment", "use `tea` in a deployment", "the tea skill for a deployment", "deployment \"Tea\""]
    {
        check(query, &request(query), "tea(name) deployment(name)");
    }
    check("rule 28.4: words", &request("deployment of tea"), "deployment(name) tea(name)");
    let skills = skills(&[
        ("review", "description: x"),
        ("a", "description: review review review"),
        ("b-review", "description: review reviews"),
        ("Review", "description: y"),
    ]);
    let first = |case: &str, query: &str| {
        let found = skills.of(case, "claude", |_, catalog| SearchIndex::new(catalog).search(&request(query)));
        let scores: Vec<f64> = found.hits.iter().map(|hit| hit.score).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{case}: {scores:?}");
        found.hits.iter().take(2).map(|hit| hit.key.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(first("rule 28.4: as it is written", "review"), "review Review");
    assert_eq!(first("rule 28.4: in another letter case", "Review"), "Review review");
}

#[test]
fn typing_mistakes() {
    check("rule 28.3: a letter is missing", &request("deploment"), "deployment(name)");
    check("rule 28.3: a letter more", &request("coffeee"), "coffee(name)");
    check("rule 28.3: another letter", &request("documemts"), "pdf-forms(description)");
    check("rule 28.3: two letters are swapped", &request("cofefe"), "coffee(name)");
    check("rule 28.3: not in short words", &request("tae"), "");
    check("rule 28.3: not two mistakes", &request("xoffeee"), "");
    check("rule 28.3: not in a word that a skill has", &request("beans"), "coffee(description)");
    check(
        "rule 28.3: what is right counts more",
        &request("hot coffe leaves"),
        "tea(description) coffee(name,description)",
    );
}

#[test]
fn fields() {
    let skills = skills(&[
        ("a", "description: One.\ntriggers: {keywords: [spreadsheet], verbs: [sum up]}"),
        ("b", "description: Two.\nwhen_to_use: For numbers."),
    ]);
    let found = |query: &str| {
        skills.of(query, "agent-base", |_, catalog| brief(&SearchIndex::new(catalog).search(&request(query))))
    };
    assert_eq!(found("spreadsheets"), "a(triggers)");
    assert_eq!(found("summing it up"), "a(triggers)");
    let found = |query: &str| {
        skills.of(query, "claude", |_, catalog| brief(&SearchIndex::new(catalog).search(&request(query))))
    };
    assert_eq!(found("number"), "b(when_to_use)");
    let named =
        on(Tree::default().with("/p/.sven/skills/tea/SKILL.md", "---\nname: Green leaves\ndescription: x\n---\n"));
    let alias =
        named.of("another name", "sven", |_, catalog| brief(&SearchIndex::new(catalog).search(&request("leaves"))));
    assert!(alias.ends_with("(alias)") || alias.ends_with("(name)"), "{alias}");
}

#[test]
fn bodies() {
    let found = skills(SKILLS).of("bodies", "claude", |world, catalog| {
        brief(&SearchIndex::with_bodies(world, catalog).search(&request("kettle leaves")))
    });
    assert!(found.starts_with("tea(description,body) "), "{found}");
    assert_eq!(found.matches("(body)").count(), SKILLS.len() - 1, "{found}");
    let in_body = |body: &str, query: &str| {
        let ground = on(Tree::default().with("/s/a/SKILL.md", skill("name: a\ndescription: D.", body))).roots(&["/s"]);
        ground.of(query, "claude", |world, catalog| {
            brief(&SearchIndex::with_bodies(world, catalog).search(&request(query)))
        })
    };
    assert_eq!(in_body("Boil the kettle.", "ketle"), "a(body)", "rule 28.3: a typing mistake");
    assert_eq!(in_body("A photograph.", "photos"), "", "rule 28.1: not what only begins alike");
    let long = |words: usize, last: &str| format!("{}{last}", "word ".repeat(words));
    assert_eq!(in_body(&long(13_000, "kettle"), "kettle"), "a(body)", "rule 28.2: the first 65536 bytes");
    assert_eq!(in_body(&long(13_200, "kettle"), "kettle"), "", "rule 28.2: no more than that");
    assert_eq!(in_body("---\nBoil the kettle.\r\n", "kettle"), "a(body)", "line ends");
}

/// A file that is no skill only because it has no description is found by the user, also after an edit.
#[test]
fn undescribed() {
    let ground = on(Tree::default().with("/s/tea/SKILL.md", "---\nname: tea\n---\nBoil.\n")).roots(&["/s"]);
    let (mut fs, dialect) = (ground.tree.mem(), table("agentskills"));
    let mut live = IncrementalDiscovery::new(dialect);
    let world = World::new(&fs, &ground.places, &ground.host);
    let mut index = SearchIndex::with_bodies(&world, &live.refresh(&world));
    let unused = |index: &SearchIndex, query: &str, caller| {
        let hits = index.search(&SearchRequest::new(query, caller)).hits;
        hits.iter().map(|hit| (hit.key.clone(), hit.unused)).collect::<Vec<_>>()
    };
    let tea = [("tea".to_owned(), Some(Code::DescriptionMissing))];
    assert_eq!(unused(&index, "boiling", Caller::User), tea);
    assert_eq!(unused(&index, "tea", Caller::User), tea);
    assert_eq!(unused(&index, "tea", Caller::Model), []);
    fs.file("/s/tea/SKILL.md", "---\nname: tea\n---\nPour.\n");
    let world = World::new(&fs, &ground.places, &ground.host);
    index.update_with_bodies(&world, &live.refresh(&world));
    assert_eq!(unused(&index, "boiling", Caller::User), []);
    assert_eq!(unused(&index, "pour", Caller::User), tea);
    fs.file("/s/tea/SKILL.md", skill("name: tea\ndescription: D.", "Pour.\n"));
    let world = World::new(&fs, &ground.places, &ground.host);
    index.update_with_bodies(&world, &live.refresh(&world));
    assert_eq!(unused(&index, "pour", Caller::Model), [("tea".to_owned(), None)]);
}

#[test]
fn marks() {
    let marked = |query: &str, text: &str| {
        let hits = skills(SKILLS).of("marks", "claude", |_, catalog| SearchIndex::new(catalog).search(&request(query)));
        let mut out = text.to_owned();
        for mark in hits.marks(text).into_iter().rev() {
            out.insert(mark.end, ']');
            out.insert(mark.start, '[');
        }
        out
    };
    assert_eq!(marked("brewing leaves", "Brews a hot drink of leaves."), "[Brews] a hot drink of [leaves].");
    assert_eq!(marked("form", "The pdf-forms, pdfForms and forms"), "The pdf-[forms], pdf[Forms] and [forms]");
    assert_eq!(marked("pdfforms", "The pdf-forms and forms"), "The [pdf-forms] and forms");
    assert_eq!(marked("处理表格", "用表格处理。"), "用[表格][处理]。".replace("][", ""));
    assert_eq!(marked("documemt", "documents"), "[documents]");
    assert_eq!(marked("spaceship", "A spaceship"), "A spaceship");
}

/// An updated index answers as a new one does, whatever was edited, added and removed.
#[test]
fn updates() {
    let words = || vec(select(&["tea", "leaves", "leaf", "leafy", "cloud", "clouds", "deployed", "form"][..]), 1..6);
    let edit = (0..6_usize, proptest::option::weighted(0.8, words()));
    let queries = ["tea leaves", "cloud", "clod", "leavs", "deploy a form", "s3"];
    property::check("search::updates", 64, vec(edit, 1..12), |edits| {
        let ground = on(Tree::default().with_dir("/s")).roots(&["/s"]);
        let (mut fs, dialect) = (ground.tree.mem(), table("claude"));
        let mut live = IncrementalDiscovery::new(dialect.clone());
        let mut index = SearchIndex::new(&live.refresh(&World::new(&fs, &ground.places, &ground.host)));
        let mut whole = index.clone();
        for (name, words) in edits {
            let path = format!("/s/s{name}/SKILL.md");
            match words {
                Some(words) => {
                    fs.file(&path, skill(&format!("description: {}", words.join(" ")), &words.concat()));
                }
                None => {
                    fs.remove(&path);
                }
            }
            let world = World::new(&fs, &ground.places, &ground.host);
            let catalog = live.refresh(&world);
            index.update(&catalog);
            whole.update_with_bodies(&world, &catalog);
            let fresh = discover(&world, &dialect);
            for query in queries {
                prop_assert_eq!(index.search(&request(query)), SearchIndex::new(&fresh).search(&request(query)));
                let bodies = SearchIndex::with_bodies(&world, &fresh);
                prop_assert_eq!(whole.search(&request(query)), bodies.search(&request(query)));
            }
        }
        Ok(())
    });
}

/// Makes the index that of the tree as it is now, and says which files that read. The refresh is not counted.
fn read_by_update(
    fs: &dyn Fs,
    ground: &Ground,
    live: &mut IncrementalDiscovery,
    index: &mut SearchIndex,
) -> Vec<String> {
    let catalog = live.refresh(&World::new(fs, &ground.places, &ground.host));
    let recording = Recording::new(fs);
    index.update_with_bodies(&World::new(&recording, &ground.places, &ground.host), &catalog);
    let reads = recording.calls().into_iter().filter(|(call, _)| *call == FsCall::Read);
    reads.map(|(_, file)| file.to_string()).collect()
}

/// The body of a skill is read when the skill is indexed.
#[test]
fn an_update_indexes_only_what_has_changed() {
    let ground = skills(SKILLS);
    let (a, b) = ("/s/tea/SKILL.md", "/s/new/SKILL.md");
    let text = skill("description: Brews something else.", "Grind the beans.\n");
    let mut fs = ground.tree.mem();
    let mut live = IncrementalDiscovery::new(table("claude"));
    let world = World::new(&fs, &ground.places, &ground.host);
    let mut index = SearchIndex::with_bodies(&world, &live.refresh(&world));
    let mut check = |case: &str, change: &dyn Fn(&mut MemFs), expect: &[&str]| {
        change(&mut fs);
        assert_eq!(read_by_update(&fs, &ground, &mut live, &mut index), expect, "{case}");
    };
    check("nothing", &|_| {}, &[]);
    check("an edit", &|fs| _ = fs.file(a, text.as_str()), &[a]);
    check("nothing after an edit", &|_| {}, &[]);
    check("a new skill", &|fs| _ = fs.file(b, text.as_str()), &[b]);
    check("one less", &|fs| _ = fs.remove(b), &[]);
}

/// The same on a disk, where stamps are given for what has been as it is for two seconds.
#[cfg(unix)]
#[test]
fn on_the_disk_an_update_indexes_only_what_has_changed() {
    let ground = skills(SKILLS);
    let (disk, folder) = ground.tree.disk();
    let paths: Vec<String> = SKILLS.iter().map(|(name, _)| format!("/s/{name}/SKILL.md")).collect();
    let folders = paths.iter().map(|path| path.trim_end_matches("/SKILL.md"));
    settled(&disk, paths.iter().map(String::as_str).chain(folders).chain(["/s"]));
    let mut live = IncrementalDiscovery::new(table("claude"));
    let world = World::new(&disk, &ground.places, &ground.host);
    let mut index = SearchIndex::with_bodies(&world, &live.refresh(&world));
    assert_eq!(read_by_update(&disk, &ground, &mut live, &mut index), [""; 0], "nothing");
    let text = skill("description: Brews something else.", "Grind the beans.\n");
    std::fs::write(folder.path().join("s/tea/SKILL.md"), text).expect("a file is written");
    assert_eq!(read_by_update(&disk, &ground, &mut live, &mut index), ["/s/tea/SKILL.md"], "an edit");
}

/// Words that are no longer used are forgotten, and the answers stay.
#[test]
fn many_edits() {
    let ground = on(Tree::default().with_dir("/s")).roots(&["/s"]);
    let (mut fs, dialect) = (ground.tree.mem(), table("claude"));
    let mut live = IncrementalDiscovery::new(dialect);
    let mut index = SearchIndex::new(&live.refresh(&World::new(&fs, &ground.places, &ground.host)));
    for edit in 0..12 {
        let words: Vec<String> = (0..1_000).map(|word| format!("w{edit}x{word}")).collect();
        fs.file("/s/a/SKILL.md", skill(&format!("description: {}", words.join(" ")), ""));
        fs.file("/s/b/SKILL.md", skill("description: Brews tea.", ""));
        index.update(&live.refresh(&World::new(&fs, &ground.places, &ground.host)));
        assert_eq!(brief(&index.search(&request("brewing"))), "b(description)");
        assert_eq!(brief(&index.search(&request(&format!("w{edit}x999")))), "a(description)");
    }
}

/// Real requests, each with the skill that it means, from the folder that `SKILLTREE_RETRIEVAL` names. Nothing of it is copied
/// here, and nothing is fitted to its words.
#[cfg(unix)]
mod relevance {
    use super::{SearchIndex, request};
    use crate::common::skip::real_data;
    use crate::common::{Machine, path};
    use skilltree::{Json, OsFs, Places, World, dialect, discover};

    /// Which part of the requests must find its skill in the first place, and among the first five.
    const LEAST: [f64; 2] = [0.455, 0.64];

    #[test]
    #[allow(clippy::print_stdout, reason = "the README names the command that prints the figures")]
    fn of_real_requests() {
        let Some(folder) = real_data("SKILLTREE_RETRIEVAL", "requests") else { return };
        let root = path(folder.join("skills").to_str().expect("UTF-8"));
        let places = Places { roots: vec![root], only_roots: true, ..Places::default() };
        let (fs, machine) = (OsFs::new(), Machine::default());
        let catalog = discover(&World::new(&fs, &places, &machine), &dialect("agentskills").expect("a dialect"));
        let index = SearchIndex::new(&catalog);
        let requests = std::fs::read_to_string(folder.join("dev.jsonl")).expect("there are requests");
        let (mut first, mut five) = (0, 0);
        for line in requests.lines() {
            let line = Json::parse(line).expect("JSON");
            let Some(Json::List(relevant)) = line.get("relevant") else { panic!("nothing is relevant: {line}") };
            let hits = index.search(&request(line.get("query").and_then(Json::as_text).expect("a query"))).hits;
            let place = hits.iter().position(|hit| relevant.iter().any(|key| key.as_text() == Some(&hit.key)));
            first += usize::from(place == Some(0));
            five += usize::from(place.is_some_and(|place| place < 5));
        }
        let parts = [first, five].map(|found| found as f64 / requests.lines().count() as f64);
        println!("of the requests find their skill: {} first, {} among the first five", parts[0], parts[1]);
        assert!(parts.iter().zip(LEAST).all(|(part, least)| *part >= least), "{parts:?} and not {LEAST:?}");
    }

    /// The part of the tasks that must find their skill in the first place.
    const LEAST_BY_BODY: f64 = 0.85;

    /// Tasks that are derived from the bodies of the corpus: of each skill, the longest sentence that does not name it and that no
    /// other skill has.
    #[test]
    #[allow(clippy::print_stdout, reason = "the README names the command that prints the figures")]
    fn of_tasks_from_the_corpus() {
        let Some(folder) = real_data("SKILLTREE_CORPUS", "corpus") else { return };
        let places =
            Places { roots: vec![path(folder.to_str().expect("UTF-8"))], only_roots: true, ..Places::default() };
        let (fs, machine) = (OsFs::new(), Machine::default());
        let world = World::new(&fs, &places, &machine);
        let catalog = discover(&world, &dialect("agentskills").expect("a dialect"));
        let bodies: Vec<String> =
            catalog.skills().iter().map(|skill| catalog.body(&world, skill).unwrap_or_default()).collect();
        let tasks: Vec<(&str, &str)> = catalog
            .skills()
            .iter()
            .zip(&bodies)
            .filter_map(|(skill, body)| {
                let is_own = |sentence: &&str| bodies.iter().filter(|body| body.contains(*sentence)).count() == 1;
                Some((skill.key.as_str(), sentences(body, &skill.key).into_iter().find(is_own)?))
            })
            .collect();
        let step = tasks.len() / 100;
        assert!(step > 0, "{} tasks", tasks.len());
        let index = SearchIndex::with_bodies(&world, &catalog);
        let tasks: Vec<_> = tasks.into_iter().step_by(step).take(100).collect();
        let first =
            |(key, task): &&(&str, &str)| index.search(&request(task)).hits.first().is_some_and(|hit| hit.key == *key);
        let found = tasks.iter().filter(first).count() as f64 / tasks.len() as f64;
        println!("of the tasks find their skill first: {found}");
        assert!(found >= LEAST_BY_BODY, "{found}");
    }

    /// The sentences of a body outside of code that have no part of the name, the longest first.
    fn sentences<'b>(body: &'b str, name: &str) -> Vec<&'b str> {
        let parts: Vec<String> =
            name.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 3).map(str::to_lowercase).collect();
        let mut in_code = false;
        let mut found: Vec<&str> = Vec::new();
        for line in body.lines().map(str::trim) {
            in_code ^= line.starts_with("```");
            if !in_code && line.starts_with(char::is_alphabetic) {
                found.extend(line.split_inclusive(['.', '!', '?']).map(str::trim));
            }
        }
        found.retain(|sentence| {
            let small = sentence.to_lowercase();
            (8..=40).contains(&sentence.split_whitespace().count()) && !parts.iter().any(|part| small.contains(part))
        });
        found.sort_by_key(|sentence| std::cmp::Reverse(sentence.len()));
        found
    }
}
