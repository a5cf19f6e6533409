//! Continuous collision detection: straight, accelerated and screw motion.

use crate::case::{Case, Outcome, must};
use crate::families::{FAMILIES, Numbers, Query};
use crate::hostile::{any, finite, poison, vector};
use impinge_ccd::{
    Candidates, Carried, Kind, Opens, RigidMotion, Roots, Workspace, accelerated, first_contact, intervals,
    roots, roots_exact, screw_within, separation, touches, touching,
};
use impinge_geometry::{DVec3, is_finite};

/// A pair of one of the families, now and then with a hostile coordinate.
fn query(r: &mut Numbers) -> Query {
    let kind = if r.below(2) == 0 { Kind::VertexFace } else { Kind::EdgeEdge };
    let mut q = (r.pick(FAMILIES).make)(r, kind);
    if r.below(16) == 0 {
        let mut all = [q.x0, q.x1].concat();
        poison(r, &mut all);
        q.x0.copy_from_slice(&all[..4]);
        q.x1.copy_from_slice(&all[4..]);
    }
    q
}

fn in_order(what: &str, r: &Roots) -> Result<(), String> {
    let times = |t: f64, hi: f64| (0.0..=1.0).contains(&t) && t <= hi && hi <= 1.0;
    must(r.roots.iter().all(|r| times(r.t, r.t_hi)), || {
        format!("{what}: a root outside of the step: {r:?}")
    })?;
    must(r.roots.windows(2).all(|w| w[0].t <= w[1].t), || format!("{what}: roots not in order: {r:?}"))?;
    must(r.touching.iter().all(|i| times(i[0], i[1])), || format!("{what}: {r:?}"))
}

fn unit_or_zero(n: DVec3) -> bool {
    n == DVec3::zero() || (n.mag() - 1.0).abs() < 1e-9
}

fn affine(w: &[f64; 4]) -> bool {
    w.iter().all(|w| (-1.0 - 1e-12..=1.0 + 1e-12).contains(w)) && w.iter().sum::<f64>().abs() < 1e-9
}

pub fn linear(c: &mut Case) -> Result<Outcome, String> {
    let q = query(&mut c.r);
    c.show(|| format!("{q:?}"));
    let (kind, x0, x1) = (q.kind, &q.x0, &q.x1);
    let touch = match touches(kind, x0, x1) {
        Ok(t) => t,
        Err(_) => {
            let bad = x0.iter().chain(x1).any(|&p| !is_finite(p));
            must(bad, || "finite points were refused".into())?;
            must(roots(kind, x0, x1).is_err() && first_contact(kind, x0, x1).is_err(), || {
                "touches refuses what roots or first_contact take".into()
            })?;
            return Ok(Outcome::Refused);
        }
    };
    let told = |e: impinge_ccd::NotFinite| e.to_string();
    let exact = roots_exact(kind, x0, x1).map_err(told)?;
    must(exact.touch() == touch, || format!("touch is {touch}, the exact tier says {exact:?}"))?;
    let quick = roots(kind, x0, x1).map_err(told)?;
    in_order("exact", &exact)?;
    in_order("quick", &quick)?;
    let inner = |r: &Roots| r.roots.iter().filter(|r| r.inside).count();
    must(inner(&exact) == inner(&quick) && exact.class == quick.class, || {
        format!("{exact:?} but quick {quick:?}")
    })?;
    let first = first_contact(kind, x0, x1).map_err(told)?;
    must(first.is_some() == touch, || format!("touch is {touch}, first contact {first:?}"))?;
    if let Some(f) = first {
        must(unit_or_zero(f.normal) && affine(&f.weight), || format!("first contact {f:?}"))?;
        must(exact.first_contact().is_some_and(|t| (t - f.t).abs() <= 1e-9), || {
            format!("{f:?} but {exact:?}")
        })?;
    }
    let carried = match c.r.below(3) {
        0 => None,
        k => Some(Carried { side: if k == 1 { 1 } else { -1 }, weight: None }),
    };
    let opens = c.r.pick(&[Opens::FromBothSides, Opens::From(1), Opens::From(-1)]);
    let found = intervals(kind, x0, x1, carried.as_ref(), opens).map_err(told)?;
    for i in &found {
        let ordered = 0.0 <= i.t_in && i.t_in <= i.t_out && i.t_out <= 1.0;
        must(ordered && unit_or_zero(i.normal) && affine(&i.weight), || format!("interval {i:?}"))?;
    }
    // Each end is known to two neighbouring doubles, and two roots may lie between the same two.
    must(found.windows(2).all(|w| w[0].t_out <= w[1].t_in.next_up()), || {
        format!("intervals overlap: {found:?}")
    })?;
    Ok(Outcome::Answered)
}

