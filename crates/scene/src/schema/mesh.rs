//! The keys of a mesh: one generator or one file.

use super::Absent::{Default, Otherwise, Required};
use super::Kind::{Flag, Integer, Number, Rows, Segments, Size, Table, Text, Vector, Word};
use super::Range::{NotNegative, Positive};
use super::{Key, Section, key};

const HALF_BOX: &str = "Centred on the body frame's origin.";

pub(crate) static MESH: Section = Section {
    title: "body.mesh",
    meaning: "A surface: exactly one of these, for example `mesh = { torus = { major = 0.3, minor = 0.1 } }`. All generated \
              meshes are closed, but for `grid` and `height_field`, which are open: ground that is met from its front. A mesh has at most 4 million triangles.",
    keys: &[
        key("box", Table(&BOX), "", Otherwise("—"), "A box."),
        key("plate", Table(&PLATE), "", Otherwise("—"), "A thin box, one segment through its thickness."),
        key("wedge", Table(&WEDGE), "", Otherwise("—"), "Half a box, cut along a diagonal."),
        key("tetrahedron", Table(&TETRAHEDRON), "", Otherwise("—"), "A regular tetrahedron."),
        key("l_shape", Table(&L_SHAPE), "", Otherwise("—"), "An L, extruded; not convex."),
        key(
            "wingnut",
            Table(&WINGNUT),
            "",
            Otherwise("—"),
            "A T-handle, which flips when it spins about its middle axis.",
        ),
        key("icosphere", Table(&ICOSPHERE), "", Otherwise("—"), "A sphere of near-equal triangles."),
        key("ellipsoid", Table(&ELLIPSOID), "", Otherwise("—"), "A stretched icosphere."),
        key(
            "uv_sphere",
            Table(&UV_SPHERE),
            "",
            Otherwise("—"),
            "A sphere of rings, with a vertex where +x leaves it.",
        ),
        key("cylinder", Table(&CYLINDER), "", Otherwise("—"), "About z."),
        key("cone", Table(&CONE), "", Otherwise("—"), "About z, the tip up."),
        key("capsule", Table(&CAPSULE), "", Otherwise("—"), "A cylinder about z with round ends."),
        key("torus", Table(&TORUS), "", Otherwise("—"), "A ring about z."),
        key("chain_link", Table(&CHAIN_LINK), "", Otherwise("—"), "A ring about z, pulled long along x."),
        key("octopus", Table(&OCTOPUS), "", Otherwise("—"), "A body with eight limbs, upright along z."),
        key(
            "dragon",
            Table(&DRAGON),
            "",
            Otherwise("—"),
            "A small creature with legs, wings and a tail, looking along x.",
        ),
        key("bowl", Table(&BOWL), "", Otherwise("—"), "The lower half of a hollow sphere, rim at z = 0."),
        key("bucket", Table(&BUCKET), "", Otherwise("—"), "A thick-walled bucket about z, open upwards."),
        key("mug", Table(&MUG), "", Otherwise("—"), "A mug about z, open upwards, with a handle at +x."),
        key(
            "spoon",
            Table(&SPOON),
            "",
            Otherwise("—"),
            "A spoon along z, hollow towards +y; a spatula with a depth of 0.",
        ),
        key("bolt", Table(&BOLT), "", Otherwise("—"), "A rod about z with a round, right-handed thread."),
        key(
            "nut",
            Table(&NUT),
            "",
            Otherwise("—"),
            "What it turns in: a ring about z with that thread inside.",
        ),
        key(
            "grid",
            Table(&GRID),
            "",
            Otherwise("—"),
            "A flat sheet facing +z; open: it has a front and no inside, and responses that need one refuse it.",
        ),
        key(
            "height_field",
            Table(&HEIGHT_FIELD),
            "",
            Otherwise("—"),
            "Ground from heights on a lattice; open as `grid`.",
        ),
        key("file", Table(&FILE), "", Otherwise("—"), "A mesh file."),
        key(
            "thicken",
            Number(Positive),
            "m",
            Otherwise("left as it is"),
            "Beside one of them that is open: closes it with a bottom this far below, along −z of the body frame, and walls. Every triangle \
             must face up.",
        ),
    ],
};

pub(crate) static BOX: Section = Section {
    title: "mesh.box",
    meaning: HALF_BOX,
    keys: &[
        key("size", Size(3), "m", Required, "Full edge lengths."),
        key(
            "segments",
            Segments(3, 1, 512),
            "1",
            Default("1"),
            "Cells along each edge; more give more contact points.",
        ),
    ],
};

