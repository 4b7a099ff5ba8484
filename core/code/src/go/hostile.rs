//! Damaged objects: nothing panics on them, whatever is reached.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::go::archive;
use crate::go::link::{Linked, Package};
use crate::go::numbers::Numbers;
use crate::go::reach::Reach;
use crate::go::walk::{Pair, Side, Walk};

const SOURCE: &str = "package m

type doer interface{ Do(int) string }
type one struct{ n int }

func (o one) Do(x int) string { return table[x+o.n] }

var table = map[int]string{1: \"a\", 2: \"b\"}
var doers = []doer{one{1}}

type list[T any] struct{ values []T }

func (l *list[T]) Add(value T) { l.values = append(l.values, value) }

func All(x int) (text string) {
	l := &list[string]{}
	for _, d := range doers {
		l.Add(d.Do(x))
		defer func() { text += d.(one).Do(x) }()
	}
	return l.values[0]
}
";

/// The archive of a small package that imports nothing, and the numbers of the toolchain that compiled it.
fn compiled() -> (Vec<u8>, Numbers) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("m.go"), SOURCE).unwrap();
    let go = |arguments: &[&str]| {
        let output = Command::new("go").args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    go(&["tool", "compile", "-p", "m", "-o", "m.a", "m.go"]);
    let mut numbers = Numbers::read(Path::new(&go(&["env", "GOROOT"])), &go(&["env", "GOVERSION"])).unwrap();
    // The runtime isn't there: any function will do.
    numbers.builtins.iter_mut().for_each(|builtin| *builtin = ("m.All".to_owned(), 1));
    (fs::read(folder.path().join("m.a")).unwrap(), numbers)
}

fn linked(bytes: &[u8], numbers: &Numbers) -> Option<Linked> {
    let archive = archive::parse(bytes).ok()?;
    Linked::new(vec![Package { path: "m".to_owned(), standard: false, archive }], numbers.clone()).ok()
}

/// Whether two programs could be compared to the end, from each function that they share.
fn same(one: &Linked, other: &Linked) -> bool {
    let side = |linked| Side { linked, reach: Reach::new(linked, Default::default()) };
    let mut walk = Walk::new(side(one), side(other));
    let mut roots = Vec::new();
    for name in ["m.All", "m.one.Do", "m.init", "m..inittask", "m.doers"] {
        for abi in [0, 1] {
            let (Some(base), Some(candidate)) = (one.find(name.as_bytes(), abi), other.find(name.as_bytes(), abi))
            else {
                continue;
            };
            if walk.base.reach.add(base).is_err() || walk.candidate.reach.add(candidate).is_err() {
                return false;
            }
            roots.push(Pair { base, candidate });
        }
    }
    !roots.is_empty() && walk.compare(&roots).is_ok() && walk.introspection(false).is_ok()
}

#[test]
fn damaged_archives_are_refused_or_compared_without_a_panic() {
    let (whole, numbers) = compiled();
    let base = linked(&whole, &numbers).unwrap();
    assert!(same(&base, &linked(&whole, &numbers).unwrap()));
    let length = whole.len();
    for end in (0..200).chain((200..length).step_by(397)) {
        assert!(linked(&whole[..end], &numbers).is_none_or(|cut| !same(&base, &cut)), "cut at {end} of {length}");
    }
    // Numbers that lead elsewhere: each byte of what follows the packages' description in turn, by several values.
    let start = whole.windows(8).position(|window| window == b"\x00go120ld").unwrap();
    let mut compared = 0;
    for (turn, place) in (start..length).step_by(53).enumerate() {
        let mut damaged = whole.clone();
        damaged[place] ^= [0x01, 0x80, 0xff, 0x10][turn % 4];
        if let Some(damaged) = linked(&damaged, &numbers) {
            compared += 1;
            let _ = same(&base, &damaged);
            let _ = same(&damaged, &base);
        }
    }
    assert!(compared > 20, "{compared}");
}
