//! By what a launch is known to be what was stored: a figure that a disk or a hand has changed is no measurement.

use tare_samples::Launch;

/// CRC-32 (ISO 3309) over the launch's figures, each as 8 bytes little-endian (an absent one as the byte 0, others of those that may
/// be absent behind the byte 1), then over its samples as they are stored.
pub(crate) fn of_launch(launch: &Launch, samples: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    for figure in [u64::from(launch.ordinal), launch.started_ns, launch.startup_ns, launch.duration_ns] {
        crc.update(&figure.to_le_bytes());
    }
    for figure in [launch.memory.peak_rss_bytes, launch.memory.runtime_peak_bytes] {
        match figure {
            None => crc.update(&[0]),
            Some(figure) => {
                crc.update(&[1]);
                crc.update(&figure.to_le_bytes());
            }
        }
    }
    crc.update(samples);
    crc.sum()
}

/// Why a launch isn't what was stored; `None` where it is.
pub(crate) fn fault(launch: &Launch, samples: &[u8], stored: i64) -> Option<String> {
    match stored == i64::from(of_launch(launch, samples)) {
        false => Some("their checksum is wrong".to_owned()),
        true => crate::turns::damage(samples),
    }
}
