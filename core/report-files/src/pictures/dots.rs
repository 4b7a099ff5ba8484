//! Pictures as dots.

use std::sync::Arc;

use resvg::{tiny_skia, usvg};

/// Dots for each unit of a picture: sharp on dense screens and in print.
const SCALE: f32 = 2.0;
/// Sides of an image in dots, at most; larger ones are drawn smaller.
const LARGEST: f32 = 16_000.0;

/// The fonts of the system, or why there are none.
pub(super) fn fonts() -> Result<Arc<usvg::fontdb::Database>, String> {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_system_fonts();
    match fonts.is_empty() {
        false => Ok(Arc::new(fonts)),
        true => Err("this machine has no font; install one, such as DejaVu Sans, or use --svg".to_owned()),
    }
}

/// A document as PNG.
pub(super) fn image(document: &str, fonts: &Arc<usvg::fontdb::Database>) -> Result<Vec<u8>, String> {
    let options = usvg::Options { fontdb: fonts.clone(), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(document, &options).map_err(|error| error.to_string())?;
    let size = tree.size();
    let scale = SCALE.min(LARGEST / size.width().max(size.height()));
    let (width, height) = ((size.width() * scale).ceil() as u32, (size.height() * scale).ceil() as u32);
    let mut dots = tiny_skia::Pixmap::new(width.max(1), height.max(1)).ok_or("it is too large for an image")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut dots.as_mut());
    dots.encode_png().map_err(|error| error.to_string())
}
