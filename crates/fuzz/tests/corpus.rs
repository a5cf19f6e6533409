//! Past failures stay mended, and every target runs.

use impinge_fuzz::case::Outcome;
use impinge_fuzz::targets::{TARGETS, feed, named};
use impinge_fuzz::{corpus, memory, runner};

#[global_allocator]
static ALLOCATOR: memory::Counted = memory::Counted;

#[test]
fn past_failures_stay_mended() {
    let mut wrong = Vec::new();
    for kept in corpus::cases().unwrap() {
        let target = named(&kept.target).unwrap_or_else(|| panic!("cases.txt names no target: {kept:?}"));
        if let Err(e) = runner::one(target, kept.seed, kept.index, false) {
            wrong.push(format!("{kept:?}: {e}"));
        }
    }
    for folder in corpus::folders().unwrap() {
        assert!(named(&folder).is_some(), "fixtures/fuzz/{folder} names no target");
    }
    for target in TARGETS {
        for (name, bytes) in corpus::files(target.name).unwrap() {
            if let Err(e) = feed(target.name, &bytes) {
                wrong.push(format!("{}/{name}: {e}", target.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The first cases of every target: none fails, and all but the ones that only see refusals give an answer.
#[test]
fn every_target_runs() {
    for target in TARGETS {
        let mut answered = 0;
        for index in 0..(target.quick / 16).min(40) {
            match runner::one(target, 1, index, false) {
                Ok((outcome, _)) => answered += u64::from(outcome == Outcome::Answered),
                Err(e) => panic!("{} --seed 1 --case {index}: {e}", target.name),
            }
        }
        assert!(answered > 0 || target.name == "glb" || target.quick == 0, "{} answers nothing", target.name);
    }
}

/// What the checks are worth: a wrong answer, a panic and a glutton are told from a good one.
#[test]
fn failures_are_found() {
    use impinge_fuzz::case::{Case, Target};
    let of = |run: fn(&mut Case) -> Result<Outcome, String>| {
        let target = Target { name: "t", what: "", run, bytes: 1 << 16, seconds: 1, quick: 1 };
        runner::one(&target, 0, 0, false).map(|o| o.0)
    };
    assert_eq!(of(|_| Ok(Outcome::Answered)), Ok(Outcome::Answered));
    assert!(of(|_| Err("wrong".into())).unwrap_err().contains("wrong"));
    assert!(of(|_| panic!("on purpose")).unwrap_err().contains("panic"));
    let glutton = |_: &mut Case| {
        let v = vec![1u8; 1 << 20];
        Ok(if v.iter().map(|&b| u64::from(b)).sum::<u64>() > 0 {
            Outcome::Answered
        } else {
            Outcome::Refused
        })
    };
    assert!(of(glutton).unwrap_err().contains("bytes"));
}
