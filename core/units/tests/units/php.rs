//! What a change of a PHP source means for a case of which only the beginning is known.

use crate::extracted::{self, Look};
use tare_units::{Decision, Language, Units};

fn bench(body: &str, rest: &str) -> String {
    format!(
        "<?php\nclass Bench {{\n    public function bench($x = 0) {{ {body} }}\n    public function benchOther() {{ return 1; }}\n}}\n{rest}\n"
    )
}

#[test]
fn comments_and_what_nothing_names_are_the_same() {
    let text = bench(
        "return used($x);",
        "function used($x) { return $x + 1; }\n/** Docs. */\nfunction never() { return 777; }",
    );
    let lib =
        "<?php\n/** Docs of lib. */\nclass Lib {\n    const A = 5;\n    public function never() { return 777; }\n}\n";
    let look = Look::php(&[("bench.php", &text), ("lib.php", lib)]);
    assert!(look.is_same("bench.php", "777", "9"));
    assert!(look.is_same("bench.php", "return 1;", "return 2;"), "another benchmark of the class");
    assert!(look.is_same("lib.php", "Docs of lib", "Other words"));
    assert!(look.is_same("lib.php", "    public", "    // A comment.\n\n    public"));
    assert!(look.is_same("lib.php", "777", "9"));
    assert!(look.is_same("lib.php", "    public", "    private function added() { return 2; }\n    public"));
}

#[test]
fn what_can_be_named_counts() {
    let texts = [
        ("a function", bench("return used($x);", "function used($x) { return 777; }")),
        ("a branch", bench("return $x ? a() : 1;", "function a() { return b(); } function b() { return 777; }")),
        ("a method", bench("return (new A)->m();", "class A { function m() { return 777; } }")),
        ("other letters", bench("return (new a)->M();", "class A { function m() { return 777; } }")),
        ("a static method", bench("return A::m();", "class A { static function m() { return 777; } }")),
        ("a constructor", bench("return new A;", "class A { function __construct() { $this->x = 777; } }")),
        ("__call", bench("return (new A)->anything();", "class A { function __call($n, $a) { return 777; } }")),
        ("__toString", bench("return '' . new A;", "class A { function __toString() { return 777; } }")),
        (
            "an interface of the engine",
            bench("return count(new A);", "class A implements Countable { function count(): int { return 777; } }"),
        ),
        (
            "an inherited method",
            bench("return (new B)->m();", "class A { function m() { return 777; } } class B extends A {}"),
        ),
        ("a trait", bench("return (new B)->m();", "trait T { function m() { return 777; } } class B { use T; }")),
        (
            "an alias in a trait",
            bench(
                "return (new B)->other();",
                "trait T { function m() { return 777; } } class B { use T { m as other; } }",
            ),
        ),
        ("a callback by name", bench("usort($x, 'cmp');", "function cmp($a, $b) { return 777; }")),
        ("an array callable", bench("return [new A, 'm'];", "class A { function m() { return 777; } }")),
        ("a name put together", bench("$f = 'on_' . $x; return $f();", "function on_click() { return 777; }")),
        (
            "a class put together",
            bench(
                "$c = 'Fast' . 'Thing'; return new $c;",
                "class FastThing { function __construct() { $this->x = 777; } }",
            ),
        ),
        (
            "a class by its suffix",
            bench(
                "$c = ucfirst($x) . 'Handler'; return (new $c)->handle();",
                "class JsonHandler { function handle() { return 777; } }",
            ),
        ),
        (
            "a hook",
            bench("return 1;", "").replace(
                "public function benchOther",
                "public function init() { return 777; }\n    public function benchOther",
            ),
        ),
        (
            "a hook of the parent",
            bench("return 1;", "class Base { public function init() { return 777; } }")
                .replace("class Bench", "class Bench extends Base"),
        ),
        ("code of the file", bench("return 1;", "$GLOBALS['x'] = 777;")),
        ("a constant", bench("return 1;", "class A { const B = 777; }").replace("return 1;", "return A::B;")),
        ("a closure", bench("return function () { return 777; };", "")),
        ("eval", bench("return eval('return rare();');", "function rare() { return 777; }")),
        ("listed methods", bench("return get_class_methods($x);", "class A { function m() { return 777; } }")),
    ];
    let mut missed = Vec::new();
    for (what, text) in &texts {
        match Look::php(&[("bench.php", text)]).changed("bench.php", "777", "9") {
            Decision::Different { .. } => {}
            other => missed.push((*what, other)),
        }
    }
    assert_eq!(missed, Vec::new(), "changes that the case could execute");
}

#[test]
fn files_that_were_not_included_count_where_their_classes_are_named() {
    let text = bench("if ($x) { throw new Rare(); }", "");
    let rare = "<?php class Rare extends Exception { function __construct() { echo 777; } }\n";
    let other = "<?php class Other { function m() { echo 777; } }\n";
    let look = Look::php(&[("bench.php", &text), ("src/Rare.php", rare), ("src/Other.php", other)])
        .unloaded("src/Rare.php")
        .unloaded("src/Other.php");
    assert!(!look.is_same("src/Rare.php", "777", "9"));
    assert!(look.is_same("src/Other.php", "777", "9"));
    // A comment of it doesn't.
    assert!(look.is_same("src/Rare.php", "<?php class", "<?php // as ever\nclass"));
}

