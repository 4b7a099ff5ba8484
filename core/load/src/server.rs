//! Servers that are begun for the load, and ended after it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tare_files::{SCRATCH, Scratch};

/// What stands for the port in a server's command and in its URL.
pub const PORT: &str = "{port}";
/// A server gets this long to end by itself.
const GRACE: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Of what a server said its last bytes are told.
const TOLD: u64 = 600;

/// Why a server isn't there.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// It couldn't be begun, or there is no port for it.
    #[error("the server's command `{command}` can't be started: {error}")]
    NotBegun {
        /// As it was asked for.
        command: String,
        /// Why.
        error: std::io::Error,
    },
    /// It ended.
    #[error("the server `{command}` {how}{output}")]
    Ended {
        /// As it was asked for.
        command: String,
        /// How it ended, and what to do.
        how: String,
        /// What it said last.
        output: String,
    },
    /// It doesn't answer.
    #[error("the server `{command}` hasn't answered on its port within {} s: {why}{output}", waited.as_secs_f64())]
    Silent {
        /// As it was asked for.
        command: String,
        /// How long it was waited for.
        waited: Duration,
        /// What the last attempt met.
        why: String,
        /// What it said last.
        output: String,
    },
    /// It isn't waited for any longer.
    #[error("interrupted while the server `{command}` was starting")]
    Stopped {
        /// As it was asked for.
        command: String,
    },
}

