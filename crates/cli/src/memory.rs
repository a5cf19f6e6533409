//! Memory of this process and of the machine, where the system has `/proc`; and whether a run will have enough.

use impinge_report::Recorder;
use impinge_scene::SceneSpec;
use impinge_world::Simulation;

fn kib(file: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(key))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Memory of this process that is in RAM (bytes).
pub fn resident() -> Option<u64> {
    kib("/proc/self/status", "VmRSS:")
}

/// Memory that can be had without swapping, and within the limit of this process (bytes).
fn available() -> Option<u64> {
    let free = kib("/proc/meminfo", "MemAvailable:")?;
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let used = kib("/proc/self/status", "VmSize:").unwrap_or(0);
    Some(address_space(&limits).map_or(free, |most| free.min(most.saturating_sub(used))))
}

/// The most that this process may map (bytes), if that is limited.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|l| l.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Refuses a scene whose surfaces alone will not fit, before it is built.
///
/// # Errors
/// The file, the body and the sizes.
pub(crate) fn fits(spec: &SceneSpec) -> Result<(), String> {
    let Some(free) = available() else { return Ok(()) };
    spec.surface_bytes(free, short).map(|_| ()).map_err(|e| e.to_string())
}

/// Bytes with a unit that fits.
pub(crate) fn short(bytes: u64) -> String {
    let mib = bytes as f64 / f64::from(1 << 20);
    if mib < 1024.0 { format!("{mib:.1} MiB") } else { format!("{:.1} GiB", mib / 1024.0) }
}

/// Refuses a run whose curves and frames will not fit beside the built scene.
///
/// # Errors
/// The sizes.
pub(crate) fn curves_fit(recorder: Option<&Recorder>, sim: &Simulation, steps: u64) -> Result<(), String> {
    let more = recorder.map_or(0, |r| r.expected_bytes(sim, steps));
    enough(more, steps, available())
}

/// The most that this process had in RAM so far (bytes).
fn peak() -> Option<u64> {
    kib("/proc/self/status", "VmHWM:")
}

/// Says what a run will take at its peak, report and all, once its first step has made the tables of contacts and solves; and again where
/// contacts made later change that.
pub(crate) struct Foretold {
    /// Steps of the run.
    steps: u64,
    /// What was said (bytes).
    told: u64,
    /// The step after which it is looked at again.
    next: u64,
}

/// What is said again differs by this factor.
const ANOTHER: f64 = 1.1;

impl Foretold {
    /// Of a run of `steps` steps that stands at `made`.
    pub(crate) fn new(made: u64, steps: u64) -> Self {
        Self { steps, told: 0, next: made + 1 }
    }

    /// Looks after the first step, and sixteen times in a run: what there is to say.
    pub(crate) fn after_step(&mut self, recorder: Option<&Recorder>, sim: &Simulation) -> Option<String> {
        let made = sim.steps();
        if made < self.next {
            return None;
        }
        self.next = made + (self.steps / 16).max(1);
        let now = peak()?;
        let all = now + recorder.map_or(0, |r| r.expected_peak(sim, self.steps));
        let (first, by) = (self.told == 0, all as f64 / self.told as f64);
        if !first && (1.0 / ANOTHER..=ANOTHER).contains(&by) {
            return None;
        }
        self.told = all;
        let (all, now) = (short(all), short(now));
        Some(if first {
            format!("memory: about {all}, {now} of it after one step")
        } else {
            format!("memory: rather {all}, {now} of it after {made} steps")
        })
    }
}

/// The most that the run took, in words.
pub(crate) fn taken() -> Option<String> {
    Some(format!("memory: {} at the peak", short(peak()?)))
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
    fn the_limit_of_the_process_counts() {
        let limits = "Limit        Soft Limit   Hard Limit   Units\nMax address space         2097152    unlimited    bytes\n";
        assert_eq!(address_space(limits), Some(2 << 20));
        assert_eq!(address_space("Max address space         unlimited  unlimited  bytes"), None);
        assert_eq!(address_space(""), None);
    }

    #[test]
    fn a_run_that_will_not_fit_is_refused_with_the_sizes() {
        assert!(enough(5 << 30, 10, Some(6 << 30)).is_ok() && enough(5 << 30, 10, None).is_ok());
        let e = enough(5 << 30, 10, Some(512 << 20)).unwrap_err();
        assert!(e.contains("5.0 GiB") && e.contains("512.0 MiB") && e.contains("--no-report"), "{e}");
    }
}
