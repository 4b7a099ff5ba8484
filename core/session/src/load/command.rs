//! The command that makes a load again, from what was asked for.

use std::path::Path;
use std::time::Duration;

use tare_load::http::Expected;
use tare_request::{Request, as_percentage};

use crate::load::asked::{HttpLoad, Judged, Paced, TIMEOUT, WorkersLoad};

/// What stands for the value of a header and for a body: they may be secrets, and pages are sent round.
const HIDDEN: &str = "…";

/// `tare load http` with the options that decide what was measured, the seed among them; files that were written and tags are left out, and so are the
/// values of headers and the body, where no file has them.
pub(crate) fn of_http(load: &HttpLoad, seed: u64) -> String {
    let sending = &load.sending;
    let mut words = Words::new(&["tare", "load", "http"]);
    words.0.extend(load.urls.iter().cloned());
    words.each("--start", &load.start);
    words.option("--cpus", load.cpus.as_ref().map(|cpus| joined(cpus)));
    words.each("--pid", &load.pid);
    words.option("--generators", load.generators);
    words.option("--connections", sending.connections);
    words.option("--requests", sending.requests);
    words.option("--timeout", load.timeout.filter(|timeout| *timeout != TIMEOUT).map(written));
    words.paced(&sending.paced);
    words.flag("--no-keep-alive", sending.no_keep_alive);
    words.option("--method", sending.method.as_ref());
    let header = |header: &String| match header.split_once(':') {
        _ if header.starts_with('@') => header.clone(),
        Some((name, _)) => format!("{name}: {HIDDEN}"),
        None => HIDDEN.to_owned(),
    };
    words.each("--header", &sending.header.iter().map(header).collect::<Vec<_>>());
    words.option("--body", sending.body.as_ref().map(|body| if body.starts_with('@') { body } else { HIDDEN }));
    words.each("--request", &sending.mix);
    words.option("--data", shown(sending.data.as_deref()));
    words.flag("--cookies", sending.cookies);
    words.flag("--follow", sending.follow);
    words.option("--expect", Some(sending.expect).filter(|expect| *expect != Expected::default()));
    words.option("--unix-socket", shown(sending.unix_socket.as_deref()));
    words.flag("--http1.0", sending.http1_0);
    words.flag("--http2", sending.http2);
    words.option("--sni", sending.sni.as_ref());
    words.flag("--insecure", sending.insecure);
    words.option("--cacert", shown(sending.cacert.as_deref()));
    words.option("--threads", sending.threads);
    words.judged(&load.judged, seed);
    words.command()
}

/// `tare load` of operations, likewise; paths are relative to where it was asked.
pub(crate) fn of_workers(load: &WorkersLoad, request: &Request, seed: u64) -> String {
    let mut words = Words::new(&["tare", "load"]);
    let path = |path: &std::path::PathBuf| match path.strip_prefix(&request.folder) {
        Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
        Ok(rest) => rest.display().to_string(),
        Err(_) => path.display().to_string(),
    };
    words.0.extend(request.paths.iter().map(path));
    words.each("--filter", &load.filter);
    words.each("--exclude", &load.exclude);
    words.each("--runtime", &request.runtime_arguments);
    words.option("--workers", Some(load.workers));
    words.option("--operations", load.operations);
    words.each("--mix", &load.mix);
    words.option("--ramp", Some(load.ramp).filter(|ramp| !ramp.is_zero()).map(written));
    words.option("--timeout", Some(load.timeout).filter(|timeout| *timeout != TIMEOUT).map(written));
    words.paced(&load.paced);
    words.judged(&load.judged, seed);
    words.command()
}

struct Words(Vec<String>);

impl Words {
    fn new(words: &[&str]) -> Self {
        Self(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn option(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.push(name.to_owned());
            self.0.push(value.to_string());
        }
    }

    fn each(&mut self, name: &str, values: &[impl ToString]) {
        for value in values {
            self.option(name, Some(value.to_string()));
        }
    }

    fn flag(&mut self, name: &str, given: bool) {
        if given {
            self.0.push(name.to_owned());
        }
    }

    fn paced(&mut self, paced: &Paced) {
        self.option("--duration", paced.duration.map(written));
        let rate = |rate: crate::load::values::Rates| match rate.is_ladder() {
            true => format!("{}..{}", rate.from, rate.to),
            false => rate.from.to_string(),
        };
        self.option("--rate", paced.rate.map(rate));
        self.option("--stages", paced.stages);
        self.option("--for", paced.each.map(written));
        self.option("--arrivals", paced.arrivals.map(|arrivals| arrivals.name()));
        self.option("--warm-up", paced.warm_up.map(written));
    }

    fn judged(&mut self, judged: &Judged, seed: u64) {
        self.option("--margin", judged.margin.map(as_percentage));
        self.flag("--control", judged.control);
        self.option("--seed", Some(seed));
    }

    fn command(self) -> String {
        shell_words::join(self.0)
    }
}

fn joined(cpus: &[usize]) -> String {
    cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn shown(path: Option<&Path>) -> Option<String> {
    path.map(|path| path.display().to_string())
}

fn written(time: Duration) -> String {
    match time.subsec_nanos() {
        0 => format!("{}s", time.as_secs()),
        _ => format!("{}ms", time.as_secs_f64() * 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::asked::Sending;

    #[test]
    fn options_have_the_names_that_are_typed() {
        let load = HttpLoad {
            urls: vec!["https://127.0.0.1/".into()],
            pid: vec![7],
            sending: Sending {
                mix: vec!["9 /items".into()],
                follow: true,
                expect: "304,2xx".parse().unwrap(),
                sni: Some("b.test".into()),
                ..Sending::default()
            },
            ..HttpLoad::default()
        };
        assert_eq!(
            of_http(&load, 7),
            "tare load http https://127.0.0.1/ --pid 7 --request '9 /items' --follow --expect 2xx,304 --sni b.test --seed 7"
        );
        // Loads that were stored earlier.
        let before: HttpLoad = serde_json::from_str(r#"{"follow": [7], "sending": {"connections": 4}}"#).unwrap();
        assert_eq!((before.pid, before.sending.expect), (vec![7], Expected::below_400()));
    }

    #[test]
    fn a_load_is_made_again_by_what_was_asked_and_tells_no_secret() {
        let load = HttpLoad {
            urls: vec!["http://127.0.0.1:{port}/".into()],
            start: vec!["php -S 127.0.0.1:{port} a.php".into(), "./b".into()],
            sending: Sending {
                paced: Paced { duration: Some(Duration::from_millis(2_500)), ..Paced::default() },
                connections: Some(4),
                header: vec!["Authorization: Bearer abc".into(), "odd".into(), "@headers".into()],
                body: Some("password=abc".into()),
                ..Sending::default()
            },
            judged: Judged { margin: Some(0.01), control: true, ..Judged::default() },
            ..HttpLoad::default()
        };
        assert_eq!(
            of_http(&load, 7),
            "tare load http http://127.0.0.1:{port}/ --start 'php -S 127.0.0.1:{port} a.php' --start ./b --connections 4 --duration 2500ms \
             --header 'Authorization: …' --header … --header @headers --body … --margin '1%' --control --seed 7"
        );
    }
}
