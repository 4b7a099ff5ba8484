//! The command that starts the server of each target of an HTTP load (`--start`), with its URL and its folder.

use std::path::PathBuf;

use tare_load::http::Target;
use tare_load::server::PORT;
use tare_request::Side;

use crate::error::Error;

/// What is started for a target.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    /// As it is shown: the revision, else what is started where there are several, else where requests go.
    pub(crate) name: String,
    pub(crate) command: String,
    /// With `{port}`.
    pub(crate) url: String,
    pub(crate) folder: PathBuf,
}

impl Start {
    /// One for each target: as many commands as URLs, or one of either; of revisions one for each.
    pub(crate) fn all(urls: &[String], commands: &[String], sides: &[Side]) -> Result<Vec<Self>, Error> {
        let count = urls.len().max(commands.len()).max(sides.len());
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
                "`{}` has no {PORT}: tare picks a free port for each start; write {PORT} where it belongs, in the URL and in the command",
                text.escape_debug()
            )));
        }
        let at = |list: &[String], number: usize| list[number.min(list.len() - 1)].clone();
        let start = |number: usize| {
            let (command, url) = (at(commands, number), at(urls, number));
            match sides.get(number) {
                Some(side) => Self { name: side.name.clone(), command, url, folder: side.folder.clone() },
                None => {
                    let name = if commands.len() > 1 { command.clone() } else { url.clone() };
                    Self { name, command, url, folder: PathBuf::from(".") }
                }
            }
        };
        Ok((0..count).map(start).collect())
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
        let all = |urls: &[&str], commands: &[&str]| Start::all(&texts(urls), &texts(commands), &[]);
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

    #[test]
    fn a_server_of_revisions_is_started_once_in_each_and_has_their_names() {
        let side =
            |name: &str| Side { name: name.to_owned(), folder: PathBuf::from("/").join(name), ..Side::default() };
        let (urls, commands) = (["http://h:{port}/".to_owned()], ["serve {port}".to_owned()]);
        let starts = Start::all(&urls, &commands, &[side("v1"), side("v2")]).unwrap();
        let seen: Vec<_> = starts.iter().map(|start| (start.name.as_str(), start.folder.to_str().unwrap())).collect();
        assert_eq!(seen, [("v1", "/v1"), ("v2", "/v2")]);
    }
}
