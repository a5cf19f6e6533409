//! `impinge wrench`: what two bodies do to each other at one pose, under each law, without a scene and without a step.

mod bodies;
mod laws;
mod pose;

use crate::arguments;
use crate::output::{Done, Json};
use bodies::Solid;
use clap::Args;
use impinge_scene::Response;
use impinge_world::StillForce;
use laws::Row;
use serde::Serialize;
use std::process::ExitCode;

/// Arguments of `impinge wrench`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge wrench box:0.1,0.1,0.1 box:0.2,0.2,0.1 --pose 0,0,-0.099
  impinge wrench sphere:0.05 cylinder:0.05,0.2 --pose 0,0,0.145 --turn 1,0,0,10
  impinge wrench gripper.obj mug.vtk --pose 0,0,0.1,1,0,0,0 --responses pressure --json

A body is a closed mesh (OBJ, STL, PLY, GLB), tets (VTK, VTU, MSH), or box:X,Y,Z, sphere:R, cylinder:R,LENGTH or
capsule:R,LENGTH about its origin, in metres; round ones are made of facets, and the output says what they take off. `penalty` has a spring at
each vertex, so its force depends on the facets. A stands at the origin. The force is on A (N), the moment on A about A's
origin (N·m); B has the opposite. Laws whose force follows from a motion say so in their row.")]
pub struct WrenchArgs {
    /// The first body; it stands at the origin.
    a: String,
    /// The second body.
    b: String,
    /// Where B stands: 3 numbers (position), 7 (position and quaternion w,x,y,z) or 12 (rows of the 3×4 matrix).
    #[arg(long, value_name = "N,…", allow_hyphen_values = true)]
    pose: String,
    /// Turns B about an axis, in degrees; with a --pose of 3 numbers.
    #[arg(long, value_name = "X,Y,Z,DEGREES", allow_hyphen_values = true)]
    turn: Option<String>,
    /// Response families, or `all`.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", default_value = "all")]
    responses: Vec<String>,
    /// Stiffness of a contact point (N/m), for `penalty` (default: 1e4).
    #[arg(long, allow_negative_numbers = true, value_name = "N/M")]
    stiffness: Option<f64>,
    /// Stiffness of the intersection volume (Pa/m³), for `volume-penalty` (default: 1e9).
    #[arg(long, allow_negative_numbers = true, value_name = "PA/M3")]
    volume_stiffness: Option<f64>,
    /// Modulus of both pressure fields (Pa), for `pressure` (default: 1e7).
    #[arg(long, allow_negative_numbers = true, value_name = "PA")]
    modulus: Option<f64>,
    #[command(flatten)]
    json: Json,
}

/// What the command says.
#[derive(Serialize)]
struct Table<'a> {
    a: &'a str,
    b: &'a str,
    /// Of B: position, and the rows of its rotation.
    position: [f64; 3],
    rotation: [[f64; 3]; 3],
    /// What facets take off round bodies.
    notes: Vec<String>,
    rows: Vec<Row>,
}

/// Runs the command.
pub fn command(args: &WrenchArgs) -> Done {
    args.json.begin();
    let all = args.responses.iter().any(|r| r.trim() == "all");
    let responses = if all { Response::ALL.to_vec() } else { arguments::responses(&args.responses, &[])? };
    let forces: Vec<StillForce> = responses.iter().map(|r| r.response().still_force()).collect();
    let number = |option: &str, given: Option<f64>, default: f64, of: fn(&StillForce) -> bool| match given {
        None => Ok(default),
        Some(value) if !(value.is_finite() && value > 0.0) => {
            Err(format!("{option} {value:?}: give a number above 0"))
        }
        Some(value) if forces.iter().any(of) => Ok(value),
        Some(value) => Err(format!("{option} {value:?}: none of the --responses goes by it; leave it out")),
    };
    let stiffness = laws::Stiffness {
        point: number("--stiffness", args.stiffness, 1e4, |f| matches!(f, StillForce::Vertices))?,
        volume: number("--volume-stiffness", args.volume_stiffness, 1e9, |f| {
            matches!(f, StillForce::Volume(None))
        })?,
        modulus: number("--modulus", args.modulus, 1e7, |f| matches!(f, StillForce::Fields))?,
    };
    let pose = pose::read(&args.pose, args.turn.as_deref())?;
    let (a, b) = (Solid::read(&args.a)?, Solid::read(&args.b)?);
    let rows =
        responses.iter().map(|&r| laws::row(r, &a, &b, &pose, &stiffness)).collect::<Result<Vec<_>, _>>()?;
    let notes: Vec<String> =
        [(&a, &args.a), (&b, &args.b)].iter().filter_map(|(s, name)| s.faceted(name)).collect();
    notes.iter().for_each(|note| say!("note: {note}"));
    rows.iter().for_each(|row| say!("{row}"));
    let m = pose.matrix();
    args.json.print(&Table {
        a: &args.a,
        b: &args.b,
        position: pose.position.into(),
        rotation: [0, 1, 2].map(|i| [0, 1, 2].map(|j| m.cols[j][i])),
        notes,
        rows,
    });
    Ok(ExitCode::SUCCESS)
}
