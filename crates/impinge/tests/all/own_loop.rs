//! The example of a loop of one's own checks what it says.

#[path = "../../examples/own_loop.rs"]
mod example;

#[test]
fn a_loop_of_ones_own_pushes_takes_and_looks() {
    example::main().unwrap();
}
