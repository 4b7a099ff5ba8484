//! Where machine code stands in the executable's file (PROTOCOL §4, `case`).

/// The addresses that the linker gave to what lies at these; none where one of them isn't the executable's own.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) fn linked(addresses: &[usize]) -> Vec<i64> {
    addresses.iter().map(|address| mapped::linked(*address)).collect::<Option<Vec<i64>>>().unwrap_or_default()
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub(crate) fn linked(_: &[usize]) -> Vec<i64> {
    Vec::new()
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod mapped {
    use std::os::raw::{c_char, c_int, c_void};

    #[repr(C)]
    struct Segment {
        kind: u32,
        flags: u32,
        offset: u64,
        address: u64,
        physical: u64,
        in_file: u64,
        in_memory: u64,
        alignment: u64,
    }

    #[repr(C)]
    struct Object {
        base: u64,
        name: *const c_char,
        segments: *const Segment,
        count: u16,
    }

    struct Wanted {
        address: u64,
        found: Option<i64>,
    }

    const LOADED: u32 = 1;

    extern "C" {
        fn dl_iterate_phdr(look: extern "C" fn(*const Object, usize, *mut c_void) -> c_int, data: *mut c_void)
            -> c_int;
    }

    /// Takes the first object only, the executable: by returning 1 it ends the iteration.
    extern "C" fn look(object: *const Object, _: usize, data: *mut c_void) -> c_int {
        // SAFETY: the C library gives a valid object, and `data` is what `linked` has given it.
        let (object, wanted) = unsafe { (&*object, &mut *data.cast::<Wanted>()) };
        // SAFETY: the object has so many segments.
        let segments = unsafe { std::slice::from_raw_parts(object.segments, usize::from(object.count)) };
        let place = wanted.address.wrapping_sub(object.base);
        let holds =
            |segment: &Segment| segment.kind == LOADED && place.wrapping_sub(segment.address) < segment.in_memory;
        if segments.iter().any(holds) {
            wanted.found = i64::try_from(place).ok();
        }
        1
    }

    pub(super) fn linked(address: usize) -> Option<i64> {
        let mut wanted = Wanted { address: address as u64, found: None };
        // SAFETY: `wanted` outlives the call.
        unsafe { dl_iterate_phdr(look, (&mut wanted as *mut Wanted).cast()) };
        wanted.found
    }
}
