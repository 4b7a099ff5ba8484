//! `tare load`: concurrent work.

use tare_report::Layout;
use tare_results::LoadView;
use tare_session::{Ending, EventLog, HttpLoad, LoadEnd, LoadRan, Session, WorkersLoad, logged_load};

use crate::arguments::{
    Detail, HdrArguments, HttpArguments, LoadArguments, LoadKind, PhpbenchArguments, Selection, WorkersArguments,
};
use crate::exit::{Refusal, Status};
use crate::interrupt::stop_flag;
use crate::listener::Screen;
use crate::run::project_here;
use crate::{asked, screen};

pub(crate) fn load(arguments: &LoadArguments) -> Result<Status, Refusal> {
    match &arguments.kind {
        Some(LoadKind::Http(arguments)) => http(arguments),
        Some(LoadKind::Hdr(arguments)) => hdr(arguments),
        None => workers(&arguments.workers),
    }
}

fn http(arguments: &HttpArguments) -> Result<Status, Refusal> {
    let load = HttpLoad {
        urls: arguments.urls.clone(),
        start: arguments.start.clone(),
        control: arguments.control,
        connections: arguments.connections,
        requests: arguments.requests,
        duration: arguments.duration,
        rate: arguments.rate,
        arrivals: arguments.arrivals.into(),
        no_keep_alive: arguments.no_keep_alive,
        method: arguments.method.clone(),
        header: arguments.header.clone(),
        body: arguments.body.clone(),
        timeout: arguments.timeout,
        http2: arguments.http2,
        insecure: arguments.insecure,
        cacert: arguments.cacert.clone(),
        threads: arguments.threads,
        warm_up: arguments.warm_up,
        seed: arguments.seed,
        hdr: arguments.hdr.clone(),
        margin: arguments.margin,
        fail_on: arguments.fail_on.clone(),
    };
    let screen = Screen::default();
    let listener = EventLog::open(&screen, arguments.events.as_deref(), None)?;
    let session = Session::new(&listener, stop_flag()?).going_away(arguments.no_wait);
    Ok(report(&session.load_http(&load)?, arguments.json, &Detail::default()))
}

fn workers(arguments: &WorkersArguments) -> Result<Status, Refusal> {
    let load = WorkersLoad {
        workers: arguments.workers,
        operations: arguments.operations,
        duration: arguments.duration,
        mix: arguments.mix.clone(),
        filter: arguments.filter.clone(),
        exclude: arguments.exclude.clone(),
        rate: arguments.rate,
        arrivals: arguments.arrivals.into(),
        ramp: arguments.ramp,
        warm_up: arguments.warm_up,
        timeout: arguments.timeout,
        seed: arguments.seed,
        hdr: arguments.hdr.clone(),
        margin: arguments.margin,
        fail_on: arguments.fail_on.clone(),
    };
    let selection = Selection {
        paths: arguments.paths.clone(),
        filter: Vec::new(),
        exclude: Vec::new(),
        group: Vec::new(),
        runtime: arguments.runtime.clone(),
        timeout: Some(arguments.timeout),
        json: arguments.json,
        phpbench: PhpbenchArguments::default(),
    };
    let project = project_here()?;
    let request = asked::selected(&selection, &project)?;
    let screen = Screen::default();
    let listener = EventLog::open(&screen, arguments.events.as_deref(), None)?;
    let session = Session::new(&listener, stop_flag()?).going_away(arguments.no_wait);
    let ran = session.load_workers(&load, &request, &project)?;
    let detail = Detail { verbose: arguments.verbose, chart: arguments.chart, ..Detail::default() };
    Ok(report(&ran, arguments.json, &detail))
}

fn hdr(arguments: &HdrArguments) -> Result<Status, Refusal> {
    show(&logged_load(&arguments.file)?, arguments.json, &Detail::default());
    Ok(Status::Done)
}

fn show(view: &LoadView, json: bool, detail: &Detail) {
    if json {
        screen::print(&tare_report::load_document(view, Layout::Pretty));
    } else {
        screen::print(&tare_report::load_report(view, &screen::table_options(detail)));
    }
}

fn report(ran: &LoadRan, json: bool, detail: &Detail) -> Status {
    show(&ran.view, json, detail);
    match ran.end {
        LoadEnd::Judged(Ending::Passed) => Status::Done,
        LoadEnd::Judged(Ending::Tripped) => Status::Tripped,
        LoadEnd::Judged(Ending::Undecided) => Status::Undecided,
        LoadEnd::Failed => Status::Failed,
        LoadEnd::Interrupted => Status::Interrupted,
    }
}
