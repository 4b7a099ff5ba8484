//! For tests: checks that the list of a store's migrations and its folder of SQL files agree.

/// The crate's folder holds these migrations, numbered in their order, and no others: one that is forgotten in the list would never be applied.
pub(crate) fn check_folder(name: &str, migrations: &[(&str, &str)]) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let mut files: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert_eq!(files, migrations.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>());
    for (position, name) in files.iter().enumerate() {
        assert!(name.starts_with(&format!("{:04}-", position + 1)), "{name}");
    }
}
