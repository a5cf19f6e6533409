//! The keys of pressure fields.

use super::Absent::{Default, Otherwise, Required};
use super::Kind::{Number, Table, Word};
use super::Range::{Fraction, NotNegative, Positive};
use super::{SOLID, Section, key};

pub(crate) static FIELD: Section = Section {
    title: "body.pressure",
    meaning: "The pressure field of a rigid, kinematic or fixed body, for the response `pressure`: p = E ε, with ε from 0 on the surface to 1 \
              at the deepest points. Bodies without one are rigid; one that moves and meets another \
              rigid one gets a field by its weight, with a warning. A plane takes `modulus` and `thickness`: p = E · depth / thickness.",
    keys: &[
        key("modulus", Number(Positive), "Pa", Required, "E."),
        key(
            "dissipation",
            Number(NotNegative),
            "s/m",
            Otherwise("the pair's `hunt_crossley`"),
            "χ in p = E ε (1 + χ v), v being the speed of approach. Two fields share theirs by modulus.",
        ),
        key(
            "field",
            Word(&[
                (
                    "exact",
                    "distance to the surface, on the medial axis: box, plate, spheres, ellipsoid, cylinder, capsule",
                ),
                ("distance", "distance to the surface at the vertices of the tets"),
                ("laplace", "harmonic between the surface and the deepest vertices of the tets"),
            ]),
            "",
            Otherwise("`\"exact\"` for those shapes, else `\"distance\"`"),
            "How ε is made.",
        ),
        key(
            "resolution",
            Number(Positive),
            "m",
            Otherwise(
                "half the smallest radius or size, and of a ball, ellipsoid or capsule without a `law` less, so that facets cut off a twentieth of the depth it rests at; of any other mesh a sixth of its smallest extent or a third of its wall, or more to keep it near 20 000 tets, but half a wall at most",
            ),
            "Length of the facets of round shapes, and of tets without `solid`. Edges and places finer than that are rounded off or lost: \
             `impinge mesh FILE --tets RESOLUTION` measures it. Where none is stated, cells are stretched to fit the mesh.",
        ),
        key(
            "solid",
            Table(&SOLID),
            "m",
            Otherwise("made from the mesh: its generator's, or a filling of any closed surface"),
            "The tets that carry the field, in the frame of the mesh; for `distance` and `laplace`.",
        ),
        key("thickness", Number(Positive), "m", Otherwise("needed for a plane"), "Of the layer on a plane."),
        key(
            "law",
            Table(&LAW),
            "",
            Otherwise("p = E ε"),
            "Pressure that is not linear in ε. Tets are cut along levels of ε, so a tighter `tolerance` makes more of them.",
        ),
    ],
};

pub(crate) static LAW: Section = Section {
    title: "body.pressure.law",
    meaning: "p = E f(ε) in place of E ε. Both laws start with the slope of the linear one.",
    keys: &[
        key(
            "kind",
            Word(&[
                ("logarithmic", "f = −ln(1 − ε): logarithmic strain, without bound at full depth"),
                ("bounded", "f = ε/(1 − ε/bound): without bound at the strain `bound`"),
            ]),
            "",
            Required,
            "The law.",
        ),
        key("bound", Number(Positive), "1", Otherwise("needed with `kind = \"bounded\"`"), "Largest strain."),
        key(
            "most",
            Number(Positive),
            "1",
            Otherwise("0.9 of the strain without bound"),
            "Strain up to which the law holds; a straight line with its slope goes on from there, so that the pressure stays finite.",
        ),
        key(
            "tolerance",
            Number(Fraction),
            "1",
            Default("0.02"),
            "How far chords may depart from the law, as a part of the pressure there.",
        ),
    ],
};
