//! The pieces of work. Each takes what is shared at a size, and gives the work to be counted, whose answer is above 0.

use crate::common::path;
use crate::scene::{Scene, Stock, one, one_with, skill};
use crate::work::*;
use skilltree::author::Overlap;
use skilltree::loading::KnowledgeHint;
use skilltree::package::CopyPlan;
use skilltree::{Caller, Fs, LoadRequest, MemFs, PromptRequest, call, commands, load, prompt, tool};

/// One piece of work.
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) make: fn(&mut Stock) -> Work,
}

const fn row(what: &'static str, make: fn(&mut Stock) -> Work) -> Row {
    Row { what, make }
}

/// A budget that holds few of the rows.
const TIGHT: usize = 2_000;
/// Characters a row for a budget that holds about half of them.
const HALF: usize = 40;

pub(crate) const ROWS: &[Row] = &[
    row("discover: skills", |stock| discovering(stock.side_by_side("agentskills"))),
    row("discover: skills with states", |stock| discovering(stock.side_by_side("gencode"))),
    row("discover: broken files", |stock| {
        discovering(many(stock.size, |fs, number| {
            fs.file(&format!("/s/broken-{number}/SKILL.md"), "---\nname: [\n---\n");
        }))
    }),
    row("discover: links to one skill", |stock| {
        discovering(many(stock.size, |fs, number| {
            fs.file("/elsewhere/far/SKILL.md", skill(1, "")).link(&format!("/s/far-{number}"), "/elsewhere/far");
        }))
    }),
    row("discover: links to as many skills", |stock| {
        discovering(many(stock.size, |fs, number| {
            let far = format!("/elsewhere/far-{number}");
            fs.file(&format!("{far}/SKILL.md"), skill(number, "")).link(&format!("/s/far-{number}"), &far);
        }))
    }),
    row("discover: links to SKILL.md files", |stock| {
        discovering(many(stock.size, |fs, number| {
            let far = format!("/elsewhere/far-{number}.md");
            fs.file(&far, skill(number, "")).link(&format!("/s/far-{number}/SKILL.md"), &far);
        }))
    }),
    row("discover: dangling links", |stock| {
        discovering(many(stock.size, |fs, number| {
            fs.file("/s/one/SKILL.md", skill(1, "")).link(&format!("/s/far-{number}"), "/nowhere");
        }))
    }),
    row("discover: files of one name in one source", |stock| {
        discovering(many(stock.size, |fs, number| {
            fs.file(&format!("/s/same-{number}/SKILL.md"), skill(1, ""));
        }))
    }),
    row("discover: sources with one skill each", |stock| {
        let fs = many_in(stock.size, |fs, number| {
            fs.file(&format!("/s{number}/x/SKILL.md"), skill(number, ""));
        });
        discovering(Scene::of("agentskills", fs, &sources(stock.size)))
    }),
    row("discover: sources with the same skill", |stock| discovering(layers(stock.size))),
    row("discover: frontmatter of many fields", |stock| {
        discovering(Scene::new("agentskills", one_with(&lines(stock.size, |n| format!("f{n}: some value\n")), "")))
    }),
    row("discover: frontmatter of one list", |stock| {
        let list = lines(stock.size, |number| format!("  - item {number}\n"));
        discovering(Scene::new("agentskills", one_with(&format!("metadata:\n  all:\n{list}"), "")))
    }),
    row("discover: frontmatter of one flow list", |stock| {
        let list = lines(stock.size, |number| format!("item {number}, "));
        discovering(Scene::new("agentskills", one_with(&format!("metadata: {{all: [{list}]}}\n"), "")))
    }),
    row("discover: frontmatter of comments", |stock| {
        discovering(Scene::new("agentskills", one_with(&lines(stock.size, |n| format!("# number {n}\n")), "")))
    }),
    row("discover: frontmatter of the same field", |stock| {
        discovering(Scene::new("agentskills", one_with(&lines(stock.size, |n| format!("license: {n}\n")), "")))
    }),
    row("discover: frontmatter to be repaired", |stock| {
        let text = lines(stock.size, |number| format!("f{number}: a: b\n"));
        discovering(Scene::new("agentskills", one_with(&text, "")))
    }),
    row("discover: frontmatter never closed", |stock| {
        let text = lines(stock.size, |number| format!("f{number}: some value\n"));
        discovering(Scene::new("agentskills", one(&format!("---\nname: one\ndescription: One.\n{text}"))))
    }),
    row("discover: a description in one line", |stock| {
        discovering(Scene::new("agentskills", one_with(&long(stock.size, "when: "), "")))
    }),
    row("discover: a description in a block", |stock| {
        let text = lines(stock.size, |number| format!("  line {number} of it\n"));
        discovering(Scene::new("agentskills", one(&format!("---\nname: one\ndescription: >\n{text}---\n"))))
    }),
    row("discover: control characters", |stock| {
        let text = lines(stock.size, |_| "\u{7}a\u{200b}".to_owned());
        discovering(Scene::new("agentskills", one(&format!("---\nname: one\ndescription: {text}\n---\n"))))
    }),
    row("discover: aliases of YAML", |stock| {
        let text = lines(stock.size, |number| format!("  f{number}: *all\n"));
        discovering(Scene::new("agentskills", one_with(&format!("metadata:\n  all: &all x\n{text}"), "")))
    }),
    row("discover: allowed tools", |stock| {
        let text = lines(stock.size, |number| format!("Bash(run{number}:*) "));
        discovering(Scene::new("claude", one_with(&format!("allowed-tools: {text}\n"), "")))
    }),
    row("discover: folders in settings", |stock| {
        let text = lines(stock.size, |number| format!("\"s{number}\": true, "));
        let text = format!("{{\"chat.agentSkillsLocations\": {{{text}\"s\": true}}}}");
        discovering(Scene::with_settings("copilot", ".vscode/settings.json", &text))
    }),
    row("discover: overrides in settings", |stock| {
        let text = lines(stock.size * 10, |number| format!("\"skill-{number}\": \"off\", "));
        let text = format!("{{\"skillOverrides\": {{{text}\"s\": \"off\"}}}}");
        discovering(Scene::with_settings("claude", ".claude/settings.json", &text))
    }),
    row("discover: permissions in settings", |stock| {
        let text = lines(stock.size * 10, |number| format!("\"*-{number}\": \"deny\", "));
        let text = format!("{{\"permission\": {{\"skill\": {{{text}\"s\": \"deny\"}}}}}}");
        discovering(Scene::with_settings("opencode", "opencode.json", &text))
    }),
    row("discover: skills and permissions in settings", |stock| {
        let (mut fs, size) = (MemFs::new(), stock.size);
        for number in 0..size {
            fs.file(&format!("/s/.claude/skills/skill-{number}/SKILL.md"), skill(number, ""));
        }
        let text = lines(size, |number| format!("\"skill-{number}\": \"deny\", "));
        fs.file("/s/opencode.json", format!("{{\"permission\": {{\"skill\": {{{text}\"s\": \"deny\"}}}}}}"));
        discovering(Scene::in_project("opencode", fs))
    }),
    row("discover: skills and switches in settings", |stock| {
        let (mut fs, size) = (MemFs::new(), stock.size);
        for number in 0..size {
            fs.file(&format!("/s/.agents/skills/skill-{number}/SKILL.md"), skill(number, ""));
        }
        let entry = |number| format!("[[skills.config]]\nname = \"skill-{number}\"\nenabled = false\n");
        fs.file("/home/.codex/config.toml", lines(size / 2, entry));
        discovering(Scene::in_project("codex", fs))
    }),
    row("prompt: all rows, agentskills", |stock| prompting(stock.side_by_side("agentskills"), usize::MAX)),
    row("prompt: all rows, gencode", |stock| prompting(stock.side_by_side("gencode"), usize::MAX)),
    row("prompt: tight, agentskills", |stock| prompting(stock.side_by_side("agentskills"), TIGHT)),
    row("prompt: tight, sven", |stock| prompting(stock.side_by_side("sven"), TIGHT)),
    row("prompt: tight, gencode", |stock| prompting(stock.side_by_side("gencode"), TIGHT)),
    row("prompt: tight, pegasus", |stock| prompting(stock.side_by_side("pegasus"), TIGHT)),
    row("prompt: tight, daycare", |stock| prompting(stock.side_by_side("daycare"), TIGHT)),
    row("prompt: tight, claude", |stock| prompting(stock.side_by_side("claude"), TIGHT)),
    row("prompt: half, agentskills", |stock| prompting(stock.side_by_side("agentskills"), stock.size * HALF)),
    row("prompt: half, sven", |stock| prompting(stock.side_by_side("sven"), stock.size * HALF * 3)),
    row("prompt: half, gencode", |stock| prompting(stock.side_by_side("gencode"), stock.size * HALF)),
    row("prompt: half, pegasus", |stock| prompting(stock.side_by_side("pegasus"), stock.size * HALF)),
    row("prompt: half, daycare", |stock| prompting(stock.side_by_side("daycare"), stock.size * HALF * 3)),
    row("prompt: half, claude", |stock| prompting(stock.side_by_side("claude"), stock.size * HALF)),
    row("prompt: one large description", |stock| {
        prompting(Scene::new("agentskills", one(&format!("---\nname: one\n{}---\n", long(stock.size, "")))), 1_000)
    }),
    row("match: skills", |stock| matching(stock.side_by_side("agent-base"), "Please do7 the word-3 tables")),
    row("match: skills, again", |stock| matching(stock.side_by_side("agent-base"), "Please do8 the word-4 tables")),
    row("match: a message", |stock| {
        let message = lines(stock.size, |number| format!("word-{number} do{number} "));
        matching(Stock::new(20).side_by_side("agent-base"), &message)
    }),
    row("match: a message of one word", |stock| {
        matching(Stock::new(20).side_by_side("agent-base"), &"word ".repeat(stock.size))
    }),
    row("match: skills that all fit", |stock| {
        let fs = many_in(stock.size, |fs, number| {
            fs.file(&format!("/s/x{number}/SKILL.md"), skill(number, "triggers: {verbs: [brew], keywords: [pot]}\n"));
        });
        matching(Scene::new("agent-base", fs), "brew a pot")
    }),
    row("match: keywords of one skill", |stock| {
        let words = lines(stock.size, |number| format!("word {number}, "));
        matching(Scene::new("agent-base", one_with(&format!("triggers: {{keywords: [{words}]}}\n"), "")), "a word 7")
    }),
    row("match: patterns", |stock| {
        let fs = many_in(stock.size / 50 + 1, |fs, number| {
            let pattern = format!("triggers: {{patterns: ['(?i)^make {number} .*of \\w+$']}}\n");
            fs.file(&format!("/s/x{number}/SKILL.md"), skill(number, &pattern));
        });
        matching(Scene::new("agent-base", fs), "make 1 cup of tea")
    }),
    row("children: of every skill, by key", |stock| children(stock.side_by_side("sven"))),
    row("children: of every skill, by folder", |stock| children(stock.side_by_side("claude"))),
    row("children: below one skill", |stock| children(family(stock.size))),
    row("find: a hundred keys", |stock| {
        finding(stock.side_by_side("agentskills"), |scene| {
            scene
                .catalog
                .skills()
                .iter()
                .take(100)
                .filter(|skill| scene.catalog.find(&skill.key, Caller::User).is_ok())
                .count()
        })
    }),
    row("find: every short name, gencode", |stock| {
        let scene = Scene::new(
            "gencode",
            many_in(stock.size, |fs, number| {
                let text = skill(number, &format!("namespace: space{number}\n"));
                fs.file(&format!("/s/x{number}/SKILL.md"), text);
            }),
        );
        finding(scene, |scene| {
            let parts = (0..20).map(|number| format!("skill-{number}"));
            parts.filter(|part| scene.catalog.find(part, Caller::User).is_ok()).count()
        })
    }),
    row("find: a near miss", |stock| finding(stock.side_by_side("agentskills"), |scene| missed(scene, "skil-17"))),
    row("find: a near miss, gencode", |stock| finding(stock.side_by_side("gencode"), |scene| missed(scene, "skil-17"))),
    row("find: a near miss, daycare", |stock| finding(stock.side_by_side("daycare"), |scene| missed(scene, "skil-17"))),
    row("find: a long miss", |stock| {
        let asked = "x".repeat(stock.size);
        finding(Stock::new(20).side_by_side("agentskills"), move |scene| missed(scene, &asked))
    }),
    row("find: an ambiguous name, gencode", |stock| {
        let scene = Scene::new(
            "gencode",
            many_in(stock.size, |fs, number| {
                fs.file(&format!("/s/x{number}/SKILL.md"), skill(1, &format!("namespace: space{number}\n")));
            }),
        );
        finding(scene, |scene| missed(scene, "skill-1"))
    }),
    row("load: skills besides", |stock| loading(stock.side_by_side("agentskills"), "skill-7")),
    row("load: skills besides, again", |stock| loading(stock.side_by_side("agentskills"), "skill-8")),
    row("load: files", |stock| loading(filed("agentskills", stock.size), "one")),
    row("load: files, gencode", |stock| loading(filed("gencode", stock.size), "one")),
    row("load: linked files", |stock| {
        let mut fs = one_with("", "Do it.");
        for number in 0..stock.size {
            fs.link(&format!("/s/one/file-{number}.txt"), "SKILL.md");
        }
        loading(Scene::new("agentskills", fs), "one")
    }),
    row("load: children", |stock| loading(family(stock.size), "top")),
    row("load: a body", |stock| {
        loading(Scene::new("agentskills", one_with("", &"A line of text.\n".repeat(stock.size))), "one")
    }),
    row("load: a body to be escaped", |stock| {
        loading(Scene::new("sven", one_with("", &"</skill_content> & <a>\n".repeat(stock.size))), "one")
    }),
    row("load: arguments to fill in", |stock| {
        loading(Scene::new("pegasus", one_with("", &"$0 of $ARGUMENTS, ${1}.\n".repeat(stock.size))), "one")
    }),
    row("load: many arguments", |stock| {
        let scene = Scene::new("claude", one_with("", "$ARGUMENTS"));
        let ask = LoadRequest { args: lines(stock.size, |n| format!("'a {n}' ")), ..LoadRequest::new(Caller::User) };
        finding(scene, move |scene| {
            load(&scene.world(), &scene.catalog, &scene.catalog.skills()[0], &ask).map_or(0, |l| l.text.len())
        })
    }),
    row("load: commands in the body", |stock| {
        loading(Scene::new("claude", one_with("", &"Now !`date` it is.\n".repeat(stock.size))), "one")
    }),
    row("load: open marks in the body", |stock| {
        loading(Scene::new("claude", one_with("", &"!`${$[{(".repeat(stock.size))), "one")
    }),
    row("why: one key", |stock| finding(stock.side_by_side("agentskills"), |scene| asked(scene, "skill-7"))),
    row("why: all", |stock| finding(stock.side_by_side("agentskills"), |scene| asked(scene, "/s"))),
    row("why: one of many layers", |stock| finding(layers(stock.size), |scene| asked(scene, "skill-1"))),
    row("why: all broken", |stock| {
        let scene = many(stock.size, |fs, number| {
            fs.file(&format!("/s/broken-{number}/SKILL.md"), "---\nname: [\n---\n");
        });
        finding(scene, |scene| asked(scene, "/s"))
    }),
    row("check: skills", |stock| checking(stock.side_by_side("agentskills"))),
    row("check: broken files", |stock| {
        checking(many(stock.size, |fs, number| {
            fs.file(&format!("/s/broken-{number}/SKILL.md"), "---\nname: [\n---\n");
        }))
    }),
    row("check: findings in one file", |stock| {
        checking(Scene::new("agentskills", one_with(&lines(stock.size, |n| format!("unknown-{n}: 1\n")), "")))
    }),
    row("fix: fields in one file", |stock| {
        let fields = lines(stock.size, |number| format!("x{number}: a\n"));
        fixing(Scene::new("agentskills", one(&format!("---\nname: one\ndescription: Tea: green\n{fields}---\nB\n"))))
    }),
    row("fix: fields in one file that a client reads as no YAML", |stock| {
        let fields = lines(stock.size, |_| "k: [a\n");
        fixing(Scene::new("claude", one(&format!("---\nname: one\ndescription: d\n{fields}---\nB\n"))))
    }),
    row("check: patterns of one skill", |stock| {
        let all = lines(stock.size / 10, |number| format!("'a{number}', "));
        checking(Scene::new("agent-base", one_with(&format!("triggers: {{patterns: [{all}]}}\n"), "")))
    }),
    row("commands: skills", |stock| commanding(stock.side_by_side("agentskills"))),
    row("commands: skills, gencode", |stock| commanding(stock.side_by_side("gencode"))),
    row("commands: names alike once sanitised", |stock| {
        let scene = Scene::new(
            "sven",
            many_in(stock.size, |fs, number| {
                let dots = format!("{}{}", ".".repeat(1 + number % 90), " ".repeat(number / 90));
                fs.file(&format!("/s/A{dots}b/SKILL.md"), skill(number, ""));
            }),
        );
        commanding(scene)
    }),
    row("commands: one short name", |stock| {
        commanding(Scene::new(
            "gencode",
            many_in(stock.size, |fs, number| {
                fs.file(&format!("/s/x{number}/SKILL.md"), skill(1, &format!("namespace: space{number}\n")));
            }),
        ))
    }),
    row("commands: complete", |stock| {
        finding(stock.side_by_side("agentskills"), |scene| commands(&scene.catalog, &[]).complete("skill-1").len())
    }),
    row("overlap: descriptions of few words", |stock| {
        let scene = many(stock.size * 10, |fs, number| {
            // Each description has others of a hundred words.
            let words = lines(12, |at| format!("word{} ", (number * 7 + at * at * (number / 100 + 3)) % 100));
            let text = format!("---\nname: skill-{number}\ndescription: {words}\n---\n");
            fs.file(&format!("/s/skill-{number}/SKILL.md"), text);
        });
        finding(scene, |scene| 1 + Overlap::all(&scene.world(), &scene.catalog, &PromptRequest::default()).len())
    }),
    row("prompt: for a request", |stock| {
        let ask = PromptRequest {
            budget: Some(TIGHT),
            query: Some("work on the tables and queries of number 7".into()),
            ..PromptRequest::default()
        };
        finding(stock.side_by_side("agentskills"), move |scene| prompt(&scene.world(), &scene.catalog, &ask).text.len())
    }),
    row("searched places: folders in settings", |stock| {
        let text = lines(stock.size, |number| format!("\"s{number}\": true, "));
        let text = format!("{{\"chat.agentSkillsLocations\": {{{text}\"s\": true}}}}");
        finding(Scene::with_settings("copilot", ".vscode/settings.json", &text), |scene| {
            scene.world().searched_places(&scene.dialect).len()
        })
    }),
    row("tool", |stock| {
        finding(stock.side_by_side("agentskills"), |scene| {
            tool(&scene.catalog).map_or(0, |tool| tool.input_schema.to_string().len() + tool.description.len())
        })
    }),
    row("call", |stock| {
        finding(stock.side_by_side("agentskills"), |scene| {
            usize::from(call(&scene.world(), &scene.catalog, "{\"name\": \"skill-7\"}").is_ok())
        })
    }),
    row("call: large arguments", |stock| {
        let arguments = format!("{{\"name\": \"skill-7\", \"more\": [{}1]}}", "{\"a\": 1}, ".repeat(stock.size));
        finding(Stock::new(20).side_by_side("agentskills"), move |scene| {
            1 + usize::from(call(&scene.world(), &scene.catalog, &arguments).is_ok())
        })
    }),
    row("activation", |stock| {
        finding(stock.side_by_side("daycare"), |scene| {
            CopyPlan::of(&scene.world(), &scene.catalog, &path("/active")).map_or(0, |plan| plan.copies.len())
        })
    }),
    row("knowledge", |stock| {
        let mut fs =
            one_with(&lines(stock.size, |n| if n == 0 { "knowledge:\n".into() } else { format!("  - k{n}.md\n") }), "");
        for number in 0..stock.size {
            fs.file(&format!("/s/.sven/knowledge/k{number}.md"), "---\nsubsystem: it\n---\n");
        }
        let scene = Scene::new("sven", fs);
        finding(scene, |scene| {
            let text = scene.fs.read(&path("/s/one/SKILL.md"), u64::MAX).map(|head| head.bytes).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            KnowledgeHint::of(&scene.world(), &scene.dialect, &path("/s/one/SKILL.md"), &text).text.len() + 1
        })
    }),
];
