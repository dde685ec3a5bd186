//! Layers of one tree: what shows, what is hidden, and whose words an error has.

use crate::common;

use common::property;
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::sample::select;
use skilltree::fs::{Action, Entry, FileKind, FsCall, OverlayFs, Step, VisitOutcome, Walk};
use skilltree::{Fs, FsError, FsPath, IncrementalDiscovery, MemFs, Places, World, dialect};

fn path(text: &str) -> FsPath {
    FsPath::new(text).unwrap()
}

fn mem(files: &[(&str, &str)]) -> MemFs {
    files.iter().copied().collect()
}

#[track_caller]
fn lists(case: &str, fs: &dyn Fs, dir: &str, expect: &str) {
    let got = match fs.list(&path(dir)) {
        Ok(entries) => {
            entries.iter().map(|entry| format!("{} {:?}", entry.name, entry.kind)).collect::<Vec<_>>().join(", ")
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(got, expect, "{case}");
}

#[track_caller]
fn reads(case: &str, fs: &dyn Fs, file: &str, expect: &str) {
    let got = fs.read(&path(file), 99).map(|head| String::from_utf8(head.bytes).unwrap());
    assert_eq!(got.unwrap_or_else(|error| error.to_string()), expect, "{case}");
    let (dir, name) = file.rsplit_once('/').unwrap();
    let dir = if dir.is_empty() { "/" } else { dir };
    let got = fs.read_within(&path(dir), name, 99).map(|head| String::from_utf8(head.bytes).unwrap());
    assert_eq!(got.unwrap_or_else(|error| error.to_string()), expect, "{case}, confined");
}

#[test]
fn folders_merge_and_the_upper_file_counts() {
    let low = mem(&[("/s/a", "low"), ("/s/b", "low"), ("/s/d/x", "low"), ("/s/f/x", "low"), ("/s/g", "low")]);
    let high = mem(&[("/s/b", "high"), ("/s/c", "high"), ("/s/d/y", "high"), ("/s/f", "high"), ("/s/g/x", "high")]);
    let fs = OverlayFs::new().layer(low).layer(high);
    lists("merged", &fs, "/s", "a File, b File, c File, d Dir, f File, g Dir");
    lists("further down", &fs, "/s/d", "x File, y File");
    lists("a folder over a file", &fs, "/s/g", "x File");
    lists("a file over a folder", &fs, "/s/f", "`/s/f` is not a directory");
    lists("nothing", &fs, "/s/n", "`/s/n` does not exist");
    reads("the lower alone", &fs, "/s/a", "low");
    reads("both", &fs, "/s/b", "high");
    reads("hidden by a file above it", &fs, "/s/f/x", "`/s/f/x` is not a directory");
    reads("a folder over a file", &fs, "/s/g", "`/s/g` is not a regular file");
    assert_eq!(fs.metadata(&path("/s/f/x")), Ok(None));
    assert_eq!(fs.canonical(&path("/s/f/x")), Err(FsError::NotADirectory(path("/s/f/x"))));
}

#[test]
fn what_is_no_folder_hides_what_lies_below() {
    let mut high = MemFs::new();
    high.link("/gone", "nowhere").link("/round", "round").other("/pipe");
    let low = mem(&[("/gone/x", "1"), ("/round/x", "1"), ("/pipe/x", "1"), ("/gone/d/y", "1")]);
    let fs = OverlayFs::new().layer(low).layer(high);
    lists("links and pipes", &fs, "/", "gone Broken, pipe Other, round Broken");
    reads("below a dangling link", &fs, "/gone/x", "`/gone/x` does not exist");
    reads("deeper", &fs, "/gone/d/y", "`/gone/d/y` does not exist");
    reads("below a pipe", &fs, "/pipe/x", "`/pipe/x` is not a directory");
    let middle =
        OverlayFs::new().layer(mem(&[("/d/low", "1")])).layer(mem(&[("/d", "a file")])).layer(mem(&[("/d/high", "1")]));
    lists("a file between two folders", &middle, "/d", "high File");
    reads("and what it hides", &middle, "/d/low", "`/d/low` does not exist");
}

#[test]
fn a_layer_has_its_place() {
    let tea = || mem(&[("/SKILL.md", "tea"), ("/refs/x", "1")]);
    let fs = OverlayFs::new().layer(mem(&[("/s/milk", "1"), ("/s/tea/old", "1")])).mount(path("/s/tea"), tea());
    lists("above its place", &fs, "/s", "milk File, tea Dir");
    lists("merged with what is there", &fs, "/s/tea", "SKILL.md File, old File, refs Dir");
    let alone = OverlayFs::new().mount(path("/a/b"), tea());
    lists("the folders above are there", &alone, "/", "a Dir");
    lists("all of them", &alone, "/a", "b Dir");
    assert_eq!(alone.metadata(&path("/a")).unwrap().unwrap().kind, FileKind::Dir);
    assert_eq!(alone.canonical(&path("/a")), Ok(path("/a")));
    assert_eq!(alone.canonical(&path("/a/b/refs")), Ok(path("/a/b/refs")));
    reads("an error has the path of the whole", &alone, "/a/b/none", "`/a/b/none` does not exist");
    reads("also where nothing is", &alone, "/x", "`/x` does not exist");
    reads("a folder above", &alone, "/a", "`/a` is not a regular file");
    let file = OverlayFs::new().mount(path("/a/b"), tea()).layer(mem(&[("/a", "a file")]));
    lists("a file over a place", &file, "/", "a File");
    reads("hides it", &file, "/a/b/SKILL.md", "`/a/b/SKILL.md` is not a directory");
    let over = OverlayFs::new().layer(mem(&[("/tea.skill", "PK")])).mount(path("/tea.skill"), tea());
    lists("a place over a file", &over, "/tea.skill", "SKILL.md File, refs Dir");
    lists("no layer at all", &OverlayFs::new(), "/", "`/` does not exist");
}

#[test]
fn links_stay_in_their_layer() {
    let mut low = mem(&[("/skill/SKILL.md", "own"), ("/secret", "low")]);
    low.link("/skill/out", "../secret").link("/skill/in", "SKILL.md");
    let fs = OverlayFs::new().layer(low).layer(mem(&[("/skill/more", "high"), ("/secret", "high")]));
    let within = |rel: &str| fs.read_within(&path("/skill"), rel, 9).map(|head| String::from_utf8(head.bytes).unwrap());
    assert_eq!(within("in"), Ok("own".to_owned()));
    assert_eq!(within("more"), Ok("high".to_owned()));
    assert_eq!(within("out"), Err(FsError::Escapes(path("/skill/out"))));
    assert_eq!(within("../secret"), Err(FsError::Escapes(path("/secret"))));
    reads("a link is read where its layer has it", &fs, "/skill/in", "own");
}

#[test]
fn errors_and_what_is_pending_are_handed_on() {
    let mut high = mem(&[("/s/a", "1")]);
    high.pending("/s").fault(FsCall::Metadata, "/d", FsError::Denied(path("/d")));
    let fs = OverlayFs::new().layer(mem(&[("/x/s/b", "1"), ("/x/d", "1")])).mount(path("/x"), high);
    lists("pending", &fs, "/x/s", "`/x/s` is not available yet");
    assert_eq!(fs.metadata(&path("/x/d")), Err(FsError::Denied(path("/x/d"))));
    let mut above = mem(&[("/t/other", "1")]);
    above.pending("/t");
    let hidden = OverlayFs::new().layer(mem(&[("/t/a", "1")])).layer(above);
    assert_eq!(hidden.metadata(&path("/t/a")), Err(FsError::Pending(path("/t/a"))), "what hides it is not known yet");
    let both = fs.metadata_all(&[&path("/x/s"), &path("/x/s/a")]);
    assert_eq!(both[0], Err(FsError::Pending(path("/x/s"))));
    assert!(matches!(both[1], Ok(Some(metadata)) if metadata.kind == FileKind::File));
    let mut seen = Vec::new();
    let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
        steps.extend((0..entries.len()).map(|entry| Step { entry, action: Action::Enter }));
    };
    let root = path("/x");
    fs.walk(&Walk { root: &root, step: &step, prefix_len: 9, max_dirs: 9 }, &mut |visit| {
        if let VisitOutcome::Failed(error) = &visit.outcome {
            seen.push(error.clone());
        }
    });
    assert_eq!(seen, [FsError::Pending(path("/x/s"))]);
}

#[test]
fn looks_are_grouped_by_layer() {
    let (low, high) = (mem(&[("/a", "1"), ("/b", "2")]), mem(&[("/b", "22"), ("/c", "333")]));
    let fs = OverlayFs::new().layer(low).layer(high);
    let paths = [path("/c"), path("/a"), path("/none"), path("/b")];
    let all_metadata = fs.metadata_all(&paths.iter().collect::<Vec<_>>());
    let lens: Vec<Option<u64>> =
        all_metadata.into_iter().map(|metadata| metadata.unwrap().map(|metadata| metadata.len)).collect();
    assert_eq!(lens, [Some(3), Some(1), None, Some(2)]);
}

#[test]
fn a_stamp_says_which_layer_it_is_of() {
    let shown = |low: &MemFs, high: &MemFs| {
        let fs = OverlayFs::new().layer(low).layer(high);
        let stamp = |name: &str| fs.metadata(&path(name)).unwrap().and_then(|metadata| metadata.stamp);
        (stamp("/s"), stamp("/s/a"))
    };
    let mut low = mem(&[("/s/a", "1")]);
    let mut high = mem(&[("/s/a", "1")]);
    let before = shown(&low, &high);
    assert_eq!(shown(&low, &high), before);
    low.file("/s/a", "2");
    assert_eq!(shown(&low, &high).1, before.1, "a file that does not show does not count");
    low.file("/s/b", "2");
    assert!(shown(&low, &high).0 != before.0, "the listing of a lower layer counts");
    high.remove("/s/a");
    assert!(shown(&low, &high).1 != before.1, "another layer's file shows");
}

#[test]
fn refreshing_an_overlay_is_discovering_it_again() {
    let skill = |name: &str, about: &str| format!("---\nname: {name}\ndescription: {about}\n---\n");
    let mut low = mem(&[("/s/tea/SKILL.md", &skill("tea", "low")), ("/s/milk/SKILL.md", &skill("milk", "low"))]);
    let mut high = mem(&[("/s/tea/SKILL.md", &skill("tea", "high"))]);
    let places = Places { roots: vec![path("/s")], ..Places::default() };
    let agentskills = dialect("agentskills").unwrap();
    let mut live = IncrementalDiscovery::new(agentskills.clone());
    let mut check = |case: &str, low: &MemFs, high: &MemFs, expect: &str| {
        let fs = OverlayFs::new().layer(low).layer(high);
        let world = World::new(&fs, &places, &());
        let told = |catalog: &skilltree::Catalog| {
            let told = catalog.skills().iter().map(|skill| format!("{}: {}", skill.key, skill.description()));
            told.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(told(&live.refresh(&world)), expect, "{case}");
        assert_eq!(told(&skilltree::discover(&world, &agentskills)), expect, "{case}");
    };
    check("first", &low, &high, "milk: low, tea: high");
    check("again", &low, &high, "milk: low, tea: high");
    high.remove("/s/tea");
    check("the upper one gone", &low, &high, "milk: low, tea: low");
    high.file("/s/milk", "no folder");
    check("hidden by a file", &low, &high, "tea: low");
    high.remove("/s/milk");
    low.file("/s/milk/SKILL.md", skill("milk", "new"));
    check("shown again, and new", &low, &high, "milk: new, tea: low");
}

/// Building over what is there is what a layer does: what stands in the way is replaced.
#[test]
fn layers_are_as_if_built_over_one_another() {
    let name = vec(select(&["a", "b", "a-b"][..]), 1..=3);
    let layers = vec(vec(name, 0..7), 1..=3);
    property::check("layers_are_as_if_built_over_one_another", 400, layers, |layers| {
        let mut whole = MemFs::new();
        let mut overlay = OverlayFs::new();
        let mut paths = vec![FsPath::root()];
        for (layer, files) in layers.iter().enumerate() {
            let mut fs = MemFs::new();
            for names in files {
                let name = format!("/{}", names.join("/"));
                fs.file(&name, format!("{layer}{name}"));
                paths.extend([path(&name), path(&name).parent().unwrap(), path(&format!("{name}/x"))]);
            }
            // what of the layer has replaced other files of it is not in it
            let mut waiting = vec![FsPath::root()];
            while let Some(dir) = waiting.pop() {
                for entry in fs.list(&dir).unwrap() {
                    let at = dir.child(&entry.name).unwrap();
                    match fs.read(&at, 99) {
                        Ok(head) => drop(whole.file(at.as_str(), head.bytes)),
                        Err(_) => waiting.push(at),
                    }
                }
            }
            overlay = overlay.layer(fs);
        }
        for at in &paths {
            let case = at.as_str();
            assert_eq!(overlay.list(at), whole.list(at), "{case}");
            let bytes = |fs: &dyn Fs| fs.read(at, 99).map(|head| head.bytes);
            assert_eq!(bytes(&overlay), bytes(&whole), "{case}");
            let seen =
                |fs: &dyn Fs| fs.metadata(at).map(|metadata| metadata.map(|metadata| (metadata.kind, metadata.len)));
            assert_eq!(seen(&overlay), seen(&whole), "{case}");
            assert_eq!(overlay.canonical(at), whole.canonical(at), "{case}");
        }
        let refs: Vec<&FsPath> = paths.iter().collect();
        let one_by_one: Vec<_> = refs.iter().map(|at| overlay.metadata(at)).collect();
        assert_eq!(overlay.metadata_all(&refs), one_by_one);
        Ok(())
    });
}
