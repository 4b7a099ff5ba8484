//! Requests of a client: one measurement after the other, each told how far it is and stopped where it is cancelled, or where the client hangs up.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ServerCapabilities, ServerConfig, Tool as Told,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, ServiceExt};
use tare_session::{Event, Listener};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::asked::{Asked, Entry, TOOLS, Tool};
use crate::pipes::{Input, Output};
use crate::tools::{self, Answer, Place};

/// How often it is looked whether the user wants it to end.
const LOOK: Duration = Duration::from_millis(100);

const INSTRUCTIONS: &str = "Tare measures how long this project's code takes. After a change call `compare`: it says which benchmarks got slower or faster than at HEAD, \
    with an interval that holds on a busy machine. `list` shows the benchmarks, `run` measures them without comparing, `why` says what differs without measuring, `show` repeats a \
    stored result. A measurement takes some seconds for each benchmark: give a `filter`. All comparisons of this server share one error, so that a tried change that does nothing isn't called faster; keep a change only if \
    `compare` calls it faster. Don't run other heavy work meanwhile.";

/// What keeps it from serving.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system gives no threads.
    #[error(
        "the client can't be answered: {0}; end other programs of this user, or raise the limit on processes (ulimit -u)"
    )]
    System(io::Error),
    /// The client doesn't speak the protocol.
    #[error(
        "the client on standard input doesn't speak the Model Context Protocol: {0}. `tare mcp` is started by a coding agent; docs/agents.md says how to register it"
    )]
    Protocol(String),
}

/// Answers a client until it hangs up, or `stop` is set. `folder` is in the project, `store` what `--store` says, `version` the program's. Nothing but the
/// protocol is written to `output`.
///
/// When it returns, what was measured is stopped, and no process of it is left.
///
/// # Errors
///
/// No threads; a client that begins with something else than the protocol.
pub fn serve(
    (folder, store): (PathBuf, Option<String>),
    version: &str,
    (input, output): (File, File),
    stop: &AtomicBool,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(ServeError::System)?;
    let flags = Flags::default();
    let ended = flags.clone();
    let input = Input::of(input, move || ended.stop_all()).map_err(ServeError::System)?;
    let (output, written) = Output::of(output).map_err(ServeError::System)?;
    let tools = Tools {
        place: Place { folder, store, session: own_session() },
        version: version.to_owned(),
        flags: flags.clone(),
        turn: Arc::new(tokio::sync::Mutex::new(())),
    };
    let done = runtime.block_on(async {
        let serving = async {
            match tools.serve((input, output)).await {
                Ok(service) => service.waiting().await.map(drop).map_err(|error| ServeError::System(error.into())),
                Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
                Err(error) => Err(ServeError::Protocol(told(&error))),
            }
        };
        tokio::select! {
            done = serving => done,
            () = asked_to_end(stop) => Ok(()),
        }
    });
    flags.stop_all();
    // It waits for what is measured, which ends after the round under way.
    drop(runtime);
    written.wait();
    done
}

/// The name of a session for the comparisons of this process: no other one has it.
fn own_session() -> String {
    let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("mcp-{}-{}", begun.as_secs(), std::process::id())
}

/// The first line of an error, which may repeat all that the client said.
fn told(error: &dyn std::error::Error) -> String {
    tare_report::visible_message(&error.to_string()).chars().take(200).collect()
}

async fn asked_to_end(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(LOOK).await;
    }
}

/// The flags of what is under way, and whether all of it is to end.
#[derive(Debug, Clone, Default)]
struct Flags(Arc<Mutex<(bool, Vec<Arc<AtomicBool>>)>>);

impl Flags {
    /// A flag for something that begins; set at once where nothing is to begin any more.
    fn begun(&self) -> Flag {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let flag = Arc::new(AtomicBool::new(all.0));
        all.1.push(Arc::clone(&flag));
        Flag { flag, all: self.clone() }
    }

    fn stop_all(&self) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.0 = true;
        all.1.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        // A build doesn't look at flags.
        tare_session::end_builds();
    }
}

