//! The requests of an HTTP load: one, or several by their weights, with values from a file in them.

use std::path::Path;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use tare_load::http::Request;

use crate::error::Error;
use crate::load::asked::Sending;

/// Requests are made before the load, so that nothing is put together while it is measured; more than these take too much memory.
const MOST_REQUESTS: usize = 200_000;
const MOST_WEIGHT: u64 = 1_000;
/// Each connection sends it again and again: a larger one is a mistake.
const LARGEST_BODY: u64 = 256 << 20;
/// Servers take headers of some KiB.
const LARGEST_HEADERS: u64 = 1 << 20;
/// Values for the most requests fit in.
const LARGEST_DATA: u64 = 256 << 20;

/// A kind of request.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    weight: u64,
    /// `None`: that of the load.
    method: Option<String>,
    /// `None`: that of the URL.
    path: Option<String>,
}

impl Part {
    fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |what: &str| {
            let text = text.escape_debug();
            Error::usage(format!(
                "--request '{text}': {what}; write a weight, a method where it isn't GET, and a path: '9 /items', '1 POST /cart'"
            ))
        };
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let (weight, method, path) = match words.as_slice() {
            [weight, path] => (weight, None, path),
            [weight, method, path] => (weight, Some((*method).to_owned()), path),
            _ => return Err(wrong("it isn't two or three words")),
        };
        let weight = weight.parse().ok().filter(|weight| (1..=MOST_WEIGHT).contains(weight));
        let weight = weight.ok_or_else(|| wrong("the weight is no whole number from 1 to 1000"))?;
        if !path.starts_with('/') || path.starts_with("//") {
            return Err(wrong("the path doesn't begin with one `/`"));
        }
        Ok(Self { weight, method, path: Some((*path).to_owned()) })
    }
}

/// Values for `{name}`, a row for each pass through all parts.
#[derive(Debug, Default)]
struct Data {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Data {
    fn read(path: &Path) -> Result<Self, Error> {
        let wrong = |what: String| Error::usage(format!("--data {}: {what}", path.display()));
        let text = tare_files::read(path, LARGEST_DATA).map_err(|error| wrong(error.to_string()))?;
        let mut reader = csv::Reader::from_reader(text.as_slice());
        let names: Vec<String> = reader
            .headers()
            .map_err(|error| wrong(error.to_string()))?
            .iter()
            .map(|name| name.trim().to_owned())
            .collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            rows.push(record.map_err(|error| wrong(error.to_string()))?.iter().map(str::to_owned).collect());
        }
        if names.iter().any(String::is_empty) || rows.is_empty() {
            return Err(wrong(
                "its first line has to name the columns, and at least one line of values to follow".to_owned(),
            ));
        }
        Ok(Self { names, rows })
    }

    fn fill(&self, template: &str, row: &[String]) -> String {
        let pairs = self.names.iter().zip(row);
        pairs.fold(template.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }
}

/// All requests in the order in which connections send them, each beginning at another one.
pub(crate) fn requests(sending: &Sending, seed: u64) -> Result<Vec<Request>, Error> {
    let mut parts: Vec<Part> = sending.mix.iter().map(|text| Part::parse(text)).collect::<Result<_, _>>()?;
    if parts.is_empty() {
        parts.push(Part { weight: 1, method: None, path: None });
    }
    let data = sending.data.as_deref().map(Data::read).transpose()?;
    let headers = headers(&sending.header)?;
    let body = sending.body.as_deref().map(body).transpose()?;
    let text_body =
        match (&data, &body) {
            (Some(_), Some(body)) => Some(String::from_utf8(body.clone()).map_err(|_| {
                Error::usage("--body is no text, and --data puts values into text; leave one of them out")
            })?),
            _ => None,
        };
    if let (Some(data), Some(path)) = (&data, &sending.data) {
        let used = |name: &String| {
            let mark = format!("{{{name}}}");
            let paths = parts.iter().filter_map(|part| part.path.as_deref());
            paths.chain(headers.iter().map(String::as_str)).chain(text_body.as_deref()).any(|text| text.contains(&mark))
        };
        if let Some(idle) = data.names.iter().find(|name| !used(name)) {
            return Err(Error::usage(format!(
                "--data {}: no request uses {{{idle}}}; write it into a path (--request '1 /items/{{{idle}}}'), a header or the body, or take the column out",
                path.display()
            )));
        }
    }
    let mut order: Vec<&Part> = parts.iter().flat_map(|part| std::iter::repeat_n(part, part.weight as usize)).collect();
    order.shuffle(&mut SmallRng::seed_from_u64(seed));
    let none = Data { names: Vec::new(), rows: vec![Vec::new()] };
    let data = data.as_ref().unwrap_or(&none);
    if order.len().saturating_mul(data.rows.len()) > MOST_REQUESTS {
        return Err(Error::usage(format!(
            "{} rows of --data with weights of {} together are more than {MOST_REQUESTS} requests; take fewer rows or smaller weights",
            data.rows.len(),
            order.len()
        )));
    }
    let mut requests = Vec::with_capacity(order.len() * data.rows.len());
    for row in &data.rows {
        let headers: Vec<String> = headers.iter().map(|header| data.fill(header, row)).collect();
        let body = match &text_body {
            Some(text) => Some(data.fill(text, row).into_bytes()),
            None => body.clone(),
        };
        for part in &order {
            let method = part.method.as_deref().or(sending.method.as_deref());
            let request = Request::new(method, &headers, body.clone()).map_err(Error::usage)?;
            requests.push(match &part.path {
                Some(path) => request.to_path(&data.fill(path, row)),
                None => request,
            });
        }
    }
    Ok(requests)
}

/// Headers, those of files (`@FILE`, a header a line) among them.
fn headers(given: &[String]) -> Result<Vec<String>, Error> {
    let mut headers = Vec::new();
    for header in given {
        match header.strip_prefix('@') {
            Some(path) => {
                let text = tare_files::text(path.as_ref(), LARGEST_HEADERS).map_err(|error| {
                    Error::usage(format!("-H @{path}: {error}; name a file with a header in each line"))
                })?;
                headers.extend(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned));
            }
            None => headers.push(header.clone()),
        }
    }
    Ok(headers)
}

