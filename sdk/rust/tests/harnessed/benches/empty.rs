#[test]
fn a_test() {}
