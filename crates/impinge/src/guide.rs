//! The guide. Every code block in it is compiled and run as a test, and every file it points to exists.
//!
//! | page | for |
//! |---|---|
//! | [`start`] | the first hour: run a scene, read the report, load a mesh, use [`Simulation`](crate::world::Simulation) |
//! | [`examples`] | ten short programs with what they print |
//! | [`elsewhere`] | what rapier, parry, ipc-toolkit, Drake, MuJoCo and SOFA call it |
//! | [`data_flow`] | one step as a list, who reads and writes what, why a reported force is the applied one |
//! | [`columns`] | every table of the step: name, origin, content, units |
//! | [`responses`] | discrete penalty as built: laws, limits, what it cannot do |
//! | [`determinism`] | the same bits; hash, snapshot, restore |
//! | [`long_runs`] | checkpoints, replay, step times, soak |
//! | [`swap`] | swap a response or a stage; use `impinge-penalty` without the ECS |
//! | [`own_response`] | write a response of your own |
//! | [`out_of_scope`] | what Impinge does not do, and what to take instead |
//! | [`errata`] | where the papers are corrected, and in which file |
//! | [`reliability`] | what is tried against the code: fuzzing, broken meshes, licences, unsafe code |
//! | [`broken_meshes`] | what becomes of 208 broken meshes, under every response |
//! | [`outcomes`] | scenes that others reported, under every response |
//! | [`cost`] | what a step costs, by response, size and stage, with other engines beside it |
//! | [`kills`] | runs ended by signals at random moments, and what became of them |
//! | [`long_fuzz`] | counts of long runs of random cases |
//! | [`units`] | every parameter and its unit |

#[doc = include_str!("guide/start.md")]
pub mod start {}

#[doc = include_str!("guide/examples.md")]
pub mod examples {}

#[doc = include_str!("guide/elsewhere.md")]
pub mod elsewhere {}

#[doc = include_str!("guide/data_flow.md")]
pub mod data_flow {}

#[doc = include_str!("guide/columns.md")]
pub mod columns {}

#[doc = include_str!("guide/responses.md")]
pub mod responses {}

#[doc = include_str!("guide/determinism.md")]
pub mod determinism {}

#[doc = include_str!("guide/long_runs.md")]
pub mod long_runs {}

#[doc = include_str!("guide/swap.md")]
pub mod swap {}

#[doc = include_str!("guide/own_response.md")]
pub mod own_response {}

#[doc = include_str!("guide/out_of_scope.md")]
pub mod out_of_scope {}

#[doc = include_str!("guide/errata.md")]
pub mod errata {}

#[doc = include_str!("guide/reliability.md")]
pub mod reliability {}

#[doc = include_str!("guide/broken_meshes.md")]
pub mod broken_meshes {}

#[doc = include_str!("guide/outcomes.md")]
pub mod outcomes {}

#[doc = include_str!("guide/cost.md")]
pub mod cost {}

#[doc = include_str!("guide/kills.md")]
pub mod kills {}

#[doc = include_str!("guide/long_fuzz.md")]
pub mod long_fuzz {}

#[doc = include_str!("guide/units.md")]
pub mod units {}
