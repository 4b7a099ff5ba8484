//! The cookies that a connection was given.

/// More cookies aren't kept: a server that sets a new one with each answer must not make requests without end.
const MOST: usize = 64;

/// `name=value` of each cookie.
#[derive(Debug, Default)]
pub(super) struct Jar(Vec<Vec<u8>>);

impl Jar {
    /// Takes what a `Set-Cookie` header says. A cookie that is there is replaced, or taken out where the server takes it back (`Max-Age` of 0 or
    /// less); what has no name is none (RFC 6265, section 5.2).
    pub(super) fn take(&mut self, header: &[u8]) {
        let Some((pair, taken_back)) = cookie(header) else { return };
        let name = |pair: &[u8]| pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
        self.0.retain(|own| own[..name(own)] != pair[..name(pair)]);
        if !taken_back && self.0.len() < MOST {
            self.0.push(pair.to_vec());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the value of a `Cookie` header.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for (number, pair) in self.0.iter().enumerate() {
            if number > 0 {
                out.extend_from_slice(b"; ");
            }
            out.extend_from_slice(pair);
        }
    }
}

/// `name=value`, and whether the server takes it back.
fn cookie(header: &[u8]) -> Option<(&[u8], bool)> {
    let mut parts = header.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let pair = parts.next().filter(|pair| pair.iter().position(|byte| *byte == b'=').is_some_and(|at| at > 0))?;
    let taken_back = parts.any(|part| {
        let (name, age) = part.split_at(part.iter().position(|byte| *byte == b'=').unwrap_or(part.len()));
        let age = age.strip_prefix(b"=").unwrap_or_default().trim_ascii();
        name.eq_ignore_ascii_case(b"max-age") && (age == b"0" || age.starts_with(b"-"))
    });
    Some((pair, taken_back))
}

#[cfg(test)]
mod tests {
    use super::{Jar, MOST};

    fn of(headers: &[&str]) -> String {
        let mut jar = Jar::default();
        headers.iter().for_each(|header| jar.take(header.as_bytes()));
        let mut out = Vec::new();
        jar.write(&mut out);
        assert_eq!(jar.is_empty(), out.is_empty());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_cookie_is_kept_replaced_and_taken_back() {
        assert_eq!(of(&["a=1; Path=/", "b=2"]), "a=1; b=2");
        assert_eq!(of(&["a=1", "a=2; HttpOnly", "ab=3"]), "a=2; ab=3");
        assert_eq!(of(&["a=1", "b=2", "a=; max-age=0"]), "b=2");
        assert_eq!(of(&["=x", "nothing", "", ";a=1"]), "");
    }

    #[test]
    fn cookies_without_end_take_no_room_without_end() {
        let many: Vec<String> = (0..1000).map(|number| format!("c{number}=1")).collect();
        let kept = of(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(kept.split("; ").count(), MOST);
    }
}
