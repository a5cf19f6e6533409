//! The example of a conveyor checks what it says.

#[path = "../../examples/conveyor.rs"]
mod example;

#[test]
fn a_conveyor_takes_parcels_to_a_gate() {
    example::main().unwrap();
}
