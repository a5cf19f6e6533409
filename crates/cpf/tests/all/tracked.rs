//! Keys of tracked pairs.

use impinge_cpf::Tracked;

#[test]
fn the_next_key_is_the_one_that_a_search_finds() {
    let key: Vec<u64> = (0..200).map(|i| 3 * i * (i % 7 + 1)).collect();
    let mut key: Vec<u64> = key.into_iter().collect();
    key.sort_unstable();
    key.dedup();
    let tracked = Tracked { key, ..Tracked::default() };
    let mut at = 0;
    // Upwards one by one, in leaps, and back.
    let ups = (0..5000).chain((0..5000).step_by(97)).chain((0..5000).rev());
    for key in ups {
        assert_eq!(tracked.find_next(key, &mut at), tracked.find(key), "{key} from {at}");
    }
    assert_eq!(Tracked::default().find_next(3, &mut 7), None);
}
