//! What the pieces of work have in common: a scene made into a call whose answer is above 0, and scenes of one kind.

use crate::common::path;
use crate::scene::{Scene, one_with, skill};
use skilltree::author::FixRequest;
use skilltree::{
    Caller, CheckRequest, LoadRequest, MemFs, PromptRequest, SelectRequest, check, commands, load, prompt, select, why,
};
use std::fmt::Display;
use std::rc::Rc;

pub(crate) type Work = Box<dyn FnMut() -> usize>;

pub(crate) fn finding(scene: Rc<Scene>, find: impl Fn(&Scene) -> usize + 'static) -> Work {
    Box::new(move || find(&scene))
}

pub(crate) fn discovering(scene: Rc<Scene>) -> Work {
    // the findings are an answer too: that of a tree of broken files
    Box::new(move || {
        let catalog = scene.discover();
        catalog.skills().len() + catalog.findings().len()
    })
}

pub(crate) fn prompting(scene: Rc<Scene>, budget: usize) -> Work {
    let ask = PromptRequest { budget: Some(budget), ..PromptRequest::default() };
    Box::new(move || prompt(&scene.world(), &scene.catalog, &ask).text.len())
}

pub(crate) fn matching(scene: Rc<Scene>, message: &str) -> Work {
    let ask = SelectRequest { query: message.to_owned(), ..SelectRequest::default() };
    Box::new(move || select(&scene.world(), &scene.catalog, &ask).map_or(0, |found| found.text.len()))
}

pub(crate) fn children(scene: Rc<Scene>) -> Work {
    Box::new(move || {
        let below =
            |skill| scene.catalog.direct_children(skill).count() + scene.catalog.children(skill, Caller::User).len();
        1 + scene.catalog.skills().iter().map(below).sum::<usize>()
    })
}

pub(crate) fn missed(scene: &Scene, asked: &str) -> usize {
    scene.catalog.find(asked, Caller::User).map_or_else(|error| error.to_string().len(), |_| 0)
}

pub(crate) fn loading(scene: Rc<Scene>, key: &'static str) -> Work {
    Box::new(move || {
        let Some(skill) = scene.catalog.get(key) else { return 0 };
        load(&scene.world(), &scene.catalog, skill, &LoadRequest::new(Caller::User))
            .map_or(0, |loaded| loaded.text.len())
    })
}

pub(crate) fn asked(scene: &Scene, asked: &str) -> usize {
    why(&scene.world(), &scene.catalog, asked, &PromptRequest::default()).len()
}

pub(crate) fn checking(scene: Rc<Scene>) -> Work {
    Box::new(move || {
        check(&scene.world(), &scene.dialect, &[path("/s")], &CheckRequest { strict: true })
            .map_or(0, |all| all.len() + 1)
    })
}

pub(crate) fn fixing(scene: Rc<Scene>) -> Work {
    Box::new(move || {
        FixRequest::default().fix(&scene.world(), &scene.dialect, &[path("/s")]).map_or(0, |all| all.len() + 1)
    })
}

pub(crate) fn commanding(scene: Rc<Scene>) -> Work {
    Box::new(move || commands(&scene.catalog, &[]).all().len())
}

pub(crate) fn lines<T: Display>(count: usize, line: impl Fn(usize) -> T) -> String {
    (0..count).map(|number| line(number).to_string()).collect()
}

/// A field `description` of this many times twenty bytes.
pub(crate) fn long(size: usize, before: &str) -> String {
    format!("description: \"{before}{}\"\n", "words and more words ".repeat(size))
}

pub(crate) fn many_in(count: usize, add: impl Fn(&mut MemFs, usize)) -> MemFs {
    let mut fs = MemFs::new();
    (0..count).for_each(|number| add(&mut fs, number));
    fs
}

pub(crate) fn many(count: usize, add: impl Fn(&mut MemFs, usize)) -> Rc<Scene> {
    Scene::new("agentskills", many_in(count, add))
}

pub(crate) fn sources(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("/s{number}")).collect()
}

/// One skill in each of so many sources.
pub(crate) fn layers(count: usize) -> Rc<Scene> {
    let fs = many_in(count, |fs, number| {
        fs.file(&format!("/s{number}/x/SKILL.md"), skill(1, ""));
    });
    Scene::of("agentskills", fs, &sources(count))
}

/// A skill with so many below it.
pub(crate) fn family(count: usize) -> Rc<Scene> {
    let fs = many_in(count, |fs, number| {
        fs.file("/s/top/SKILL.md", skill(0, "")).file(&format!("/s/top/x{number}/SKILL.md"), skill(number, ""));
    });
    Scene::new("sven", fs)
}

/// A skill with so many files.
pub(crate) fn filed(name: &str, count: usize) -> Rc<Scene> {
    let mut fs = one_with("", "Do it.");
    for number in 0..count {
        fs.file(&format!("/s/one/scripts/file-{number}.sh"), "");
    }
    Scene::new(name, fs)
}
