//! What the processes of a server cost for each request.

use tare_results::LoadFollowed;

use super::line::{Page, Style};
use crate::figure::time;
use crate::text::one_line;

/// Calls that are rarer than this a request aren't shown, nor more than so many of the others.
const RARE: f64 = 0.01;
const SHOWN: usize = 8;

pub(super) fn write(page: &mut Page, found: &LoadFollowed) {
    let whose = match found.processes {
        0 | 1 => format!("process {}", found.pid),
        more => format!("process {} and {} that it has begun", found.pid, more - 1),
    };
    let cpu = match (found.user_ns, found.system_ns) {
        (Some(user), Some(system)) => {
            format!("{} a request: {} in programs, {} in the kernel", time(user + system), time(user), time(system))
        }
        _ => "unknown: less than the kernel's ticks of 10 ms, or the process has ended".to_owned(),
    };
    page.prose(
        0,
        (Style::Dim, "  CPU time   "),
        Style::Plain,
        &format!("{cpu} ({whose}, {} requests)", found.requests),
    );
    let all: f64 = found.calls.iter().map(|(_, each)| each).sum();
    let calls = if found.untraced.is_empty() {
        let frequent: Vec<&(String, f64)> = found.calls.iter().filter(|(_, each)| *each >= RARE).collect();
        let mut named: Vec<String> =
            frequent.iter().take(SHOWN).map(|(name, each)| format!("{name} {each:.2}")).collect();
        let more = found.calls.len() - named.len();
        named.extend((more > 0).then(|| format!("{more} others")));
        format!("{all:.2} a request: {} ({} requests under strace)", named.join(", "), found.traced)
    } else {
        format!("not counted: {}", found.untraced)
    };
    page.prose(0, (Style::Dim, "  sys. calls "), Style::Plain, &one_line(&calls));
    if found.failed > 0 {
        let text = format!("{} of these requests failed; the figures include their cost", found.failed);
        page.prose(0, (Style::Dim, "             "), Style::Yellow, &text);
    }
}
