//! `impinge calibrate`: numbers of one law of contact so chosen that two bodies answer like under another, and the whole scene with both.

mod fit;
mod rig;

use crate::output::{Done, Json};
use crate::runner::{self, Run};
use crate::{arguments, asked, scene_files};
use clap::Args;
use fit::{Fitted, fit, scale_stiffness};
use impinge_contact::Damping;
use impinge_scene::{DampingSpec, Response, SceneSpec, Stiffness};
use impinge_world::worst;
use rig::Rig;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `impinge calibrate`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge calibrate stack --from penalty --to cpf-implicit
  impinge calibrate bouncing-ball-pressure --from pressure --to penalty

Two bodies of the pair are taken out of the scene. Stiffness: they are pressed together very slowly, down to three times the weight or a
twentieth of the body; least squares over force against depth. Damping: one is thrown at the other, and χ of Hunt–Crossley is
bisected until it comes back as fast. Friction: dragged along while pressed; both coefficients are scaled by what the kinetic one needs.
qp and volume are hard constraints and have none of these. The rest of the scene then runs under the first response, the second as the
scene has it, and the second as fitted.")]
pub struct CalibrateArgs {
    /// A scene's name (see `impinge list`) or the path of a scene file.
    scene: String,
    /// The response to be met.
    #[arg(long)]
    from: String,
    /// The response whose numbers are fitted.
    #[arg(long)]
    to: String,
    /// The law of the scene, from 0.
    #[arg(long, default_value_t = 0)]
    pair: usize,
    /// Simulated time of the comparison in seconds.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above, else this program's own).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// What the command says.
#[derive(Serialize)]
struct Table {
    /// The two bodies.
    bodies: [String; 2],
    /// How deep they were pressed (m), and the force under the first and the second response (N).
    depth: f64,
    force: [f64; 2],
    /// What the stiffness is multiplied by, and what is left of the force.
    stiffness_factor: f64,
    residual: f64,
    damping: Part,
    friction: Part,
    /// Arguments of `impinge run` that give the fitted run.
    keys: String,
    /// The whole scene under both responses and as fitted: what, then a cell for each.
    columns: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

/// A part of the law that may have no fit.
#[derive(Serialize)]
struct Part {
    /// The number, what was to be met, and what is met with it (damping) or was before (friction).
    fitted: Option<[f64; 3]>,
    why_not: Option<String>,
}

impl From<&Result<[f64; 3], String>> for Part {
    fn from(of: &Result<[f64; 3], String>) -> Self {
        Self { fitted: of.as_ref().ok().copied(), why_not: of.as_ref().err().cloned() }
    }
}

/// Runs the command.
pub fn command(args: &CalibrateArgs) -> Done {
    args.json.begin();
    let path = scene_files::find(&args.scene, args.fixtures.as_deref())?;
    let (from, to) = (arguments::response_named(&args.from)?, arguments::response_named(&args.to)?);
    // Neither need be the scene's own, which may be one that cannot take it.
    let under = |response| asked::scene(&path, &[], Some(response), args.duration);
    let (source, spec) = (under(from)?, under(to)?);
    let rig = Rig::new(&spec, args.pair)?;
    let fitted = fit(&rig, args.pair, from, to)?;
    say!(
        "'{}' pressed {:.4e} m into '{}': {:.6e} N under {}, {:.6e} N under {}",
        rig.names[0],
        fitted.depth,
        rig.names[1],
        fitted.force[0],
        from.name(),
        fitted.force[1],
        to.name()
    );
    let other = applied(&spec, args.pair, to, &fitted)?;
    tell(&spec, &other, args.pair, to, &fitted);

    let columns = [
        (from.name().to_string(), run(&source, from)),
        (to.name().to_string(), run(&spec, to)),
        (format!("{} fitted", to.name()), run(&other, to)),
    ];
    say!("\n| the whole scene | {} | {} | {} |", columns[0].0, columns[1].0, columns[2].0);
    say!("|---|---|---|---|");
    let row = |(k, what): (usize, &&str)| {
        let cells: Vec<String> = columns.iter().map(|(_, c)| c[k].clone()).collect();
        (what.to_string(), cells)
    };
    let rows: Vec<(String, Vec<String>)> = ROWS.iter().enumerate().map(row).collect();
    rows.iter().for_each(|(what, cells)| say!("| {what} | {} |", cells.join(" | ")));
    args.json.print(&Table {
        bodies: rig.names.clone(),
        depth: fitted.depth,
        force: fitted.force,
        stiffness_factor: fitted.stiffness,
        residual: fitted.residual,
        damping: Part::from(&fitted.damping),
        friction: Part::from(&fitted.friction),
        keys: keys(&spec, &other, args.pair, to),
        columns: columns.into_iter().map(|(name, _)| name).collect(),
        rows,
    });
    Ok(ExitCode::SUCCESS)
}

/// The scene with the fitted numbers.
fn applied(spec: &SceneSpec, pair: usize, to: Response, fitted: &Fitted) -> Result<SceneSpec, String> {
    let mut out = spec.clone();
    scale_stiffness(&mut out, pair, to, fitted.stiffness)?;
    let law = &mut out.pairs[pair];
    if let Ok([chi, ..]) = fitted.damping {
        law.damping = DampingSpec::Given(if chi > 0.0 { Damping::HuntCrossley(chi) } else { Damping::None });
    }
    if let Ok([factor, ..]) = fitted.friction {
        law.mu_s *= factor;
        law.mu_k *= factor;
    }
    Ok(out)
}

fn tell(before: &SceneSpec, after: &SceneSpec, pair: usize, to: Response, fitted: &Fitted) {
    let (a, b) = (&before.pairs[pair], &after.pairs[pair]);
    let stiff = |spec: &SceneSpec, of_pair: f64| {
        spec.with_settings(to).stiffness_keys().first().map_or(of_pair, |(_, own)| *own)
    };
    say!(
        "stiffness  {:.9e} (was {:.9e}), residual {:.3e} of the force",
        stiff(after, b.stiffness.value()),
        stiff(before, a.stiffness.value()),
        fitted.residual
    );
    match &fitted.damping {
        Ok([chi, aim, got]) => {
            say!("damping    χ = {chi:.9e} s/m; restitution {aim:.6} to be met, {got:.6} met")
        }
        Err(why) => say!("damping    not fitted: {why}"),
    }
    match &fitted.friction {
        Ok([_, aim, was]) => say!(
            "friction   μs = {:.9} (was {}), μk = {:.9} (was {}); friction over normal force {aim:.6} to be met, {was:.6} before",
            b.mu_s,
            a.mu_s,
            b.mu_k,
            a.mu_k
        ),
        Err(why) => say!("friction   not fitted: {why}"),
    }
    say!("as keys    {}", keys(before, after, pair, to));
}

/// Every key that the fit changed, as arguments of `impinge run`: they give the fitted run.
fn keys(before: &SceneSpec, after: &SceneSpec, pair: usize, to: Response) -> String {
    let (a, b) = (&before.pairs[pair], &after.pairs[pair]);
    let own = |spec: &SceneSpec| spec.with_settings(to).stiffness_keys();
    let own = own(before).into_iter().zip(own(after));
    let stiffness = match b.stiffness {
        Stiffness::PerContact(_) => "stiffness",
        Stiffness::PerArea(_) => "stiffness_per_area",
    };
    let numbers = [
        (format!("pair.{pair}.{stiffness}"), a.stiffness.value(), b.stiffness.value()),
        (format!("pair.{pair}.friction_stiffness"), a.friction_stiffness, b.friction_stiffness),
        (format!("pair.{pair}.mu_s"), a.mu_s, b.mu_s),
        (format!("pair.{pair}.mu_k"), a.mu_k, b.mu_k),
    ];
    // What the scene leaves out follows from other keys, so all numbers that can follow are said.
    let follow = a.stiffness != b.stiffness || a.mu_s != b.mu_s;
    let own = own.map(|((key, was), (_, is))| (format!("{}.{key}", to.section.name()), was, is));
    let mut out: Vec<String> = own
        .chain(numbers)
        .filter(|(key, was, is)| was != is || (follow && key.starts_with("pair")))
        .map(|(key, _, is)| format!("--set {key}={is:?}"))
        .collect();
    match b.damping {
        DampingSpec::Given(Damping::HuntCrossley(chi)) if a.damping != b.damping => {
            out.push(format!("--set 'pair.{pair}.damping={{ hunt_crossley = {chi:?} }}'"));
        }
        DampingSpec::Given(Damping::None) if a.damping != b.damping => {
            out.push(format!("--set pair.{pair}.damping=none"))
        }
        _ => {}
    }
    out.join(" ")
}

const ROWS: [&str; 6] = [
    "end",
    "deepest (m)",
    "deepest at the end (m)",
    "contact force at the end, sum of pairs (N)",
    "energy at the end less that at the start (J)",
    "hash",
];

fn run(spec: &SceneSpec, response: Response) -> [String; 6] {
    let mut deepest = 0.0f64;
    let run = runner::run(spec, response, false, false, |sim| {
        deepest = worst(deepest, sim.ledger().pairs.depth_max.iter().copied().fold(0.0, worst));
        true
    });
    match run {
        Err(e) => {
            let none = || "–".to_string();
            [runner::without_file(&e).replace('\n', " "), none(), none(), none(), none(), none()]
        }
        Ok(run) => told(&run, deepest),
    }
}

fn told(run: &Run, deepest: f64) -> [String; 6] {
    let ledger = run.sim.ledger();
    let end = run.end.to_string();
    let force: f64 = ledger.pairs.normal.iter().map(|n| n.mag()).sum::<f64>() / run.sim.dt();
    [
        end,
        format!("{deepest:.6e}"),
        format!("{:.6e}", ledger.pairs.depth_max.iter().copied().fold(0.0, worst)),
        format!("{force:.6e}"),
        format!("{:.6e}", ledger.energy.total() - run.start_energy),
        format!("{:016x}", run.sim.hash()),
    ]
}
