//! The families of cases this build can check.
//!
//! A new family is one file with a type that implements [`Family`], and its line in [`FAMILIES`].

use super::compare::{Comparison, Malformed};
use super::family::{Checked, Family};
use super::file::read_cases;
use super::{
    ccd_pair, cpf_pair, dpf_ccd_pair, dpf_mesh, drake, friction, ground, ldi, mlcp, mlcp_stabilization,
    particle1d, particle1d_robustness, particle1d_spectral, pressure_bodies, qp, qp_row, sinusoid, tet_pair,
    volume,
};
use impinge_scene::did_you_mean;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A family by name.
pub struct Known {
    /// As in the case files.
    pub name: &'static str,
    /// Checks the text of a case file.
    pub check: fn(&str) -> Result<Vec<Checked>, Malformed>,
}

/// Every family of the schema, in the order of the table. `drake` is the folder of reference contacts.
pub const FAMILIES: &[Known] = &[
    built::<ccd_pair::CcdPair>(),
    built::<cpf_pair::CpfPair>(),
    built::<ground::Ground>(),
    built::<dpf_ccd_pair::DpfCcdPair>(),
    built::<dpf_mesh::DpfMesh>(),
    built::<friction::Friction>(),
    built::<particle1d::Particle1d>(),
    built::<particle1d_spectral::Spectral>(),
    built::<particle1d_robustness::Robustness>(),
    built::<qp::Qp>(),
    built::<qp_row::QpRow>(),
    built::<volume::Volume>(),
    built::<ldi::Ldi>(),
    built::<mlcp::Mlcp>(),
    built::<mlcp_stabilization::Stabilisation>(),
    built::<tet_pair::TetPair>(),
    built::<pressure_bodies::PressureBodies>(),
    built::<sinusoid::Sinusoid>(),
    Known { name: "drake", check: drake::check_file },
];

const fn built<F: Family>() -> Known {
    Known { name: F::NAME, check: check_file::<F> }
}

/// Checks that a name asked for is known.
///
/// # Errors
/// The sentence with the closest name and the list.
pub fn known(name: &str) -> Result<(), String> {
    if FAMILIES.iter().any(|f| f.name == name) {
        return Ok(());
    }
    let names: Vec<&str> = FAMILIES.iter().map(|f| f.name).collect();
    Err(format!("no family `{name}`; {}", did_you_mean(name, &names, "the families are")))
}

/// Reads a whole file before anything is computed, so that a file is used entirely or not at all.
fn check_file<F: Family>(text: &str) -> Result<Vec<Checked>, Malformed> {
    let mut checked = Vec::new();
    for (i, case) in read_cases::<F>(text)?.into_iter().enumerate() {
        let mut comparison = Comparison::default();
        for key in case.unknown {
            comparison.skip(1, format!("unknown key `{key}`"));
        }
        // A kernel that panics fails its case and must not take the rest of the run with it. What it leaves
        // half written dies with the case.
        let run = catch_unwind(AssertUnwindSafe(|| F::check(&case.input, &case.expected, &mut comparison)));
        match run {
            Ok(Ok(())) => {}
            Ok(Err(Malformed(reason))) => {
                return Err(Malformed(format!("case {i} (`{}`): {reason}", case.id)));
            }
            Err(_) => comparison.holds(false, || "the kernel panicked".to_string()),
        }
        checked.push(Checked { id: case.id, comparison });
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Panics;

    impl Family for Panics {
        const NAME: &'static str = "panics";
        const KEYS: &'static str = "input expected";
        type Input = f64;
        type Expected = f64;

        fn check(input: &f64, expected: &f64, out: &mut Comparison) -> Result<(), Malformed> {
            assert!(*input >= 0.0, "a kernel meets what it cannot bear");
            out.number(|| "root".into(), input.sqrt(), *expected, 1e-15);
            Ok(())
        }
    }

    #[test]
    fn a_kernel_that_panics_fails_its_case_only() {
        let text =
            r#"{"cases": [{"id": "a", "input": -1, "expected": 0}, {"id": "b", "input": 4, "expected": 2}]}"#;
        let checked = check_file::<Panics>(text).unwrap();
        assert_eq!(checked[0].comparison.worst(), Some((f64::INFINITY, "the kernel panicked")));
        assert_eq!(checked[1].comparison.worst(), Some((0.0, "")));
    }

    #[test]
    fn names_are_unique_and_known() {
        for (i, f) in FAMILIES.iter().enumerate() {
            assert!(FAMILIES[..i].iter().all(|g| g.name != f.name), "{} is listed twice", f.name);
            assert!(known(f.name).is_ok());
            // Reads the keys of the family.
            assert!((f.check)(r#"{"family": "none", "meshes": {}, "fields": {}, "cases": []}"#).is_ok());
        }
        assert!(known("Friction").unwrap_err().contains("did you mean `friction`?"));
        assert!(!known("weather").unwrap_err().contains("did you mean"));
    }
}
