//! Mistakes in locked axes, actuators and forces.

use super::{GOOD, added, case, read};

const BALL: &str = "mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }";

#[test]
fn locked_axes() {
    let with = |line: &str| format!("{BALL}\n{line}");
    case(BALL, &with("locked = [\"x\", @\"w\"]"), &["`locked` has no \"w\"", "it may have"]);
    case(BALL, &with("locked = [\"x\", @\"x\"]"), &["twice", "write it once"]);
    case(BALL, &with("locked = [@1]"), &["among its words", "\"rx\""]);
    case(BALL, &with("locked = @\"x\""), &["a list of words"]);
    case(
        BALL,
        &with("locked = [\"x\", \"rz\"]\nvelocity = @[0.1, 0, 0]"),
        &["translation along x", "take \"x\" out of `locked`"],
    );
    case(
        BALL,
        &with("locked = [\"rz\"]\nvelocity = [0.1, 0, 0]\nangular_velocity = @[0, 0, 1]"),
        &["rotation about z"],
    );
    case("plane = {}", "plane = {}\n@locked = [\"x\"]", &["has no effect on a fixed body"]);
    added(
        "[[body]]\nname = \"dust\"\nkind = \"particles\"\nmass = 1\nmaterial = \"rubber\"\npoints = [[0, 0, 1]]\n@locked = [\"x\"]",
        &["has no effect on particles"],
    );
}

#[test]
fn actuators() {
    let on = |body: &str, keys: &str| format!("[[actuator]]\nbody = {body}\n{keys}");
    added(&on("@\"bal\"", "axis = \"x\"\nforce = 1"), &["no body is called `bal`", "did you mean `ball`"]);
    added(&on("@\"floor\"", "axis = \"x\"\nforce = 1"), &["no rigid body", "[[force]]"]);
    added(&on("\"ball\"", "axis = @\"r\"\nforce = 1"), &["`axis` has no \"r\""]);
    added(&on("\"ball\"", "axis = @\"x\""), &["does nothing", "`force = …`"]);
    added(&on("\"ball\"", "axis = \"x\"\nforce = 1\n@position = 0.1"), &["no effect without `stiffness`"]);
    added(&on("\"ball\"", "axis = \"x\"\nstiffness = 1\n@velocity = 0.1"), &["no effect without `damping`"]);
    added(&on("\"ball\"", "axis = \"x\"\nforce = 1\nlimit = @0"), &["above 0"]);
    added(&on("\"ball\"", "axis = \"x\"\nstiffness = @-1"), &["0 or more"]);
    let one = on("\"ball\"", "axis = \"x\"\nforce = 1");
    added(
        &format!("{one}\n{}", one.replace("= \"x\"", "= @\"x\"")),
        &["two actuators on the translation along x"],
    );
    let locked = GOOD.replace(BALL, &format!("{BALL}\nlocked = [\"x\"]"));
    let text = format!("{locked}\n{}\n", one.replace("= \"x\"", "= @\"x\""));
    super::text_case(&text, &["is locked", "take \"x\" out of its `locked`"]);
}

#[test]
fn forces() {
    let on = |body: &str, keys: &str| format!("[[force]]\nbody = {body}\n{keys}");
    added(&on("@\"bal\"", "force = [1, 0, 0]"), &["did you mean `ball`"]);
    added(&on("@\"floor\"", "force = [1, 0, 0]"), &["no force moves `floor`"]);
    added(&on("@\"ball\"", ""), &["this force is none"]);
    added(&on("\"ball\"", "force = [1, 0, 0]\nstart = 0.5\nend = @0.5"), &["an `end` after `start`"]);
    added(&on("\"ball\"", "force = @[1, 0]"), &["three finite numbers"]);
    added(
        &on("\"ball\"", "force = [1, 0, 0]\nstart = @1.0\nend = 2.0"),
        &["ends at 1 s: it does nothing", "or raise it"],
    );
    assert!(
        read(&format!("{GOOD}\n{}\n", on("\"ball\"", "force = [1, 0, 0]\nstart = 0.999\nend = 9.0"))).is_ok()
    );
    added(
        "[[body]]\nname = \"dust\"\nkind = \"particles\"\nmass = 1\nmaterial = \"rubber\"\npoints = [[0, 0, 1]]\n\
         [[force]]\nbody = \"dust\"\ntorque = @[0, 0, 1]",
        &["takes no torque"],
    );
}

/// What only the built world knows is refused with the body and the step that would do.
#[test]
fn gains_beyond_the_step_are_refused() {
    let text = format!("{GOOD}\n[[actuator]]\nbody = \"ball\"\naxis = \"x\"\nstiffness = 1e9\n");
    let e = read(&text).unwrap().simulation().err().unwrap().to_string();
    assert!(e.contains("test.toml:36:8") && e.contains("take steps below"), "{e}");
}
