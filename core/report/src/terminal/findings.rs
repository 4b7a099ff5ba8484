//! What about the machine and the runtimes may have disturbed a run.

use tare_samples::{Finding, FindingLevel};

use super::TableOptions;
use super::line::{Page, Style};
use crate::text::one_line;

/// Columns of one finding; its whole text is in `tare doctor`.
const LONGEST: usize = 90;

/// One line, however much was found, for what disturbs; with `verbose` another for what may.
pub(super) fn of_run(page: &mut Page, findings: &[Finding], options: &TableOptions) {
    let of = |level: FindingLevel| findings.iter().filter(move |finding| finding.level == level);
    let disturbs: Vec<String> = of(FindingLevel::Disturbs).map(|finding| brief(page, finding)).collect();
    let may: Vec<String> =
        of(FindingLevel::MayDisturb).filter(|_| options.verbose).map(|finding| brief(page, finding)).collect();
    if disturbs.is_empty() && may.is_empty() {
        return;
    }
    page.gap();
    for (lead, style, phrases) in [("disturbed by: ", Style::Yellow, disturbs), ("perhaps by: ", Style::Dim, may)] {
        if !phrases.is_empty() {
            page.phrases(0, (style, lead), Style::Plain, "; ", &phrases);
        }
    }
    super::problems::remedy(page, "`tare doctor` explains the effect and the remedy");
}

/// `governor powersave`, `php: xdebug 3.3.1, mode develop`.
fn brief(page: &Page, finding: &Finding) -> String {
    let text = format!("{} {}", one_line(&finding.code), one_line(&finding.found));
    let text = if finding.runtime.is_empty() { text } else { format!("{}: {text}", one_line(&finding.runtime)) };
    super::block::name(page, &text, LONGEST)
}
