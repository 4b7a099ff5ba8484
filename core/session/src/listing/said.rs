//! What is said while sources are listed, and in which words.

use tare_frames::{Level, Notice};
use tare_request::{Request, relative};
use tare_results::{NoticeLevel, NoticeView};
use tare_samples::{Failure, FailureKind};
use tare_worker::remedy_for;

use crate::listing::broken::Breakages;

/// What is said while sources are listed.
#[derive(Default)]
pub(super) struct Notices {
    pub(super) notices: Vec<NoticeView>,
    pub(super) broken: Breakages,
    /// Benchmarks that didn't run to be listed, and packages that weren't built, since the filter can't match them.
    pub(super) passed_over: usize,
    /// The notices that were told, each by its source, kind and message: none is told twice.
    told: Vec<(String, String, String)>,
}

/// What the thread hears meanwhile that waits for listers.
pub(super) enum Said {
    /// This file is asked, relative to the project.
    Asking(String),
    /// Something is built, or looked for.
    Notice(String),
}

impl Notices {
    /// Anything but an error that a worker gives notice of, once.
    pub(super) fn tell(&mut self, notice: Notice, shown: &str, request: &Request) {
        self.tell_of("", notice, shown, request);
    }

    /// The same, once for each source (`of`) that it is said of.
    pub(super) fn tell_of(&mut self, of: &str, notice: Notice, shown: &str, request: &Request) {
        let once = (of.to_owned(), notice.kind, notice.message.clone());
        let view = NoticeView {
            level: if notice.level == Level::Info { NoticeLevel::Info } else { NoticeLevel::Warning },
            message: notice.message,
            file: file_of(notice.file, shown, request),
            line: notice.line.unwrap_or(0),
            remedy: notice.remedy.unwrap_or_default(),
        };
        self.tell_once(once, view);
    }

    fn tell_once(&mut self, once: (String, String, String), view: NoticeView) {
        if !self.told.contains(&once) {
            self.told.push(once);
            self.notices.push(view);
        }
    }

    /// What was said elsewhere as well.
    pub(super) fn add(&mut self, other: Self) {
        other.told.into_iter().zip(other.notices).for_each(|(once, view)| self.tell_once(once, view));
        self.broken.extend(other.broken);
        self.passed_over += other.passed_over;
    }
}

/// What a driver has to say of a source.
pub(super) fn warning(message: String) -> Notice {
    Notice {
        id: 0,
        level: Level::Warning,
        kind: "build".to_owned(),
        message,
        file: None,
        line: None,
        remedy: None,
        benchmark: None,
    }
}

/// The notice about a source whose benchmarks end the process one after the other.
pub(super) fn given_up(shown: &str, tries: usize) -> Failure {
    let message = format!(
        "the worker ended in each of {tries} tries to list the benchmarks of this file, each time in another benchmark"
    );
    let remedy = "repair the benchmarks named above, or leave them out with --exclude; Tare then measures the others";
    Failure::new(FailureKind::Load, message, remedy).at(shown, 0)
}

/// An error of which a worker gives notice.
pub(super) fn failure_of(notice: Notice, shown: &str, request: &Request) -> Failure {
    let kind = FailureKind::parse(&notice.kind);
    let remedy = notice.remedy.unwrap_or_else(|| remedy_for(kind).to_owned());
    let file = file_of(notice.file, shown, request);
    Failure::new(kind, notice.message, remedy).at(file, notice.line.unwrap_or(0))
}

fn file_of(file: Option<String>, shown: &str, request: &Request) -> String {
    file.map_or_else(|| shown.to_owned(), |file| relative(&file, request))
}
