//! The short examples check what they say, and the guide has what they print.

use crate::guide::{generated, page};

macro_rules! examples {
    ($($name:ident = $path:literal;)*) => {
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
                assert!(text.lines().count() <= 60, "an example is at most 60 lines long");
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
    push_a_box = "../../examples/push_a_box.rs";
    swap_mid_run = "../../examples/swap_mid_run.rs";
    mixed_pairs = "../../examples/mixed_pairs.rs";
    raycast = "../../examples/raycast.rs";
    cut_a_cloth = "../../examples/cut_a_cloth.rs";
    hydroelastic_wrench = "../../examples/hydroelastic_wrench.rs";
    overlap_and_gradient = "../../examples/overlap_and_gradient.rs";
    first_touch = "../../examples/first_touch.rs";
    own_stage = "../../examples/own_stage.rs";
    compare_responses = "../../examples/compare_responses.rs";
}
