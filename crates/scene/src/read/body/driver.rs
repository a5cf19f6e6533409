//! Motions of kinematic bodies: keyframes and drivers.

use super::turn;
use crate::reader::Reader;
use crate::spec::{DriverSpec, Keyframe};
use impinge_geometry::{DVec3, Pose};

pub(super) fn driver(table: &Reader<'_>) -> DriverSpec {
    let still = DriverSpec::ConstantVelocity { velocity: DVec3::zero() };
    match (table.states("keyframes"), table.states("driver")) {
        (true, true) => {
            table.refuse("driver", "stands beside `keyframes`", "keep one of them");
            return still;
        }
        (false, false) => {
            let fix = "add `keyframes` or `driver`, or set kind = \"fixed\"";
            table.issues().push(table.place("kind"), "this kinematic body has no motion", fix);
            return still;
        }
        (true, false) => return DriverSpec::Keyframes(keyframes(table)),
        (false, true) => {}
    }
    let Some(driver) = table.table("driver") else { return still };
    let one = driver.exactly_one(&["sine", "constant_velocity", "spin"]);
    let Some(inner) = one.and_then(|key| driver.table(key)) else { return still };
    match one {
        Some("sine") => DriverSpec::Sine {
            amplitude: inner.vector("amplitude"),
            frequency: inner.number("frequency"),
            phase: inner.number("phase"),
        },
        Some("spin") => DriverSpec::Spin { angular_velocity: inner.vector("angular_velocity") },
        _ => DriverSpec::ConstantVelocity { velocity: inner.vector("velocity") },
    }
}

fn keyframes(table: &Reader<'_>) -> Vec<Keyframe> {
    let tables = table.tables("keyframes");
    if tables.len() < 2 && !table.is_bad("keyframes") {
        let what =
            format!("{} keyframe{} make no motion", tables.len(), if tables.len() == 1 { "" } else { "s" });
        let fix = "give two or more, or set kind = \"fixed\" and `position`";
        table.issues().push(table.place("keyframes"), what, fix);
    }
    let mut out: Vec<Keyframe> = Vec::new();
    for frame in &tables {
        let Some(time) = frame.opt_number("time") else { continue };
        if let Some(last) = out.last()
            && time <= last.time
        {
            let what = format!("keyframe times do not increase: {time} s after {} s", last.time);
            frame.issues().push(
                frame.place("time"),
                what,
                "order the keyframes by time, each later than the last",
            );
        }
        let pose = Pose::new(frame.vector("position"), turn(frame.table("rotation"))(1.0));
        out.push(Keyframe { time, pose });
    }
    out
}
