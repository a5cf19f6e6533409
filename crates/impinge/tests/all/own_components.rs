//! The example of components of one's own checks what it says.

#[path = "../../examples/own_components.rs"]
mod example;

#[test]
fn bodies_with_components_of_ones_own_are_worn_down() {
    example::main().unwrap();
}
