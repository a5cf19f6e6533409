//! The keys of deformable bodies: shape, what they are made of, what holds them.

use super::Absent::{Default, Otherwise, Required};
use super::Kind::{Direction, Integer, Number, Segments, Size, Table, Text, Vector, Word};
use super::Range::{Any, Fraction, NotNegative, Positive};
use super::{MESH, Section, key};

pub(crate) static SOLID: Section = Section {
    title: "body.solid",
    meaning: "A solid cut into tetrahedra: exactly one of these. Generated shapes are centred on the body frame's origin.",
    keys: &[
        key("box", Table(&BOX), "", Otherwise("—"), "A box; five tets a cell."),
        key("sphere", Table(&SPHERE), "", Otherwise("—"), "A ball of shells."),
        key("cylinder", Table(&CYLINDER), "", Otherwise("—"), "About z."),
        key("capsule", Table(&CAPSULE), "", Otherwise("—"), "A cylinder about z with round ends."),
        key("torus", Table(&TORUS), "", Otherwise("—"), "A ring about z."),
        key(
            "lattice",
            Table(&LATTICE),
            "",
            Otherwise("—"),
            "Any closed surface, carried by the cubes of a coarse lattice that it touches: contact sees the fine surface, \
             elasticity the coarse cells.",
        ),
        key("file", Table(&FILE), "", Otherwise("—"), "Tetrahedra from a file: .vtk, .vtu, .msh."),
    ],
};

pub(crate) static BOX: Section = Section {
    title: "solid.box",
    meaning: "Five tets a cell.",
    keys: &[
        key("size", Size(3), "m", Required, "Full edge lengths."),
        key("segments", Segments(3, 1, 256), "1", Default("1"), "Cells along each edge."),
    ],
};

pub(crate) static SPHERE: Section = Section {
    title: "solid.sphere",
    meaning: "20 n³ tets.",
    keys: &[
        key("radius", Number(Positive), "m", Required, "Of the outermost vertices."),
        key("rings", Integer(1, 64), "1", Default("4"), "Shells n."),
    ],
};

pub(crate) static CYLINDER: Section = Section {
    title: "solid.cylinder",
    meaning: "18 rings² stacks tets.",
    keys: &[
        key("radius", Number(Positive), "m", Required, "Of the outermost vertices."),
        key("height", Number(Positive), "m", Required, "Along z."),
        key("rings", Integer(1, 64), "1", Default("2"), "Circles around the axis."),
        key("stacks", Integer(1, 4096), "1", Default("4"), "Layers along z."),
    ],
};

pub(crate) static CAPSULE: Section = Section {
    title: "solid.capsule",
    meaning: "A cylinder with half balls as ends.",
    keys: &[
        key("radius", Number(Positive), "m", Required, "Of cylinder and ends."),
        key("length", Number(Positive), "m", Required, "Of the cylinder, without the ends, along z."),
        key("rings", Integer(1, 64), "1", Default("2"), "Shells."),
        key("stacks", Integer(1, 4096), "1", Default("4"), "Layers along z."),
    ],
};

pub(crate) static TORUS: Section = Section {
    title: "solid.torus",
    meaning: "Wedges around z, each cut into tets.",
    keys: &[
        key("major", Number(Positive), "m", Required, "Radius of the tube's centre line."),
        key("minor", Number(Positive), "m", Required, "Radius of the tube; less than `major`."),
        key("segments", Integer(3, 1024), "1", Default("24"), "Around z."),
        key("sides", Integer(3, 256), "1", Default("8"), "Around the tube."),
    ],
};

pub(crate) static LATTICE: Section = Section {
    title: "solid.lattice",
    meaning: "Cubes of a lattice that the surface touches or encloses, five tets each. Their density is lowered so that the body weighs \
              what the surface encloses.",
    keys: &[
        key("cell", Number(Positive), "m", Required, "Edge of a cube."),
        key("surface", Table(&MESH), "m", Required, "A closed surface."),
    ],
};

