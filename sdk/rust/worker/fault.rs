//! A request that can't be answered, or user code that failed: what happened, where, what to do.

#[derive(Clone, Debug, Default)]
pub(crate) struct Fault {
    /// One of the protocol's (PROTOCOL §4).
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    pub(crate) remedy: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    /// The request's number, where a bad frame still shows it.
    pub(crate) request: Option<i64>,
}

impl Fault {
    pub(crate) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), ..Self::default() }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new("bad-request", message)
    }

    pub(crate) fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    /// Where it has no place of its own.
    pub(crate) fn placed(mut self, file: &str, line: u32) -> Self {
        if self.file.is_empty() {
            self.file = file.to_owned();
            self.line = line;
        }
        self
    }
}

/// Text as it stands in a message, of hostile length.
pub(crate) fn in_quotes(text: &str) -> String {
    let cut = text.char_indices().nth(200).map_or(text, |(at, _)| &text[..at]);
    format!("\"{cut}{}\"", if cut.len() < text.len() { "..." } else { "" })
}
