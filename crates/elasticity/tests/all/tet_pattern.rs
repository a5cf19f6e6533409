//! Blocks of the stiffness of two tets that share a face.

use impinge_elasticity::assemble::SKIP;
use impinge_elasticity::tet::{TetPattern, Triangle};

#[test]
fn two_tets_that_share_a_face() {
    let tets = [[0, 1, 2, 3], [3, 1, 2, 4]];
    let full = TetPattern::new(6, &tets, Triangle::Full);
    // Nodes 0 and 4 are not joined; node 5 is alone with its diagonal.
    assert_eq!(full.row_start, [0, 4, 9, 14, 19, 23, 24]);
    assert_eq!(full.column[19..], [1, 2, 3, 4, 5]);
    assert_eq!(full.find(0, 4), None);
    assert_eq!(full.slots[1][0][3], full.find(3, 4).unwrap());
    assert!(full.slots.iter().flatten().flatten().all(|&s| s != SKIP));
    let (lower, upper) =
        (TetPattern::new(6, &tets, Triangle::Lower), TetPattern::new(6, &tets, Triangle::Upper));
    assert_eq!((lower.column.len(), upper.column.len()), (6 + 9, 6 + 9));
    assert_eq!(lower.slots[1][0][1], lower.find(3, 1).unwrap());
    assert_eq!(lower.slots[1][1][0], SKIP);
    assert_eq!(upper.slots[1][0][1], SKIP);
    assert_eq!(upper.slots[1][1][0], upper.find(1, 3).unwrap());
}
