//! Pictures, a file each.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use resvg::{tiny_skia, usvg};
use tare_report::{Picture, Theme};

use crate::Error;
use crate::target::Target;

/// Dots for each unit of a picture: sharp on dense screens and in print.
const SCALE: f32 = 2.0;
/// Sides of an image in dots, at most; larger ones are drawn smaller.
const LARGEST: f32 = 16_000.0;

/// What a picture is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As it is: it takes light or dark colours from the reader's system.
    Svg,
    /// As dots, in light colours.
    Png,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

/// Writes each picture to a file of its name in the folder, which is made if it isn't there. Files of these names are written over, others stay.
///
/// # Errors
///
/// A folder or file that can't be written; for PNG, a machine without any font.
pub fn write_pictures(kind: Kind, folder: &Path, pictures: &[Picture]) -> Result<(), Error> {
    let asked = |reason: String| Error::Asked {
        option: kind.name(),
        path: folder.display().to_string(),
        reason,
        what: "folder",
    };
    if let Some(error) = Error::of_dash(kind.name(), folder) {
        return Err(error);
    }
    fs::create_dir_all(folder).map_err(|error| asked(error.to_string()))?;
    let fonts =
        match kind {
            Kind::Svg => None,
            Kind::Png => Some(fonts().ok_or_else(|| {
                asked("this machine has no font; install one, such as DejaVu Sans, or use --svg".into())
            })?),
        };
    for picture in pictures {
        let path = folder.join(&picture.name).with_extension(kind.name());
        let unwritten = |reason: String| Error::Unwritten { path: path.display().to_string(), reason };
        // The names are ours, and who wrote the folder may have put a link there.
        if fs::symlink_metadata(&path).is_ok_and(|about| about.is_symlink()) {
            return Err(unwritten("it is a link to somewhere else; remove it".to_owned()));
        }
        let content = match &fonts {
            None => picture.document(Theme::System).into_bytes(),
            Some(fonts) => image(&picture.document(Theme::Light), fonts).map_err(unwritten)?,
        };
        Target::open(kind.name(), &path)?.write(content)?;
    }
    Ok(())
}

/// The fonts of the system; `None` where there are none.
fn fonts() -> Option<Arc<usvg::fontdb::Database>> {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_system_fonts();
    (!fonts.is_empty()).then(|| Arc::new(fonts))
}

/// A document as PNG.
fn image(document: &str, fonts: &Arc<usvg::fontdb::Database>) -> Result<Vec<u8>, String> {
    let options = usvg::Options { fontdb: fonts.clone(), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(document, &options).map_err(|error| error.to_string())?;
    let size = tree.size();
    let scale = SCALE.min(LARGEST / size.width().max(size.height()));
    let (width, height) = ((size.width() * scale).ceil() as u32, (size.height() * scale).ceil() as u32);
    let mut dots = tiny_skia::Pixmap::new(width.max(1), height.max(1)).ok_or("it is too large for an image")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut dots.as_mut());
    dots.encode_png().map_err(|error| error.to_string())
}
