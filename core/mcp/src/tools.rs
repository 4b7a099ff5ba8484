//! What each tool does, and its answer: a sentence, the rows that changed, what to do next.

use std::path::Path;
use std::time::Instant;

use tare_definition::{Filter, Keeping, Measure, Measuring, Project, Revising, Selection};
use tare_report::{TableOptions, brief, case_list, load_report, visible_message};
use tare_request::{Request, TypedOptions};
use tare_results::{Reason, RunView};
use tare_session::{
    ComparedNames, End, Error, EventLog, Job, Kind, Listener, NamedRun, Session, Shown, Sides, StoredRequest, Wanted,
    begin, compared, described, differs_by_revision, no_cases, preparation, stored_shown,
};

use crate::asked::{Asked, Tool};

/// Lines of an answer: an agent reads all of it.
const LINES: usize = 80;

/// An answer, or why there is none and what to do.
pub(crate) type Answer = Result<String, String>;

/// Where the project is that is asked about.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) folder: std::path::PathBuf,
    /// What `--store` or the environment says.
    pub(crate) store: Option<String>,
    /// The session of comparisons that name none.
    pub(crate) session: String,
}

impl Place {
    /// Found anew for each request: its tare.toml may have changed.
    fn project(&self) -> Result<Project, String> {
        let found = Project::find(&self.folder).map_err(|error| error.to_string())?;
        Ok(found.storing_in(self.store.as_deref()))
    }
}

/// Does it. It may take minutes; `session` hears how far it is, and is stopped by its flag.
pub(crate) fn answer(tool: Tool, asked: &Asked, place: &Place, session: &Told<'_>) -> Answer {
    let project = place.project()?;
    match tool {
        Tool::List => list(asked, &project, &session.plain()),
        Tool::Run => run(asked, &project, session),
        Tool::Compare => compare(asked, &project, &place.session, session),
        Tool::Why => why(asked, &project, &session.plain()),
        Tool::Show => show(asked, &project),
    }
}

/// Who hears of it, and the flag that stops it.
pub(crate) struct Told<'a> {
    pub(crate) listener: &'a dyn Listener,
    pub(crate) stop: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

impl Told<'_> {
    fn plain(&self) -> Session<'_> {
        Session::new(self.listener, self.stop.clone())
    }
}

fn refused(error: Error) -> String {
    match (error.kind, error.remedy.as_str()) {
        (Kind::Interrupted, _) => "stopped before there was a result".to_owned(),
        (_, "") => in_arguments(&error.message),
        (_, remedy) => in_arguments(&format!("{} {remedy}", error.message)),
    }
}

/// With the arguments of tools in place of the options that a person would type.
fn in_arguments(text: &str) -> String {
    const NAMES: [(&str, &str); 6] = [
        ("--benchmarks . measures both with the same", "without `own_benchmarks` both have the same"),
        ("--benchmarks HEAD measures both with the same", "without `own_benchmarks` both have the same"),
        ("leave --benchmarks out", "`own_benchmarks`"),
        ("--filter and --group and isn't left out by --exclude", "`filter`"),
        ("leave these cases out with --exclude", "choose others with `filter`"),
        ("leave it out with --exclude", "choose others with `filter`"),
    ];
    NAMES.iter().fold(text.to_owned(), |text, (option, argument)| text.replace(option, argument))
}

/// The first lines of a longer text.
fn capped(text: &str, narrower: &str) -> String {
    let text = text.trim();
    let count = text.lines().count();
    if count <= LINES {
        return format!("{text}\n");
    }
    let kept: Vec<&str> = text.lines().take(LINES).collect();
    format!("{}\n{} more lines; {narrower}\n", kept.join("\n"), count - LINES)
}

fn selection(asked: &Asked, root: &Path) -> Result<Selection, String> {
    let filter: Vec<String> = asked.filter.iter().cloned().collect();
    Filter::new(&filter, &[]).map_err(|error| error.to_string().replace("--filter", "`filter`"))?;
    Ok(Selection { paths: asked.paths_within(root)?, filter, ..Selection::default() })
}