/// The body as text, or that of a file.
fn body(text: &str) -> Result<Vec<u8>, Error> {
    match text.strip_prefix('@') {
        Some(path) => tare_files::read(path.as_ref(), LARGEST_BODY).map_err(|error| {
            Error::usage(format!("--body @{path}: {error}; name a file that can be read, or write the body itself"))
        }),
        None => Ok(text.as_bytes().to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sending(mix: &[&str]) -> Sending {
        Sending { mix: mix.iter().map(|text| (*text).to_owned()).collect(), ..Sending::default() }
    }

    #[test]
    fn requests_are_as_many_as_their_weights_say_in_an_order_by_lot() {
        let asked = sending(&["3 /a", "1 PUT /b"]);
        let of = |seed| requests(&asked, seed).unwrap();
        let a = Request::new(None, &[], None).unwrap().to_path("/a");
        let b = Request::new(Some("PUT"), &[], None).unwrap().to_path("/b");
        let count = |request: &Request| of(1).iter().filter(|own| *own == request).count();
        assert_eq!((count(&a), count(&b)), (3, 1));
        assert!((0..20).any(|seed| of(seed) != of(1)) && of(1) == of(1));
    }

    #[test]
    fn values_of_a_file_stand_in_paths_headers_and_the_body() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let headers = file("headers", "X-User: {user}\nAccept: text/plain\n");
        let asked = Sending {
            data: Some(file("users.csv", "user,item\nann,7\n\"b,c\",8\n")),
            header: vec![format!("@{}", headers.display())],
            body: Some("{\"item\": {item}}".to_owned()),
            ..sending(&["1 /items/{item}"])
        };
        let expected = |user: &str, item: &str| {
            let headers = [format!("X-User: {user}"), "Accept: text/plain".to_owned()];
            let body = Some(format!("{{\"item\": {item}}}").into_bytes());
            Request::new(None, &headers, body).unwrap().to_path(&format!("/items/{item}"))
        };
        assert_eq!(requests(&asked, 1).unwrap(), [expected("ann", "7"), expected("b,c", "8")]);
        let idle = Sending { header: Vec::new(), ..asked.clone() };
        assert!(requests(&idle, 1).unwrap_err().to_string().contains("no request uses {user}"));
        let empty = Sending { data: Some(file("empty.csv", "user,item\n")), ..asked.clone() };
        assert!(requests(&empty, 1).unwrap_err().to_string().contains("at least one line of values"));
        let hostile = Sending { data: Some(file("hostile.csv", "user,item\n\"a\r\nX: y\",1\n")), ..asked };
        assert!(requests(&hostile, 1).unwrap_err().to_string().contains("is not a header"));
    }

    #[test]
    fn what_makes_no_request_is_refused() {
        for text in ["", "/a", "0 /a", "1001 /a", "1 a", "1 //other/", "1 GET /a b", "x /a"] {
            assert!(requests(&sending(&[text]), 1).is_err(), "{text}");
        }
        assert!(requests(&sending(&["1 G@T /a"]), 1).is_err());
    }
}
