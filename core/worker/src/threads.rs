//! Which CPUs the threads of a process that runs already may use.

use std::io;

use rustix::process::Pid;
use rustix::thread::CpuSet;

/// CPUs by number; numbers beyond what the kernel knows are left out.
pub(crate) fn cpu_set(cpus: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    for &cpu in cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU) {
        set.set(cpu);
    }
    set
}

/// Moves all threads of a process, and of those that it started: the command may be a script around the worker. A thread that
/// begins meanwhile has the CPUs of the one that began it: whatever is new on a second look is moved, too, until there is nothing
/// new.
pub(crate) fn move_threads(pid: Pid, set: &CpuSet) -> io::Result<()> {
    let mut moved = Vec::new();
    loop {
        let before = moved.len();
        let mut processes = vec![pid];
        while let Some(process) = processes.pop() {
            let tasks = match std::fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero())) {
                Ok(tasks) => tasks,
                Err(error) if process == pid => return Err(error),
                // A child that has ended since.
                Err(_) => continue,
            };
            for task in tasks.flatten() {
                let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
                processes.extend(children.split_whitespace().filter_map(process_id));
                let Some(thread) = task.file_name().to_str().and_then(process_id) else { continue };
                if moved.contains(&thread) {
                    continue;
                }
                match rustix::thread::sched_setaffinity(Some(thread), set) {
                    // It may have ended since it was listed.
                    Ok(()) | Err(rustix::io::Errno::SRCH) => moved.push(thread),
                    Err(error) => return Err(error.into()),
                }
            }
        }
        if moved.len() == before {
            return Ok(());
        }
    }
}

fn process_id(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use rustix::process::Pid;
    use rustix::thread::CpuSet;

    use super::{cpu_set, move_threads, process_id};

    #[test]
    fn a_script_and_the_process_that_it_started_are_moved_alike() {
        let ours = rustix::thread::sched_getaffinity(None).unwrap();
        // Its `read` ends with us, whatever happens here.
        let script = "sleep 60 & echo $!; read -r _; kill $!";
        let started = Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut script = started.unwrap();
        let mut line = String::new();
        BufReader::new(script.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let child = process_id(line.trim()).unwrap();
        let parent = Pid::from_child(&script);
        let of = |pid| rustix::thread::sched_getaffinity(Some(pid)).unwrap();
        let begun = of(child);

        let last = (0..CpuSet::MAX_CPU).rfind(|&cpu| ours.is_set(cpu)).unwrap();
        let one = cpu_set(&[last]);
        move_threads(parent, &one).unwrap();
        let moved = [of(parent), of(child)];
        drop(script.stdin.take());
        script.wait().unwrap();

        assert_eq!(begun, ours, "the child began with all CPUs");
        assert_eq!(moved, [one, one]);
    }

    #[test]
    fn a_process_that_is_gone_is_an_error() {
        let mut ended = Command::new("true").spawn().unwrap();
        let pid = Pid::from_child(&ended);
        ended.wait().unwrap();
        assert!(move_threads(pid, &cpu_set(&[0])).is_err());
    }
}
