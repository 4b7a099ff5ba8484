//! The numbers that a version of Go uses in its objects, from the sources of its own linker.
//!
//! They change with versions: kinds of relocations are counted, and so are the functions that the compiler calls.

use std::path::Path;

use super::unlinked::Unlinked;

/// Larger sources aren't read, bytes.
const LARGEST: u64 = 1 << 20;
/// The versions whose linker was read for what `reach` does: the numbers behind `go1.`.
const KNOWN: std::ops::RangeInclusive<u32> = 24..=26;

/// What the objects of one toolchain mean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) address: u16,
    pub(super) address_offset: u16,
    pub(super) use_type: u16,
    pub(super) use_interface: u16,
    pub(super) use_interface_method: u16,
    pub(super) use_named_method: u16,
    pub(super) method_offset: u16,
    pub(super) initialisation_order: u16,
    /// The first and the last kind of symbols for debuggers.
    pub(super) debugging: (u8, u8),
    pub(super) text: Vec<u8>,
    /// Functions and types that objects refer to by number: name and ABI.
    pub(super) builtins: Vec<(String, u16)>,
}

impl Numbers {
    /// Reads them from the sources of the toolchain in `goroot`; `version` is its name, such as `go1.26.1`.
    ///
    /// # Errors
    /// Where the version isn't known, or the sources aren't there or say something else.
    pub(super) fn read(goroot: &Path, version: &str) -> Result<Self, Unlinked> {
        let minor = version.strip_prefix("go1.").and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
        if !minor.and_then(|minor| minor.parse().ok()).is_some_and(|minor| KNOWN.contains(&minor)) {
            return Err(Unlinked::Toolchain(version.to_owned()));
        }
        let read = |name: &str| {
            let path = goroot.join("src/cmd/internal").join(name);
            tare_files::text(&path, LARGEST).map_err(|source| Unlinked::Io { path, source })
        };
        Self::parse(
            &read("objabi/reloctype_string.go")?,
            &read("objabi/symkind_string.go")?,
            &read("goobj/builtinlist.go")?,
        )
        .ok_or_else(|| Unlinked::Toolchain(version.to_owned()))
    }

    fn parse(relocations: &str, kinds: &str, builtins: &str) -> Option<Self> {
        let relocation = |name: &str| counted(relocations, name);
        let kind = |name: &str| counted::<u8>(kinds, name);
        let builtins = builtins.lines().filter_map(|line| {
            let (name, abi) = line.trim().strip_prefix("{\"")?.strip_suffix("},")?.rsplit_once("\", ")?;
            Some((name.to_owned(), abi.parse().ok()?))
        });
        let last = [kind("SDWARFADDR"), kind("SDWARFLINES"), kind("SDWARFLOC")].into_iter().flatten().max()?;
        Some(Self {
            address: relocation("R_ADDR")?,
            address_offset: relocation("R_ADDROFF")?,
            use_type: relocation("R_USETYPE")?,
            use_interface: relocation("R_USEIFACE")?,
            use_interface_method: relocation("R_USEIFACEMETHOD")?,
            use_named_method: relocation("R_USENAMEDMETHOD")?,
            method_offset: relocation("R_METHODOFF")?,
            initialisation_order: relocation("R_INITORDER")?,
            debugging: (kind("SDWARFCUINFO")?, last),
            text: [kind("STEXT")?].into_iter().chain(kind("STEXTFIPS")).collect(),
            builtins: builtins.collect(),
        })
    }
}

/// The number in a line such as `_ = x[R_ADDR-1]`, of those that `stringer` writes.
fn counted<N: std::str::FromStr>(text: &str, name: &str) -> Option<N> {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("_ = x[")?.strip_suffix(']'));
    lines.filter_map(|line| line.rsplit_once('-')).find(|(one, _)| *one == name)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Numbers;

    #[test]
    fn numbers_are_those_of_the_lists() {
        let relocations = "\t_ = x[R_ADDR-1]\n\t_ = x[R_ADDROFF-5]\n\t_ = x[R_USETYPE-22]\n\t_ = x[R_USEIFACE-23]\n\
            \t_ = x[R_USEIFACEMETHOD-24]\n\t_ = x[R_USENAMEDMETHOD-25]\n\t_ = x[R_METHODOFF-26]\n\t_ = x[R_INITORDER-99]\n";
        let kinds = "\t_ = x[STEXT-1]\n\t_ = x[SDWARFCUINFO-12]\n\t_ = x[SDWARFLOC-19]\n\t_ = x[SDWARFLINES-20]\n";
        let numbers =
            Numbers::parse(relocations, kinds, "\t{\"runtime.newobject\", 1},\n\t{\"type:int\", 0},\n").unwrap();
        assert_eq!((numbers.address, numbers.address_offset, numbers.initialisation_order), (1, 5, 99));
        assert_eq!(numbers.debugging, (12, 20));
        assert_eq!(numbers.text, [1]);
        assert_eq!(numbers.builtins, [("runtime.newobject".to_owned(), 1), ("type:int".to_owned(), 0)]);
        assert_eq!(Numbers::parse(&relocations.replace("R_METHODOFF", "R_OTHER"), kinds, ""), None);
    }

    #[test]
    fn a_version_that_is_not_known_is_refused() {
        for version in ["go1.99.0", "go2.0", "devel go1.26", ""] {
            assert!(Numbers::read(Path::new("/nowhere"), version).unwrap_err().to_string().contains("aren't known"));
        }
    }
}