/// Ends a server's processes once tare is gone that began it, killed though it may be: then nobody holds the other end of its input any more. It reads
/// the server's process group first; `$1` is what stands in the environment of the server and of all that it begins.
const WATCH: &str = r#"trap '' HUP INT TERM QUIT
read -r group
read -r nothing
[ -n "$group" ] && kill -s KILL -- "-$group"
for environ in /proc/[0-9]*/environ; do
    pid=${environ#/proc/}
    tr '\0' '\n' 2>/dev/null <"$environ" | grep -qxF -- "$1" && kill -s KILL "${pid%/environ}"
done"#;

/// A server's process group, and what left it; ended when dropped, or soon after this process was killed.
#[derive(Debug)]
pub struct Server {
    command: String,
    child: Child,
    /// Outlives this process where that is killed.
    watch: Child,
    /// By it the server is found, and all that it begins.
    scratch: Scratch,
    output: File,
    port: u16,
}

impl Server {
    /// Begins `command` in a shell, in `folder`, with a free port of this machine in the place of `{port}`.
    ///
    /// # Errors
    /// [`ServerError::NotBegun`].
    pub fn begin(command: &str, folder: &Path) -> Result<Self, ServerError> {
        let begun = || {
            let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
            let output = tempfile::tempfile()?;
            let scratch = Scratch::new()?;
            let mut watch = Command::new("sh")
                .args(["-c", WATCH, "sh", &format!("{SCRATCH}={}", scratch.path().display())])
                .process_group(0)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()?;
            let child = Command::new("sh")
                .args(["-c", &command.replace(PORT, &port.to_string())])
                .current_dir(folder)
                .env(SCRATCH, scratch.path())
                .process_group(0)
                .stdin(Stdio::null())
                .stdout(output.try_clone()?)
                .stderr(output.try_clone()?)
                .spawn();
            let child = child.inspect_err(|_| end(&mut watch))?;
            if let Some(pipe) = &mut watch.stdin {
                let _ = writeln!(pipe, "{}", child.id());
            }
            Ok((port, output, (child, watch), scratch))
        };
        let (port, output, (child, watch), scratch) =
            begun().map_err(|error| ServerError::NotBegun { command: command.to_owned(), error })?;
        Ok(Self { command: command.to_owned(), child, watch, scratch, output, port })
    }

    /// Where it is to listen.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits until `answers` doesn't say any more why it doesn't.
    ///
    /// # Errors
    /// It ended, or doesn't answer within `patience`, or `stop` was set.
    pub fn ready<T>(
        &mut self,
        patience: Duration,
        stop: &AtomicBool,
        mut answers: impl FnMut() -> Result<T, String>,
    ) -> Result<T, ServerError> {
        let begun = Instant::now();
        loop {
            let answer = answers();
            // Who answers in the place of a server that has ended isn't it.
            self.alive()?;
            match answer {
                Ok(answer) => return Ok(answer),
                Err(_) if stop.load(Ordering::Relaxed) => {
                    return Err(ServerError::Stopped { command: self.command.clone() });
                }
                Err(why) if begun.elapsed() >= patience => {
                    let output = self.output_tail();
                    return Err(ServerError::Silent { command: self.command.clone(), waited: patience, why, output });
                }
                Err(_) => std::thread::sleep(LOOK_EVERY),
            }
        }
    }

    /// Makes sure that it is still there.
    ///
    /// # Errors
    /// It ended.
    pub fn alive(&mut self) -> Result<(), ServerError> {
        match self.child.try_wait() {
            Ok(Some(status)) => {
                let (how, output) = (ending(status), self.output_tail());
                Err(ServerError::Ended { command: self.command.clone(), how, output })
            }
            Ok(None) => Ok(()),
            Err(error) => Err(ServerError::NotBegun { command: self.command.clone(), error }),
        }
    }

    /// The end of its output, as a part of a message.
    fn output_tail(&mut self) -> String {
        let mut text = Vec::new();
        let length = self.output.metadata().map_or(0, |about| about.len());
        let from = SeekFrom::Start(length.saturating_sub(TOLD));
        let read = self.output.seek(from).and_then(|_| self.output.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        if read.is_err() || text.is_empty() { String::new() } else { format!("; it said: {text}") }
    }
}

fn ending(status: ExitStatus) -> String {
    match status.success() {
        true => "ended with status 0; a server must stay in the foreground, without `&` and not as a daemon".to_owned(),
        false => format!("ended ({status})"),
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = Pid::from_child(&self.child);
        let _ = kill_process_group(group, Signal::TERM);
        let begun = Instant::now();
        while begun.elapsed() < GRACE && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(LOOK_EVERY);
        }
        // What it has left behind, too, in its group or in one of its own.
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.child.wait();
        self.scratch.end_processes();
        end(&mut self.watch);
    }
}

fn end(process: &mut Child) {
    let _ = process.kill();
    let _ = process.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);
    static GO_ON: AtomicBool = AtomicBool::new(false);

    #[test]
    fn a_server_that_ends_says_what_it_said() {
        let mut server = Server::begin("echo no config on {port}; exit 3", Path::new("/")).unwrap();
        let port = server.port();
        let told = server.ready(PATIENCE, &GO_ON, || Err::<(), _>("refused".to_owned())).unwrap_err().to_string();
        assert!(told.contains("exit status: 3") && told.contains(&format!("it said: no config on {port}")), "{told}");
    }

    #[test]
    fn one_that_goes_to_the_background_is_told_to_stay_and_ended_with_all_its_processes() {
        let mut server = Server::begin("sleep 1000 & echo $!", Path::new("/")).unwrap();
        let told = server.ready(PATIENCE, &GO_ON, || Err::<(), _>("refused".to_owned())).unwrap_err().to_string();
        assert!(told.contains("must stay in the foreground"), "{told}");
        let left = told.rsplit(' ').next().unwrap().to_owned();
        drop(server);
        assert_gone(&left);
    }

    #[test]
    fn a_process_in_a_session_of_its_own_is_ended_as_well() {
        let server = Server::begin("setsid sleep 1000 & exec sleep 1000", Path::new("/")).unwrap();
        let begun = Instant::now();
        while server.scratch.processes().len() < 2 && begun.elapsed() < PATIENCE {
            std::thread::sleep(LOOK_EVERY);
        }
        let left = server.scratch.processes();
        assert_eq!(left.len(), 2, "the server, and what left its session");
        drop(server);
        for pid in left {
            assert_gone(&pid.to_string());
        }
    }

    #[test]
    fn one_that_is_starting_is_not_waited_for_once_the_user_has_stopped() {
        let mut server = Server::begin("exec sleep 1000", Path::new("/")).unwrap();
        let stop = AtomicBool::new(true);
        let told = server.ready(PATIENCE, &stop, || Err::<(), _>("refused".to_owned())).unwrap_err();
        assert!(matches!(told, ServerError::Stopped { .. }), "{told}");
    }

    #[test]
    fn all_of_its_processes_end_when_nobody_holds_the_watch_any_more() {
        let mut server = Server::begin("setsid sleep 1000 & exec sleep 1000", Path::new("/")).unwrap();
        let begun = Instant::now();
        while server.scratch.processes().len() < 2 && begun.elapsed() < PATIENCE {
            std::thread::sleep(LOOK_EVERY);
        }
        let left = server.scratch.processes();
        assert_eq!(left.len(), 2);
        // As where this process is killed.
        drop(server.watch.stdin.take());
        for pid in &left {
            assert_gone(&pid.to_string());
        }
        assert!(server.watch.wait().is_ok());
    }

    fn assert_gone(pid: &str) {
        let gone = || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
            stat.map_or(true, |stat| stat.contains(") Z "))
        };
        let begun = Instant::now();
        while !gone() && begun.elapsed() < PATIENCE {
            std::thread::sleep(LOOK_EVERY);
        }
        assert!(gone(), "process {pid} is still there");
    }

    #[test]
    fn one_that_never_answers_is_given_up() {
        let mut server = Server::begin("exec sleep 1000", Path::new("/")).unwrap();
        let told = server.ready(Duration::ZERO, &GO_ON, || Err::<(), _>("refused".to_owned())).unwrap_err().to_string();
        assert!(told.contains("hasn't answered on its port within 0 s: refused"), "{told}");
    }
}