pub(crate) static FILE: Section = Section {
    title: "solid.file",
    meaning: "A file of tetrahedra, read as it stands, then scaled and moved. Inverted tets are refused.",
    keys: &[
        key("path", Text, "", Required, "Relative to the folder of the scene file."),
        key("scale", Number(Positive), "1", Default("1.0"), "Multiplies all coordinates."),
        key("center", Vector, "m", Otherwise("as in the file"), "Where the middle of the bounding box goes."),
    ],
};

pub(crate) static ELASTIC: Section = Section {
    title: "body.elastic",
    meaning: "What a deformable solid is made of; its density is the body's or the material's.",
    keys: &[
        key(
            "model",
            Word(&[
                (
                    "corotational",
                    "linear elasticity that turns with each tet; cheap, recovers from inversion",
                ),
                (
                    "neo-hookean",
                    "stable neo-Hookean; keeps its volume at large strain, recovers from inversion",
                ),
            ]),
            "",
            Default("\"corotational\""),
            "The energy.",
        ),
        key("young", Number(Positive), "Pa", Required, "Young's modulus."),
        key("poisson", Number(Any), "1", Default("0.3"), "Poisson's ratio, above -1 and below 0.5."),
        key(
            "rayleigh_mass",
            Number(NotNegative),
            "1/s",
            Default("0.0"),
            "Damping in proportion to mass; slows falling, too.",
        ),
        key(
            "rayleigh_stiffness",
            Number(NotNegative),
            "s",
            Default("0.0"),
            "Damping in proportion to stiffness.",
        ),
    ],
};

pub(crate) static CLOTH: Section = Section {
    title: "body.cloth",
    meaning: "What a sheet is made of; its density is the body's or the material's.",
    keys: &[
        key("young", Number(Positive), "Pa", Required, "Young's modulus in the plane."),
        key("poisson", Number(Any), "1", Default("0.3"), "Poisson's ratio, between -1 and 1."),
        key("thickness", Number(Positive), "m", Required, "Of the sheet."),
        key(
            "bending",
            Number(NotNegative),
            "1",
            Default("1.0"),
            "Bending stiffness over that of a solid plate of this thickness, in near-equilateral triangles; a `grid` of squares bends a fifth softer, one of long rectangles more so. 0.01 and less for woven cloth.",
        ),
        key("rayleigh_mass", Number(NotNegative), "1/s", Default("0.0"), "Damping in proportion to mass."),
        key(
            "rayleigh_stiffness",
            Number(NotNegative),
            "s",
            Default("0.0"),
            "Damping in proportion to stiffness.",
        ),
    ],
};

pub(crate) static CABLE: Section = Section {
    title: "body.cable",
    meaning: "What a cable is made of, a round bar that stretches and bends; its density is the body's or the material's.",
    keys: &[
        key("young", Number(Positive), "Pa", Required, "Young's modulus."),
        key("radius", Number(Positive), "m", Required, "Of its section."),
        key(
            "bending",
            Number(NotNegative),
            "1",
            Default("1.0"),
            "Bending stiffness over that of a solid bar of this radius; a rope of many strands has far less.",
        ),
        key("rayleigh_mass", Number(NotNegative), "1/s", Default("0.0"), "Damping in proportion to mass."),
        key(
            "rayleigh_stiffness",
            Number(NotNegative),
            "s",
            Default("0.0"),
            "Damping in proportion to stiffness.",
        ),
    ],
};

pub(crate) static STRAIN_LIMIT: Section = Section {
    title: "body.strain_limit",
    meaning: "Rows of the response `qp` (QP-Collide, §4.5) that keep the length of every edge of cloth and every segment of a cable between \
              limits; the other responses refuse it. At least one of the two.",
    keys: &[
        key(
            "upper",
            Number(NotNegative),
            "1",
            Otherwise("none"),
            "Most that an edge grows, over its length at rest; 0 does not stretch.",
        ),
        key(
            "lower",
            Number(Fraction),
            "1",
            Otherwise("none"),
            "Most that an edge shrinks, over its length at rest, below 1; 0 does not shrink, and cloth then hardly folds.",
        ),
    ],
};

