//! Skills as resources: what is listed is what is read, by the kit's own checks.

use super::{Client, patient, refused};
use crate::program::Place;
use pretty_assertions::assert_eq;
use rmcp::model::{
    ErrorCode, GetSkillRequestParams, PaginatedRequestParams, ReadResourceDirectoryRequestParams,
    ReadResourceRequestParams, ResourceContents, SkillResources, validate_skills,
};

#[tokio::test]
async fn what_is_listed_is_what_is_read() {
    let place = Place::served(&[]);
    std::fs::write(place.at("project/.agents/skills/pdf/logo.png"), [0x89, b'P', 0, 0xff]).unwrap();
    let client = place.client(&[]).await;
    let skills = patient(client.session.list_all_skills()).await.unwrap();
    assert_eq!(validate_skills(&skills), Ok(()));
    let uris: Vec<&str> = skills.iter().map(|skill| skill.uri.as_str()).collect();
    let agents = "skill://project-agents";
    let wanted = ["/pdf/SKILL.md", "/pdf/forms/SKILL.md", "/quiet/SKILL.md"].map(|rest| format!("{agents}{rest}"));
    assert_eq!(uris[1..], wanted);
    let mut files = 0;
    for skill in &skills {
        let got = patient(client.session.get_skill(GetSkillRequestParams::new(&skill.uri))).await.unwrap();
        assert_eq!(got.skill, *skill);
        let SkillResources::Files(listed) = &skill.resources else { panic!("{}", skill.uri) };
        for file in listed {
            let read = patient(client.session.read_resource(ReadResourceRequestParams::new(&file.uri))).await.unwrap();
            match read.contents.as_slice() {
                [ResourceContents::TextResourceContents { text, uri, .. }] => {
                    assert_eq!((file.verify(text.as_bytes()), uri), (Ok(()), &file.uri));
                }
                [ResourceContents::BlobResourceContents { blob, mime_type, .. }] => {
                    assert_eq!((blob.as_str(), mime_type.as_deref()), ("iVAA/w==", Some("image/png")));
                    assert_eq!(file.verify(&[0x89, b'P', 0, 0xff]), Ok(()));
                }
                other => panic!("{other:?}"),
            }
            files += 1;
        }
    }
    assert_eq!(files, 3 + 5 + 1 + 1, "a nested skill's files are its ancestor's too");
    let resources = patient(client.session.list_all_resources()).await.unwrap();
    let listed: Vec<&str> = resources.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(listed, uris);
    let pdf = &resources[1];
    assert_eq!((pdf.name.as_str(), pdf.description.as_deref()), ("pdf", Some("Reads forms.")));
    assert_eq!((pdf.mime_type.as_deref(), pdf.size), (Some("text/markdown"), Some(75)));
    let templates = patient(client.session.list_all_resource_templates()).await.unwrap();
    assert_eq!(templates[0].uri_template, "skill://{+path}");
    client.end().await;
}

async fn children(client: &Client, uri: &str) -> Vec<(String, String)> {
    let ask = ReadResourceDirectoryRequestParams::new(uri);
    let read = patient(client.session.read_resource_directory(ask)).await.unwrap();
    let child =
        |resource: &rmcp::model::Resource| (resource.uri.clone(), resource.mime_type.clone().unwrap_or_default());
    read.resources.iter().map(child).collect()
}

#[tokio::test]
async fn folders_are_walked() {
    let place = Place::served(&[]);
    std::fs::create_dir(place.at("project/.agents/skills/pdf/assets")).unwrap();
    let client = place.client(&[]).await;
    let pdf = "skill://project-agents/pdf";
    let named = |name: &str, kind: &str| (format!("{pdf}/{name}"), kind.to_owned());
    let folder = "inode/directory";
    let wanted = [
        named("SKILL.md", "text/markdown"),
        named("assets", folder),
        named("forms", folder),
        named("references", folder),
        named("scripts", folder),
    ];
    assert_eq!(children(&client, pdf).await, wanted);
    let read =
        patient(client.session.read_resource_directory(ReadResourceDirectoryRequestParams::new(pdf))).await.unwrap();
    let told = |resource: &rmcp::model::Resource| (resource.name.clone(), resource.description.clone());
    let (own, other) = (told(&read.resources[0]), told(&read.resources[1]));
    assert_eq!(own, ("pdf".to_owned(), Some("Reads forms.".to_owned())), "a SKILL.md has the name of the skill");
    assert_eq!(other, ("assets".to_owned(), None));
    assert_eq!(children(&client, &format!("{pdf}/assets")).await, []);
    assert_eq!(children(&client, &format!("{pdf}/scripts")).await, [named("scripts/say.sh", "text/x-shellscript")]);
    for bad in ["pdf/", "pdf/SKILL.md", "pdf/nothing", "pdf/../pdf", "secret", ""] {
        let ask = ReadResourceDirectoryRequestParams::new(format!("skill://project-agents/{bad}"));
        refused(patient(client.session.read_resource_directory(ask)).await, ErrorCode::INVALID_PARAMS, "nothing is");
    }
    client.end().await;
}

