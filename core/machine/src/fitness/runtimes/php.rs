use super::Facts;
use crate::fitness::{Finding, Level};

pub(super) fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    vec![
        facts.judged("xdebug", "xdebug", xdebug),
        facts.judged("pcov", "pcov", pcov),
        facts.judged("instruments", "instruments", instruments),
        facts.judged("debug", "debug", debug),
        facts.judged("opcache", "opcache", opcache),
        facts.judged("jit", "jit", |jit| Finding::good("jit", jit)),
        facts.judged("assertions", "assertions", assertions),
    ]
}

fn xdebug(value: &str) -> Finding {
    const CODE: &str = "xdebug";
    const REMEDY: &str = "measure without it: --runtime \"clean=php -n\", or don't load it";
    match value {
        "none" | "off" | "no" => Finding::good(CODE, "none"),
        value if value.ends_with("mode off") => Finding::new(
            CODE,
            Level::MayDisturb,
            value,
            "it is loaded, though idle: it still stands in the way of every call, and keeps the JIT off",
            REMEDY,
        ),
        value => Finding::new(
            CODE,
            Level::Disturbs,
            value,
            "it hooks every call and line: code takes up to several times as long, calls more than loops",
            REMEDY,
        ),
    }
}

fn pcov(value: &str) -> Finding {
    const CODE: &str = "pcov";
    match value {
        "none" => Finding::good(CODE, "none"),
        value if value.ends_with(", on") => Finding::new(
            CODE,
            Level::Disturbs,
            value,
            "it counts every line that is executed",
            "-d pcov.enabled=0, or don't load it",
        ),
        value => Finding::good(CODE, value),
    }
}

fn instruments(value: &str) -> Finding {
    const CODE: &str = "instruments";
    match value {
        "none" => Finding::good(CODE, "none"),
        value => Finding::new(
            CODE,
            Level::Disturbs,
            value,
            "an extension that watches calls takes part of every time",
            "measure without it: --runtime \"clean=php -n\", or don't load it",
        ),
    }
}

fn debug(value: &str) -> Finding {
    const CODE: &str = "debug";
    match value {
        "no" => Finding::good(CODE, "no debug build"),
        _ => Finding::new(
            CODE,
            Level::Disturbs,
            "a debug build",
            "PHP checks its own memory and structures all the time: code is slower than in production",
            "take a PHP that was built without --enable-debug",
        ),
    }
}

fn opcache(value: &str) -> Finding {
    const CODE: &str = "opcache";
    match value {
        "on" => Finding::good(CODE, "on"),
        _ => Finding::new(
            CODE,
            Level::MayDisturb,
            "off",
            "its optimiser doesn't run, as it does on most servers: times are those of a command line script",
            "for code of servers use --runtime \"php -d opcache.enable_cli=1\"",
        ),
    }
}

fn assertions(value: &str) -> Finding {
    const CODE: &str = "assertions";
    match value {
        "-1" => Finding::good(CODE, "not compiled in"),
        "0" => Finding::new(
            CODE,
            Level::MayDisturb,
            "compiled in, and skipped (zend.assertions 0)",
            "each assert() costs a jump that production doesn't make",
            "-d zend.assertions=-1, as in php.ini-production",
        ),
        "1" => Finding::new(
            CODE,
            Level::MayDisturb,
            "executed (zend.assertions 1)",
            "the work of each assert() is in the times",
            "-d zend.assertions=-1, as in php.ini-production",
        ),
        other => Finding::good(CODE, format!("zend.assertions {other}")),
    }
}
