//! What is started for the targets of an HTTP load.

use std::path::PathBuf;

use tare_load::http::Target;
use tare_load::server::PORT;

use crate::error::Error;

/// What is started for a target.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) command: String,
    /// With `{port}`.
    pub(crate) url: String,
    pub(crate) folder: PathBuf,
}

impl Start {
    /// One for each target: as many commands as URLs, or one of either.
    pub(crate) fn all(urls: &[String], commands: &[String]) -> Result<Vec<Self>, Error> {
        let count = urls.len().max(commands.len());
        let wrong = |list: &[String]| list.len() != 1 && list.len() != count;
        if wrong(urls) || wrong(commands) {
            return Err(Error::usage(format!(
                "{} URLs and {} --start don't go together; give --start once, or once for each URL in their order",
                urls.len(),
                commands.len()
            )));
        }
        let lacking = |text: &&String| !text.contains(PORT);
        if let Some(text) = urls.iter().find(lacking).or_else(|| commands.iter().find(lacking)) {
            return Err(Error::usage(format!(
                "`{}` has no {PORT}: tare picks a free port for each start; write {PORT} where it belongs, in the URL and in --start",
                text.escape_debug()
            )));
        }
        let at = |list: &[String], number: usize| list[number.min(list.len() - 1)].clone();
        let folder = PathBuf::from(".");
        Ok((0..count)
            .map(|number| Self { command: at(commands, number), url: at(urls, number), folder: folder.clone() })
            .collect())
    }

    /// As it is shown: what is started, where there are several, else where requests go.
    pub(crate) fn name(&self, by_command: bool) -> String {
        if by_command { self.command.clone() } else { self.url.clone() }
    }

    /// The target where the server listens at `port`.
    pub(crate) fn target(&self, port: u16) -> Result<Target, Error> {
        Target::parse(&self.url.replace(PORT, &port.to_string())).map_err(Error::usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_goes_with_each_url_or_one_with_all() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let all = |urls: &[&str], commands: &[&str]| Start::all(&texts(urls), &texts(commands));
        let both = all(&["http://h:{port}/"], &["a {port}", "b {port}"]).unwrap();
        assert_eq!((both.len(), both[0].url.as_str(), both[1].command.as_str()), (2, "http://h:{port}/", "b {port}"));
        assert_eq!(all(&["http://h:{port}/a", "http://h:{port}/b"], &["a {port}"]).unwrap().len(), 2);
        for (urls, commands, told) in [
            (
                &["http://h:{port}/", "http://h:{port}/", "http://h:{port}/"][..],
                &["a {port}", "b {port}"][..],
                "don't go together",
            ),
            (&["http://h:80/"], &["a {port}"], "has no {port}"),
            (&["http://h:{port}/"], &["a 80"], "has no {port}"),
        ] {
            let refusal = all(urls, commands).unwrap_err().to_string();
            assert!(refusal.contains(told), "{refusal}");
        }
    }
}
