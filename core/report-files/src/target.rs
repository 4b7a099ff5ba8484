use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::options::Place;

/// A file to be written.
pub struct Target {
    path: PathBuf,
    file: File,
    /// It wasn't there, and nothing is in it yet.
    empty: bool,
    place: Place,
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.empty {
            // A reader takes an empty one for a broken report. One that can't be removed stays.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Target {
    /// Opens what `--option` names.
    ///
    /// # Errors
    ///
    /// Where that can't be written.
    pub fn open(option: &'static str, path: &Path) -> Result<Self, Error> {
        if let Some(error) = Error::of_dash(option, path) {
            return Err(error);
        }
        let new = !path.exists();
        let file =
            tare_files::create_output(path, OpenOptions::new().create(true).truncate(false)).map_err(|error| {
                let reason = error.to_string();
                Error::Asked { option, path: path.display().to_string(), reason, what: "file in a folder" }
            })?;
        Ok(Self { path: path.to_owned(), file, empty: new, place: Place::Whole })
    }

    /// The same, written to another place in it.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// Writes it. Where there is no room for all of it, what was there before stays, and nothing is left of a part.
    ///
    /// # Errors
    ///
    /// Where the system says that it wasn't written.
    pub fn write(mut self, content: impl AsRef<[u8]>) -> Result<(), Error> {
        self.put(content.as_ref())
            .map_err(|error| Error::Unwritten { path: self.path.display().to_string(), reason: error.to_string() })
    }

    fn put(&mut self, content: &[u8]) -> io::Result<()> {
        // A pipe has no length.
        let file = self.file.metadata().is_ok_and(|about| about.is_file());
        let mut before = 0;
        if file {
            if self.place == Place::Whole {
                tare_files::reserve(&self.file, content.len() as u64)?;
            }
            match self.place {
                Place::Whole => self.file.set_len(0)?,
                Place::End => before = self.file.seek(SeekFrom::End(0))?,
            }
        }
        if let Err(error) = self.file.write_all(content) {
            if file {
                // A part of a report can be taken for a report.
                let _ = self.file.set_len(before);
            }
            return Err(error);
        }
        self.empty = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::Target;

    /// A file system of so many KiB; `None` where this process may not mount one.
    fn small(folder: &Path, size: u32) -> Option<Mounted<'_>> {
        let options = format!("size={size}k");
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder).output();
        done.is_ok_and(|done| done.status.success()).then_some(Mounted(folder))
    }

    struct Mounted<'a>(&'a Path);

    impl Drop for Mounted<'_> {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
        }
    }

    #[test]
    fn without_room_the_earlier_report_stays_and_no_part_of_one_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let Some(_mounted) = small(folder.path(), 64) else { return };
        let (earlier, new) = (folder.path().join("earlier.html"), folder.path().join("new.html"));
        fs::write(&earlier, "earlier").unwrap();
        let large = vec![b'x'; 1 << 20];
        for path in [&earlier, &new] {
            let error = Target::open("html", path).unwrap().write(&large).unwrap_err().to_string();
            assert!(error.contains("No space left on device") && error.contains("tare report"), "{error}");
        }
        assert_eq!(fs::read(&earlier).unwrap(), b"earlier");
        assert!(!new.exists(), "a part of a report is left");
        Target::open("html", &earlier).unwrap().write(b"later").unwrap();
        assert_eq!(fs::read(&earlier).unwrap(), b"later");
    }

    #[test]
    fn a_device_without_room_is_told() {
        assert!(Target::open("html", Path::new("/dev/full")).unwrap().write(b"x").is_err());
        Target::open("html", Path::new("/dev/null")).unwrap().write(b"x").unwrap();
    }
}
