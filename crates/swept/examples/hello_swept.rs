//! Vertices go straight, on arcs or on parabolas through a step, and a contact keeps its name on the way.
//!
//! `cargo run -p impinge-swept --example hello_swept`

use impinge_swept::{FeaturePairs, List, vertex_and_face};

fn main() {
    // Vertex 7 may meet the faces 2 and 3 of another body; the numbers are over all surfaces.
    let mut found = FeaturePairs::default();
    found.features.extend([(7, 2), (7, 3)]);
    found.close([0, 1]);
    assert_eq!(found.of([0, 1]), [(7, 2), (7, 3)]);
    assert!(found.of([1, 2]).is_empty());

    // The names are the same in every step, whatever the order of the list.
    let keys: Vec<u64> = found.of([0, 1]).iter().map(|pair| List::Solid.key(*pair)).collect();
    assert_eq!(vertex_and_face(keys[0]), Some((7, 2)));
    assert_eq!(vertex_and_face(List::Edges.key((7, 2))), None);
    println!("vertex 7 may meet {} faces, by the names {keys:?}", keys.len());
}
