use impinge_elasticity::{Material, tet::*};
use impinge_geometry::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mesh = tet_box(DVec3::new(1.0, 1.0, 1.0), [a[5].parse().unwrap(); 3]).unwrap();
    let e = TetElements::new(&mesh, Model::Corotational, &Material::new(1e6, 0.3, 1000.0)).unwrap();
    let x: Vec<DVec3> = mesh
        .positions()
        .iter()
        .map(|p| DVec3::new(1.1 * p.x + 0.3 * p.y + 0.1 * p.x * p.y, p.y, 0.8 * p.z + 0.2 * p.x * p.z))
        .collect();
    let w = *Width::all().iter().find(|w| w.name() == a[1]).unwrap();
    let pat =
        TetPattern::new(e.nodes(), e.tets(), if a[2] == "full" { Triangle::Full } else { Triangle::Lower });
    let mut ws = Workspace::with_width(w);
    let mut val = vec![[0.0; 9]; pat.column.len()];
    let tg = match a[3].as_str() {
        "spd" => Tangent::Spd,
        "warped" => Tangent::Warped,
        _ => Tangent::Exact,
    };
    for _ in 0..a[4].parse().unwrap() {
        add_hessian(&e, &x, tg, Weights::default(), &pat.slots, &mut val, &mut ws);
    }
}
