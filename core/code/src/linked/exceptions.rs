//! Which handlers of exceptions belong to which section of code: frames (`.eh_frame`) tell (Linux Standard Base Core 5.0, 10.6).

use std::collections::HashMap;

use object::elf;

use super::objects::{Object, Relocation, Within};

/// By section of code: references to tables of handlers, and to the function that reads them.
pub(super) type Handlers = HashMap<usize, Vec<Relocation>>;

/// `None` where the frames aren't understood.
pub(super) fn handlers(object: &Object) -> Option<Handlers> {
    let mut found = Handlers::new();
    for (number, section) in object.sections.iter().enumerate().filter(|(_, section)| section.name == ".eh_frame") {
        let content = object.content(number);
        let within = |from: usize, to: usize| {
            let of = move |place: u64| usize::try_from(place).is_ok_and(|place| (from..to).contains(&place));
            section.relocations.iter().filter(move |relocation| of(relocation.place))
        };
        let mut at = 0;
        while let Some(length) = word(content, at).filter(|length| *length != 0) {
            // The 64-bit form is used for what is larger than 4 GiB.
            if length == u32::MAX {
                return None;
            }
            let end = at.checked_add(4)?.checked_add(usize::try_from(length).ok()?)?;
            let back = usize::try_from(word(content, at + 4)?).ok()?;
            // A common part has a zero there; others the distance to theirs.
            if back != 0 {
                let common = (at + 4).checked_sub(back)?;
                let common_end = common.checked_add(4)?.checked_add(usize::try_from(word(content, common)?).ok()?)?;
                let mut own = within(at, end);
                let of = match object.symbols.get(own.next()?.symbol)?.within {
                    Within::Section(of) => of,
                    _ => return None,
                };
                let handlers = found.entry(of).or_default();
                handlers.extend(own.chain(within(common, common_end)).map(|relocation| Relocation {
                    // Where it stands in the frame tells nothing of the code.
                    place: 0,
                    ..*relocation
                }));
            }
            at = end;
        }
        if section.kind == elf::SHT_NOBITS {
            return None;
        }
    }
    Some(found)
}

fn word(content: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(content.get(at..at.checked_add(4)?)?.try_into().ok()?))
}