#[test]
fn any_file_counts_where_one_is_included_whose_name_is_made() {
    for (include, same) in [
        ("include __DIR__ . \"/step$x.php\";", false),
        ("include sprintf('%s/%s.php', __DIR__, $x);", false),
        ("eval(file_get_contents($x));", false),
        ("include __DIR__ . '/first.php';", true),
        ("eval('return 1;'); file_get_contents('data.txt');", true),
    ] {
        let text = bench(&format!("if ($x) {{ {include} }}"), "");
        let look = Look::php(&[("bench.php", &text), ("step1.php", "<?php echo 777;\n")]).unloaded("step1.php");
        assert_eq!(look.is_same("step1.php", "777", "9"), same, "{include}");
    }
    // Composer's loader is told a class.
    let loader = bench("include $x;", "").replacen("<?php", "<?php namespace Composer\\Autoload;", 1);
    let look = Look::php(&[("bench.php", &loader), ("step1.php", "<?php echo 777;\n")]).unloaded("step1.php");
    assert!(look.is_same("step1.php", "777", "9"));
}

#[test]
fn any_class_counts_where_its_name_is_made() {
    let same = |made: &str| {
        let text = bench(&format!("if ($x) {{ $c = {made}; return new $c; }}"), "");
        let look =
            Look::php(&[("bench.php", &text), ("src/Late.php", "<?php class Late { function m() { return 777; } }\n")]);
        look.unloaded("src/Late.php").is_same("src/Late.php", "777", "9")
    };
    assert!(same("$x") && !same("ucfirst(strrev($x))") && !same("'App\\\\' . basename($x, '.php')"));
}

#[test]
fn what_lists_constants_calls_no_function_and_finds_values() {
    let same = |lists: &str, before: &str| {
        let text = bench(
            &format!("return (new ReflectionClass('Values'))->{lists}();"),
            "class Values { const A = 555; function unused() { return 777; } }",
        );
        Look::php(&[("bench.php", &text)]).is_same("bench.php", before, "9")
    };
    assert!(same("getConstants", "777") && !same("getConstants", "555"));
    assert!(!same("getMethods", "777"));
}

#[test]
fn what_shows_an_object_is_called_where_one_is_dumped() {
    let same = |body: &str| {
        let text = bench(body, "").replacen(
            "class Bench",
            "class Seen { function __debugInfo() { return [777]; } }\nclass Bench",
            1,
        );
        Look::php(&[("bench.php", &text)]).is_same("bench.php", "777", "9")
    };
    assert!(same("return new Seen;"));
    assert!(!same("var_dump(new Seen);"));
}

#[test]
fn an_import_counts_where_its_name_is_executed() {
    let text = bench("return new Used;", "").replacen("<?php", "<?php use A\\Used; use A\\Idle;", 1);
    let look = Look::php(&[("bench.php", &text)]);
    assert!(!look.is_same("bench.php", "A\\Used", "B\\Used"));
    assert!(look.is_same("bench.php", "A\\Idle", "B\\Idle"));
    assert!(look.is_same("bench.php", " use A\\Idle;", ""));
}

#[test]
fn annotations_of_the_benchmark_are_settings() {
    let text = "<?php\nclass Bench {\n    /** @Revs(10) */\n    public function bench() {}\n    /** @Revs(20) */\n    public function benchOther() {}\n}\n";
    let look = Look::php(&[("bench.php", text)]);
    assert_eq!(look.differing("bench.php", "@Revs(10)", "@Revs(11)"), "Bench::bench");
    assert!(look.is_same("bench.php", "@Revs(20)", "@Revs(21)"));
}

#[test]
fn what_has_no_units_is_unknown() {
    let look = Look::php(&[("bench.php", &bench("return 1;", ""))]);
    assert!(matches!(look.changed("bench.php", "return 1; }\n}", "return 1; }\n"), Decision::Unknown { .. }));
    let [units] = extracted::units(Language::Php, &["<?php function ("]).try_into().unwrap();
    assert!(matches!(units, Units::Fault(_)));
    let deep = format!("<?php {}1{};", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(extracted::units(Language::Php, &[&deep, "<?php", "", "\u{0}\u{1}"]).len(), 4);
}

#[test]
fn documentation_counts_where_reflection_is_made_a_text() {
    let lib = "<?php\n/** Docs of lib. */\nfunction lib() { return 1; }\n";
    let same = |body: &str| {
        let text = bench(body, "");
        Look::php(&[("bench.php", &text), ("lib.php", lib)]).is_same("lib.php", "Docs of lib", "Other words")
    };
    assert!(!same("return (string) new ReflectionFunction('lib');"));
    assert!(same("return (string) lib();"));
}
