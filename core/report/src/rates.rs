//! What is processed in a second.

use tare_results::VariantView;

use crate::amount::rate;

/// Bytes and items a second of a variant, `scale` times those of its own time: `1.25 GB/s`. `None` where it doesn't say what a call processes.
pub(crate) fn throughput(variant: &VariantView, scale: f64) -> Option<String> {
    let bytes = variant.bytes_a_second().map(|bytes| rate(scale * bytes.estimate, "B"));
    let items = variant.items_a_second().map(|items| rate(scale * items.estimate, " items"));
    let both: Vec<String> = [bytes, items].into_iter().flatten().collect();
    (!both.is_empty()).then(|| both.join(", "))
}
