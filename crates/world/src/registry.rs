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
use crate::settings::Settings;
use crate::tables::{TABLES, Table};
use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::sync::{PoisonError, RwLock};

/// The responses of this project.
pub static RESPONSES: &[&Registered] = &[
    &penalty::REGISTERED,
    &cpf::REGISTERED,
    &cpf::AT_END,
    &cpf_implicit::REGISTERED,
    &qp::REGISTERED,
    &volume::REGISTERED,
    &volume::PENALTY,
    &pressure::REGISTERED,
];

/// Those that a program has added.
static OWN: RwLock<Vec<&'static Registered>> = RwLock::new(Vec::new());

/// Adds a response of your own, for scene files, comparisons and snapshots of this process.
///
/// # Errors
/// When its name, its table in scene files or the name of a column is taken, and when it does not read its table key by key.
pub fn register(entry: Registered) -> Result<(), String> {
    let mut own = OWN.write().unwrap_or_else(PoisonError::into_inner);
    let known: Vec<&Registered> = RESPONSES.iter().chain(own.iter()).copied().collect();
    let table = entry.section.name();
    if known.iter().any(|r| r.name == entry.name) {
        return Err(format!("a response '{}' is there already; give yours another name", entry.name));
    }
    if entry.name == "none" {
        return Err("'none' stands for no response in a rule; give yours another name".to_string());
    }
    if let Some(r) = known.iter().find(|r| r.section.name() == table) {
        return Err(format!(
            "the table [{table}] belongs to the response '{}'; give '{}' a table of its own",
            r.name, entry.name
        ));
    }
    let mut settings = Settings::new(entry.section, []);
    let response = (entry.read)(&mut settings);
    if response.name() != entry.name {
        return Err(format!(
            "the table of '{}' gives a response that calls itself '{}'; give both one name",
            entry.name,
            response.name()
        ));
    }
    if let Some(f) = settings.findings().first() {
        return Err(format!("the table [{table}] is wrong without a key: {}; {}", f.what, f.fix));
    }
    if let Some(key) = settings.unread().next() {
        return Err(format!("the table [{table}] has a key `{key}` that its response does not ask for"));
    }
    let columns = known.iter().flat_map(|r| r.response().tables()).chain(TABLES);
    let columns: Vec<Table> = columns.flat_map(|t| t.whole()).collect();
    for table in response.tables().iter().flat_map(|t| t.whole()) {
        if columns.iter().any(|k| k.name == table.name && !k.is(&table)) {
            return Err(format!(
                "a table '{}' of another type is there already; give that of '{}' another name",
                table.name, entry.name
            ));
        }
    }
    // It is there as long as the program.
    own.push(Box::leak(Box::new(entry)));
    Ok(())
}

/// The table of this name that some response keeps, or every one has.
#[cfg(feature = "serde")]
pub(crate) fn table(name: &str) -> Option<Table> {
    let own = Family::all().into_iter().flat_map(|r| r.response().tables());
    TABLES.iter().chain(own).flat_map(|t| t.whole()).find(|t| t.name == name)
}

/// Data of bodies that files hold.
pub(crate) fn data_kinds() -> Vec<crate::body_data::DataKind> {
    let mut kinds: Vec<crate::body_data::DataKind> = Vec::new();
    for kind in Family::all().into_iter().flat_map(|r| r.response().data()) {
        if kinds.iter().all(|k| k.name != kind.name) {
            kinds.push(*kind);
        }
    }
    kinds
}

