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
    let groups = files::text(root, "proc/self/cgroup").unwrap_or_default();
    let of = |wanted: fn(&str) -> bool| {
        groups.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, path) = rest.split_once(':')?;
            wanted(controllers).then_some(path)
        })
    };
    // A group outside the process's own view of the tree (`/../x`) can't be looked up; the root of the view can.
    let unified = quota_above(root, "sys/fs/cgroup", of(str::is_empty).unwrap_or("/"), |root, group| {
        let text = files::line(root, &format!("{group}/cpu.max"))?;
        let (quota, period) = text.split_once(' ')?;
        ratio(quota, period)
    });
    let cpu = of(|controllers| controllers.split(',').any(|controller| controller == "cpu")).unwrap_or("/");
    let legacy = |mount: &str| {
        quota_above(root, mount, cpu, |root, group| {
            let quota = files::line(root, &format!("{group}/cpu.cfs_quota_us"))?;
            ratio(&quota, &files::line(root, &format!("{group}/cpu.cfs_period_us"))?)
        })
    };
    let quota = unified.or_else(|| legacy("sys/fs/cgroup/cpu")).or_else(|| legacy("sys/fs/cgroup/cpu,cpuacct"))?;
    let text = format!("{quota:.2}");
    Some(text.trim_end_matches('0').trim_end_matches('.').to_owned())
}

/// `max` and -1 stand for no quota.
fn ratio(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (u64, u64) = (quota.parse().ok()?, period.parse().ok()?);
    (quota > 0 && period > 0).then(|| quota as f64 / period as f64)
}

fn quota_above(root: &Path, mount: &str, group: &str, read: impl Fn(&Path, &str) -> Option<f64>) -> Option<f64> {
    let mut inside = PathBuf::new();
    for component in Path::new(group).components() {
        match component {
            Component::Normal(name) => inside.push(name),
            Component::ParentDir => inside.clear(),
            _ => {}
        }
    }
    let groups = inside.ancestors().map(|path| format!("{mount}/{}", path.display()));
    groups.filter_map(|group| read(root, group.trim_end_matches('/'))).min_by(f64::total_cmp)
}
