use std::path::{Component, Path, PathBuf};

use crate::files;

pub(super) fn memory(root: &Path) -> Option<String> {
    let text = files::text(root, "proc/meminfo")?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(format!("{} MiB", kibibytes / 1024))
}

pub(super) fn load(root: &Path) -> Option<String> {
    let text = files::line(root, "proc/loadavg")?;
    let minute = text.split(' ').next()?;
    minute.parse::<f64>().ok().filter(|load| load.is_finite() && *load >= 0.0).map(|_| minute.to_owned())
}

/// `proc(5)`: the first line of `/proc/stat` is user, nice, system, idle, iowait, irq, softirq, steal, guest,
/// guest_nice; the two last are counted in the two first as well.
pub(super) fn steal(root: &Path) -> Option<String> {
    let text = files::line(root, "proc/stat")?;
    let ticks: Vec<u64> = text.strip_prefix("cpu ")?.split(' ').map_while(|tick| tick.parse().ok()).take(8).collect();
    let total = ticks.iter().try_fold(0u64, |sum, &tick| sum.checked_add(tick)).filter(|&total| total > 0)?;
    ticks.get(7).map(|&steal| format!("{:.2} %", steal as f64 / total as f64 * 100.0))
}

/// The tightest quota on the way from the process's control group to the root, in CPUs.
pub(super) fn cpu_quota(root: &Path) -> Option<String> {
    let quota = cpu_groups(root).into_iter().filter_map(|group| {
        let unified = files::line(root, &format!("{group}/cpu.max"));
        match unified.as_deref().and_then(|text| text.split_once(' ')) {
            Some((quota, period)) => ratio(quota, period),
            None => {
                let quota = files::line(root, &format!("{group}/cpu.cfs_quota_us"))?;
                ratio(&quota, &files::line(root, &format!("{group}/cpu.cfs_period_us"))?)
            }
        }
    });
    let text = format!("{:.2}", quota.min_by(f64::total_cmp)?);
    Some(text.trim_end_matches('0').trim_end_matches('.').to_owned())
}

/// `max` and -1 stand for no quota.
fn ratio(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (u64, u64) = (quota.parse().ok()?, period.parse().ok()?);
    (quota > 0 && period > 0).then(|| quota as f64 / period as f64)
}

/// The folders of the control groups that may limit the process's CPU time, below `root`: its own and those above it, in each
/// hierarchy that there may be.
pub(crate) fn cpu_groups(root: &Path) -> Vec<String> {
    let groups = files::text(root, "proc/self/cgroup").unwrap_or_default();
    let of = |wanted: fn(&str) -> bool| {
        groups.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, path) = rest.split_once(':')?;
            wanted(controllers).then_some(path)
        })
    };
    let legacy = of(|controllers| controllers.split(',').any(|controller| controller == "cpu")).unwrap_or("/");
    let hierarchies = [
        ("sys/fs/cgroup", of(str::is_empty).unwrap_or("/")),
        ("sys/fs/cgroup/cpu", legacy),
        ("sys/fs/cgroup/cpu,cpuacct", legacy),
    ];
    // `cpu` is often another name of `cpu,cpuacct`; what is added up mustn't be counted twice.
    let mut seen = Vec::new();
    let hierarchies = hierarchies.into_iter().filter(|(mount, _)| match root.join(mount).canonicalize() {
        Ok(place) if seen.contains(&place) => false,
        Ok(place) => {
            seen.push(place);
            true
        }
        Err(_) => false,
    });
    hierarchies.flat_map(|(mount, group)| above(mount, group)).collect()
}

/// A group outside the process's own view of the tree (`/../x`) can't be looked up; the root of the view can.
fn above(mount: &str, group: &str) -> Vec<String> {
    let mut inside = PathBuf::new();
    for component in Path::new(group).components() {
        match component {
            Component::Normal(name) => inside.push(name),
            Component::ParentDir => inside.clear(),
            _ => {}
        }
    }
    inside.ancestors().map(|path| format!("{mount}/{}", path.display()).trim_end_matches('/').to_owned()).collect()
}
