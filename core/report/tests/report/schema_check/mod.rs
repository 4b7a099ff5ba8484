//! A reader of JSON Schema (draft 2020-12) for the keywords that this crate's schema uses. A keyword it doesn't know
//! is an error, so the schema can't come to ask for more than is checked.

use serde_json::Value;

/// Every way in which `value` departs from `schema`, as `path: what`; `root` resolves `#/$defs/…`.
#[allow(unreachable_pub)]
pub fn violations(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let keywords = schema.as_object().unwrap_or_else(|| panic!("{path}: the schema is {schema}"));
    for (keyword, rule) in keywords {
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let pointer = rule.as_str().and_then(|text| text.strip_prefix('#')).expect("a local reference");
                let target = root.pointer(pointer).unwrap_or_else(|| panic!("{pointer} leads nowhere"));
                found.extend(violations(root, target, value, path));
            }
            "type" => {
                let is_one = |name: &Value| match name.as_str().expect("the name of a type") {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    "number" => value.is_number(),
                    "integer" => value.is_u64() || value.is_i64(),
                    other => panic!("unknown type {other}"),
                };
                let is = rule.as_array().map_or_else(|| is_one(rule), |any| any.iter().any(is_one));
                if !is {
                    found.push(format!("{path}: {value} is no {rule}"));
                }
            }
            "const" if value != rule => found.push(format!("{path}: {value} is not {rule}")),
            "enum" if !rule.as_array().expect("a list").contains(value) => {
                found.push(format!("{path}: {value} is none of {rule}"));
            }
            "const" | "enum" => {}
            "minimum" => {
                if value.as_f64().is_some_and(|number| number < rule.as_f64().expect("a number")) {
                    found.push(format!("{path}: {value} is less than {rule}"));
                }
            }
            "required" => {
                for name in rule.as_array().expect("a list").iter().filter_map(Value::as_str) {
                    if value.is_object() && value.get(name).is_none() {
                        found.push(format!("{path}: no {name}"));
                    }
                }
            }
            "properties" => {
                for (name, rule) in rule.as_object().expect("an object") {
                    if let Some(member) = value.get(name) {
                        found.extend(violations(root, rule, member, &format!("{path}/{name}")));
                    }
                }
            }
            "additionalProperties" => {
                let named = schema.get("properties").and_then(Value::as_object);
                for (name, member) in value.as_object().into_iter().flatten() {
                    if !named.is_some_and(|named| named.contains_key(name)) {
                        let path = format!("{path}/{name}");
                        match rule {
                            Value::Bool(false) => found.push(format!("{path}: not allowed")),
                            Value::Bool(true) => {}
                            rule => found.extend(violations(root, rule, member, &path)),
                        }
                    }
                }
            }
            "items" => {
                for (position, member) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(violations(root, rule, member, &format!("{path}/{position}")));
                }
            }
            "not" => {
                if violations(root, rule, value, path).is_empty() {
                    found.push(format!("{path}: must not match {rule}"));
                }
            }
            "anyOf" => {
                let ways = rule.as_array().expect("a list").iter().map(|rule| violations(root, rule, value, path));
                let ways: Vec<Vec<String>> = ways.collect();
                if ways.iter().all(|found| !found.is_empty()) {
                    found.extend(ways.into_iter().flatten());
                }
            }
            "allOf" => {
                for rule in rule.as_array().expect("a list") {
                    found.extend(violations(root, rule, value, path));
                }
            }
            "if" => {
                let branch = if violations(root, rule, value, path).is_empty() { "then" } else { "else" };
                if let Some(rule) = schema.get(branch) {
                    found.extend(violations(root, rule, value, path));
                }
            }
            "then" | "else" => {}
            other => panic!("{path}: the schema's keyword {other} is not checked"),
        }
    }
    found
}
