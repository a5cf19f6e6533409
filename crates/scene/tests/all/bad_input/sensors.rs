//! Mistakes in sensors, and in what is expected of them.

use super::added;

#[test]
fn sensors() {
    let of = |keys: &str| format!("[[sensor]]\nname = \"gate\"\n{keys}");
    let cube = "mesh = { box = { size = [1, 1, 1] } }";
    let one = of(cube);
    added("@[[sensor]]\nname = \"gate\"", &["has no `mesh`"]);
    added(&format!("{one}\n{}", one.replace("= \"gate\"", "= @\"gate\"")), &["two sensors `gate`"]);
    added(&of(&format!("{cube}\non = @\"bal\"")), &["no body is called `bal`", "did you mean `ball`"]);
    added(&of(&format!("{cube}\nmeets = [@\"parts\"]")), &["no body is in a group `parts`"]);
    added(&of(&format!("{cube}\n@mass = 1")), &["`mass` is not a key of `[[sensor]]`"]);
    added(
        &format!(
            "[[body]]\nname = \"dust\"\nkind = \"particles\"\nmass = 1\nmaterial = \"rubber\"\npoints = [[0, 0, 1]]\n{}",
            of(&format!("{cube}\non = @\"dust\""))
        ),
        &["made of nodes", "take `on` out"],
    );
}

#[test]
fn what_they_are_to_see() {
    let one = "[[sensor]]\nname = \"gate\"\nmesh = { box = { size = [1, 1, 1] } }";
    let expect = |keys: &str| format!("{one}\n[[expect]]\nname = \"e\"\n{keys}\nmin = 0");
    added(
        &expect("measure = \"sensed\"\nsensor = @\"gat\""),
        &["no sensor is called `gat`", "did you mean `gate`"],
    );
    added(
        &expect("measure = @\"sensed\"\nbody = \"ball\""),
        &["measured on `sensor`", "add `sensor = \"…\"`"],
    );
    added(&expect("measure = @\"speed\"\nbody = \"ball\"\nsensor = \"gate\""), &["take `sensor` out"]);
}
