//! Memory of this process and of the machine, where the system has `/proc`; and whether a run will have enough.

use crate::runner::Session;

fn kib(file: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(key))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Memory of this process that is in RAM (bytes).
pub fn resident() -> Option<u64> {
    kib("/proc/self/status", "VmRSS:")
}

/// Memory that can be had without swapping (bytes).
fn available() -> Option<u64> {
    kib("/proc/meminfo", "MemAvailable:")
}

/// Bytes with a unit that fits.
pub fn short(bytes: u64) -> String {
    let mib = bytes as f64 / f64::from(1 << 20);
    if mib < 1024.0 { format!("{mib:.1} MiB") } else { format!("{:.1} GiB", mib / 1024.0) }
}

/// What the rest of a run will take beside what the built scene takes already, in words.
///
/// # Errors
/// When that is more than there is.
pub fn estimate(session: &Session, steps: u64) -> Result<String, String> {
    let more = session.recorder.as_ref().map_or(0, |r| r.expected_bytes(&session.sim, steps));
    enough(more, steps, available())?;
    let now = resident().map_or(String::new(), |b| format!("{} with the scene built, ", short(b)));
    Ok(format!("memory: {now}{} more for curves and frames", short(more)))
}

fn enough(more: u64, steps: u64, available: Option<u64>) -> Result<(), String> {
    match available {
        Some(free) if more > free => Err(format!(
            "curves and frames of {steps} steps would take {}, and {} of memory are free; set a longer record.frame_interval, a shorter \
             --duration, or --no-report",
            short(more),
            short(free)
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_will_not_fit_is_refused_with_the_sizes() {
        assert!(enough(5 << 30, 10, Some(6 << 30)).is_ok() && enough(5 << 30, 10, None).is_ok());
        let e = enough(5 << 30, 10, Some(512 << 20)).unwrap_err();
        assert!(e.contains("5.0 GiB") && e.contains("512.0 MiB") && e.contains("--no-report"), "{e}");
    }
}
