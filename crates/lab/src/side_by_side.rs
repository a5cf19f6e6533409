//! Work of independent items on several threads, in the order of the items.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Calls `f` for every item on `jobs` threads and hands each result to `out` in the order of the items, as soon as those before it are there.
pub fn side_by_side<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    f: impl Fn(&T) -> R + Sync,
    mut out: impl FnMut(&T, R),
) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|s| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            let (sender, next, f) = (sender.clone(), &next, &f);
            s.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    // Nobody listens any more only when the other end has panicked.
                    if sender.send((i, f(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Option<R>> = items.iter().map(|_| None).collect();
        let mut first = 0;
        for (i, r) in receiver {
            waiting[i] = Some(r);
            while let Some(r) = waiting.get_mut(first).and_then(Option::take) {
                out(&items[first], r);
                first += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items that take longer the earlier they come are still handed out in order, each once, whatever the number of threads.
    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..20).collect();
        for jobs in [0, 1, 3, 50] {
            let mut got = Vec::new();
            let slow_first = |&i: &u64| {
                std::thread::sleep(std::time::Duration::from_micros(200 * (20 - i)));
                i * i
            };
            side_by_side(jobs, &items, slow_first, |&i, r| got.push((i, r)));
            assert_eq!(got, items.iter().map(|&i| (i, i * i)).collect::<Vec<_>>(), "{jobs} jobs");
        }
        side_by_side(2, &[] as &[u64], |&i| i, |_, _| panic!("there is nothing to hand out"));
    }
}
