//! Messages of several lines, fit for a terminal.

use crate::text::visible;

/// A message of several lines, which quotes names and output of the user's code, fit for a terminal.
pub fn visible_message(text: &str) -> String {
    // A compiler's tabs are indentation.
    let text = text.replace('\t', "    ");
    text.split('\n').map(|line| visible(line, true)).collect::<Vec<_>>().join("\n")
}

/// Lines broken at spaces, what follows indented by two more. Words stay whole, so that paths can be copied; so do lines that fit, since
/// compilers point at places by columns.
pub fn wrapped_message(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        if line.chars().count() <= width {
            lines.push(line.to_owned());
            continue;
        }
        let indent = line.chars().take_while(|c| *c == ' ').count();
        let mut current = " ".repeat(indent);
        let mut empty = true;
        for word in line.split(' ').filter(|word| !word.is_empty()) {
            if !empty && current.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::replace(&mut current, " ".repeat(indent + 2)));
                empty = true;
            }
            if !empty {
                current.push(' ');
            }
            current.push_str(word);
            empty = false;
        }
        lines.push(current);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::wrapped_message;

    #[test]
    fn messages_are_broken_at_spaces_and_words_stay_whole() {
        let text = "tare: turbo is left at 0: /sys/devices/system/cpu/intel_pstate/no_turbo: the kernel refuses it\n    code  here\n      ^~~~";
        assert_eq!(
            wrapped_message(text, 40),
            "tare: turbo is left at 0:\n  /sys/devices/system/cpu/intel_pstate/no_turbo:\n  the kernel refuses it\n    code  here\n      ^~~~"
        );
        assert_eq!(wrapped_message(text, 120), text);
        assert_eq!(wrapped_message("", 40), "");
    }
}
