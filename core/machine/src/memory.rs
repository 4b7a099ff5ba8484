use std::path::Path;

use crate::files::text;

/// Bytes of memory that programs can still take without paging, as the kernel estimates it (`MemAvailable` of proc_meminfo(5)), below
/// `root`.
pub fn available_memory(root: &Path) -> Option<u64> {
    let text = text(root, "proc/meminfo")?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::available_memory;

    #[test]
    fn what_is_available_is_read_or_not_known() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(available_memory(root.path()), None);
        std::fs::create_dir(root.path().join("proc")).unwrap();
        let write = |text: &str| std::fs::write(root.path().join("proc/meminfo"), text).unwrap();
        write("MemTotal:       100 kB\nMemFree: 5 kB\nMemAvailable:     64 kB\n");
        assert_eq!(available_memory(root.path()), Some(65_536));
        write("MemAvailable: lots\n");
        assert_eq!(available_memory(root.path()), None);
    }
}
