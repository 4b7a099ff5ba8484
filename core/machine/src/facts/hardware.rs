use std::collections::BTreeSet;
use std::path::Path;

use crate::cpu_list::parse_cpu_list;
use crate::files;

const CPU: &str = "sys/devices/system/cpu";

/// `/proc/cpuinfo`: `key : value` lines, a block a CPU on most architectures.
pub(super) struct CpuInfo(Vec<(String, String)>);

impl CpuInfo {
    pub(super) fn read(root: &Path) -> Self {
        let text = files::text(root, "proc/cpuinfo").unwrap_or_default();
        let pairs = text.lines().filter_map(|line| line.split_once(':'));
        // The names of a CPU's features are longer than a value worth showing and are looked at whole.
        Self(pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect())
    }

    fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    fn first(&self, key: &str) -> Option<String> {
        self.values(key).find_map(files::printable)
    }

    fn distinct(&self, key: &str) -> Vec<String> {
        self.values(key).filter_map(files::printable).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Whether x86's bit for "under a hypervisor" is set; `None` where there are no such flags.
    fn hypervisor(&self) -> Option<bool> {
        self.values("flags").next().map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
    }
}

pub(super) fn model(root: &Path, cpuinfo: &CpuInfo) -> Option<String> {
    // x86, MIPS, 32-bit ARM; PowerPC; LoongArch; RISC-V. A machine may mix cores of several models.
    for key in ["model name", "cpu model", "cpu", "Model Name", "uarch"] {
        let models = cpuinfo.distinct(key);
        if !models.is_empty() {
            return files::printable(&models.join(" + "));
        }
    }
    // 64-bit ARM gives numbers only, and the board's name in the device tree or, from some vendors, here.
    let parts: Vec<String> = cpuinfo.distinct("CPU part");
    let part = cpuinfo.first("CPU implementer").filter(|_| !parts.is_empty());
    let part = part.map(|implementer| format!("implementer {implementer} part {}", parts.join(" + ")));
    let board = files::line(root, "proc/device-tree/model")
        .or_else(|| cpuinfo.first("Model"))
        .or_else(|| cpuinfo.first("Hardware"));
    match (board, part) {
        (Some(board), Some(part)) => Some(format!("{board} ({part})")),
        (board, part) => board.or(part),
    }
}

pub(super) fn online(root: &Path, cpuinfo: &CpuInfo) -> Option<usize> {
    let listed = files::line(root, &format!("{CPU}/online")).and_then(|text| parse_cpu_list(&text).ok());
    let counted = cpuinfo.values("processor").filter(|value| value.parse::<usize>().is_ok()).count();
    listed.map(|cpus| cpus.len()).or(Some(counted).filter(|&count| count > 0))
}

pub(super) fn governor(root: &Path) -> Option<String> {
    let numbered = |name: &str| name.strip_prefix("cpu").is_some_and(|n| n.parse::<usize>().is_ok());
    let folders = std::fs::read_dir(root.join(CPU)).ok()?;
    let names = folders.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let governors: BTreeSet<String> = names
        .filter(|name| numbered(name))
        .filter_map(|name| files::line(root, &format!("{CPU}/{name}/cpufreq/scaling_governor")))
        .collect();
    files::printable(&governors.into_iter().collect::<Vec<_>>().join(", "))
}

pub(super) fn turbo(root: &Path) -> Option<String> {
    switch(root, &format!("{CPU}/intel_pstate/no_turbo"), "0")
        .or_else(|| switch(root, &format!("{CPU}/cpufreq/boost"), "1"))
}

/// `on` where the file holds `on`'s digit, `off` where it holds the other, nothing where it holds anything else.
pub(super) fn switch(root: &Path, path: &str, on: &str) -> Option<String> {
    match files::line(root, path)?.as_str() {
        value if value == on => Some("on".to_owned()),
        "0" | "1" => Some("off".to_owned()),
        _ => None,
    }
}

/// The vendors that sell virtual machines only.
const HYPERVISORS: [&str; 6] = ["qemu", "vmware", "innotek", "xen", "parallels", "bochs"];

pub(super) fn virtualisation(root: &Path, cpuinfo: &CpuInfo) -> Option<String> {
    let dmi = |name: &str| files::line(root, &format!("sys/class/dmi/id/{name}"));
    let (vendor, product) = (dmi("sys_vendor"), dmi("product_name"));
    let firmware = match (vendor, product) {
        (Some(vendor), Some(product)) if product.starts_with(&vendor) => Some(product),
        (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
        (vendor, product) => vendor.or(product),
    };
    let kind = files::line(root, "sys/hypervisor/type")
        .or_else(|| files::line(root, "proc/device-tree/hypervisor/compatible"));
    match cpuinfo.hypervisor() {
        Some(true) => firmware.or(kind).or(Some("yes".to_owned())),
        // A Xen host is itself a guest of its hypervisor, and the flag is hidden from some.
        Some(false) => kind.or(Some("none".to_owned())),
        // Elsewhere the CPU doesn't say: a guest is known by its firmware, a real machine isn't known.
        None => kind.or(firmware.filter(|name| {
            let name = name.to_lowercase();
            name.contains("virtual") || HYPERVISORS.iter().any(|vendor| name.starts_with(vendor))
        })),
    }
}
