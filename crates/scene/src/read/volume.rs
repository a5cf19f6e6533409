//! `[volume]`.

use crate::reader::Reader;
use impinge_world::{FrictionAt, Measurement, VolumeFriction, VolumePenaltySettings, VolumeSettings, Walls};

pub(super) fn read(volume: &Reader<'_>) -> (VolumeSettings, VolumePenaltySettings) {
    let [cell, pixel, error] = ["cell", "pixel", "error"].map(|key| volume.opt_number(key));
    if let Some(e) = error.filter(|e| !(*e > 0.0 && *e < 1.0)) {
        let what = format!("`error` is {e}; it is a part of the volume");
        volume.issues().push(volume.place("error"), what, "give a number between 0 and 1, such as 0.01");
    } else if error.is_some() && pixel.is_none() {
        let what = "`error` is given and `pixel` is not: without a pixel volumes are exact".to_string();
        volume.issues().push(
            volume.place("error"),
            what,
            "give a `pixel`, the finest that may be used, or take `error` out",
        );
    }
    if cell.is_none() {
        volume.refuse(
            "walls",
            "says what the walls of cells move with, and there are none",
            "give a `cell`, or take it out",
        );
    }
    let walls = volume.word("walls", &[("carried", Walls::Carried), ("shared", Walls::Shared)]);
    let measure = Measurement { cell, by_place: volume.opt_flag("by_place"), pixel, error, walls };
    let depth = volume.number("depth");
    if let Some(pixel) = measure.pixel.filter(|p| depth < 0.5 * p) {
        let what =
            format!("`depth` ({depth} m) is less than half a pixel ({pixel} m): rays see nothing so thin");
        volume.issues().push(volume.place("depth"), what, "raise `depth` or lower `pixel`");
    }
    let settings = VolumeSettings {
        measure,
        depth,
        recovery: volume.opt_number("recovery"),
        friction_at: volume
            .word("friction_at", &[("center", FrictionAt::Center), ("surface", FrictionAt::Surface)]),
        pyramid: volume.word("cone", &[("round", false), ("pyramid", true)]),
        tolerance: volume.number("tolerance"),
        iterations: volume.opt_integer("iterations").unwrap_or(500) as u32,
        passes: volume.opt_integer("passes").unwrap_or(40) as u32,
    };
    let stiffness = volume.number("stiffness");
    let friction = friction(volume);
    (settings, VolumePenaltySettings { measure, stiffness, viscosity: volume.number("viscosity"), friction })
}

fn friction(volume: &Reader<'_>) -> VolumeFriction {
    let keys = ["bristle_stiffness", "bristle_damping"];
    let [stiffness, damping] = keys.map(|key| volume.opt_number(key));
    match VolumeFriction::BRISTLES {
        VolumeFriction::Bristles { stiffness: k, damping: d }
            if volume.word("friction", &[("viscous", false), ("bristles", true)]) =>
        {
            VolumeFriction::Bristles { stiffness: stiffness.unwrap_or(k), damping: damping.unwrap_or(d) }
        }
        _ => {
            for key in keys {
                let what = "goes with `friction = \"bristles\"` only";
                volume.refuse(key, what, "take it out, or choose that law");
            }
            VolumeFriction::Viscous
        }
    }
}
