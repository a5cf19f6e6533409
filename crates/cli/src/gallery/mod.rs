//! `impinge gallery`: every scene with a picture, on one page that works offline.

mod draw;
mod png;

use crate::arguments;
use crate::open::Open;
use crate::output::escape;
use crate::{fail, runner, scene_files};
use clap::Args;
use draw::{SIZE, draw, last_together};
use impinge_geometry::DVec3;
use impinge_scene::SceneSpec;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `impinge gallery`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge gallery
  impinge gallery stack drop --at 1.5 --out pictures

Writes index.html with a picture, NAME.png, of each scene under its own response. Scenes of the folder `large` are drawn when they are named.")]
pub struct GalleryArgs {
    /// Scenes by name or path; all when none is given.
    scenes: Vec<String>,
    /// Moment of the pictures in seconds (default: 0.6 of each scene's time, or before what moves has come apart).
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    at: Option<f64>,
    /// Folder of the page.
    #[arg(long, value_name = "DIR", default_value = "out/gallery")]
    out: PathBuf,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above, else this program's own).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    open: Open,
}

/// Runs the command.
pub fn command(args: &GalleryArgs) -> ExitCode {
    match gallery(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => fail(e),
    }
}

fn gallery(args: &GalleryArgs) -> Result<(), String> {
    let scenes = scene_files::some_or_all(&args.scenes, args.fixtures.as_deref())?;
    args.at.map(|t| arguments::seconds("--at", t)).transpose()?;
    std::fs::create_dir_all(&args.out)
        .map_err(|e| format!("{} cannot be made: {e}; give another with --out DIR", args.out.display()))?;
    let mut cards = String::new();
    for (name, path) in &scenes {
        let spec = SceneSpec::load(path).map_err(|e| e.to_string())?;
        let time = picture(args, name, &spec)?;
        say!("{name}");
        let _ = writeln!(
            cards,
            "<figure><img src=\"{0}.png\" width=\"{1}\" height=\"{2}\" loading=\"lazy\" alt=\"{3} at {time:.3} s\">\
             <figcaption><b>{3}</b><br>{4}<br><code>impinge run {0}</code> · {5}, at {time:.3} s</figcaption></figure>",
            escape(name),
            SIZE[0],
            SIZE[1],
            escape(&spec.title),
            escape(sentence(&spec.description)),
            spec.response.name(),
        );
    }
    let page = format!("{HEAD}{cards}</main>\n");
    let file = args.out.join("index.html");
    std::fs::write(&file, page).map_err(|e| format!("{} cannot be written: {e}", file.display()))?;
    say!("page {}", file.display());
    args.open.page(&file);
    Ok(())
}

const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n\
<title>Impinge: scenes</title>\n<style>\nbody{font:16px/1.4 system-ui,sans-serif;margin:2rem auto;max-width:100rem;padding:0 1rem;\
background:#fff;color:#1b1f24}\nmain{display:grid;grid-template-columns:repeat(auto-fill,minmax(18rem,1fr));gap:1.5rem}\nfigure{margin:0}\n\
img{width:100%;height:auto;border:1px solid #d0d7de;border-radius:6px}\ncode{font-size:.9em}\n</style>\n<h1>Scenes</h1>\n\
<p>Each picture is drawn by <code>impinge gallery</code> from a run of the scene under its own response.</p>\n<main>\n";

/// Runs the scene up to the moment and writes its picture; gives the time of the frame.
fn picture(args: &GalleryArgs, name: &str, spec: &SceneSpec) -> Result<f64, String> {
    let moment = args.at.unwrap_or(0.6 * spec.duration).min(spec.duration);
    let run = runner::run(spec, spec.response, true, false, |sim| sim.time() < moment - 0.5 * sim.dt())?;
    if let runner::End::Stopped(e) = &run.end {
        say!("{name}: the run stopped, the picture is of its last good state: {e}");
    }
    let recorder = run.recorder.ok_or("the run was not recorded")?;
    let record = recorder.finish(&run.sim);
    let frame = if args.at.is_some() { record.frames.time.len() - 1 } else { last_together(&record) };
    let g = spec.gravity;
    let up = if g.mag() > 0.0 { -g.normalized() } else { DVec3::unit_z() };
    let file = args.out.join(format!("{name}.png"));
    write(&file, &png::png(SIZE[0], SIZE[1], &draw(&record, frame, up)))?;
    Ok(record.frames.time[frame])
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(file, bytes).map_err(|e| format!("{} cannot be written: {e}", file.display()))
}

/// The first sentence.
fn sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}
