//! The short examples check what they say, and the guide has what they print.

use crate::guide::{generated, page};

macro_rules! examples {
    ($($name:ident = $path:literal, at most $lines:literal lines;)*) => {
        $(
            #[allow(dead_code)]
            #[path = $path]
            mod $name;
        )*

        $(
            #[test]
            fn $name() {
                let printed = $name::answer().unwrap_or_else(|e| panic!("{e}"));
                let text = include_str!($path);
                assert!(text.lines().count() <= $lines, "the example has {} lines", text.lines().count());
                let shows = text.lines().next().unwrap().trim_start_matches("//! ");
                let call = format!("`cargo run -p impinge --example {}`", stringify!($name));
                generated("examples.md", stringify!($name), &format!("{shows} {call} prints\n\n```text\n{printed}\n```\n"));
            }
        )*

        /// Each has a heading.
        #[test]
        fn the_page_names_them_all() {
            let page = page("examples.md");
            $(assert!(page.contains(concat!("## ", stringify!($name), "\n")), stringify!($name));)*
        }
    };
}

examples! {
    push_a_box = "../../examples/push_a_box.rs", at most 60 lines;
    swap_mid_run = "../../examples/swap_mid_run.rs", at most 60 lines;
    mixed_pairs = "../../examples/mixed_pairs.rs", at most 60 lines;
    raycast = "../../examples/raycast.rs", at most 60 lines;
    cut_a_cloth = "../../examples/cut_a_cloth.rs", at most 60 lines;
    hydroelastic_wrench = "../../examples/hydroelastic_wrench.rs", at most 60 lines;
    overlap_and_gradient = "../../examples/overlap_and_gradient.rs", at most 60 lines;
    first_touch = "../../examples/first_touch.rs", at most 60 lines;
    own_stage = "../../examples/own_stage.rs", at most 60 lines;
    compare_responses = "../../examples/compare_responses.rs", at most 60 lines;
    own_loop = "../../examples/own_loop.rs", at most 80 lines;
    own_components = "../../examples/own_components.rs", at most 90 lines;
    gripper = "../../examples/gripper.rs", at most 80 lines;
    conveyor = "../../examples/conveyor.rs", at most 90 lines;
}
