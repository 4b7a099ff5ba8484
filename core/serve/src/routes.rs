//! What is answered where.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{FromRequestParts, Path, Query, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::html;
use serde::Deserialize;
use serde_json::{Value, json};
use tare_definition::Project;
use tare_results::RunState;
use tare_session::{compare_stored_loads, stored_report};

use crate::data::{self, LOOKED, Lack, Narrowed, News, Order};
use crate::history::History;
use crate::reports::shown;
use crate::site::Site;
use crate::waiting::Waits;
use crate::{api, feed, guard, live, pages};

/// In which time changes are news, in words.
const SEVEN_DAYS: &str = "seven days";
/// Runs of a list.
const RUNS: usize = 200;
/// What every page does, and what one of a run that goes on does.
const SCRIPT: &str = concat!(include_str!("newest.js"), include_str!("app.js"));

/// What every request knows.
pub(crate) struct Shared {
    project: Project,
    address: SocketAddr,
    waits: Waits,
}

impl Shared {
    pub(crate) fn new(project: Project, address: SocketAddr) -> Self {
        Self { project, address, waits: Waits::default() }
    }
}

/// What a page is asked for with.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Asked {
    case: String,
    runtime: String,
    branch: String,
    tag: String,
    kind: String,
    words: String,
    sort: String,
    base: String,
    candidate: String,
    from: u64,
}

impl Asked {
    fn narrowed(&self) -> Narrowed {
        Narrowed { branch: self.branch.clone(), tag: self.tag.clone(), kind: self.kind.clone() }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let asked = Query::<Self>::from_request_parts(parts, state).await;
        asked.map(|Query(asked)| asked).map_err(|fault| {
            let text = fault.body_text();
            let why = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
            lacking_at(&parts.uri, &Lack::Asked(format!("the query (after the ?) is invalid: {why}")))
        })
    }
}

/// The name of a run in an address.
struct Run(String);

impl<S: Send + Sync> FromRequestParts<S> for Run {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let run = Path::<String>::from_request_parts(parts, state).await;
        run.map(|Path(run)| Self(run)).map_err(|fault| lacking_at(&parts.uri, &Lack::Asked(fault.body_text())))
    }
}

type Known = State<Arc<Shared>>;

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route(
            "/",
            get(|known: Known, asked: Asked| {
                page(known, move |project| {
                    let runs = data::runs(&*data::open(project)?, &asked.tag, RUNS)?;
                    Ok(pages::runs(&runs, &asked.tag, "", Site::Served))
                })
            }),
        )
        .route(
            "/cases",
            get(|known: Known, asked: Asked| {
                page(known, move |project| {
                    let order = Order::of(&asked.sort);
                    let cases = data::cases(&*data::open(project)?, &asked.words, order, LOOKED)?;
                    Ok(pages::cases(&cases, &asked.words, order, Site::Served))
                })
            }),
        )
        .route(
            "/history",
            get(|known: Known, asked: Asked| {
                page(known, move |project| {
                    let history = history(project, &asked)?;
                    Ok(pages::history(&asked.case, &asked.runtime, &asked.narrowed(), &history, Site::Served))
                })
            }),
        )
        .route("/changes", get(|known: Known| page(known, |project| Ok(pages::changes(&news(project)?, SEVEN_DAYS, Site::Served)))))
        .route(
            "/runs/{run}",
            get(|known: Known, Run(run): Run| {
                report(known, move |project| {
                    let (id, state) = data::resolved(project, &run)?;
                    if state == RunState::Running {
                        return Ok((pages::live(&id), false));
                    }
                    Ok((pages::among_others(&shown(project, &id)?, Site::Served), true))
                })
            }),
        )
        .route(
            "/compare",
            get(|known: Known, asked: Asked| {
                report(known, move |project| {
                    let both = [asked.base.clone(), asked.candidate.clone()]
                        .map(|name| data::resolved(project, &name).map(|(id, _)| id));
                    let [base, candidate] = both;
                    Ok((pages::among_others(&compared(project, base?, candidate?)?, Site::Served), true))
                })
            }),
        )
        .route("/app.js", get(|| async { typed("text/javascript; charset=utf-8", SCRIPT.to_owned()) }))
        .route(
            "/feed.atom",
            get(|known: Known| async move {
                let address = format!("http://{}/", known.address);
                answer(known, "application/atom+xml; charset=utf-8", move |project| {
                    Ok(feed::atom(&news(project)?.changes, &address, Site::Served))
                })
                .await
            }),
        )
        .route(
            "/badge.svg",
            get(|known: Known, asked: Asked| {
                answer(known, "image/svg+xml", move |project| {
                    let history = history(project, &asked)?;
                    Ok(feed::badge(&asked.case, history.newest()))
                })
            }),
        )
        .route(
            "/api/v1/runs",
            get(|known: Known, asked: Asked| {
                document(known, move |project| Ok(api::runs(&data::runs(&*data::open(project)?, &asked.tag, RUNS)?)))
            }),
        )
        .route(
            "/api/v1/cases",
            get(|known: Known, asked: Asked| {
                document(known, move |project| {
                    Ok(api::cases(&data::cases(&*data::open(project)?, &asked.words, Order::of(&asked.sort), LOOKED)?))
                })
            }),
        )
        .route(
            "/api/v1/history",
            get(|known: Known, asked: Asked| {
                document(known, move |project| {
                    let history = history(project, &asked)?;
                    if history.kinds.is_empty() {
                        let asked = format!("no run of {} on {} is in the store, as it is asked for", asked.case, asked.runtime);
                        return Err(Lack::Unknown(asked));
                    }
                    Ok(api::history(&asked.case, &asked.runtime, &history.lines))
                })
            }),
        )
        .route(
            "/api/v1/changes",
            get(|known: Known| {
                document(known, |project| {
                    let news = news(project)?;
                    Ok(json!({ "changes": api::changes(&news.changes), "cases_looked_at": news.looked, "cases": news.cases }))
                })
            }),
        )
        .route(
            "/api/v1/runs/{run}/events",
            get(|known: Known, Run(run): Run, asked: Asked| {
                document(known, move |project| {
                    let (id, state) = data::resolved(project, &run)?;
                    let mut events = live::events(project, &id, asked.from);
                    events["state"] = json!(state.name());
                    Ok(events)
                })
            }),
        )
        // Browsers ask for it by themselves.
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .fallback(|uri: Uri| async move {
            lacking_at(&uri, &Lack::Unknown("there is nothing at this address".to_owned()))
        })
        .layer(from_fn_with_state(shared.clone(), guarded))
        .with_state(shared)
}

