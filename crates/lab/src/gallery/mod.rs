//! `cargo xtask gallery`: every scene with a picture, on one page that works offline.

mod draw;

use crate::escape::escape;
use clap::Args;
use draw::{SIZE, draw, last_together};
use impinge_cli::open::Open;
use impinge_cli::output::Done;
use impinge_cli::{arguments, fill_record, runner, scene_files};
use impinge_geometry::DVec3;
use impinge_report::{page_style, write_report};
use impinge_scene::SceneSpec;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `cargo xtask gallery`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask gallery
  cargo xtask gallery stack drop --at 1.5 --out pictures

Runs each scene under its own response. Writes NAME/report.html, a picture NAME.png, and index.html, where each picture opens its report. Scenes of the folder `large` are drawn when they are named.")]
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
pub fn command(args: &GalleryArgs) -> Done {
    let scenes = scene_files::some_or_all(&args.scenes, args.fixtures.as_deref())?;
    args.at.map(|t| arguments::seconds("--at", t)).transpose()?;
    std::fs::create_dir_all(&args.out)
        .map_err(|e| format!("{} cannot be made: {e}; give another with --out DIR", args.out.display()))?;
    let mut cards = String::new();
    for (name, path) in &scenes {
        let spec = SceneSpec::load(path).map_err(|e| e.to_string())?;
        let time = shown(args, name, &spec)?;
        say!("{name}");
        let _ = writeln!(
            cards,
            "<figure class=\"card\"><a href=\"{0}/report.html\"><img src=\"{0}.png\" width=\"{1}\" height=\"{2}\" loading=\"lazy\" \
             alt=\"{3} at {time:.3} s\"><b>{3}</b></a><figcaption>{4}<br><code>impinge run {0}</code> · {5}, at {time:.3} s</figcaption></figure>",
            escape(name),
            SIZE[0],
            SIZE[1],
            escape(&spec.title),
            escape(sentence(&spec.description)),
            spec.response.name(),
        );
    }
    let file = args.out.join("index.html");
    write(&file, page(&cards).as_bytes())?;
    say!("page {}", file.display());
    args.open.page(&file);
    Ok(ExitCode::SUCCESS)
}

/// Of the gallery alone, beside the style of a report.
const STYLE: &str = "main{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(18rem,100%),1fr));gap:16px}\
.card{padding:0;margin:0;overflow:hidden;font-size:14px}img{display:block;width:100%;height:auto;border-bottom:1px solid var(--line)}\
.card b{display:block;padding:10px 14px 0;font-size:15px}figcaption{padding:2px 14px 12px;color:var(--soft)}";

/// The page around the cards, in the colours of a report.
fn page(cards: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Impinge: scenes</title>\n<style>{}</style></head>\n<body><header class=\"page-head\">\
         <p class=\"brand\"><b>impinge</b> scenes</p><h1>Scenes</h1><p class=\"description\">Each picture is of a run of the scene under its \
         own response, and opens the report of that run.</p></header>\n<main>\n{cards}</main></body></html>\n",
        page_style(STYLE)
    )
}

/// Runs the scene and writes its report and its picture; gives the time of the picture's frame.
fn shown(args: &GalleryArgs, name: &str, spec: &SceneSpec) -> Result<f64, String> {
    let run = runner::run(spec, spec.response, true, true, |_| true)?;
    if let runner::End::Stopped(e) = &run.end {
        say!("{name}: the run stopped, the picture is of its last good state: {e}");
    }
    let recorder = run.recorder.ok_or("the run was not recorded")?;
    let mut record = recorder.finish(&run.sim);
    fill_record(&mut record, spec, spec.response, name, &run.checks, (&run.end, &run.lost));
    write_report(&args.out.join(name), &record).map_err(|e| e.to_string())?;
    let moment = args.at.unwrap_or(0.6 * spec.duration);
    let frames = record.frames.time.partition_point(|t| *t <= moment + 0.5 * spec.dt).max(1);
    let frame = if args.at.is_some() { frames - 1 } else { last_together(&record, frames) };
    let g = spec.gravity;
    let up = if g.mag() > 0.0 { -g.normalized() } else { DVec3::unit_z() };
    let file = args.out.join(format!("{name}.png"));
    write(&file, &png_of(&draw(&record, frame, up))?)?;
    Ok(record.frames.time[frame])
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(file, bytes).map_err(|e| format!("{} cannot be written: {e}", file.display()))
}

/// The first sentence.
fn sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

/// The file of a picture of [`SIZE`].
fn png_of(rgb: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, SIZE[0] as u32, SIZE[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    let written = encoder.write_header().and_then(|mut w| w.write_image_data(rgb));
    written.map_err(|e| format!("a picture cannot be made: {e}"))?;
    Ok(out)
}
