//! The CPUs of servers that Tare starts, and those of the client that puts them under load.

use std::fmt;
use std::path::Path;

use tare_machine::{AffinityGuard, Topology, allowed_cpus, format_cpu_list};

use crate::error::Error;

/// On fewer CPUs than this a server of several threads would be another one if it had to leave some to the client.
const LEAST: usize = 4;

/// The CPUs of servers that Tare starts, and of the client; both empty where neither is bound to CPUs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CpuPlacement {
    servers: Vec<usize>,
    client: Vec<usize>,
    /// Those that both share where they aren't bound.
    shared: Vec<usize>,
}

impl CpuPlacement {
    /// Those that were asked for, else so many for the client as it has threads, half of them at the most, and the rest for the servers.
    pub(crate) fn of(asked: Option<&[usize]>, threads: u32) -> Result<Self, Error> {
        match allowed_cpus() {
            Ok(allowed) => Self::among(&Topology::read(Path::new("/"), allowed), asked, threads),
            Err(error) if asked.is_some() => Err(Error::usage(format!("--cpus: {error}"))),
            Err(_) => Ok(Self::default()),
        }
    }

    fn among(topology: &Topology, asked: Option<&[usize]>, threads: u32) -> Result<Self, Error> {
        let mut all = topology.allowed.clone();
        if let Some(asked) = asked {
            if let Some(missing) = asked.iter().find(|cpu| !all.contains(cpu) && !topology.isolated.contains(cpu)) {
                let all = format_cpu_list(&all);
                return Err(Error::usage(format!("--cpus: CPU {missing} can't be used here; choose from {all}")));
            }
            let others: Vec<usize> = all.iter().copied().filter(|cpu| !asked.contains(cpu)).collect();
            let client = if others.is_empty() { all } else { others };
            return Ok(Self { servers: asked.to_vec(), client, shared: Vec::new() });
        }
        if all.len() < LEAST {
            return Ok(Self { shared: all, ..Self::default() });
        }
        // Hardware threads of one core stay together, as far as that goes.
        all.sort_by_key(|cpu| (topology.siblings.get(cpu).and_then(|all| all.first().copied()).unwrap_or(*cpu), *cpu));
        let client = (threads as usize).next_multiple_of(2).min(all.len() / 2);
        let mut servers = all.split_off(client);
        servers.sort_unstable();
        all.sort_unstable();
        Ok(Self { servers, client: all, shared: Vec::new() })
    }

    /// Does what begins a server: what is begun has the CPUs of the thread that begins it.
    pub(crate) fn as_a_server<T>(&self, begin: impl FnOnce() -> T) -> T {
        let _bound = bind(&self.servers);
        begin()
    }

    /// The client's threads have its CPUs as long as this lives.
    pub(crate) fn as_the_client(&self) -> Option<AffinityGuard> {
        bind(&self.client)
    }
}

fn bind(cpus: &[usize]) -> Option<AffinityGuard> {
    if cpus.is_empty() { None } else { AffinityGuard::bind(cpus).ok() }
}

impl fmt::Display for CpuPlacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.servers.is_empty() {
            return match self.shared.as_slice() {
                [] => Ok(()),
                [one] => write!(f, "servers and client share CPU {one}"),
                all => write!(f, "servers and client share CPUs {}", format_cpu_list(all)),
            };
        }
        write!(f, "servers on CPU {}, the client on {}", format_cpu_list(&self.servers), format_cpu_list(&self.client))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(cpus: usize) -> Topology {
        Topology { allowed: (0..cpus).collect(), ..Topology::default() }
    }

    fn told(topology: &Topology, asked: Option<&[usize]>, threads: u32) -> String {
        CpuPlacement::among(topology, asked, threads)
            .map_or_else(|error| error.to_string(), |placed| placed.to_string())
    }

    #[test]
    fn servers_have_cpus_of_their_own_where_there_are_enough() {
        assert_eq!(told(&machine(2), None, 1), "servers and client share CPUs 0,1");
        assert_eq!(told(&machine(1), None, 1), "servers and client share CPU 0");
        assert_eq!(told(&machine(4), None, 2), "servers on CPU 2,3, the client on 0,1");
        assert_eq!(told(&machine(16), None, 3), "servers on CPU 4-15, the client on 0-3");
        assert_eq!(told(&machine(4), None, 64), "servers on CPU 2,3, the client on 0,1", "never more than half");
    }

    #[test]
    fn two_hardware_threads_of_a_core_are_not_parted() {
        // As many machines count: 0 and 4 are one core, 1 and 5, …
        let siblings = (0..8).map(|cpu| (cpu, vec![cpu % 4, cpu % 4 + 4])).collect();
        let topology = Topology { siblings, ..machine(8) };
        assert_eq!(told(&topology, None, 4), "servers on CPU 2,3,6,7, the client on 0,1,4,5");
    }

    #[test]
    fn what_is_asked_for_is_done_or_refused() {
        assert_eq!(told(&machine(2), Some(&[1]), 1), "servers on CPU 1, the client on 0");
        assert_eq!(told(&machine(2), Some(&[0, 1]), 1), "servers on CPU 0,1, the client on 0,1");
        assert!(told(&machine(2), Some(&[2]), 1).contains("CPU 2 can't be used here; choose from 0,1"));
    }
}
