//! The step of continuous penalty forces: open contacts are followed, penetration intervals found and answered, and what is in contact at the
//! end is carried on. The explicit response decides from the predicted motion, the conserving one solves for it.

mod answer;
mod begun;
mod crossing_place;
mod dissipation;
mod follow;
mod follow_cables;
mod follow_edges;
mod ground;
mod hand_over;
mod implicit;
mod layers;
mod meet;
mod on_ways;
mod retrack;
mod seams;

pub use answer::{CpfAnswer, CpfOut};
pub use follow::ContactFollower;
pub use implicit::answer::ConservingAnswer;
pub use implicit::settings::{NewtonReport, NewtonSettings};
pub use retrack::EndTracker;
