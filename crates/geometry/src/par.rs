//! The only place that knows rayon: loops over fixed chunks.
//!
//! A chunk's size depends on the problem and never on the pool, each chunk writes its own output, and
//! results are joined in chunk order. So the bits are the same for any number of threads. With one thread
//! (or without the feature `parallel`) the loop is a plain loop: no pool, no allocation.

/// Threads that the loops below run on. Only for choosing where chunks write to: results must not depend on it.
#[must_use]
pub fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// Runs `f(chunk_index, chunk)` over fixed chunks of `data`.
pub fn for_each_chunk<T: Send>(data: &mut [T], chunk: usize, f: impl Fn(usize, &mut [T]) + Sync + Send) {
    let chunk = chunk.max(1);
    #[cfg(feature = "parallel")]
    if data.len() > chunk && rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        let here = crate::halt::here();
        data.par_chunks_mut(chunk).enumerate().for_each(|(i, c)| here.run(|| f(i, c)));
        return;
    }
    for (i, c) in data.chunks_mut(chunk).enumerate() {
        f(i, c);
    }
}

/// Runs `f(i, &mut out[i])` for every element, in fixed chunks.
pub fn fill<T: Send>(out: &mut [T], chunk: usize, f: impl Fn(usize, &mut T) + Sync + Send) {
    let size = chunk.max(1);
    for_each_chunk(out, size, |c, part| {
        for (k, o) in part.iter_mut().enumerate() {
            f(c * size + k, o);
        }
    });
}

/// Results that [`in_order`] holds at a time.
const BLOCK: usize = 512;

/// Computes `f(i)` for every `i` below `n` in fixed chunks, and hands the results to `take` one after the other in order: what is summed or
/// appended there has the bits of a plain loop. Results wait on the stack, 512 at a time, so they should be small.
pub fn in_order<T: Send>(
    n: usize,
    chunk: usize,
    f: impl Fn(usize) -> T + Sync + Send,
    mut take: impl FnMut(T),
) {
    if threads() == 1 || n <= chunk {
        (0..n).for_each(|i| take(f(i)));
        return;
    }
    let mut results = [const { None }; BLOCK];
    for from in (0..n).step_by(BLOCK) {
        let block = &mut results[..BLOCK.min(n - from)];
        fill(block, chunk, |k, result| *result = Some(f(from + k)));
        block.iter_mut().filter_map(Option::take).for_each(&mut take);
    }
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn results_are_taken_in_order_and_each_once() {
        let check = || {
            for n in [0, 1, 7, 64, 65, 511, 512, 513, 1500] {
                let mut taken = Vec::new();
                in_order(n, 16, |i| i * i, |x| taken.push(x));
                assert_eq!(taken, (0..n).map(|i| i * i).collect::<Vec<_>>());
            }
        };
        check();
        // On a machine of one core, too.
        #[cfg(feature = "parallel")]
        rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(check);
    }
}
