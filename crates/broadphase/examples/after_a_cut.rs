//! What a cut costs between two steps: the cut itself, the new surface, and the trees that are made anew, beside
//! the update that a step without a cut pays. `cargo run --release -p impinge-broadphase --example after_a_cut`.

use impinge_broadphase::FeatureTree;
use impinge_geometry::edit::{CarryOptions, CutOptions, TopologyEdit, carry_state, cut_tets, plane_values};
use impinge_geometry::{DVec3, TetTopology, Topology, tet_box};
use std::hint::black_box;
use std::time::Instant;

/// Milliseconds, median of nine, and the last result.
fn median<T>(mut f: impl FnMut() -> T) -> (f64, T) {
    let mut times = vec![];
    let mut last = None;
    for _ in 0..9 {
        let t = Instant::now();
        let made = black_box(f());
        times.push(t.elapsed().as_secs_f64() * 1e3);
        last = Some(made);
    }
    times.sort_by(f64::total_cmp);
    (times[4], last.expect("nine runs"))
}

fn main() {
    println!("milliseconds, medians of nine, one thread");
    println!("    tets  surface |     cut   carry  surface  topology    tree | tree update");
    for n in [8u32, 16, 32] {
        let mesh = tet_box(DVec3::one(), [n; 3]).expect("a box");
        let old = TetTopology::new(&mesh).surface(&mesh).expect("a boundary");
        let normal = DVec3::new(0.2, 0.3, 1.0);
        let value = plane_values(mesh.positions(), DVec3::broadcast(0.01), normal).expect("a plane");
        let (cut, made) = median(|| cut_tets(&mesh, &value, None, &CutOptions::default()).expect("a cut"));
        let density = vec![1000.0; mesh.tets().len()];
        let v = vec![DVec3::unit_x(); mesh.positions().len()];
        let (carry, _) = median(|| {
            carry_state(&mesh, &density, mesh.positions(), &v, &made.edit, CarryOptions::default())
        });
        let (surface, edit) =
            median(|| TopologyEdit::new(&mesh, &old, made.edit.clone()).expect("a surface"));
        let skin = &edit.surface.mesh;
        let (topology, sides) = median(|| Topology::new(skin));
        let (tree, mut built) =
            median(|| FeatureTree::new(skin.triangles(), &sides, skin.positions()).expect("a tree"));
        let (update, _) = median(|| built.update(skin.positions(), skin.positions(), 0.0).expect("finite"));
        println!(
            "{:>8} {:>8} | {cut:>7.1} {carry:>7.1} {surface:>8.1} {topology:>9.2} {tree:>7.2} | {update:>11.3}",
            edit.edit.mesh.tets().len(),
            skin.triangles().len(),
        );
    }
}
