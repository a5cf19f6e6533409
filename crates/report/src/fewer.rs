//! Fewer contact marks where a page could not carry all: takes the frames of a run, keeps the strongest of each.

use crate::record::{ContactMark, Frames};

/// Marks that a run keeps, over all its frames: some 11 MB of page.
pub const MOST_MARKS: usize = 300_000;

/// Keeps as many of each frame as fit, and of what met what they name; a sentence where some were dropped. `most` is of the whole run.
pub fn keep_strongest(frames: &mut Frames, most: usize) -> Option<String> {
    let counts: Vec<usize> = frames.contacts.iter().map(Vec::len).collect();
    let kept = |each: usize| counts.iter().map(|n| each.min(*n)).sum::<usize>();
    let largest = counts.iter().copied().max().unwrap_or(0);
    if kept(largest) <= most {
        return None;
    }
    // The largest number for each that fits.
    let (mut each, mut too_many) = (0, largest);
    while too_many - each > 1 {
        let middle = each + (too_many - each) / 2;
        *(if kept(middle) <= most { &mut each } else { &mut too_many }) = middle;
    }
    // Some may have been left out before.
    frames.left_out.resize(counts.len(), 0);
    for (left, n) in frames.left_out.iter_mut().zip(&counts) {
        *left += n.saturating_sub(each) as u32;
    }
    let size = |c: &ContactMark| c.force.iter().map(|f| f64::from(*f) * f64::from(*f)).sum::<f64>();
    for marks in frames.contacts.iter_mut().filter(|m| m.len() > each) {
        let mut order: Vec<usize> = (0..marks.len()).collect();
        order.sort_by(|a, b| size(&marks[*b]).total_cmp(&size(&marks[*a])).then(a.cmp(b)));
        order.truncate(each);
        order.sort_unstable();
        *marks = order.iter().map(|i| marks[*i]).collect();
    }
    let mut row = vec![None; frames.met.len()];
    let mut met = Vec::new();
    for name in frames.contacts.iter_mut().flatten().filter_map(|c| c.met.as_mut()) {
        let Some(known) = row.get_mut(*name as usize) else { continue };
        *name = *known.get_or_insert_with(|| {
            met.push(frames.met[*name as usize]);
            met.len() as u32 - 1
        });
    }
    frames.met = met;
    Some(format!(
        "The {each} strongest contacts of a frame are drawn and listed: all of them would be {} marks, more than the {most} a page \
         carries. Curves and tables have all.",
        counts.iter().sum::<usize>()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Met;

    #[test]
    fn the_strongest_of_the_full_frames_stay_in_their_order() {
        let mark = |k: u32| ContactMark {
            force: [0.0, 0.0, (k * 7 % 10) as f32],
            met: Some(k),
            ..ContactMark::default()
        };
        let all = |n: u32| (0..n).map(mark).collect::<Vec<_>>();
        let met = (0..10).map(|k| Met { pair: k, ..Met::default() }).collect();
        let mut frames = Frames { contacts: vec![all(2), all(10), all(0)], met, ..Frames::default() };
        let before = frames.clone();
        assert!(keep_strongest(&mut frames, 12).is_none() && frames == before, "all fit");
        let note = keep_strongest(&mut frames, 6).expect("some go");
        assert!(note.contains("The 4 strongest") && note.contains("12 marks"), "{note}");
        assert_eq!(frames.left_out, [0, 6, 0]);
        // Once more adds to what is gone already.
        let mut again = frames.clone();
        keep_strongest(&mut again, 4).expect("more go");
        assert_eq!((again.left_out, again.contacts[1].len()), (vec![0, 8, 0], 2));
        let forces: Vec<f32> = frames.contacts[1].iter().map(|c| c.force[2]).collect();
        assert_eq!(forces, [7.0, 8.0, 9.0, 6.0]);
        // Those of the first frame met first; 0 stands for one that only they name.
        let pairs: Vec<u32> =
            frames.contacts[1].iter().map(|c| frames.met[c.met.unwrap() as usize].pair).collect();
        assert_eq!(pairs, [1, 4, 7, 8]);
        assert_eq!(frames.met.len(), 5);
    }
}
