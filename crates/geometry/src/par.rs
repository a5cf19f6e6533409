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
        data.par_chunks_mut(chunk).enumerate().for_each(|(i, c)| f(i, c));
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