pub fn within(c: &mut Case) -> Result<Outcome, String> {
    let q = query(&mut c.r);
    let d = match c.r.below(4) {
        0 => 0.0,
        1 => any(&mut c.r),
        2 => c.r.pick(&[1e-12, 1e-6, 1e-3, 1.0]),
        _ => c.r.unit().abs(),
    };
    c.show(|| format!("{q:?} within {d:e}"));
    let (kind, x0, x1) = (q.kind, &q.x0, &q.x1);
    let batch = {
        let row = [[0, 1, 2, 3]];
        let rows = match kind {
            Kind::VertexFace => Candidates::VertexFace(&row),
            Kind::EdgeEdge => Candidates::EdgeEdge(&row),
        };
        let mut out = Vec::new();
        touching(x0, x1, rows, &mut Workspace::new(), &mut out).ok().map(|_| !out.is_empty())
    };
    must(batch == touches(kind, x0, x1).ok(), || format!("the batch says {batch:?}"))?;
    let Ok(found) = separation::within(kind, x0, x1, d) else {
        let fine = batch.is_some() && d >= 0.0 && d.is_finite();
        must(!fine, || "a finite pair and thickness were refused".into())?;
        return Ok(Outcome::Refused);
    };
    if let Some(w) = found {
        must((0.0..=1.0).contains(&w.t) && !w.distance.is_nan() && w.distance >= 0.0, || format!("{w:?}"))?;
    }
    if batch == Some(true) {
        must(found.is_some(), || "features that touch are not within d".into())?;
    } else if d == 0.0 {
        must(found.is_none(), || format!("features that do not touch are within 0: {found:?}"))?;
    }
    Ok(Outcome::Answered)
}

pub fn curved(c: &mut Case) -> Result<Outcome, String> {
    let q = query(&mut c.r);
    if c.r.below(2) == 0 {
        let middle: [DVec3; 4] = match c.r.below(3) {
            0 => std::array::from_fn(|i| q.x0[i] * 0.5 + q.x1[i] * 0.5),
            1 => std::array::from_fn(|i| q.x0[i] * 0.5 + q.x1[i] * 0.5 + vector(&mut c.r)),
            _ => query(&mut c.r).x0,
        };
        let b = [q.x0, middle, q.x1];
        c.show(|| format!("{:?} {b:?}", q.kind));
        let Ok(found) = accelerated::contacts(q.kind, &b) else {
            let bad = b.iter().flatten().any(|&p| !is_finite(p));
            must(bad, || "finite points were refused".into())?;
            return Ok(Outcome::Refused);
        };
        in_order("accelerated", &found)?;
        let exact = accelerated::roots_exact(q.kind, &b).map_err(|e| e.to_string())?;
        must(exact.touch() == found.touch(), || format!("{found:?} but exactly {exact:?}"))?;
        return Ok(Outcome::Answered);
    }
    let mut motion = || RigidMotion {
        origin: vector(&mut c.r),
        translation: if c.r.below(8) == 0 { DVec3::broadcast(finite(&mut c.r)) } else { vector(&mut c.r) },
        rotation: if c.r.below(8) == 0 { DVec3::broadcast(any(&mut c.r)) } else { vector(&mut c.r) * 4.0 },
    };
    let motions = [motion(), motion()];
    let d = c.r.pick(&[0.0, 1e-9, 1e-3, 0.1]);
    c.show(|| format!("{:?} {:?} {motions:?} {d}", q.kind, q.x0));
    match screw_within(q.kind, &q.x0, &motions, d) {
        Ok(Some(w)) => {
            must((0.0..=1.0).contains(&w.t) && !w.distance.is_nan() && w.distance >= 0.0, || {
                format!("{w:?}")
            })?;
            Ok(Outcome::Answered)
        }
        Ok(None) => Ok(Outcome::Answered),
        Err(_) => Ok(Outcome::Refused),
    }
}
