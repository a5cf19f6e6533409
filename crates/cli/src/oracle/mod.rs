//! `impinge oracle`: being written.
#[derive(clap::Args)]
pub struct OracleArgs {
    dir: std::path::PathBuf,
}
pub fn command(args: &OracleArgs) -> std::process::ExitCode {
    crate::fail(args.dir.display())
}