pub(crate) static ATTACH: Section = Section {
    title: "body.attach",
    meaning: "Holds the nodes inside a box, where they are at the start.",
    keys: &[
        key(
            "min",
            Vector,
            "m",
            Required,
            "Lowest corner of the box, in the body frame; borders count as inside.",
        ),
        key("max", Vector, "m", Required, "Highest corner."),
        key(
            "to",
            Text,
            "",
            Default("\"world\""),
            "\"world\", or the name of a rigid, kinematic or fixed body.",
        ),
        key(
            "stiffness",
            Number(Positive),
            "N/m",
            Otherwise("nodes are pinned; to a rigid body, ten times the material's"),
            "Of a spring from each node to the point where it started.",
        ),
        key("damping", Number(NotNegative), "N·s/m", Default("0.0"), "Beside the spring."),
    ],
};

pub(crate) static DEFORMABLE: Section = Section {
    title: "[deformable]",
    meaning: "How implicit steps of deformables are solved; of no effect without them. A solve that does not reach its tolerance ends \
              the run with the residual, and the last good state is kept.",
    keys: &[
        key(
            "solver",
            Word(&[
                (
                    "auto",
                    "for each body that nothing joins to others, by size: dense Cholesky up to 96 unknowns, else conjugate gradients with SSOR",
                ),
                ("dense", "dense Cholesky"),
                ("ssor", "conjugate gradients with SSOR"),
                ("two-level", "conjugate gradients with SSOR and a coarse level of rigid motions"),
                ("block-jacobi", "conjugate gradients with block Jacobi"),
            ]),
            "",
            Default("\"auto\""),
            "The linear solver.",
        ),
        key("tolerance", Number(Positive), "1", Default("1e-8"), "‖b − A x‖ / ‖b‖ of the linear solver."),
        key("max_iterations", Integer(1, 1_000_000), "1", Default("2000"), "Most of a linear solve."),
        key(
            "newton_tolerance",
            Number(Positive),
            "1",
            Default("1e-10"),
            "What Newton's method leaves of the momentum balance, relative to the momenta in it.",
        ),
        key("newton_max", Integer(1, 1_000_000), "1", Default("200"), "Most iterations of Newton's method."),
    ],
};

/// What the time of an edit means.
const WHEN: &str = "Before the step that starts then; before the end of the run.";

pub(crate) static CUT: Section = Section {
    title: "[[cut]]",
    meaning: "Cuts a deformable solid or a sheet along a plane, between two steps: elements the plane crosses are subdivided, the two sides no \
              longer share nodes. A cable cannot be cut, nor a solid carried by a lattice.",
    keys: &[
        key("body", Text, "", Required, "Its name."),
        key("time", Number(NotNegative), "s", Required, WHEN),
        key("point", Vector, "m", Required, "A point of the plane, in the world."),
        key("normal", Direction, "1", Required, "Across the plane; made a unit vector."),
        key(
            "min",
            Vector,
            "m",
            Otherwise("the whole body is cut"),
            "Lowest corner of the region that is cut, in the world: elements whose middle lies in it; with `max`.",
        ),
        key("max", Vector, "m", Otherwise("the whole body is cut"), "Highest corner; with `min`."),
        key(
            "snap",
            Number(Fraction),
            "1",
            Default("0.1"),
            "Up to 0.5. Where the plane passes a node this near, as a fraction of the edge, the cut goes through the node.",
        ),
    ],
};

pub(crate) static REFINE: Section = Section {
    title: "[[refine]]",
    meaning: "Makes the mesh of a deformable solid or a sheet finer, between two steps: every edge of the elements in a region gets a node in its middle. What \
              a body is like stays, and where it is and how it moves: nodes are made where the elements have them. Only what bends a sheet at its creases is \
              twice as much at first, a crease being two of half the length, until it has become a curve. After `[[cut]]`s of the same time.",
    keys: &[
        key("body", Text, "", Required, "Its name."),
        key("time", Number(NotNegative), "s", Required, WHEN),
        key(
            "min",
            Vector,
            "m",
            Otherwise("the whole body is refined"),
            "Lowest corner of the region, in the world: elements whose middle lies in it; with `max`.",
        ),
        key("max", Vector, "m", Otherwise("the whole body is refined"), "Highest corner; with `min`."),
    ],
};
