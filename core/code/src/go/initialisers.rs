//! Which packages' initialisers run, and in which order (`cmd/link/internal/ld/inittask.go` in Go's sources).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::link::{Id, Linked};
use super::unlinked::Unlinked;

/// A record of no more bytes has no function to run.
const EMPTY: u32 = 8;

/// The records of initialisers that the runtime goes through from `root` on, in order.
///
/// # Errors
/// Where the records are damaged.
pub(super) fn order(linked: &Linked, root: Id) -> Result<Vec<Id>, Unlinked> {
    let mut needs: BTreeMap<Id, usize> = BTreeMap::new();
    let mut needed_by: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    let mut ready = BinaryHeap::new();
    let mut waiting = vec![root];
    needs.insert(root, 0);
    while let Some(record) = waiting.pop() {
        let before = before(linked, record)?;
        if before.is_empty() {
            ready.push(Reverse((linked.name(record), record)));
        }
        needs.insert(record, before.len());
        for other in before {
            needed_by.entry(other).or_default().push(record);
            needs.entry(other).or_insert_with(|| {
                waiting.push(other);
                0
            });
        }
    }
    let mut order = Vec::new();
    while let Some(Reverse((_, record))) = ready.pop() {
        if linked.symbol(record).is_some_and(|symbol| symbol.size > EMPTY) {
            order.push(record);
        }
        for after in needed_by.get(&record).into_iter().flatten() {
            if let Some(count) = needs.get_mut(after) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    ready.push(Reverse((linked.name(*after), *after)));
                }
            }
        }
    }
    if needs.values().any(|count| *count > 0) {
        return Err(Unlinked::Damaged("the order of initialisers"));
    }
    Ok(order)
}

/// Those that run before it.
fn before(linked: &Linked, record: Id) -> Result<Vec<Id>, Unlinked> {
    let Some((part, symbol)) = linked.definition(record) else { return Ok(Vec::new()) };
    let relocations = linked.parts[part].object.relocations(symbol);
    let ordering = relocations.filter(|relocation| relocation.kind == linked.numbers.initialisation_order);
    let targets = ordering.map(|relocation| linked.resolve(part, relocation.target));
    Ok(targets.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}
