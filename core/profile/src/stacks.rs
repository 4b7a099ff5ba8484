use std::collections::BTreeMap;

/// Stacks and how often, or how long, each was seen. Frames are made harmless: what separates frames and lines, and what a
/// terminal or a document can't show, is escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stacks {
    counts: BTreeMap<String, u64>,
}

impl Stacks {
    /// Adds a stack, the outermost frame first. One without frames is nothing.
    pub fn add<'a>(&mut self, frames: impl IntoIterator<Item = &'a str>, count: u64) {
        let frames: Vec<String> = frames.into_iter().map(harmless).collect();
        if !frames.is_empty() && count > 0 {
            *self.counts.entry(frames.join(";")).or_default() += count;
        }
    }

    /// Reads collapsed stacks, a line each: frames separated by `;`, a blank, a count.
    ///
    /// # Errors
    /// The number of a line that isn't one, from 1.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut stacks = Self::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let (frames, count) = line.trim_end().rsplit_once(' ').ok_or(number + 1)?;
            let count = count.parse().map_err(|_| number + 1)?;
            stacks.add(frames.split(';'), count);
        }
        Ok(stacks)
    }

    /// Drops the frames of each stack up to the last one of which `is_scale` holds: the worker's own. A stack of nothing else goes
    /// whole.
    pub fn without(&self, is_scale: impl Fn(&str) -> bool) -> Self {
        let mut rest = Self::default();
        for (stack, &count) in &self.counts {
            let frames: Vec<&str> = stack.split(';').collect();
            let from = frames.iter().rposition(|frame| is_scale(frame)).map_or(0, |last| last + 1);
            if from < frames.len() {
                *rest.counts.entry(frames[from..].join(";")).or_default() += count;
            }
        }
        rest
    }

    /// The stacks of whose outermost frame `begins` holds.
    pub fn that_begin(&self, begins: impl Fn(&str) -> bool) -> Self {
        let first = |stack: &str| begins(stack.split(';').next().unwrap_or(stack));
        let counts = self.counts.iter().filter(|(stack, _)| first(stack));
        Self { counts: counts.map(|(stack, &count)| (stack.clone(), count)).collect() }
    }

    /// Collapsed stacks, a line each.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.counts.iter().map(|(stack, count)| format!("{stack} {count}"))
    }

    /// Collapsed stacks with their counts.
    pub fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counts.iter().map(|(stack, &count)| (stack.as_str(), count))
    }

    /// Different stacks.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// All counts together.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Frames by the count of the stacks that they are innermost in, largest first.
    pub fn innermost(&self) -> Vec<(String, u64)> {
        let mut own: BTreeMap<&str, u64> = BTreeMap::new();
        for (stack, &count) in &self.counts {
            let last = stack.rsplit(';').next().unwrap_or(stack);
            *own.entry(last).or_default() += count;
        }
        let mut own: Vec<(String, u64)> = own.into_iter().map(|(frame, count)| (frame.to_owned(), count)).collect();
        own.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        own
    }
}

/// A frame without what would break a line, a stack or a document of XML 1.0 (its section 2.2 on characters).
fn harmless(frame: &str) -> String {
    let mut text = String::with_capacity(frame.len());
    for character in frame.trim().chars() {
        match character {
            ';' => text.push(','),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{2028}' | '\u{2029}') => {
                text.extend(c.escape_unicode());
            }
            // They turn the direction of what stands beside them.
            c @ ('\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => text.extend(c.escape_unicode()),
            c => text.push(c),
        }
    }
    if text.is_empty() { "[unknown]".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::Stacks;

    #[test]
    fn stacks_survive_their_text() {
        let mut stacks = Stacks::default();
        stacks.add(["main", "work for two", "<leaf>"], 3);
        stacks.add(["main"], 1);
        stacks.add(["main"], 2);
        let text: Vec<String> = stacks.lines().collect();
        assert_eq!(text, ["main 3", "main;work for two;<leaf> 3"]);
        assert_eq!(Stacks::parse(&text.join("\n")), Ok(stacks.clone()));
        assert_eq!((stacks.total(), stacks.len()), (6, 2));
        assert_eq!(stacks.innermost(), [("<leaf>".into(), 3), ("main".into(), 3)]);
    }

    #[test]
    fn what_is_no_stack_is_told_by_its_line() {
        assert_eq!(Stacks::parse("a;b 3\n\nnothing"), Err(3));
        assert_eq!(Stacks::parse("a;b many"), Err(1));
        assert_eq!(Stacks::parse("\n \n"), Ok(Stacks::default()));
    }

    #[test]
    fn hostile_frames_break_neither_lines_nor_stacks() {
        let mut stacks = Stacks::default();
        stacks.add(["a;b 1\nc;d 99", "\u{1b}[31m\u{202e}", " "], 1);
        let text: Vec<String> = stacks.lines().collect();
        assert_eq!(text, ["a,b 1\\u{a}c,d 99;\\u{1b}[31m\\u{202e};[unknown] 1"]);
    }

    #[test]
    fn the_workers_own_frames_are_left_out() {
        let mut stacks = Stacks::default();
        stacks.add(["Tare\\Worker::run", "Tare\\loop", "HashBench::bench", "hash"], 5);
        stacks.add(["Tare\\Worker::run"], 2);
        let rest = stacks.without(|frame| frame.starts_with("Tare\\"));
        assert_eq!(rest.lines().collect::<Vec<_>>(), ["HashBench::bench;hash 5"]);
    }
}
