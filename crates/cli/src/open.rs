//! `--open`: a page that was written, in the system's browser.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// `--open` of a command that writes a page.
#[derive(clap::Args, Clone, Copy)]
pub struct Open {
    /// Open the page in the system's browser.
    #[arg(long)]
    open: bool,
}

/// How long a program that cannot open the page takes at most to say so.
const PATIENCE: Duration = Duration::from_secs(2);

impl Open {
    /// Opens the page, if that was asked for. That there is no browser is a warning: the page is written.
    pub fn page(self, page: &Path) {
        if self.open && !open(page) {
            complain!("warning: no browser could be started; open {} by hand", page.display());
        }
    }
}

fn open(page: &Path) -> bool {
    let programs: &[&[&str]] = if cfg!(target_os = "macos") {
        &[&["open"]]
    } else if cfg!(windows) {
        &[&["cmd", "/C", "start", ""]]
    } else {
        &[&["xdg-open"], &["wslview"], &["gio", "open"]]
    };
    programs.iter().any(|program| started(program, page))
}

/// Whether the program took the page: it is still there after a while, or ended well.
fn started(program: &[&str], page: &Path) -> bool {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).arg(page);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let tick = Duration::from_millis(50);
    for _ in 0..PATIENCE.as_millis() / tick.as_millis() {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(tick),
            Err(_) => return false,
        }
    }
    true
}
