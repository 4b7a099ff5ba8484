//! Which functions of shared libraries run no code of the program but what they are given by name.
//!
//! A sort calls a comparator, a stream its buffer, a semaphore lets another thread go on: where the pointer or the object comes from data, the code
//! behind it isn't reached. So only what is known to call nothing back passes.

/// Beginnings of mangled names (Itanium C++ ABI): operators new and delete, the run-time support of exceptions and types, strings, nodes of
/// trees and lists, sizes of hash tables.
const BEGINNINGS: [&str; 19] = [
    "_Znw",
    "_Zna",
    "_Zdl",
    "_Zda",
    "_ZTV",
    "_ZTI",
    "_ZTS",
    "__cxa_",
    "_Unwind_Resume",
    "_ZNSt7__cxx1112basic_string",
    "_ZNKSt7__cxx1112basic_string",
    "_ZSt18_Rb_tree_",
    "_ZSt28_Rb_tree_rebalance",
    "_ZSt29_Rb_tree_insert",
    "_ZNSt8__detail15_List_node_base",
    "_ZNSt8__detail20_Prime_rehash_policy",
    "_ZNKSt8__detail20_Prime_rehash_policy",
    "_ZSt11_Hash_bytes",
    "_ZSt9terminate",
];
/// Functions of C; of its streams those that write to the standard output or to memory, behind which no function of the program stands.
const NAMES: [&str; 45] = [
    "puts",
    "putchar",
    "printf",
    "snprintf",
    "sprintf",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "strlen",
    "strcmp",
    "strncmp",
    "strcpy",
    "strncpy",
    "strcat",
    "strchr",
    "strrchr",
    "strstr",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "abort",
    "__stack_chk_fail",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strtod",
    "atoi",
    "atol",
    "rand",
    "srand",
    "sin",
    "cos",
    "tan",
    "exp",
    "log",
    "pow",
    "sqrt",
    "fmod",
    "__gxx_personality_v0",
    "__memcpy_chk",
    "__memset_chk",
];

/// Whether the imported `name` calls nothing back.
pub(crate) fn calls_nothing_back(name: &str) -> bool {
    NAMES.contains(&name)
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || name.strip_prefix("_ZSt").is_some_and(throws)
        || name.strip_prefix("_ZNSt").is_some_and(is_of_exception)
}

/// `std::__throw_…`, behind the length of the name.
fn throws(rest: &str) -> bool {
    rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).starts_with("__throw_")
}

/// Constructors and destructors of the standard exceptions.
fn is_of_exception(rest: &str) -> bool {
    let name = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    ["exception", "runtime_error", "logic_error", "out_of_range", "invalid_argument", "length_error", "bad_alloc"]
        .iter()
        .any(|known| name.strip_prefix(known).is_some_and(|end| end.starts_with('C') || end.starts_with('D')))
}

#[cfg(test)]
mod tests {
    use super::calls_nothing_back;

    #[test]
    fn what_may_call_the_program_is_told_from_what_does_not() {
        for name in [
            "memcpy",
            "_Znwm",
            "_ZdlPvm",
            "_ZSt20__throw_length_errorPKc",
            "_ZNSt13runtime_errorC1EPKc",
            "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm",
            "_ZTVN10__cxxabiv120__si_class_type_infoE",
            "__cxa_throw",
        ] {
            assert!(calls_nothing_back(name), "{name}");
        }
        for name in [
            "qsort",
            "bsearch",
            "raise",
            "sem_post",
            "pthread_create",
            "swapcontext",
            "spin",
            "_ZStlsISt11char_traitsIcEE",
            "_ZSt4cout",
            "",
        ] {
            assert!(!calls_nothing_back(name), "{name}");
        }
    }
}