pub(crate) static PLATE: Section = Section {
    title: "mesh.plate",
    meaning: HALF_BOX,
    keys: &[
        key("size", Size(2), "m", Required, "Full edge lengths along x and y."),
        key("thickness", Number(Positive), "m", Required, "Along z."),
        key("segments", Segments(2, 1, 1024), "1", Default("1"), "Cells along x and y."),
    ],
};

pub(crate) static WEDGE: Section = Section {
    title: "mesh.wedge",
    meaning: "A right triangle in x and y, its right angle at the lower x and y, extruded along z; its bounding box is centred on the \
              origin.",
    keys: &[key("size", Size(3), "m", Required, "Legs along x and y, thickness along z.")],
};

pub(crate) static TETRAHEDRON: Section = Section {
    title: "mesh.tetrahedron",
    meaning: "Centred on its centroid.",
    keys: &[key("edge", Number(Positive), "m", Required, "Edge length.")],
};

pub(crate) static L_SHAPE: Section = Section {
    title: "mesh.l_shape",
    meaning: "A foot along x and a leg along y, extruded along z; its bounding box is centred on the origin.",
    keys: &[
        key("size", Size(3), "m", Required, "Full lengths along x and y, thickness along z."),
        key("arm", Number(Positive), "m", Required, "Width of foot and leg; less than their lengths."),
    ],
};

pub(crate) static WINGNUT: Section = Section {
    title: "mesh.wingnut",
    meaning: "A bar along x and a stem below it along y, extruded along z. Three distinct moments of inertia; the middle axis is x or y, \
              depending on the lengths.",
    keys: &[
        key("bar", Size(2), "m", Required, "Length along x and width along y."),
        key("stem", Size(2), "m", Required, "Width along x and length along y."),
        key("thickness", Number(Positive), "m", Required, "Along z."),
    ],
};

pub(crate) static ICOSPHERE: Section = Section {
    title: "mesh.icosphere",
    meaning: HALF_BOX,
    keys: &[
        key("radius", Number(Positive), "m", Required, "Of the vertices."),
        key("subdivisions", Integer(0, 8), "1", Default("3"), "20 · 4ⁿ triangles."),
    ],
};

pub(crate) static ELLIPSOID: Section = Section {
    title: "mesh.ellipsoid",
    meaning: HALF_BOX,
    keys: &[
        key("radii", Size(3), "m", Required, "Half axes."),
        key("subdivisions", Integer(0, 8), "1", Default("3"), "20 · 4ⁿ triangles."),
    ],
};

pub(crate) static UV_SPHERE: Section = Section {
    title: "mesh.uv_sphere",
    meaning: HALF_BOX,
    keys: &[
        key("radius", Number(Positive), "m", Required, "Of the vertices."),
        key("segments", Integer(3, 4096), "1", Default("24"), "Around the x axis."),
        key("rings", Integer(2, 4096), "1", Default("16"), "Bands from +x to −x."),
        key(
            "flat_pole",
            Flag,
            "",
            Default("false"),
            "Cuts the last band off: a flat cap at x = −radius · cos(π / rings), so that a row of balls along x touches vertex on face.",
        ),
    ],
};

pub(crate) static CYLINDER: Section = Section {
    title: "mesh.cylinder",
    meaning: HALF_BOX,
    keys: &[
        key("radius", Number(Positive), "m", Required, "Of the vertices."),
        key("height", Number(Positive), "m", Required, "Along z."),
        key("segments", Integer(3, 4096), "1", Default("24"), "Around z."),
        key("stacks", Integer(1, 4096), "1", Default("1"), "Along z."),
    ],
};

pub(crate) static CONE: Section = Section {
    title: "mesh.cone",
    meaning: "Its bounding box is centred on the origin: tip at +height/2, base at −height/2.",
    keys: &[
        key("radius", Number(Positive), "m", Required, "Of the base."),
        key("height", Number(Positive), "m", Required, "Along z."),
        key("segments", Integer(3, 4096), "1", Default("24"), "Around z."),
    ],
};

pub(crate) static CAPSULE: Section = Section {
    title: "mesh.capsule",
    meaning: HALF_BOX,
    keys: &[
        key("radius", Number(Positive), "m", Required, "Of cylinder and ends."),
        key("length", Number(Positive), "m", Required, "Of the cylinder, without the ends, along z."),
        key("segments", Integer(3, 4096), "1", Default("24"), "Around z."),
        key("rings", Integer(1, 1024), "1", Default("6"), "Bands of each end."),
    ],
};

