//! Pictures, a file each.

use std::fs;
use std::path::Path;

#[cfg(feature = "png")]
use dots::{fonts, image};
use tare_report::{Picture, Theme};

use crate::Error;
use crate::target::Target;

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
    let fonts = match kind {
        Kind::Svg => None,
        Kind::Png => Some(fonts().map_err(asked)?),
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

#[cfg(feature = "png")]
mod dots;
#[cfg(not(feature = "png"))]
use without_dots::{fonts, image};

#[cfg(not(feature = "png"))]
mod without_dots {
    /// What this tare can't draw.
    pub(super) fn fonts() -> Result<(), String> {
        Err("this tare was built without PNG; build it with `cargo build --release`, or use --svg".to_owned())
    }

    pub(super) fn image(_: &str, (): &()) -> Result<Vec<u8>, String> {
        fonts().map(|()| Vec::new())
    }
}
