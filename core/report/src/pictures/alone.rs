//! A picture as a file of its own, which no page gives its colours.

use maud::{PreEscaped, html};

use super::Picture;

/// What pictures look like, here and on pages.
pub(crate) const STYLE: &str = include_str!("picture.css");
/// Colours by name, light ones first, then dark ones.
pub(crate) const COLOURS: &str = include_str!("colours.css");

/// The colours of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white.
    Light,
    /// Light on black.
    Dark,
    /// As the reader's system has it; for programs that know media queries.
    System,
}

impl Picture {
    /// A whole SVG document, which asks for nothing from outside.
    pub fn document(&self, theme: Theme) -> String {
        let style = match theme {
            Theme::Light => coloured(0),
            Theme::Dark => coloured(1),
            Theme::System => format!("{}@media (prefers-color-scheme: dark) {{ {} }}", coloured(0), coloured(1)),
        };
        let inside = self.svg.clone().into_string();
        let (start, rest) = inside.split_once('>').unwrap_or(("<svg", ""));
        let (width, height) = size(start);
        let head = html! {
            style { (PreEscaped(style)) }
            rect class="paper" width=(width) height=(height) {}
        };
        let start = start.replace(&format!(" aria-details=\"{}\"", Self::table_id(&self.name)), "");
        format!(
            "{start} xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\">{}{rest}\n",
            head.into_string()
        )
    }
}

/// Width and height of the view box.
fn size(start: &str) -> (String, String) {
    let inside = start.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let mut numbers = inside.split(' ').skip(2).map(str::to_owned);
    let mut next = || numbers.next().unwrap_or_else(|| "100".to_owned());
    (next(), next())
}

/// The rules with the colours of one theme written out: renderers of SVG know no variables.
fn coloured(theme: usize) -> String {
    let block = COLOURS.split(":root {").nth(theme + 1).and_then(|rest| rest.split('}').next()).unwrap_or_default();
    let mut style = STYLE.to_owned();
    for (name, value) in block.split(';').filter_map(|entry| entry.split_once(':')) {
        style = style.replace(&format!("var({})", name.trim()), value.trim());
    }
    style
}

#[cfg(test)]
mod tests {
    use maud::html;

    use super::super::{Picture, Table};
    use super::{Theme, coloured};

    #[test]
    fn every_colour_is_written_out() {
        for theme in 0..2 {
            let style = coloured(theme);
            assert!(!style.contains("var(") && style.contains('#'), "{style}");
        }
        assert_ne!(coloured(0), coloured(1));
    }

    #[test]
    fn a_picture_alone_has_a_size_and_refers_to_nothing() {
        let svg = html! { svg class="chart" role="img" viewBox="0 0 720 300" aria-details="a-t" { title { "t" } } };
        let picture = Picture {
            name: "a".into(),
            title: "t".into(),
            says: Vec::new(),
            svg,
            narrow: None,
            table: Table::default(),
        };
        let document = picture.document(Theme::System);
        assert!(document.contains(" width=\"720\" height=\"300\"") && document.contains("prefers-color-scheme"));
        assert!(!document.contains("aria-details") && document.ends_with("</svg>\n"), "{document}");
    }
}
