//! What a build server says that a change is compared with.

use std::path::Path;

use anyhow::anyhow;
use serde_json::Value;
use tare_session::BaseName;

/// A variable of the environment that isn't empty.
type Variable<'a> = dyn Fn(&str) -> Option<String> + 'a;
type Event<'a> = dyn Fn(&Path) -> Result<Value, anyhow::Error> + 'a;

/// From what GitHub and GitLab set; else the default branch.
pub(super) fn from_environment(variable: &Variable<'_>, event: &Event<'_>) -> Result<BaseName, anyhow::Error> {
    // Of a pull request. Its branch rather than the commit in the event: that one may have been pushed away since.
    if let Some(branch) = variable("GITHUB_BASE_REF") {
        return Ok(BaseName::Branch(branch));
    }
    if let Some(path) = variable("GITHUB_EVENT_PATH") {
        let event = event(Path::new(&path))?;
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
        if let Some(branch) = text("/pull_request/base/ref") {
            return Ok(BaseName::Branch(branch.to_owned()));
        }
        // Of a merge queue, and of a push.
        for pointer in ["/merge_group/base_sha", "/before"] {
            if let Some(hash) = text(pointer) {
                return commit(hash, "GITHUB_EVENT_PATH");
            }
        }
    }
    for name in ["CI_MERGE_REQUEST_DIFF_BASE_SHA", "CI_COMMIT_BEFORE_SHA"] {
        if let Some(hash) = variable(name).filter(|hash| !is_none(hash)) {
            return commit(&hash, name);
        }
        // Older servers name the branch of a merge request alone.
        if let Some(branch) = variable("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") {
            return Ok(BaseName::Branch(branch));
        }
    }
    Ok(BaseName::Default)
}

/// A branch that is new had no commit before: it is compared with the default branch.
fn commit(hash: &str, of: &str) -> Result<BaseName, anyhow::Error> {
    let is_hash = matches!(hash.len(), 40 | 64) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    match (is_none(hash), is_hash) {
        (true, _) => Ok(BaseName::Default),
        (false, true) => Ok(BaseName::Commit(hash.to_ascii_lowercase())),
        (false, false) => Err(anyhow!("{of} names a base that is no commit; name it with --base")),
    }
}

fn is_none(hash: &str) -> bool {
    hash.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};
    use tare_session::BaseName;

    use super::from_environment;

    fn found(variables: &[(&str, &str)], event: &Value) -> Result<BaseName, String> {
        let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
        let variable = |name: &str| variables.get(name).map(|value| (*value).to_owned());
        from_environment(&variable, &|_| Ok(event.clone())).map_err(|error| error.to_string())
    }

    #[test]
    fn each_build_server_is_understood() {
        let (hash, none) = ("0123456789012345678901234567890123456789", "0".repeat(40));
        let commit = Ok(BaseName::Commit(hash.to_owned()));
        let branch = Ok(BaseName::Branch("release/1.x".to_owned()));
        let event = [("GITHUB_EVENT_PATH", "event.json")];
        let empty = json!({});
        assert_eq!(found(&[], &empty), Ok(BaseName::Default));
        assert_eq!(found(&[("GITHUB_BASE_REF", "release/1.x")], &empty), branch);
        assert_eq!(found(&event, &json!({"pull_request": {"base": {"ref": "release/1.x"}}})), branch);
        assert_eq!(found(&event, &json!({"before": hash})), commit);
        assert_eq!(found(&event, &json!({"before": none})), Ok(BaseName::Default), "a new branch");
        assert_eq!(found(&event, &json!({"merge_group": {"base_sha": hash}})), commit);
        assert_eq!(found(&event, &json!([])), Ok(BaseName::Default), "a schedule, or by hand");
        assert!(found(&event, &json!({"before": "--upload-pack=x"})).unwrap_err().contains("--base"));
        let merge_request =
            [("CI_MERGE_REQUEST_DIFF_BASE_SHA", hash), ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "release/1.x")];
        assert_eq!(found(&merge_request, &empty), commit);
        assert_eq!(found(&merge_request[1..], &empty), branch);
        // In pipelines of merge requests GitLab sets the commit before to zeros.
        assert_eq!(found(&[("CI_COMMIT_BEFORE_SHA", &none), merge_request[1]], &empty), branch);
        assert_eq!(found(&[("CI_COMMIT_BEFORE_SHA", hash)], &empty), commit);
    }
}
