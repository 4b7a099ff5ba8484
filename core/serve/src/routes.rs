//! What is answered where.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::html;
use serde::Deserialize;
use serde_json::{Value, json};
use tare_definition::Project;
use tare_results::RunState;
use tare_session::{Shown, stored_report, stored_shown};

use crate::data::{self, Lack, Narrowed};
use crate::{api, feed, guard, live, pages};

/// Runs of a list.
const RUNS: usize = 200;
const SCRIPT: &str = include_str!("app.js");

/// What every request knows.
pub(crate) struct Shared {
    project: Project,
    address: SocketAddr,
}

impl Shared {
    pub(crate) fn new(project: Project, address: SocketAddr) -> Self {
        Self { project, address }
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
    words: String,
    base: String,
    candidate: String,
    from: u64,
}

impl Asked {
    fn narrowed(&self) -> Narrowed {
        Narrowed { branch: self.branch.clone(), tag: self.tag.clone() }
    }
}

type Known = State<Arc<Shared>>;

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route(
            "/",
            get(|known: Known, Query(asked): Query<Asked>| {
                page(known, move |project| {
                    let runs = data::runs(project, &asked.tag, RUNS)?;
                    Ok(pages::runs(&runs, &asked.tag))
                })
            }),
        )
        .route(
            "/cases",
            get(|known: Known, Query(asked): Query<Asked>| {
                page(known, move |project| Ok(pages::cases(&data::cases(project, &asked.words)?, &asked.words)))
            }),
        )
        .route(
            "/history",
            get(|known: Known, Query(asked): Query<Asked>| {
                page(known, move |project| {
                    let history = data::history(project, &asked.case, &asked.runtime, &asked.narrowed())?;
                    Ok(pages::history(&asked.case, &asked.runtime, &asked.narrowed(), &history))
                })
            }),
        )
        .route("/changes", get(|known: Known| page(known, |project| Ok(pages::changes(&data::news(project)?)))))
        .route(
            "/runs/{run}",
            get(|known: Known, Path(run): Path<String>| {
                report(known, move |project| {
                    let (id, state) = data::resolved(project, &run)?;
                    if state == RunState::Running {
                        return Ok((pages::live(&id), false));
                    }
                    Ok((pages::among_others(&shown(project, &id)?), true))
                })
            }),
        )
        .route(
            "/compare",
            get(|known: Known, Query(asked): Query<Asked>| {
                report(known, move |project| {
                    let both = [asked.base.clone(), asked.candidate.clone()]
                        .map(|name| data::resolved(project, &name).map(|(id, _)| id));
                    let [base, candidate] = both;
                    let view = stored_report(&[base?, candidate?], project)
                        .map_err(|error| Lack::Unknown(error.to_string()))?;
                    Ok((pages::among_others(&tare_report::html_page(&view)), true))
                })
            }),
        )
        .route("/app.js", get(|| async { typed("text/javascript; charset=utf-8", SCRIPT.to_owned()) }))
        .route(
            "/feed.atom",
            get(|known: Known| async move {
                let address = format!("http://{}/", known.address);
                answer(known, "application/atom+xml; charset=utf-8", move |project| {
                    Ok(feed::atom(&data::news(project)?.changes, &address))
                })
                .await
            }),
        )
        .route(
            "/badge.svg",
            get(|known: Known, Query(asked): Query<Asked>| {
                answer(known, "image/svg+xml", move |project| {
                    let history = data::history(project, &asked.case, &asked.runtime, &asked.narrowed())?;
                    Ok(feed::badge(&asked.case, history.points.last()))
                })
            }),
        )
        .route(
            "/api/v1/runs",
            get(|known: Known, Query(asked): Query<Asked>| {
                document(known, move |project| Ok(api::runs(&data::runs(project, &asked.tag, RUNS)?)))
            }),
        )
        .route(
            "/api/v1/cases",
            get(|known: Known, Query(asked): Query<Asked>| {
                document(known, move |project| Ok(api::cases(&data::cases(project, &asked.words)?)))
            }),
        )
        .route(
            "/api/v1/history",
            get(|known: Known, Query(asked): Query<Asked>| {
                document(known, move |project| {
                    let history = data::history(project, &asked.case, &asked.runtime, &asked.narrowed())?;
                    Ok(api::history(&asked.case, &asked.runtime, &history.points, &history.changes))
                })
            }),
        )
        .route(
            "/api/v1/changes",
            get(|known: Known| {
                document(known, |project| {
                    let news = data::news(project)?;
                    Ok(json!({ "changes": api::changes(&news.changes), "cases_looked_at": news.looked, "cases": news.cases }))
                })
            }),
        )
        .route(
            "/api/v1/runs/{run}/events",
            get(|known: Known, Path(run): Path<String>, Query(asked): Query<Asked>| {
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
        .fallback(|| async { lacking(&Lack::Unknown("there is nothing at this address".to_owned())) })
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

/// A stored run or load as its report shows it.
fn shown(project: &Project, id: &str) -> Result<String, Lack> {
    let failed = |error: tare_session::Error| Lack::Store(error.to_string());
    let names = [id.to_owned()];
    Ok(match stored_shown(&names, project).map_err(failed)?.pop() {
        Some((_, Shown::Load(view))) => tare_report::load_page(&view),
        _ => tare_report::html_page(&stored_report(&names, project).map_err(failed)?),
    })
}

fn typed(kind: &'static str, text: String) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// The store is read beside the connections, never on their thread.
async fn read<T: Send + 'static>(
    shared: Arc<Shared>,
    make: impl FnOnce(&Project) -> Result<T, Lack> + Send + 'static,
) -> Result<T, Lack> {
    let done = tokio::task::spawn_blocking(move || make(&shared.project)).await;
    done.unwrap_or_else(|_| Err(Lack::Store("the answer couldn't be made; this is a fault of Tare's".to_owned())))
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
        Err(lack) => {
            let (status, why) = lack.status_and_message();
            (status, typed("application/json", json!({ "error": why }).to_string())).into_response()
        }
    }
}

impl Lack {
    fn status_and_message(&self) -> (StatusCode, &str) {
        match self {
            Self::Unknown(why) => (StatusCode::NOT_FOUND, why),
            Self::Store(why) => (StatusCode::SERVICE_UNAVAILABLE, why),
        }
    }
}

/// A page that says what is the matter.
fn lacking(lack: &Lack) -> Response {
    let (status, why) = lack.status_and_message();
    let heading = if status == StatusCode::NOT_FOUND { "There is no such thing" } else { "The store can't be read" };
    let body = html! { p class="failure" { (tare_report::visible_message(why)) } };
    (status, typed("text/html; charset=utf-8", pages::framed(heading, &body))).into_response()
}
