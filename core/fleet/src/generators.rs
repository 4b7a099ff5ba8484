//! Generators of a load on the nodes of a cluster: one job that gets all its nodes at once, since none can begin without the others.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tare_definition::Project;
use tare_session::{Error, Launch};

use crate::slurm;
use crate::submit::{options_of, quoted};

/// Lines of what a job printed that are told when it has ended.
const TAIL: usize = 4;
/// Why a job waits that won't ever begin.
const NEVER: [&str; 3] = ["PartitionConfig", "PartitionNodeLimit", "BadConstraints"];

/// Starts generators by Slurm, each alone on a node.
pub struct SlurmGenerators {
    id: String,
    place: PathBuf,
    options: Vec<String>,
    setup: Option<String>,
    address: Option<IpAddr>,
    job: Option<String>,
}

impl SlurmGenerators {
    /// As `[fleet]` in tare.toml says. What they are told lies in a folder of the project, which only this user can read.
    ///
    /// # Errors
    ///
    /// The folder can't be made.
    pub fn new(project: &Project, folder: &Path) -> Result<Self, Error> {
        let settings = &project.settings.fleet;
        let id = format!("load-{}-{:04x}", Timestamp::now().strftime("%Y%m%d-%H%M%S"), std::process::id() & 0xffff);
        // Below what others may use, so that its own rights are what counts.
        let place = std::path::absolute(project.store().join("fleet").join(&id)).map_err(Error::failed)?;
        let failed = |error: std::io::Error| Error::failed(format!("{}: {error}", place.display()));
        fs::create_dir_all(place.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(&place).map_err(failed)?;
        let options = options_of(settings, &id, folder, &place.join("generators.log"));
        Ok(Self { id, options, setup: settings.setup.clone(), address: settings.address, place, job: None })
    }

    fn said(&self) -> String {
        let text = fs::read(self.place.join("generators.log")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(TAIL)..].join("; ");
        if last.is_empty() { String::new() } else { format!(": {last}") }
    }
}

impl Launch for SlurmGenerators {
    fn address(&self) -> Result<(IpAddr, String), Error> {
        match self.address {
            Some(address) => Ok((address, address.to_string())),
            // Nodes know this machine by its name, and by which of its networks they come only they know.
            None => {
                let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
                match name.trim() {
                    "" => Err(Error::usage(
                        "--on slurm: nodes can't find this machine by its name; write `address` under [fleet] in tare.toml",
                    )),
                    name => Ok((Ipv4Addr::UNSPECIFIED.into(), name.to_owned())),
                }
            }
        }
    }

    fn is_here(&self) -> bool {
        false
    }

    fn folder(&self) -> &Path {
        &self.place
    }

    fn start(&mut self, file: &Path, of: u32) -> Result<(), Error> {
        let program =
            std::env::current_exe().map_err(|error| Error::failed(format!("this program can't be found: {error}")))?;
        let setup = self.setup.as_ref().map_or(String::new(), |setup| format!("{setup}\n[ $? -eq 0 ] || exit 2\n"));
        let each = format!(
            "#!/bin/sh\n# One generator of {}, on its node.\n{setup}exec {} agent {} --generator $((SLURM_PROCID + 1))\n",
            self.id,
            quoted(&program),
            quoted(file)
        );
        let (script, task) = (self.place.join("task.sh"), self.place.join("generator.sh"));
        let all = format!("#!/bin/sh\nexec srun --ntasks-per-node=1 --kill-on-bad-exit=1 sh {}\n", quoted(&task));
        let failed = |error: std::io::Error| Error::failed(format!("{}: {error}", self.place.display()));
        fs::write(&task, each).and_then(|()| fs::write(&script, all)).map_err(failed)?;
        let mut options = self.options.clone();
        // One that began again would come to a load that goes on without it.
        options.extend([format!("--nodes={of}"), format!("--ntasks={of}"), "--no-requeue".to_owned()]);
        self.job = Some(slurm::submit_script(&script, &options, None)?);
        Ok(())
    }

    fn look(&mut self) -> Result<Option<String>, Error> {
        let Some(job) = &self.job else { return Ok(None) };
        let Some(task) = slurm::job(job)? else {
            return Ok(Some("the queue doesn't answer".to_owned()));
        };
        match task.state.as_str() {
            _ if !task.is_alive() => Err(Error::failed(format!(
                "the job {job} of the generators ended before the load ({}){}",
                task.state,
                self.said()
            ))),
            "RUNNING" => Ok(None),
            // It would wait for ever.
            _ if NEVER.contains(&task.reason.as_str()) => Err(Error::usage(format!(
                "--on slurm: the partition can't give what the load needs ({}), a node for each generator; `sinfo` shows how many there are: ask for fewer generators, or name another `partition` under [fleet] in tare.toml",
                task.reason
            ))),
            state if ["None", ""].contains(&task.reason.as_str()) => Ok(Some(format!("job {job}: {state}"))),
            state => Ok(Some(format!("job {job}: {state}, {}", task.reason))),
        }
    }

    fn end(&mut self) {
        if let Some(job) = self.job.take() {
            // Mostly it has ended by itself.
            let _ = slurm::cancel(&[job]);
        }
    }
}

impl Drop for SlurmGenerators {
    fn drop(&mut self) {
        self.end();
        // What was sent may be secret.
        let _ = fs::remove_dir_all(&self.place);
    }
}
