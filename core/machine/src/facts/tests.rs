use std::collections::BTreeMap;
use std::fs;

use super::{class, facts};

/// A machine as a folder.
struct Machine(tempfile::TempDir);

impl Machine {
    fn with(files: &[(&str, &str)]) -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = machine.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        machine
    }

    /// Its facts, without the architecture, which is that of the build.
    fn facts(&self) -> BTreeMap<String, String> {
        let mut facts = facts(self.0.path());
        assert_eq!(facts.remove("arch").as_deref(), Some(std::env::consts::ARCH));
        facts
    }
}

fn expected(facts: &[(&str, &str)]) -> BTreeMap<String, String> {
    facts.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

const LAPTOP: &[(&str, &str)] = &[
    (
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz\nflags\t\t: fpu vme tsc\n\n\
         processor\t: 1\nmodel name\t: Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz\nflags\t\t: fpu vme tsc\n",
    ),
    ("proc/meminfo", "MemTotal:       16283648 kB\nMemFree:         1000000 kB\n"),
    ("proc/loadavg", "0.52 0.58 0.59 1/467 12345\n"),
    ("proc/stat", "cpu  100 0 50 849 0 0 1 0 0 0\ncpu0 50 0 25 425 0 0 0 0 0 0\n"),
    ("proc/sys/kernel/osrelease", "6.8.0-45-generic\n"),
    ("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n"),
    ("sys/devices/system/cpu/online", "0-1\n"),
    ("sys/devices/system/cpu/smt/active", "1\n"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
    ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"),
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "ignored\n"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
    ("sys/class/dmi/id/sys_vendor", "LENOVO\n"),
    ("sys/class/dmi/id/product_name", "20L5CTO1WW\n"),
    ("etc/os-release", "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n"),
];

#[test]
fn a_laptop_on_powersave() {
    let machine = Machine::with(LAPTOP);
    assert_eq!(
        machine.facts(),
        expected(&[
            ("clocksource", "tsc"),
            ("cpu", "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz"),
            ("cpus", "2"),
            ("governor", "powersave"),
            ("kernel", "6.8.0-45-generic"),
            ("load", "0.52"),
            ("memory", "15902 MiB"),
            ("os", "Ubuntu 24.04.1 LTS"),
            ("smt", "on"),
            ("steal", "0.00 %"),
            ("turbo", "on"),
            ("virtualisation", "none"),
        ])
    );
}

#[test]
fn the_class_of_a_machine_does_not_change_with_its_load_or_its_settings() {
    let busy = [LAPTOP, &[("proc/loadavg", "9.99 1 1 1/1 1"), ("sys/devices/system/cpu/smt/active", "0")]].concat();
    let (idle, busy) = (Machine::with(LAPTOP).facts(), Machine::with(&busy).facts());
    assert_ne!(idle, busy);
    assert_eq!(class(&idle), class(&busy));

    let fewer = [LAPTOP, &[("sys/devices/system/cpu/online", "0\n")]].concat();
    assert_ne!(class(&idle), class(&Machine::with(&fewer).facts()));
    let full = facts(Machine::with(LAPTOP).0.path());
    let arch = std::env::consts::ARCH;
    assert_eq!(class(&full), format!("Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz; {arch}; 2 CPUs; virtualisation none"));
    assert_eq!(class(&BTreeMap::new()), "unknown; unknown; unknown CPUs; virtualisation unknown");
}

#[test]
fn a_kvm_guest() {
    let machine = Machine::with(&[
        ("proc/cpuinfo", "processor : 0\nmodel name : AMD EPYC 7B13\nflags : fpu hypervisor lahf_lm\n"),
        ("proc/stat", "cpu 700 0 100 150 0 0 0 50 0 0\n"),
        ("sys/class/dmi/id/sys_vendor", "QEMU\n"),
        ("sys/class/dmi/id/product_name", "Standard PC (Q35 + ICH9, 2009)\n"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock\n"),
    ]);
    assert_eq!(
        machine.facts(),
        expected(&[
            ("clocksource", "kvm-clock"),
            ("cpu", "AMD EPYC 7B13"),
            ("cpus", "1"),
            ("steal", "5.00 %"),
            ("virtualisation", "QEMU Standard PC (Q35 + ICH9, 2009)"),
        ])
    );

    let nameless = Machine::with(&[("proc/cpuinfo", "flags : hypervisor\n")]);
    assert_eq!(nameless.facts()["virtualisation"], "yes");
    let xen = Machine::with(&[("proc/cpuinfo", "flags : fpu\n"), ("sys/hypervisor/type", "xen\n")]);
    assert_eq!(xen.facts()["virtualisation"], "xen");
}

#[test]
fn a_container_has_the_tightest_quota_on_its_way_to_the_root() {
    let nested = Machine::with(&[
        ("proc/self/cgroup", "0::/pods/pod1/container\n"),
        ("sys/fs/cgroup/pods/cpu.max", "max 100000\n"),
        ("sys/fs/cgroup/pods/pod1/cpu.max", "150000 100000\n"),
        ("sys/fs/cgroup/pods/pod1/container/cpu.max", "400000 100000\n"),
    ]);
    assert_eq!(nested.facts(), expected(&[("cpu_quota", "1.5")]));

    let own_view = Machine::with(&[("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/cpu.max", "200000 100000\n")]);
    assert_eq!(own_view.facts()["cpu_quota"], "2");

    let outside = [("proc/self/cgroup", "0::/../../x\n"), ("sys/fs/cgroup/cpu.max", "50000 100000\n")];
    assert_eq!(Machine::with(&outside).facts()["cpu_quota"], "0.5");

    let legacy = Machine::with(&[
        ("proc/self/cgroup", "3:cpuset:/a\n2:cpu,cpuacct:/docker/abc\n"),
        ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
        ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "25000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n"),
    ]);
    assert_eq!(legacy.facts()["cpu_quota"], "0.25");

    let unlimited = Machine::with(&[("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/cpu.max", "max 100000\n")]);
    assert_eq!(unlimited.facts(), expected(&[]));
}

#[test]
fn an_arm_board_is_known_by_its_board_and_its_cores() {
    let cpuinfo = "processor\t: 0\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\nCPU architecture: 8\n\
                   CPU part\t: 0xd08\n\nprocessor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n";
    let board = Machine::with(&[
        ("proc/cpuinfo", cpuinfo),
        ("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0"),
        ("sys/devices/system/cpu/cpufreq/boost", "0\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
    ]);
    assert_eq!(
        board.facts(),
        expected(&[
            ("cpu", "Raspberry Pi 4 Model B Rev 1.4 (implementer 0x41 part 0xd03 + 0xd08)"),
            ("cpus", "2"),
            ("governor", "performance, schedutil"),
            ("turbo", "off"),
        ])
    );

    let server = Machine::with(&[
        ("proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n"),
        ("sys/class/dmi/id/sys_vendor", "QEMU\n"),
        ("sys/class/dmi/id/product_name", "QEMU Virtual Machine\n"),
    ]);
    let facts = server.facts();
    assert_eq!((facts["cpu"].as_str(), facts["cpus"].as_str()), ("implementer 0x41 part 0xd0c", "1"));
    assert_eq!(facts["virtualisation"], "QEMU Virtual Machine");

    let unknown = [("proc/cpuinfo", "CPU part : 0xd0c\n"), ("sys/class/dmi/id/sys_vendor", "Ampere(R)\n")];
    assert_eq!(Machine::with(&unknown).facts(), expected(&[]));
}

#[test]
fn files_that_can_not_be_read_or_make_no_sense_give_no_facts() {
    let folders = Machine::with(&[
        ("proc/cpuinfo/a", ""),
        ("proc/stat/a", ""),
        ("proc/loadavg/a", ""),
        ("etc/os-release/a", ""),
        ("sys/devices/system/cpu/smt/active/a", ""),
    ]);
    assert_eq!(folders.facts(), expected(&[]));
    assert_eq!(Machine::with(&[]).facts(), expected(&[]));

    let nonsense = Machine::with(&[
        ("proc/cpuinfo", "\0\0:::\nmodel name\nprocessor : x\nmodel name : \u{1}\n"),
        ("proc/meminfo", "MemTotal: lots\n"),
        ("proc/loadavg", "NaN"),
        ("proc/stat", "cpu 18446744073709551615 18446744073709551615 1 1 1 1 1 1\n"),
        ("proc/self/cgroup", "\n::\n0\n"),
        ("sys/fs/cgroup/cpu.max", "-5 0\n"),
        ("sys/devices/system/cpu/online", "9-1\n"),
        ("sys/devices/system/cpu/smt/active", "7\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", ""),
        ("etc/os-release", "PRETTY_NAME=\"\"\nNAME\n"),
    ]);
    assert_eq!(nonsense.facts(), expected(&[]));
}

#[test]
fn what_a_firmware_says_can_not_write_to_the_terminal() {
    let long = "x".repeat(10_000);
    let machine = Machine::with(&[
        ("proc/cpuinfo", "flags : hypervisor\nmodel name : \u{1b}]0;title\u{7}CPU\n"),
        ("sys/class/dmi/id/sys_vendor", &long),
    ]);
    let facts = machine.facts();
    assert_eq!(facts["cpu"], "]0;title CPU");
    assert_eq!(facts["virtualisation"].len(), 200);
}
