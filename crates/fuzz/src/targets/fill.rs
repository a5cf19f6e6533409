//! Health, repair and filling of broken surfaces.

use super::solids;
use crate::case::{Case, Outcome, must};
use crate::families::Numbers;
use crate::hostile::{any, vector};
use impinge_geometry::{TriMesh, is_finite};
use impinge_meshing::{FillOptions, fault_marks, fill as fill_with_tets, health as report, suggest};

/// A surface with some of its faces dropped, doubled, turned, bent to other vertices.
fn broken(r: &mut Numbers) -> Option<TriMesh> {
    let (mesh, _) = solids::spoiled(r);
    let (mut x, mut f) = mesh?.into_parts();
    for _ in 0..r.pick(&[0, 0, 1, 2, 3, 6]) {
        let i = r.below(f.len() as u64) as usize;
        match r.below(7) {
            0 if f.len() > 1 => drop(f.swap_remove(i)),
            1 => f.push(f[i]),
            2 => f[i].swap(0, 1),
            3 => f[i][0] = r.below(x.len() as u64) as u32,
            4 => f[i][0] = f[i][1],
            5 => x.push(vector(r)),
            _ => {
                x.push(x[f[i][2] as usize]);
                f[i][2] = x.len() as u32 - 1;
            }
        }
    }
    TriMesh::new(x, f).ok()
}

pub fn health(c: &mut Case) -> Result<Outcome, String> {
    let Some(mut mesh) = broken(&mut c.r) else { return Ok(Outcome::Refused) };
    c.show(|| format!("{mesh:?}"));
    // Twice: what a repair leaves is looked at again.
    for _ in 0..2 {
        let h = report(&mesh);
        let text = h.to_string();
        must(!text.contains("NaN"), || format!("a report with NaN:\n{text}"))?;
        must(fault_marks(&h).iter().all(|m| is_finite(m.position)), || {
            "a mark is not at a finite place".into()
        })?;
        for repair in suggest(&h) {
            if let Ok(done) = repair.apply(&mesh) {
                let n = done.mesh.positions().len() as u32;
                must(done.mesh.triangles().iter().flatten().all(|&v| v < n), || {
                    format!("{repair}: bad index")
                })?;
                let _ = done.report.to_string();
                mesh = done.mesh;
            }
        }
    }
    Ok(Outcome::Answered)
}

pub fn fill(c: &mut Case) -> Result<Outcome, String> {
    let Some(mesh) = broken(&mut c.r) else { return Ok(Outcome::Refused) };
    let cell = if c.r.below(12) == 0 { any(&mut c.r) } else { c.r.pick(&[0.15, 0.2, 0.25, 0.3, 0.5]) };
    c.show(|| format!("cell {cell:e} {mesh:?}"));
    let Ok(filled) = fill_with_tets(&mesh, FillOptions { cell, most_cubes: 4000 }) else {
        return Ok(Outcome::Refused);
    };
    filled.mesh.require_positive().map_err(|e| e.to_string())?;
    let q = filled.quality;
    let numbers = [q.min_dihedral, q.max_dihedral, q.volume, q.volume_error, q.to_surface, q.from_surface];
    must(numbers.iter().all(|v| v.is_finite()) && q.parts > 0, || format!("{q:?}"))?;
    Ok(Outcome::Answered)
}