pub(crate) static TORUS: Section = Section {
    title: "mesh.torus",
    meaning: HALF_BOX,
    keys: &[
        key("major", Number(Positive), "m", Required, "Radius of the tube's centre line."),
        key("minor", Number(Positive), "m", Required, "Radius of the tube; less than `major`."),
        key("segments", Integer(3, 4096), "1", Default("32"), "Around z."),
        key("sides", Integer(3, 4096), "1", Default("16"), "Around the tube."),
    ],
};

pub(crate) static CHAIN_LINK: Section = Section {
    title: "mesh.chain_link",
    meaning: HALF_BOX,
    keys: &[
        key(
            "half_straight",
            Number(Positive),
            "m",
            Required,
            "Half the length of the straight pieces, along x.",
        ),
        key("major", Number(Positive), "m", Required, "Radius of the centre line of the round ends."),
        key("minor", Number(Positive), "m", Required, "Radius of the wire; less than `major`."),
        key("segments", Integer(6, 4096), "1", Default("16"), "Around both round ends together; even."),
        key("sides", Integer(3, 4096), "1", Default("8"), "Around the wire."),
    ],
};

pub(crate) static OCTOPUS: Section = Section {
    title: "mesh.octopus",
    meaning: HALF_BOX,
    keys: &[
        key("span", Number(Positive), "m", Required, "Longest side of the bounding box."),
        key(
            "resolution",
            Integer(32, 512),
            "1",
            Default("96"),
            "Cells along it; 33 gives 14 thousand triangles, 96 gives 125 thousand.",
        ),
    ],
};

pub(crate) static DRAGON: Section = Section {
    title: "mesh.dragon",
    meaning: HALF_BOX,
    keys: &[
        key("span", Number(Positive), "m", Required, "Longest side of the bounding box."),
        key(
            "resolution",
            Integer(13, 512),
            "1",
            Default("16"),
            "Cells along it; 13 gives about 2500 triangles.",
        ),
    ],
};

pub(crate) static BUCKET: Section = Section {
    title: "mesh.bucket",
    meaning: HALF_BOX,
    keys: &[
        key("bottom_radius", Number(Positive), "m", Required, "Outside, at the bottom."),
        key("rim_radius", Number(Positive), "m", Required, "Outside, at the rim."),
        key("height", Number(Positive), "m", Required, "Outside."),
        key(
            "thickness",
            Number(Positive),
            "m",
            Required,
            "Of bottom and wall; less than the radii and the height.",
        ),
        key("segments", Integer(3, 4096), "1", Default("32"), "Around z."),
        key("stacks", Integer(1, 1024), "1", Default("8"), "Bands up each wall."),
    ],
};

pub(crate) static MUG: Section = Section {
    title: "mesh.mug",
    meaning: "The vessel is centred on the origin. Its handle is half a ring of the section of one quad of the wall.",
    keys: &[
        key("radius", Number(Positive), "m", Required, "Outside."),
        key("height", Number(Positive), "m", Required, "Outside."),
        key(
            "thickness",
            Number(Positive),
            "m",
            Required,
            "Of bottom and wall; less than the radius and the height.",
        ),
        key(
            "segments",
            Integer(8, 4096),
            "1",
            Default("24"),
            "Around z; even. A quad at +x carries the handle.",
        ),
        key("stacks", Integer(4, 1024), "1", Default("8"), "Bands up each wall."),
    ],
};

pub(crate) static SPOON: Section = Section {
    title: "mesh.spoon",
    meaning: "A round handle with its middle at the origin, and an oval bowl at its +z end.",
    keys: &[
        key("radius", Number(Positive), "m", Required, "Of the handle."),
        key("length", Number(Positive), "m", Required, "Of the handle."),
        key("bowl", Size(2), "m", Required, "Length and width of the bowl; broader than the handle."),
        key("depth", Number(NotNegative), "m", Default("0.0"), "Of the bowl."),
        key("thickness", Number(Positive), "m", Required, "Of the bowl; thinner than the handle."),
        key("segments", Integer(8, 4096), "1", Default("24"), "Around the handle; even."),
        key("rings", Integer(8, 4096), "1", Default("24"), "Along the bowl."),
    ],
};

