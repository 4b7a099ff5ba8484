//! A program as its objects: which definition a name means, and what each relocation refers to.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSymbol, SymbolKind, elf};

use super::objects::{Object, Origin, Relocation, Within};
use super::{exceptions, record};
use crate::names::readable;

/// Objects and programs larger than this aren't read, bytes.
const LARGEST: u64 = 1 << 30;
/// Folder of the toolchain's own libraries.
const TOOLCHAIN: &str = "/lib/rustlib/x86_64-";
/// Defined by the linker, by the first objects of each program, or by the part of the C library that is linked into each: the same in all.
const OF_THE_LINKER: [&[u8]; 8] = [
    b"_GLOBAL_OFFSET_TABLE_",
    b"__dso_handle",
    b"_DYNAMIC",
    b"__tls_get_addr",
    b"__ehdr_start",
    b"atexit",
    b"at_quick_exit",
    b"pthread_atfork",
];

/// Why what a program was linked of can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// A file can't be read.
    #[error("{path} can't be read: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is put together of what isn't followed.
    #[error("{0}")]
    Unfollowed(String),
}

/// What a program was linked of.
#[derive(Debug)]
pub struct LinkedProgram {
    pub(super) objects: Vec<Object>,
    pub(super) settings: Vec<Vec<u8>>,
    /// Definitions that other objects see.
    globals: HashMap<Vec<u8>, Place>,
    /// Names that several objects define, one of them the user's: which of them a linker takes depends on what else it needs.
    ambiguous: HashSet<Vec<u8>>,
    /// Whether all objects were put into one, the toolchain's among them.
    pub(super) is_whole: bool,
    /// Names that libraries of the system define.
    imports: HashSet<Vec<u8>>,
    /// Functions of the executable by their link-time addresses.
    addresses: HashMap<u64, Vec<Vec<u8>>>,
    exceptions: Vec<OnceLock<Option<exceptions::Handlers>>>,
}

/// A section of an object: what is linked as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Unit {
    pub(super) object: usize,
    pub(super) section: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) unit: Unit,
    pub(super) offset: u64,
}

/// What a relocation refers to, without its addend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target<'a> {
    Place(Place),
    /// Of a library of the system, or of the linker.
    Import(&'a [u8]),
    Absolute(u64),
}

/// Libraries that are compiled of the SDK's sources, behind the number that the record gives them. A user's crate `test` would have a hash behind its name.
const OF_THE_SDK: [&str; 4] = ["libcriterion-", "libcodspeed_criterion_compat_walltime-", "libdivan-", "libtest-tare."];

fn origin(path: &Path) -> Origin {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split_once('-').map_or("", |(_, name)| name);
    if path.to_string_lossy().contains(TOOLCHAIN) {
        Origin::Toolchain
    } else if OF_THE_SDK.iter().any(|library| name.starts_with(library)) {
        Origin::Sdk
    } else {
        Origin::User
    }
}

impl LinkedProgram {
    /// Reads what `program`, an executable for x86-64, was linked of, and which `folder` has the record of.
    ///
    /// # Errors
    /// See [`Unread`].
    pub fn read(folder: &Path, program: &Path) -> Result<Self, Unread> {
        let of = |path: &Path| {
            let path = path.to_owned();
            move |source| Unread::Io { path, source }
        };
        let record = record::read(folder).map_err(of(folder))?;
        if let Some(foreign) = record.foreign {
            return Err(Unread::Unfollowed(format!("it is linked with {foreign}, which isn't followed")));
        }
        let mut linked = Self {
            objects: Vec::new(),
            settings: record.settings,
            globals: HashMap::new(),
            ambiguous: HashSet::new(),
            is_whole: true,
            imports: HashSet::new(),
            addresses: HashMap::new(),
            exceptions: Vec::new(),
        };
        linked.executable(&tare_files::read(program, LARGEST).map_err(of(program))?)?;
        for input in record.inputs {
            let name = input.file_name().unwrap_or_default().to_string_lossy();
            linked.is_whole &= origin(&input) != Origin::Toolchain || !name.starts_with("libstd-");
            let bytes = tare_files::read(&input, LARGEST).map_err(of(&input))?;
            linked.input(&input, Arc::new(bytes))?;
        }
        linked.define();
        linked.exceptions = linked.objects.iter().map(|_| OnceLock::new()).collect();
        Ok(linked)
    }

