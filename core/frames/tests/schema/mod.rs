//! As much of JSON Schema 2020-12 as `frames.schema.json` uses. A keyword that isn't known here fails the test.

use serde_json::Value;

pub(crate) struct Schema(Value);

impl Schema {
    pub(crate) fn new(schema: Value) -> Self {
        Self(schema)
    }

    /// What is wrong with `value` by the definition of that name; `None` where it fits.
    pub(crate) fn fault(&self, definition: &str, value: &Value) -> Option<String> {
        self.check(self.resolve(&format!("#/$defs/{definition}")), value).err()
    }

    fn resolve(&self, reference: &str) -> &Value {
        let pointer = reference.strip_prefix('#').expect("references stay in the document");
        self.0.pointer(pointer).unwrap_or_else(|| panic!("there is no {reference}"))
    }

    fn check(&self, schema: &Value, value: &Value) -> Result<(), String> {
        for (keyword, rule) in schema.as_object().expect("a schema is an object") {
            self.check_keyword(keyword, rule, value).map_err(|fault| format!("{keyword}: {fault}"))?;
        }
        Ok(())
    }

    fn check_keyword(&self, keyword: &str, rule: &Value, value: &Value) -> Result<(), String> {
        let fits = match keyword {
            "description" => true,
            "$ref" => return self.check(self.resolve(rule.as_str().unwrap()), value),
            "anyOf" => rule.as_array().unwrap().iter().any(|schema| self.check(schema, value).is_ok()),
            "oneOf" => rule.as_array().unwrap().iter().filter(|schema| self.check(schema, value).is_ok()).count() == 1,
            "const" => rule == value,
            "enum" => rule.as_array().unwrap().contains(value),
            "type" => match rule.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                // 1.0 is an integer to JSON Schema.
                "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
                other => panic!("the type `{other}` isn't known"),
            },
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
            "items" => {
                return value.as_array().into_iter().flatten().try_for_each(|item| self.check(rule, item));
            }
            "required" => {
                let keys = rule.as_array().unwrap().iter().map(|key| key.as_str().unwrap());
                value.as_object().is_none_or(|entries| keys.into_iter().all(|key| entries.contains_key(key)))
            }
            "dependentRequired" => rule.as_object().unwrap().iter().all(|(key, needed)| {
                let mut needed = needed.as_array().unwrap().iter().map(|key| key.as_str().unwrap());
                let Some(entries) = value.as_object() else { return true };
                !entries.contains_key(key) || needed.all(|key| entries.contains_key(key))
            }),
            "properties" => {
                let Some(entries) = value.as_object() else { return Ok(()) };
                for (key, schema) in rule.as_object().unwrap() {
                    if let Some(entry) = entries.get(key) {
                        self.check(schema, entry).map_err(|fault| format!("{key}: {fault}"))?;
                    }
                }
                true
            }
            "pattern" => {
                let pattern = regex::Regex::new(rule.as_str().unwrap()).unwrap();
                value.as_str().is_none_or(|text| pattern.is_match(text))
            }
            "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()),
            other => panic!("the keyword `{other}` isn't known"),
        };
        if fits { Ok(()) } else { Err(format!("{value:.100} doesn't fit {rule:.100}")) }
    }
}