struct Flag {
    flag: Arc<AtomicBool>,
    all: Flags,
}

impl Drop for Flag {
    fn drop(&mut self) {
        let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.1.retain(|flag| !Arc::ptr_eq(flag, &self.flag));
    }
}

struct Tools {
    place: Place,
    version: String,
    flags: Flags,
    /// Held by what measures, or starts workers: two at once would disturb each other.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("tare", &self.version))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |entry: &Entry| Told::new(entry.name, entry.about, Arc::new(entry.schema()));
        Ok(ListToolsResult { tools: TOOLS.iter().map(tool).collect(), ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = self.answered(&request.name, request.arguments.unwrap_or_default(), &context).await;
        let text = |text: String| vec![ContentBlock::text(text)];
        Ok(match answer {
            Ok(answer) => CallToolResult::success(text(answer)),
            Err(why) => CallToolResult::error(text(why)),
        }
        .into())
    }
}

impl Tools {
    async fn answered(&self, name: &str, arguments: JsonObject, context: &RequestContext<RoleServer>) -> Answer {
        let Some(entry) = Entry::of(name) else {
            let names: Vec<&str> = TOOLS.iter().map(|entry| entry.name).collect();
            return Err(format!("there is no such tool; there are {}", names.join(", ")));
        };
        let asked = Asked::of(entry, arguments)?;
        let turn = match entry.tool {
            Tool::Show => None,
            _ => tokio::select! {
                turn = Arc::clone(&self.turn).lock_owned() => Some(turn),
                () = context.ct.cancelled() => return Err("cancelled before it began".to_owned()),
            },
        };
        let (flag, place, tool) = (self.flags.begun(), self.place.clone(), entry.tool);
        let stop = Arc::clone(&flag.flag);
        let (tell, mut heard) = unbounded_channel();
        let mut work = tokio::task::spawn_blocking(move || {
            let held = (turn, flag);
            let listener = Progress(tell);
            let stop = Arc::clone(&held.1.flag);
            tools::answer(tool, &asked, &place, &tools::Told { listener: &listener, stop })
        });
        let mut shown = context.meta.get_progress_token().map(|token| Shown { token, share: 0.0 });
        let mut cancelled = false;
        loop {
            tokio::select! {
                done = &mut work => {
                    return done.unwrap_or_else(|_| Err("Tare failed to make the answer; please report this fault".to_owned()));
                }
                () = context.ct.cancelled(), if !cancelled => {
                    cancelled = true;
                    stop.store(true, Ordering::Relaxed);
                }
                Some(step) = heard.recv() => {
                    if let Some(shown) = &mut shown {
                        shown.tell(&context.peer, step).await;
                    }
                }
            }
        }
    }
}

/// How far something is: from 0 to 1 where that is known, and what is done now.
type Step = (Option<f64>, String);

/// Hands on how far it is, from the thread that measures.
struct Progress(UnboundedSender<Step>);

impl Listener for Progress {
    fn hear(&self, event: &Event) {
        let share = if let Event::Progress { share, .. } = event { Some(*share) } else { None };
        let what = event.sentences().into_iter().next().or_else(|| event.awaited()).or_else(|| Some(event.stage()?.0));
        if share.is_some() || what.is_some() {
            let _ = self.0.send((share, what.unwrap_or_else(|| "measuring".to_owned())));
        }
    }
}

/// What the client that asked for it was told last.
struct Shown {
    token: ProgressToken,
    share: f64,
}

impl Shown {
    /// It has to grow with every message, also where nothing is known but that something goes on.
    async fn tell(&mut self, peer: &Peer<RoleServer>, (share, what): Step) {
        const LEAST: f64 = 1e-6;
        self.share = share.unwrap_or_default().max(self.share + LEAST);
        let what = tare_report::visible_message(&what);
        let told = ProgressNotificationParam::new(self.token.clone(), self.share).with_total(1.0).with_message(what);
        // A client that is gone is noticed where it is read from.
        let _ = peer.notify_progress(told).await;
    }
}
