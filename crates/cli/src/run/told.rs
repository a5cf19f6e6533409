//! What a run says: in its first line, and at its end.

use super::summary::Summary;
use crate::check::print_checks;
use crate::output;
use crate::runner::{End, Run, Session};
use impinge_scene::{Response, SceneSpec};
use impinge_watch::short_time;

/// What runs.
pub(super) fn first_line(spec: &SceneSpec, response: Response, name: &str, session: &Session) -> String {
    let bodies = match session.sim.names().len() {
        1 => "1 body".to_string(),
        n => format!("{n} bodies"),
    };
    format!(
        "{name}, {}: response {}, {bodies}, {} steps of {} s",
        spec.title,
        spec.responses_under(response).iter().map(|r| r.name()).collect::<Vec<_>>().join(", by rules "),
        spec.steps(),
        spec.dt
    )
}

/// Prints how a run ended and what was measured. Back come the words on the time of its steps.
pub(super) fn tell(
    run: &Run,
    summary: &Summary,
    budget: Option<f64>,
    report: bool,
    own: bool,
) -> Vec<String> {
    say!(
        "{:.3} s of simulated time in {:.3} s of wall time",
        run.sim.time(),
        run.times.total().as_secs_f64()
    );
    match &run.end {
        End::Completed => {}
        End::Stopped(e) => say!("stopped: {e}"),
        End::Interrupted => {
            let held = if report { "the report holds them" } else { "there is no report of them" };
            say!("interrupted after {} steps; {held}", run.sim.steps());
        }
    }
    let hash = run.sim.hash();
    // Without a report the numbers are all there is.
    if report {
        say!("hash {hash:016x}")
    } else {
        output::result(format_args!("hash {hash:016x}"))
    }
    let stage_names: Vec<String> = run.sim.pipeline.costs().map(|(n, _)| n).collect();
    let late = run.times.late().map(|n| {
        let (of, limit) = (run.times.steps() - run.times.unjudged(), short_time(budget.unwrap_or(0.0)));
        format!("{n} of {of} steps took more than {limit}")
    });
    let times: Vec<String> = run.times.words(&stage_names).into_iter().chain(late).collect();
    times.iter().for_each(|words| say!("{words}"));
    run.note.iter().chain(&run.halved).for_each(|w| say!("{w}"));
    run.warnings.iter().for_each(|w| complain!("warning: {w}"));
    print_checks(&summary.scene, summary.response, &summary.expectations);
    if !own {
        say!(
            "  the expectations are not judged: the run is not the scene's own (changed on the command line)"
        );
    }
    times
}