fn list(asked: &Asked, project: &Project, session: &Session<'_>) -> Answer {
    let selection = selection(asked, &project.root)?;
    let mut request =
        Request::of_selection(&selection, project.root.clone(), project).map_err(|error| error.to_string())?;
    let found = session.list(&mut request, project).map_err(refused)?;
    let filter = selection.filter.first().map(|filter| Filter::new(std::slice::from_ref(filter), &[]));
    let filter = filter.transpose().map_err(|error| error.to_string())?;
    let mut cases = found.cases();
    cases.retain(|case| filter.as_ref().is_none_or(|filter| filter.matches(case)));
    let failures = described(&found.failures);
    if cases.is_empty() {
        return Err(match failures.first() {
            Some(failure) => visible_message(failure),
            None => refused(no_cases(request.chooses())),
        });
    }
    let listed = case_list(&cases, &TableOptions::default());
    // Its last line counts them: here that comes first.
    let (rows, count) = listed.trim_end().rsplit_once('\n').unwrap_or(("", &listed));
    let mut text = format!("{count}.\n{}", capped(rows, "give a `filter`"));
    for failure in failures.iter().take(5) {
        text.push_str(&format!("- failed: {}\n", visible_message(failure)));
    }
    text.push_str("Next: `run` measures them, `compare` says whether the working tree is slower than HEAD.\n");
    Ok(text)
}

fn options(asked: &Asked, project: &Project) -> Result<TypedOptions, String> {
    let measure = asked.measure_all.then_some(Measure::All);
    Ok(TypedOptions {
        selection: selection(asked, &project.root)?,
        measuring: Measuring { budget: asked.budget(), ..Measuring::default() },
        revising: Revising { measure, ..Revising::default() },
        ..TypedOptions::default()
    })
}

fn request_of(options: &TypedOptions, project: &Project) -> Result<Request, String> {
    let (keeping, reports) = (Keeping::default(), std::collections::BTreeMap::new());
    Request::of_run(options, &keeping, &reports, project.root.clone(), project).map_err(|error| error.to_string())
}

fn stored() -> Wanted {
    Wanted { store: true, ..Wanted::default() }
}

fn run(asked: &Asked, project: &Project, told: &Told<'_>) -> Answer {
    let request = request_of(&options(asked, project)?, project)?;
    let log = EventLog::open(told.listener, None, Some(project.store())).map_err(refused)?;
    let session = Session::new(&log, told.stop.clone());
    let job = begin(request, project, Sides::default());
    measured(job, &session, "Next: change the code, then `compare` says whether it is slower than HEAD.")
}

fn compare(asked: &Asked, project: &Project, usual: &str, told: &Told<'_>) -> Answer {
    let (base, candidate) = (asked.base(), asked.candidate());
    let log = EventLog::open(told.listener, None, Some(project.store())).map_err(refused)?;
    let session = Session::new(&log, told.stop.clone());
    match compared(base, candidate, project).map_err(refused)? {
        ComparedNames::Runs { base: of_base, candidate: of_candidate } => {
            if asked.session.is_some() {
                return Err(
                    "`session` counts comparisons that are measured, and these names are stored runs; leave it out"
                        .to_owned(),
                );
            }
            let request = StoredRequest {
                base: NamedRun { id: of_base, name: base.to_owned() },
                candidate: NamedRun { id: of_candidate, name: candidate.to_owned() },
                selection: selection(asked, &project.root)?,
                ..StoredRequest::default()
            };
            let (view, _) = tare_session::compare_stored(&request, project).map_err(refused)?;
            Ok(brief(&view) + "Next: compare two revisions instead of stored runs to see smaller differences.\n")
        }
        ComparedNames::Revisions(revisions) => {
            let counted_in = asked.session.as_deref().unwrap_or(usual);
            let job = checked_out(asked, project, Some(counted_in), (&session, *revisions))?;
            measured(job, &session, "")
        }
    }
}

