//! The one list of responses, and what a name leads to. A response of somebody's own joins it by [`register`].

use crate::registered::Registered;
use crate::response::Response;
use crate::responses::cpf::implicit::object as cpf_implicit;
use crate::responses::cpf::implicit::object::CpfImplicit;
use crate::responses::cpf::object::{self as cpf, Cpf};
use crate::responses::penalty::object::{self as penalty, Penalty};
use crate::responses::pressure::object as pressure;
use crate::responses::pressure::settings::PressureSettings;
use crate::responses::qp::object as qp;
use crate::responses::qp::settings::QpSettings;
use crate::responses::volume::object as volume;
use crate::responses::volume::settings::{VolumePenaltySettings, VolumeSettings};
use crate::tables::{TABLES, Table};
use impinge_bodies::{Directions, ShapeKind};
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// The responses of this project.
pub static RESPONSES: &[Registered] = &[
    penalty::REGISTERED,
    cpf::REGISTERED,
    cpf::AT_END,
    cpf_implicit::REGISTERED,
    qp::REGISTERED,
    volume::REGISTERED,
    volume::PENALTY,
    pressure::REGISTERED,
];

/// Those that a program has added.
static OWN: RwLock<Vec<Registered>> = RwLock::new(Vec::new());

/// Adds a response of your own, for scene files, comparisons and snapshots of this process.
///
/// # Errors
/// When its name, its table in scene files or the name of a column is taken.
pub fn register(entry: Registered) -> Result<(), String> {
    let mut own = OWN.write().unwrap_or_else(PoisonError::into_inner);
    if RESPONSES.iter().chain(own.iter()).any(|r| r.name == entry.name) {
        return Err(format!("a response '{}' is there already; give yours another name", entry.name));
    }
    if entry.name == "none" {
        return Err("'none' stands for no response in a rule; give yours another name".to_string());
    }
    if let Some(r) = RESPONSES.iter().chain(own.iter()).find(|r| r.section == entry.section) {
        return Err(format!(
            "the table [{}] belongs to the response '{}'; give '{}' a table of its own",
            entry.section, r.name, entry.name
        ));
    }
    let response = (entry.default)();
    if response.name() != entry.name {
        return Err(format!(
            "the response that '{}' starts with calls itself '{}'; give both one name",
            entry.name,
            response.name()
        ));
    }
    let known = RESPONSES.iter().chain(own.iter()).flat_map(|r| (r.default)().tables()).chain(TABLES);
    let known: Vec<Table> = known.flat_map(|t| t.whole()).collect();
    for table in response.tables().iter().flat_map(|t| t.whole()) {
        if known.iter().any(|k| k.name == table.name && !k.is(&table)) {
            return Err(format!(
                "a table '{}' of another type is there already; give that of '{}' another name",
                table.name, entry.name
            ));
        }
    }
    own.push(entry);
    Ok(())
}

fn all() -> Vec<Registered> {
    let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
    RESPONSES.iter().chain(own.iter()).copied().collect()
}

/// The table of this name that some response keeps, or every one has.
#[cfg(feature = "serde")]
pub(crate) fn table(name: &str) -> Option<Table> {
    let own = all().into_iter().flat_map(|r| (r.default)().tables());
    TABLES.iter().chain(own).flat_map(|t| t.whole()).find(|t| t.name == name)
}

/// The response of a world of which nothing is said.
pub(crate) fn standard() -> Response {
    (RESPONSES[0].default)()
}

/// The name of a response that is in the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Family(&'static str);

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Family {
    /// Discrete penalty: a spring along the way to the closest point of the other surface.
    pub const PENALTY: Self = Self(penalty::REGISTERED.name);
    /// Continuous penalty: a spring on feature pairs found by CCD, integrated over the step.
    pub const CPF: Self = Self(cpf::REGISTERED.name);
    /// Discrete penalty on those feature pairs: the depth at the end of the step.
    pub const DPF_CCD: Self = Self(cpf::AT_END.name);
    /// Continuous penalty by discrete gradients, solved implicitly.
    pub const CPF_IMPLICIT: Self = Self(cpf_implicit::REGISTERED.name);
    /// Linear constraints solved together with the implicit step.
    pub const QP: Self = Self(qp::REGISTERED.name);
    /// Constraints on intersection volume.
    pub const VOLUME: Self = Self(volume::REGISTERED.name);
    /// The energy ½kV² of intersection volume.
    pub const VOLUME_PENALTY: Self = Self(volume::PENALTY.name);
    /// Pressure fields in the bodies.
    pub const PRESSURE: Self = Self(pressure::REGISTERED.name);

    /// Those of this project, in the order of the list.
    pub const ALL: &[Family] = &{
        let mut all = [Self::PENALTY; RESPONSES.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Self(RESPONSES[i].name);
            i += 1;
        }
        all
    };

    /// Those of this project and of this program, in the order of the list.
    pub fn all() -> Vec<Family> {
        all().iter().map(|r| Self(r.name)).collect()
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        all().iter().find(|r| r.name == name).map(|r| Self(r.name))
    }

    /// The name in a scene file and on the command line.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Its line in the list.
    pub fn entry(self) -> Registered {
        all().into_iter().find(|r| r.name == self.0).unwrap_or(RESPONSES[0])
    }

    /// The response with the settings that hold where nothing is said.
    pub fn response(self) -> Response {
        (self.entry().default)()
    }
}

/// In which directions the response of this name can test a pair of shapes.
pub fn directions(family: Family, first: ShapeKind, second: ShapeKind) -> Directions {
    family.response().directions(first, second)
}

impl Response {
    /// Its name, as it stands in the list.
    pub fn family(&self) -> Family {
        Family(self.name())
    }

    /// Discrete penalty as the papers use it.
    pub fn penalty() -> Self {
        Penalty::default().into()
    }

    /// Continuous penalty: L_k where its error is certainly below 10⁻³, |m(t)| elsewhere.
    pub fn cpf() -> Self {
        Cpf::default().into()
    }

    /// The discrete force on the pairs that continuous penalty tracks (seed 000 Fig. 8 b).
    pub fn dpf_ccd() -> Self {
        Cpf::at_end().into()
    }

    /// Implicit continuous penalty by the gradient that keeps angular momentum as well.
    pub fn cpf_implicit() -> Self {
        CpfImplicit::default().into()
    }

    /// Constraints with surfaces a millimetre apart.
    pub fn qp() -> Self {
        QpSettings::default().into()
    }

    /// One constraint for each pair that overlaps, measured exactly.
    pub fn volume() -> Self {
        VolumeSettings::default().into()
    }

    /// ½kV² with 1 GPa/m³ and no viscosity.
    pub fn volume_penalty() -> Self {
        VolumePenaltySettings::default().into()
    }

    /// Pressure fields, solved implicitly, with friction that remembers.
    pub fn pressure() -> Self {
        PressureSettings::default().into()
    }
}