const PITCH: Key = key("pitch", Number(Positive), "m", Required, "Rise of one turn.");
const DEPTH: Key = key(
    "depth",
    Number(Positive),
    "m",
    Required,
    "From crest to root; less than `radius`. The profile is a cosine.",
);
const THREAD_STACKS: Key =
    key("stacks", Integer(1, 4096), "1", Required, "Along z; eight or more in a pitch.");

pub(crate) static BOLT: Section = Section {
    title: "mesh.bolt",
    meaning: "Centred on the body frame's origin; at z = 0 the crest lies on +x. Its volume tends to π ((radius − depth/2)² + depth²/8) length, \
              less the socket. Where one of `segments` and the stacks in a pitch divides the other, the facets climb with the thread.",
    keys: &[
        key("radius", Number(Positive), "m", Required, "To the crests."),
        PITCH,
        DEPTH,
        key("length", Number(Positive), "m", Required, "Along z."),
        key(
            "socket",
            Number(Positive),
            "m",
            Otherwise("none"),
            "Width across flats of a square socket from the top.",
        ),
        key(
            "socket_depth",
            Number(Positive),
            "m",
            Otherwise("needed with `socket`"),
            "Its depth, less than `length`.",
        ),
        key("segments", Integer(3, 4096), "1", Default("32"), "Around z; a multiple of 8 with a socket."),
        THREAD_STACKS,
    ],
};

pub(crate) static NUT: Section = Section {
    title: "mesh.nut",
    meaning: "Centred on the body frame's origin; its thread as that of `bolt`. A bolt fits whose `radius` is less by the clearance.",
    keys: &[
        key("radius", Number(Positive), "m", Required, "To the roots: where the hole is widest."),
        PITCH,
        DEPTH,
        key("outer", Number(Positive), "m", Required, "Radius outside, more than `radius`."),
        key("length", Number(Positive), "m", Required, "Along z."),
        key("segments", Integer(3, 4096), "1", Default("32"), "Around z."),
        THREAD_STACKS,
    ],
};

pub(crate) static BOWL: Section = Section {
    title: "mesh.bowl",
    meaning: "The middle of the sphere is the body frame's origin.",
    keys: &[
        key("radius", Number(Positive), "m", Required, "Outside."),
        key("thickness", Number(Positive), "m", Required, "Of the wall; less than `radius`."),
        key("segments", Integer(3, 4096), "1", Default("32"), "Around z."),
        key("rings", Integer(1, 1024), "1", Default("12"), "Bands from pole to rim on each side."),
    ],
};

pub(crate) static GRID: Section = Section {
    title: "mesh.grid",
    meaning: HALF_BOX,
    keys: &[
        key("size", Size(2), "m", Required, "Full lengths along x and y."),
        key("segments", Segments(2, 1, 1024), "1", Default("1"), "Cells along x and y."),
    ],
};

pub(crate) static HEIGHT_FIELD: Section = Section {
    title: "mesh.height_field",
    meaning: "Centred on the z axis of the body frame, facing +z. Exactly one of `heights` and `path`.",
    keys: &[
        key("size", Size(2), "m", Required, "Full lengths along x and y."),
        key(
            "heights",
            Rows,
            "m",
            Otherwise("—"),
            "Rows of heights along x, all of one length, two or more; the first row is that of the least y. Two rows or more.",
        ),
        key(
            "path",
            Text,
            "",
            Otherwise("—"),
            "A text file of such rows, a row a line, relative to the folder of the scene file. Numbers are separated by blanks, commas or \
             semicolons; lines that begin with `#` are left out.",
        ),
    ],
};

pub(crate) static FILE: Section = Section {
    title: "mesh.file",
    meaning: "A mesh file, read as it stands, then turned (`up`), scaled (`scale` or `fit`) and moved (`center`), in this order.",
    keys: &[
        key(
            "path",
            Text,
            "",
            Required,
            "Relative to the folder of the scene file. Vertices that no triangle names are left out.",
        ),
        key(
            "scale",
            Number(Positive),
            "1",
            Default("1.0"),
            "Multiplies all coordinates; 0.001 for a file in millimetres.",
        ),
        key(
            "fit",
            Number(Positive),
            "m",
            Otherwise("`scale`"),
            "Scales so that the longest side of the bounding box has this length.",
        ),
        key(
            "up",
            Word(&[("z", "as in the file"), ("y", "the file's y axis is turned to z")]),
            "",
            Default("\"z\""),
            "The axis that is up in the file.",
        ),
        key("center", Vector, "m", Otherwise("as in the file"), "Where the middle of the bounding box goes."),
    ],
};