/// A response of the list, with its line.
#[derive(Clone, Copy)]
pub struct Family(&'static Registered);

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Deref for Family {
    type Target = Registered;

    fn deref(&self) -> &Registered {
        self.0
    }
}

/// No two lines have one name.
impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Family {}

impl PartialOrd for Family {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Family {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl Family {
    /// Discrete penalty: a spring along the way to the closest point of the other surface.
    pub const PENALTY: Self = Self(&penalty::REGISTERED);
    /// Continuous penalty: a spring on feature pairs found by CCD, integrated over the step.
    pub const CPF: Self = Self(&cpf::REGISTERED);
    /// Discrete penalty on those feature pairs: the depth at the end of the step.
    pub const DPF_CCD: Self = Self(&cpf::AT_END);
    /// Continuous penalty by discrete gradients, solved implicitly.
    pub const CPF_IMPLICIT: Self = Self(&cpf_implicit::REGISTERED);
    /// Linear constraints solved together with the implicit step.
    pub const QP: Self = Self(&qp::REGISTERED);
    /// Constraints on intersection volume.
    pub const VOLUME: Self = Self(&volume::REGISTERED);
    /// The energy ½kV² of intersection volume.
    pub const VOLUME_PENALTY: Self = Self(&volume::PENALTY);
    /// Pressure fields in the bodies.
    pub const PRESSURE: Self = Self(&pressure::REGISTERED);

    /// Those of this project, in the order of the list.
    pub const ALL: &[Family] = &{
        let mut all = [Self::PENALTY; RESPONSES.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Self(RESPONSES[i]);
            i += 1;
        }
        all
    };

    /// Those of this project and of this program, in the order of the list.
    #[must_use]
    pub fn all() -> Vec<Family> {
        let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
        RESPONSES.iter().chain(own.iter()).map(|r| Self(r)).collect()
    }

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|r| r.name() == name)
    }

    /// The name in a scene file and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }
}

/// That of a world of which nothing is said: the first of the list.
impl Default for Response {
    fn default() -> Self {
        RESPONSES[0].response()
    }
}

impl Response {
    /// Its line in the list; `None` of a response of your own that nobody has added to it.
    #[must_use]
    pub fn family(&self) -> Option<Family> {
        Family::named(self.name())
    }

    /// Discrete penalty as the papers use it.
    #[must_use]
    pub fn penalty() -> Self {
        Penalty::default().into()
    }

    /// Continuous penalty: L_k where its error is certainly below 10⁻³, |m(t)| elsewhere.
    #[must_use]
    pub fn cpf() -> Self {
        Cpf::default().into()
    }

    /// The discrete force on the pairs that continuous penalty tracks (seed 000 Fig. 8 b).
    #[must_use]
    pub fn dpf_ccd() -> Self {
        Cpf::at_end().into()
    }

    /// Implicit continuous penalty by the gradient that keeps angular momentum as well.
    #[must_use]
    pub fn cpf_implicit() -> Self {
        CpfImplicit::default().into()
    }

    /// Constraints with surfaces a millimetre apart.
    #[must_use]
    pub fn qp() -> Self {
        QpSettings::default().into()
    }

    /// One constraint for each pair that overlaps, measured exactly.
    #[must_use]
    pub fn volume() -> Self {
        VolumeSettings::default().into()
    }

    /// ½kV² with 1 GPa/m³ and no viscosity.
    #[must_use]
    pub fn volume_penalty() -> Self {
        VolumePenaltySettings::default().into()
    }

    /// Pressure fields, solved implicitly, with friction that remembers.
    #[must_use]
    pub fn pressure() -> Self {
        PressureSettings::default().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Section;
    use crate::settings::SettingValue;

    fn table(of: &Registered, stated: &[(&'static str, SettingValue)]) -> Settings {
        let mut table = Settings::new(of.section, stated.iter().cloned());
        let _ = (of.read)(&mut table);
        table
    }

    /// A key that nothing reads would be accepted and do nothing. Responses with one table read it together.
    #[test]
    fn every_key_of_a_section_is_read_and_every_default_fits() {
        for r in RESPONSES {
            let sharing = RESPONSES.iter().filter(|o| o.section.title == r.section.title);
            let read: Vec<Settings> = sharing.map(|o| table(o, &[])).collect();
            for key in r.section.names() {
                assert!(read.iter().any(|t| t.unread().all(|k| k != key)), "{}: {key}", r.section.title);
            }
            assert!(read.iter().all(|t| t.findings().is_empty()), "{}", r.section.title);
            assert!(r.shown.iter().all(|key| r.section.key(key).is_some()), "{}", r.name);
        }
    }

    /// A word of the section without a meaning would be taken for another.
    #[test]
    fn every_word_of_a_section_has_a_meaning() {
        for r in RESPONSES {
            for key in r.section.keys {
                for (word, _) in key.kind.choices() {
                    let table = table(r, &[(key.name, SettingValue::Text(word.to_string()))]);
                    let none = |f: &crate::settings::Finding| f.what.contains("has no meaning");
                    assert!(!table.findings().iter().any(none), "{} {} {word}", r.section.title, key.name);
                }
            }
        }
    }

    /// The defaults of a section are those of the settings in Rust.
    #[test]
    fn a_table_without_keys_gives_the_default() {
        let made = [
            Response::penalty(),
            Response::cpf(),
            Response::dpf_ccd(),
            Response::cpf_implicit(),
            Response::qp(),
            Response::volume(),
            Response::volume_penalty(),
            Response::pressure(),
        ];
        for (r, made) in RESPONSES.iter().zip(made) {
            assert_eq!(r.response(), made);
        }
    }

    #[test]
    fn a_line_that_does_not_fit_is_refused() {
        static PART: Section = Section { title: "[part]", meaning: "", keys: &[] };
        let with = |name, section, read| register(Registered { name, section, read, ..*RESPONSES[0] });
        let penalty = RESPONSES[0];
        assert!(with("penalty", &PART, penalty.read).unwrap_err().contains("is there already"));
        assert!(with("own", penalty.section, penalty.read).unwrap_err().contains("belongs to the response"));
        assert!(with("own", &PART, |_| Response::penalty()).unwrap_err().contains("calls itself 'penalty'"));
    }
}