async fn guarded(State(shared): Known, request: Request, next: Next) -> Response {
    if let Some((status, why)) = guard::refused(shared.address, request.method(), request.uri(), request.headers()) {
        return guard::protected(
            (status, typed("text/plain; charset=utf-8", format!("{why}\n"))).into_response(),
            false,
        );
    }
    let response = next.run(request).await;
    let report = response.extensions().get::<Report>().is_some();
    guard::protected(response, report)
}

/// Marks an answer that is a report with a script of its own.
#[derive(Clone)]
struct Report;

/// The history that is asked for.
fn history(project: &Project, asked: &Asked) -> Result<History, Lack> {
    data::history(&*data::open(project)?, &asked.case, &asked.runtime, &asked.narrowed())
}

/// What changed in the last days.
fn news(project: &Project) -> Result<News, Lack> {
    data::news(&*data::open(project)?, jiff::Timestamp::now(), LOOKED)
}

/// Two runs, or two loads, beside each other.
fn compared(project: &Project, base: String, candidate: String) -> Result<String, Lack> {
    let failed = |error: tare_session::Error| Lack::Unknown(error.to_string());
    if let Some(loads) = compare_stored_loads((&base, &candidate), None, &[], project).map_err(failed)? {
        return Ok(tare_report::load_page(&loads.view));
    }
    Ok(tare_report::html_page(&stored_report(&[base, candidate], project).map_err(failed)?))
}

fn typed(kind: &'static str, text: String) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// The store is read beside the connections, never on their thread.
async fn read<T: Send + 'static>(
    shared: Arc<Shared>,
    make: impl FnOnce(&Project) -> Result<T, Lack> + Send + 'static,
) -> Result<T, Lack> {
    let asked = Instant::now();
    let answer = move || {
        if let Some(why) = shared.waits.known(asked) {
            return Err(Lack::Locked(why));
        }
        make(&shared.project).inspect_err(|lack| {
            if let Lack::Locked(why) = lack {
                shared.waits.in_vain(why);
            }
        })
    };
    let done = tokio::task::spawn_blocking(answer).await;
    done.unwrap_or_else(|_| Err(Lack::Store("Tare failed to make the answer; please report this fault".to_owned())))
}

async fn answer(
    known: Known,
    kind: &'static str,
    make: impl FnOnce(&Project) -> Result<String, Lack> + Send + 'static,
) -> Response {
    match read(known.0, make).await {
        Ok(text) => typed(kind, text),
        Err(lack) => lacking(&lack),
    }
}

async fn page(known: Known, make: impl FnOnce(&Project) -> Result<String, Lack> + Send + 'static) -> Response {
    answer(known, "text/html; charset=utf-8", make).await
}

async fn report(
    known: Known,
    make: impl FnOnce(&Project) -> Result<(String, bool), Lack> + Send + 'static,
) -> Response {
    match read(known.0, make).await {
        Ok((text, own_script)) => {
            let mut response = typed("text/html; charset=utf-8", text);
            if own_script {
                response.extensions_mut().insert(Report);
            }
            response
        }
        Err(lack) => lacking(&lack),
    }
}

async fn document(known: Known, make: impl FnOnce(&Project) -> Result<Value, Lack> + Send + 'static) -> Response {
    match read(known.0, make).await {
        Ok(document) => typed("application/json", tare_results::escaped_json(&document.to_string())),
        Err(lack) => lacking_document(&lack),
    }
}

impl Lack {
    fn status_and_message(&self) -> (StatusCode, &str) {
        match self {
            Self::Unknown(why) => (StatusCode::NOT_FOUND, why),
            Self::Asked(why) => (StatusCode::BAD_REQUEST, why),
            Self::Store(why) | Self::Locked(why) => (StatusCode::SERVICE_UNAVAILABLE, why),
        }
    }
}

/// The same where it isn't known yet whether a page is asked for or a document.
fn lacking_at(uri: &Uri, lack: &Lack) -> Response {
    if uri.path().starts_with("/api/") { lacking_document(lack) } else { lacking(lack) }
}

fn lacking_document(lack: &Lack) -> Response {
    let (status, why) = lack.status_and_message();
    (status, typed("application/json", tare_results::escaped_json(&json!({ "error": why }).to_string())))
        .into_response()
}

/// A page that says what is the matter.
fn lacking(lack: &Lack) -> Response {
    let (status, why) = lack.status_and_message();
    let heading = match lack {
        Lack::Unknown(_) => "There is no such thing",
        Lack::Asked(_) => "The address isn't understood",
        Lack::Store(_) | Lack::Locked(_) => "The store can't be read",
    };
    let body = html! { p class="failure" { (tare_report::visible_message(why)) } };
    (status, typed("text/html; charset=utf-8", pages::framed(heading, &body, Site::Served))).into_response()
}
