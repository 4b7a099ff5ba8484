//! Options that have no effect in the load that is asked for: each is told once, before it begins.

use tare_load::http::Target;

use crate::load::asked::{HttpLoad, Judged, WorkersLoad};
use crate::load::checked::Checked;

/// Of a load over HTTP.
pub(super) fn of_http(load: &HttpLoad, asked: &Checked) -> Vec<String> {
    let sending = &load.sending;
    let mut told = Vec::new();
    // A redirect may lead to TLS.
    if !sending.follow && !asked.targets.iter().any(Target::is_secure) {
        let of_tls = [
            ("--sni", sending.sni.is_some()),
            ("--cacert", sending.cacert.is_some()),
            ("--insecure", sending.insecure),
        ];
        let given = of_tls.into_iter().filter(|(_, given)| *given).map(|(name, _)| name);
        told.extend(given.map(|name| format!("{name} has no effect: no URL begins with https://")));
    }
    if let Some(threads) = sending.threads.filter(|threads| *threads > asked.count) {
        let count = asked.count;
        told.push(format!(
            "--threads {threads} has no effect beyond {count}: a thread needs a connection, and there are {count} (-c)"
        ));
    }
    let names_its_own = |request: &String| request.split_ascii_whitespace().count() == 3;
    if sending.method.is_some() && !sending.mix.is_empty() && sending.mix.iter().all(names_its_own) {
        told.push("--method has no effect: each --request names a method of its own".to_owned());
    }
    let compares = (asked.names.len() > 1 || load.judged.control) && asked.ladder.is_none();
    told.extend(margin(&load.judged, compares));
    told
}

/// Of a load of operations; `compares`: several runtimes take turns.
pub(super) fn of_workers(load: &WorkersLoad, compares: bool) -> Vec<String> {
    margin(&load.judged, compares || load.judged.control).into_iter().collect()
}

fn margin(judged: &Judged, compares: bool) -> Option<String> {
    (judged.margin.is_some() && !compares).then(|| "--margin has no effect: this load compares nothing".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::asked::{Paced, Sending};
    use crate::load::values::parse_rate;

    fn told(urls: &[&str], sending: Sending, judged: Judged) -> Vec<String> {
        let urls = urls.iter().map(|url| (*url).to_owned()).collect();
        let load = HttpLoad { urls, sending, judged, ..HttpLoad::default() };
        of_http(&load, &Checked::of(&load, &[]).unwrap())
    }

    #[test]
    fn what_has_an_effect_is_not_told() {
        let tls = || Sending { insecure: true, sni: Some("b.test".to_owned()), ..Sending::default() };
        assert_eq!(told(&["http://a/"], Sending::default(), Judged::default()), [""; 0]);
        assert_eq!(told(&["http://a/", "https://a/"], tls(), Judged::default()), [""; 0]);
        assert_eq!(told(&["http://a/"], Sending { follow: true, ..tls() }, Judged::default()), [""; 0]);
        assert_eq!(told(&["http://a/"], tls(), Judged::default()).len(), 2);
    }

    #[test]
    fn threads_methods_and_margins_without_effect_are_told() {
        let own = |given: &[&str]| Sending {
            method: Some("PUT".to_owned()),
            mix: given.iter().map(|request| (*request).to_owned()).collect(),
            ..Sending::default()
        };
        assert_eq!(told(&["http://a/"], own(&["1 POST /", "1 GET /"]), Judged::default()).len(), 1);
        assert_eq!(told(&["http://a/"], own(&["1 POST /", "1 /"]), Judged::default()), [""; 0]);
        let threads = |threads| Sending { threads: Some(threads), connections: Some(2), ..Sending::default() };
        assert!(told(&["http://a/"], threads(3), Judged::default())[0].contains("no effect beyond 2"));
        assert_eq!(told(&["http://a/"], threads(2), Judged::default()), [""; 0]);
        let margin = || Judged { margin: Some(0.01), ..Judged::default() };
        assert_eq!(told(&["http://a/"], Sending::default(), margin()).len(), 1);
        assert_eq!(told(&["http://a/"], Sending::default(), Judged { control: true, ..margin() }), [""; 0]);
        let paced = Paced { rate: Some(parse_rate("1..10").unwrap()), ..Paced::default() };
        let growing = Sending { paced, ..Sending::default() };
        assert_eq!(told(&["http://a/", "http://b/"], growing, margin()).len(), 1);
        assert_eq!(of_workers(&WorkersLoad { judged: margin(), ..WorkersLoad::default() }, false).len(), 1);
        assert_eq!(of_workers(&WorkersLoad { judged: margin(), ..WorkersLoad::default() }, true), [""; 0]);
    }
}