#[tokio::test]
async fn bad_addresses_are_refused() {
    let place = Place::served(&[]);
    let client = place.client(&[]).await;
    let pdf = "skill://project-agents/pdf";
    for bad in [
        format!("{pdf}/../secret/SKILL.md"),
        format!("{pdf}/%2e%2e/secret/SKILL.md"),
        format!("{pdf}/references%2Fforms.md"),
        format!("{pdf}/references/forms.md?x"),
        format!("{pdf}/references/forms.md#x"),
        format!("{pdf}/references//forms.md"),
        format!("{pdf}/references"),
        format!("{pdf}/none.md"),
        "skill://project-agents/secret/SKILL.md".to_owned(),
        "skill:///etc/passwd".to_owned(),
        format!("file://{}", place.named("project/outside.md")),
        place.named("project/outside.md"),
        String::new(),
    ] {
        let read = patient(client.session.read_resource(ReadResourceRequestParams::new(&bad))).await;
        refused(read, ErrorCode::RESOURCE_NOT_FOUND, "nothing is served");
        let got = patient(client.session.get_skill(GetSkillRequestParams::new(&bad))).await;
        refused(got, ErrorCode::INVALID_PARAMS, "");
    }
    client.end().await;
    let client = place.client_of(&[], super::Revision::Discovered).await;
    let read = patient(client.session.read_resource(ReadResourceRequestParams::new("skill://x/y"))).await;
    refused(read, ErrorCode::INVALID_PARAMS, "nothing is served");
    client.end().await;
}

#[tokio::test]
async fn many_skills_come_in_pages() {
    let many: Vec<(String, String)> = (0..120)
        .map(|n| {
            let text = format!("---\nname: s{n:03}\ndescription: Number {n}.\n---\n");
            (format!("/project/.agents/skills/s{n:03}/SKILL.md"), text)
        })
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let place = Place::served(&many);
    let client = place.client(&[]).await;
    let (mut cursor, mut sizes, mut uris) = (None, Vec::new(), Vec::new());
    loop {
        let ask = PaginatedRequestParams::default().with_cursor(cursor);
        let page = patient(client.session.list_skills(Some(ask))).await.unwrap();
        sizes.push(page.skills.len());
        uris.extend(page.skills.into_iter().map(|skill| skill.uri));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [50, 50, 24]);
    let resources = patient(client.session.list_resources(None)).await.unwrap();
    assert_eq!((resources.resources.len(), resources.next_cursor.is_some()), (100, true));
    let ask = PaginatedRequestParams::default().with_cursor(resources.next_cursor);
    refused(
        patient(client.session.list_skills(Some(ask))).await,
        ErrorCode::INVALID_PARAMS,
        "is not a cursor of this list",
    );
    let all: Vec<String> =
        patient(client.session.list_all_resources()).await.unwrap().into_iter().map(|one| one.uri).collect();
    assert_eq!(all, uris, "each once, in one order");
    for bad in ["", "zz", "7", "ff", "é", " "] {
        let ask = PaginatedRequestParams::default().with_cursor(Some(bad.to_owned()));
        refused(
            patient(client.session.list_skills(Some(ask.clone()))).await,
            ErrorCode::INVALID_PARAMS,
            "not a cursor",
        );
        refused(patient(client.session.list_tools(Some(ask))).await, ErrorCode::INVALID_PARAMS, "not a cursor");
    }
    client.end().await;
}

#[tokio::test]
async fn a_skill_that_a_strict_client_refuses_is_left_out_of_what_is_served() {
    let odd = [
        ("number", "metadata:\n  version: 1.0"),
        ("list", "metadata: [a]"),
        ("compatible", "compatibility: [a]"),
        ("t\u{fc}", "license: None"),
        ("fine", "metadata:\n  version: \"1.0\"\ncompatibility: Any"),
    ];
    let files = odd.map(|(name, fields)| {
        let text = format!("---\nname: {name}\ndescription: {name}.\n{fields}\n---\nBody of {name}.\n");
        (format!("/project/.agents/skills/{name}/SKILL.md"), text)
    });
    let long = format!("---\nname: long\ndescription: {}\n---\n", "x".repeat(1_025));
    let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("/project/.agents/skills/long/SKILL.md", &long));
    let place = Place::served(&files);
    let client = place.client(&[]).await;
    let skills = patient(client.session.list_all_skills()).await.unwrap();
    let names: Vec<&str> = skills.iter().map(|skill| skill.name()).collect();
    assert_eq!(names, ["tool", "fine", "pdf", "forms", "quiet"]);
    let resources = patient(client.session.list_all_resources()).await.unwrap();
    assert_eq!(resources.len(), skills.len());
    for name in ["number", "list", "compatible", "t%C3%BC", "long"] {
        let uri = format!("skill://project-agents/{name}/SKILL.md");
        let got = patient(client.session.get_skill(GetSkillRequestParams::new(&uri))).await;
        refused(got, ErrorCode::INVALID_PARAMS, "no skill has this URI");
        refused(client.read(&uri).await, ErrorCode::RESOURCE_NOT_FOUND, "nothing is served");
    }
    let (is_error, text) = client.said("activate_skill", serde_json::json!({"name": "number"})).await;
    assert!(!is_error && text.contains("Body of number."), "it is loaded all the same: {text}");
    client.end().await;
}

#[tokio::test]
async fn a_skill_that_is_too_large_is_left_out() {
    let place = Place::served(&[]);
    let file = std::fs::File::create(place.at("project/.agents/skills/pdf/huge.bin")).unwrap();
    file.set_len(16_777_217).unwrap();
    let client = place.client(&[]).await;
    let skills = patient(client.session.list_all_skills()).await.unwrap();
    assert!(skills.iter().all(|skill| !skill.uri.ends_with("/pdf/SKILL.md")), "{skills:?}");
    assert_eq!(skills.len(), 3, "the others are listed");
    let ask = GetSkillRequestParams::new("skill://project-agents/pdf/SKILL.md");
    refused(patient(client.session.get_skill(ask)).await, ErrorCode::INVALID_PARAMS, "no skill has this URI");
    refused(
        client.read("skill://project-agents/pdf/SKILL.md").await,
        ErrorCode::RESOURCE_NOT_FOUND,
        "nothing is served",
    );
    client.end().await;
}
