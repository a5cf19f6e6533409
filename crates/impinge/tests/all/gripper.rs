//! The example of a gripper checks what it says.

#[path = "../../examples/gripper.rs"]
mod example;

#[test]
fn a_gripper_by_force_lifts_what_friction_carries() {
    example::main().unwrap();
}
