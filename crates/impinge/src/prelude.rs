//! What most programs name: `use impinge::prelude::*`.
//!
//! Everything here is a re-export; where two crates have a type of one name (a scene file's `Stiffness` and a
//! pair law's), this is the one that runs, not the one that is read from a file.

pub use impinge_contact::{
    Actuator, Axes, Axis, Damping, EventKind, FrictionLaw, Ledger, PairLaw, Sides, SlipRule, Stiffness,
    SurfaceMap, Surfaces, apply,
};
pub use impinge_geometry::{DMat3, DRotor3, DVec3, Pose, TriMesh, generators, rotor_from_rotation_vector};
pub use impinge_integrators::{AnchorSpring, Driver, Keyframe, Scheme};
pub use impinge_io::{ReadOptions, UpAxis, read_mesh};
pub use impinge_penalty::{Evaluate, Release};
#[cfg(feature = "files")]
pub use impinge_scene::SceneSpec;
pub use impinge_watch::Watches;
pub use impinge_world::{
    BodyDesc, BodyId, BodyKey, BodyView, BuildError, Builder, Column, ContactResponse, Cpf, CpfImplicit,
    Detection, Groups, Mass, MeshShape, Motion, Name, OpenError, Origin, Outcome, PairRule, Penalty,
    Pipeline, Place, PressureSettings, QpSettings, Repeat, Response, Sensor, Simulation, Slot, Snapshot,
    Stage, StageError, Step, StepError, Suggested, SurfaceVelocity, TimedForce, Twist, VolumePenaltySettings,
    VolumeSettings, hecs,
};