fn checked_out(
    asked: &Asked,
    project: &Project,
    counted_in: Option<&str>,
    (session, revisions): (&Session<'_>, tare_session::Revisions),
) -> Result<Job, String> {
    let mut options = options(asked, project)?;
    options.comparing.session = counted_in.map(str::to_owned);
    options.revising.benchmarks = asked.benchmarks().map(str::to_owned);
    let mut request = request_of(&options, project)?;
    // What is marked as a base is one for a run: here a case is compared with itself.
    request.comparing.base = None;
    differs_by_revision(&request, project).map_err(refused)?;
    request.prepare = preparation(None, project);
    let mut job = begin(request, project, Sides::default());
    session.check_out(&mut job, revisions, project).map_err(refused)?;
    Ok(job)
}

/// Measures, and tells what came of it.
fn measured(job: Job, session: &Session<'_>, next: &str) -> Answer {
    let lent = job.request.benchmarks_differ && job.request.revising.benchmarks.is_some();
    let ran = tare_session::run(job, &stored(), session, Instant::now()).map_err(refused)?;
    let view = &ran.view;
    let failures =
        || described(&view.file_failures).iter().map(|one| visible_message(one)).collect::<Vec<_>>().join("\n");
    match &ran.end {
        End::NothingFound { filtered, .. } if view.file_failures.is_empty() => Err(refused(no_cases(*filtered))),
        End::NothingFound { .. } | End::NothingCompared(_) => {
            Err(format!("nothing was measured. {}", capped(&failures(), "correct these first")))
        }
        End::NotCompared(error) => Err(refused(error.clone())),
        End::Interrupted => {
            Err(format!("stopped; run {} has what was measured until then, and `show` shows it", view.origin.id))
        }
        End::NothingMeasured => {
            Err("no benchmark was measured in the time that tare.toml gives (`total`); raise it".to_owned())
        }
        End::Judged(_) | End::Failed => Ok(told(view, if next.is_empty() { next_of(view, lent) } else { next })),
    }
}

fn told(view: &RunView, next: &str) -> String {
    let mut text = in_arguments(&brief(view));
    if view.stored {
        text.push_str(&format!("Stored as run {}.\n", view.origin.id));
    }
    text.push_str(next);
    text.push('\n');
    text
}

/// What to do after a comparison. `lent`: one side was measured with other benchmarks than its own.
fn next_of(view: &RunView, lent: bool) -> &'static str {
    use tare_report::Attention;
    match tare_report::attention(view) {
        Attention::Failed => "Next: correct what failed, then call `compare` again; of these cases nothing is known.",
        Attention::Slower => {
            "Next: `why` says what differs in a slower case; correct it, then call `compare` again with `filter` on that case."
        }
        Attention::Undecided => {
            "Next: call `compare` again with `filter` on the undecided cases and a larger `budget_seconds`."
        }
        Attention::Nothing if lent => {
            "Next: nothing got slower or faster by these benchmarks; if they hold code of the project, call `compare` again with \
             `own_benchmarks`."
        }
        Attention::Faster => {
            "Next: what is called faster was seen in two measurements, and nothing got slower; keep the change."
        }
        Attention::Nothing => "Next: nothing got slower or faster; there is nothing to do.",
    }
}

fn why(asked: &Asked, project: &Project, session: &Session<'_>) -> Answer {
    let revisions = match compared(asked.base(), asked.candidate(), project).map_err(refused)? {
        ComparedNames::Revisions(revisions) => *revisions,
        ComparedNames::Runs { .. } => {
            return Err("`why` takes two git revisions, and these names are stored runs; `git:NAME` means a revision"
                .to_owned());
        }
    };
    let job = checked_out(asked, project, None, (session, revisions))?;
    let pattern = asked.case.as_deref().unwrap_or_default();
    let views = tare_session::reasons(job, &stored(), pattern, session)
        .map_err(|error| refused(error).replace("--why", "`case`").replace("`tare list`", "`list`"))?;
    let differing = views.iter().filter(|view| !matches!(view.reason, Reason::Unchanged(_))).count();
    let next = if differing > 0 { "`compare` measures what differs" } else { "there is nothing to measure" };
    let text = capped(&tare_report::reasons(&views, &TableOptions::default()), "give a `case`");
    Ok(format!("Cases that differ or may differ: {differing} of {}.\n{text}Next: {next}.\n", views.len()))
}

fn show(asked: &Asked, project: &Project) -> Answer {
    let name = asked.run.clone().unwrap_or_else(|| "latest".to_owned());
    let shown = stored_shown(&[name], project).map_err(refused)?.pop();
    match shown {
        Some((_, Shown::Run(view))) => {
            let id = &view.origin.id;
            Ok(brief(&view) + &format!("Run {id}, begun {}.\n", visible_message(&view.origin.started)))
        }
        Some((_, Shown::Load(view))) => {
            Ok(capped(&load_report(&view, &TableOptions::default()), "`tare show` has all"))
        }
        None => Err("nothing has been measured here yet; `run` measures".to_owned()),
    }
}
