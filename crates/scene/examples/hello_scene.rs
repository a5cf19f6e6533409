//! A scene file becomes a world.
//!
//! `cargo run -p impinge-scene --example hello_scene`

use impinge_scene::SceneSpec;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = r#"
        scene = { title = "a ball on the floor", dt = 1e-3, duration = 1.0 }
        material = [{ name = "rubber", density = 1100.0 }]
        pair = [{ materials = ["*", "*"], stiffness = 1e4, mu_s = 0.8 }]
        [[body]]
        name = "floor"
        kind = "fixed"
        material = "rubber"
        plane = { normal = [0, 0, 1], offset = 0.0 }
        [[body]]
        name = "ball"
        material = "rubber"
        mesh = { icosphere = { radius = 0.1 } }
        position = [0.0, 0.0, 0.5]
    "#;
    let mut scene = SceneSpec::from_str(text, Path::new("ball.toml")).unwrap();
    assert_eq!(scene.steps(), 1000);
    scene.set("scene.dt", "5e-4").unwrap();
    assert_eq!(scene.steps(), 2000);
    assert_eq!(scene.meshes().unwrap().meshes[0].triangles().len(), 1280);
    let error = scene.set("body.ball.colour", "\"#ff0000\"").unwrap_err();
    assert!(error.to_string().contains("did you mean `color`?"));
    println!("as expected");
    Ok(())
}
