//! Reasons why a run stopped.

use impinge_cli::runner::without_file;

#[test]
fn reasons_name_no_file() {
    assert_eq!(without_file("/a b/x.toml: no\n  fix: yes"), "no; fix: yes");
    assert_eq!(without_file("/a/x.toml:12:3: 7 no\n/a/x.toml:1:1: bad"), "7 no; bad");
    assert_eq!(without_file("12 plain"), "12 plain");
    let shown = "/a/x.toml:46:8: no\n   |\n46 | mesh = 1\n   |        ^\n  fix: yes";
    assert_eq!(without_file(shown), "no; fix: yes");
}