    fn executable(&mut self, bytes: &[u8]) -> Result<(), Unread> {
        let damaged = |_| Unread::Unfollowed("its program isn't a readable ELF file".to_owned());
        let file = object::File::parse(bytes).map_err(damaged)?;
        for symbol in file.dynamic_symbols().filter(ObjectSymbol::is_undefined) {
            let name = symbol.name_bytes().unwrap_or_default();
            self.imports.insert(name.split(|byte| *byte == b'@').next().unwrap_or(name).to_owned());
        }
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
            let name = symbol.name_bytes().unwrap_or_default().to_owned();
            self.addresses.entry(symbol.address()).or_default().push(name);
        }
        Ok(())
    }

    fn input(&mut self, path: &Path, bytes: Arc<Vec<u8>>) -> Result<(), Unread> {
        let unread = || Unread::Unfollowed(format!("{} isn't understood", path.display()));
        let origin = origin(path);
        if !bytes.starts_with(b"!<arch>\n") {
            let whole = 0..bytes.len();
            self.objects.push(Object::read(&bytes, whole, origin).ok_or_else(unread)?);
            return Ok(());
        }
        let archive = ArchiveFile::parse(bytes.as_slice()).map_err(|_| unread())?;
        let mut members: Vec<Range<usize>> = Vec::new();
        for member in archive.members() {
            let member = member.map_err(|_| unread())?;
            // What the compiler itself reads of a crate.
            if member.name().starts_with(b"lib.rmeta") {
                continue;
            }
            let (from, size) = member.file_range();
            let from = usize::try_from(from).map_err(|_| unread())?;
            members.push(from..from.saturating_add(usize::try_from(size).map_err(|_| unread())?));
        }
        // A member that can't be read (bit code of LLVM, say) is left out. Where a case needs it, nobody defines a name.
        self.objects.extend(members.into_iter().filter_map(|range| Object::read(&bytes, range, origin)));
        Ok(())
    }

    /// Of several definitions the first that isn't weak counts, as for a linker.
    fn define(&mut self) {
        let mut weak = HashMap::new();
        for (number, object) in self.objects.iter().enumerate() {
            for symbol in object.symbols.iter().filter(|symbol| !symbol.is_local) {
                let Within::Section(section) = symbol.within else { continue };
                let place = Place { unit: Unit { object: number, section }, offset: symbol.value };
                // Of a group of sections any is taken, since all are the same.
                let of_user = |place: &Place| {
                    let object = &self.objects[place.unit.object];
                    object.origin == Origin::User && !object.sections[place.unit.section].has(elf::SHF_GROUP)
                };
                let others = [self.globals.get(&symbol.name), weak.get(&symbol.name)];
                if others.into_iter().flatten().any(|other| of_user(other) || of_user(&place)) {
                    self.ambiguous.insert(symbol.name.clone());
                }
                let known = if symbol.is_weak { &mut weak } else { &mut self.globals };
                known.entry(symbol.name.clone()).or_insert(place);
            }
        }
        for (name, place) in weak {
            self.globals.entry(name).or_insert(place);
        }
    }

    pub(super) fn object(&self, unit: Unit) -> &Object {
        &self.objects[unit.object]
    }

    pub(super) fn section(&self, unit: Unit) -> &super::objects::Section {
        &self.objects[unit.object].sections[unit.section]
    }

    /// Whether a relocation names what it refers to, not only its section.
    pub(super) fn is_named(&self, object: usize, relocation: &Relocation) -> bool {
        self.objects[object].symbols.get(relocation.symbol).is_some_and(|symbol| !symbol.name.is_empty())
    }

    /// The name of what is in a section, as a symbol table has it.
    pub(super) fn name(&self, unit: Unit) -> String {
        let section = self.section(unit);
        match section.symbol.and_then(|symbol| self.object(unit).symbols.get(symbol)) {
            Some(symbol) => String::from_utf8_lossy(&symbol.name).into_owned(),
            None => section.name.clone(),
        }
    }

    /// The same for people: as in the source.
    pub(super) fn shown(&self, unit: Unit) -> String {
        readable(&self.name(unit))
    }

    /// What a relocation of a section of `object` refers to; `Err` with why it isn't known.
    pub(super) fn target(&self, object: usize, relocation: &Relocation) -> Result<Target<'_>, String> {
        let symbol =
            self.objects[object].symbols.get(relocation.symbol).ok_or("an object's relocations aren't understood")?;
        let shown = || readable(&String::from_utf8_lossy(&symbol.name));
        let is_seen = !symbol.is_local && symbol.within != Within::Absolute;
        if let Some(place) = self.globals.get(&symbol.name).filter(|_| is_seen) {
            // Whether an archive's member is linked for the sake of a weak reference depends on who else needs it.
            let is_optional = symbol.is_weak && symbol.within == Within::Elsewhere;
            if self.ambiguous.contains(&symbol.name) || is_optional && self.object(place.unit).origin == Origin::User {
                return Err(format!("which definition {} has isn't known", shown()));
            }
            return Ok(Target::Place(*place));
        }
        match symbol.within {
            Within::Section(section) => {
                Ok(Target::Place(Place { unit: Unit { object, section }, offset: symbol.value }))
            }
            Within::Absolute => Ok(Target::Absolute(symbol.value)),
            Within::Common => Err(format!("{} may be defined in several objects", shown())),
            // The first symbol of each table: no symbol.
            Within::Elsewhere if relocation.symbol == 0 => Ok(Target::Absolute(0)),
            Within::Elsewhere => {
                let is_of_sections = [&b"__start_"[..], b"__stop_"].iter().any(|it| symbol.name.starts_with(it));
                let is_known = symbol.is_weak && !is_of_sections
                    || self.imports.contains(&symbol.name)
                    || OF_THE_LINKER.contains(&symbol.name.as_slice());
                is_known.then_some(Target::Import(&symbol.name)).ok_or_else(|| format!("nothing defines {}", shown()))
            }
        }
    }

    /// Where the function begins that the executable has at a link-time address; none where it isn't the only one of its name.
    pub(super) fn function_at(&self, address: u64) -> Option<Unit> {
        let names = self.addresses.get(&address)?;
        let mut found = None;
        for (number, object) in self.objects.iter().enumerate() {
            for symbol in object.symbols.iter().filter(|symbol| symbol.is_function && names.contains(&symbol.name)) {
                let Within::Section(section) = symbol.within else { continue };
                let unit = Unit { object: number, section };
                if symbol.value != 0 || found.is_some_and(|known| known != unit) {
                    return None;
                }
                found = Some(unit);
            }
        }
        found
    }

    /// The definition of a name that all objects see.
    pub(super) fn global(&self, name: &[u8]) -> Option<Place> {
        self.globals.get(name).copied()
    }

    /// What the handlers of exceptions of a section are; `None` where the tables of its object aren't understood.
    pub(super) fn handlers(&self, unit: Unit) -> Option<&[Relocation]> {
        let of_object = self.exceptions[unit.object].get_or_init(|| exceptions::handlers(self.object(unit)));
        of_object.as_ref().map(|all| all.get(&unit.section).map_or(&[][..], Vec::as_slice))
    }
}
