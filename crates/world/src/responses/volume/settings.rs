//! What the responses `volume` and `volume-penalty` take from their kernel.

pub use impinge_volume::{
    CellImpulse, CellImpulses, CellImpulsesNext, MeasuredPair, Measurement, Overlaps, VolumeFriction,
    VolumePenaltySettings, VolumeReport, VolumeSettings, pair_id,
};
