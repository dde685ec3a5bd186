//! What a policy blocks is not served, and no longer once its files change.

use super::PATIENCE;
use crate::program::{Place, said};
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn what_is_blocked_is_not_served() {
    let place = Place::served(&[("/project/skilltree-policy.yaml", "unlocked: block\n")]);
    let uri = "skill://project-agents/pdf/references/forms.md";
    let client = place.client(&["--poll", "1"]).await;
    let (is_error, text) = client.said("activate_skill", json!({"name": "pdf"})).await;
    assert!(is_error && !text.contains("Read them"), "{text}");
    assert!(client.read(uri).await.is_err());
    client.end().await;
    let locked = said(&mut place.bare(&["lock"]));
    assert_eq!(locked.code, Some(0), "{}", locked.err);
    let client = place.client(&["--poll", "1"]).await;
    let (is_error, text) = client.said("activate_skill", json!({"name": "pdf"})).await;
    assert!(!is_error && text.contains("Read them"), "{text}");
    assert!(client.read(uri).await.is_ok());
    place.write("project/.agents/skills/pdf/scripts/say.sh", "#!/bin/sh\necho evil\n");
    let since = Instant::now();
    while client.said("activate_skill", json!({"name": "pdf"})).await.1.contains("Read them") {
        assert!(since.elapsed() < PATIENCE, "it is still served");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(client.read(uri).await.is_err());
    client.end().await;
}
