//! The guide says what the code does: tables are compared with what prints them, columns and units with the types and
//! the scene schema, and every file it points to must exist.
//!
//! `IMPINGE_BLESS=1 cargo test -p impinge guide` writes the generated tables into the pages.

use impinge::contact::{
    Advanced, Contacts, External, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap,
};
use impinge::world::{
    Bounds, Bristles, BristlesNext, Candidates, CellImpulses, CellImpulsesNext, Column, Decisions, Dofs,
    Drawing, Drivers, Elastic, Faces, Family, Followed, Forces, Laws, Multipliers, MultipliersNext,
    NewtonReport, NodeState, Operator, Origin, Overlaps, PathEnds, PlaceShift, Placement, PressureBodies,
    PressurePatches, PressureReport, QpReport, Response, ShapeKind, Shapes, Slot, State, StateNext,
    SweptCandidates, Tracked, TrackedNext, Turning, TurningNext, Twist, VolumeReport,
};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn guide_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/guide")
}

pub fn page(name: &str) -> String {
    std::fs::read_to_string(guide_dir().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Compares the text between two markers with what it should be, or writes it there.
pub fn generated(name: &str, what: &str, wanted: &str) {
    let text = page(name);
    let (begin, end) = (format!("<!-- {what}:begin -->\n"), format!("<!-- {what}:end -->"));
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{name} has no {begin}"));
    let (now, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{name} has no {end}"));
    let wanted = format!("\n{wanted}\n");
    if now == wanted {
        return;
    }
    if std::env::var_os("IMPINGE_BLESS").is_some() {
        std::fs::write(guide_dir().join(name), format!("{before}{begin}{wanted}{end}{after}")).unwrap();
        return;
    }
    panic!(
        "guide/{name} is out of date between the markers `{what}`; to write it there:\n\
         IMPINGE_BLESS=1 cargo test -p impinge guide\nIt should be:\n{wanted}"
    );
}

#[test]
fn the_stage_table_is_the_pipeline_s() {
    generated("data_flow.md", "stages", &impinge::stages_markdown(Response::penalty()));
    generated("data_flow.md", "stages-cpf", &impinge::stages_markdown(Response::cpf()));
    let implicit = impinge::stages_markdown(Response::cpf_implicit());
    generated("data_flow.md", "stages-cpf-implicit", &implicit);
    generated("data_flow.md", "stages-qp", &impinge::stages_markdown(Response::qp()));
    generated("data_flow.md", "stages-volume", &impinge::stages_markdown(Response::volume()));
    generated("data_flow.md", "stages-pressure", &impinge::stages_markdown(Response::pressure()));
}

#[test]
fn the_table_of_pairs_is_the_world_s() {
    for &family in Family::ALL {
        let mut table = format!("| `{}` |", family.name());
        ShapeKind::ALL.iter().for_each(|k| table += &format!(" against {} |", k.name()));
        table += &format!("\n|{}\n", "---|".repeat(1 + ShapeKind::ALL.len()));
        for first in ShapeKind::ALL {
            table += &format!("| {} |", first.name());
            for second in ShapeKind::ALL {
                let d = family.response().directions(first, second);
                table += match (d.first, d.second) {
                    (true, true) => " both ways |",
                    (true, false) => " its vertices |",
                    (false, true) => " the other's vertices |",
                    (false, false) => " refused |",
                };
            }
            table += "\n";
        }
        generated("responses.md", &format!("directions-{}", family.name()), &table);
    }
}

/// Cells of every table row of a page.
fn rows(text: &str) -> Vec<Vec<String>> {
    let tables = text.lines().filter(|l| l.starts_with('|') && !l.starts_with("|---"));
    tables.map(|l| l.trim_matches('|').split(" | ").map(|c| c.trim().to_string()).collect()).collect()
}

#[test]
fn every_column_is_on_the_page_with_its_type_and_origin() {
    fn of<T: Column>() -> (&'static str, String, Origin) {
        let path = std::any::type_name::<T>();
        (T::NAME, path.rsplit("::").next().unwrap_or(path).to_string(), T::ORIGIN)
    }
    let columns = [
        of::<Slot>(),
        of::<Placement>(),
        of::<Twist>(),
        of::<NodeState>(),
        of::<State>(),
        of::<Shapes>(),
        of::<SurfaceMap>(),
        of::<Drivers>(),
        of::<Forces>(),
        of::<Laws>(),
        of::<Dofs>(),
        of::<Prediction>(),
        of::<External>(),
        of::<Surface>(),
        of::<Bounds>(),
        of::<Pairs>(),
        of::<Candidates>(),
        of::<Contacts>(),
        of::<PlaneContacts>(),
        of::<Decisions>(),
        of::<StateNext>(),
        of::<Turning>(),
        of::<TurningNext>(),
        of::<Loads>(),
        of::<Ledger>(),
        of::<Advanced>(),
        of::<Elastic>(),
        of::<Operator>(),
        of::<SweptCandidates>(),
        of::<Faces>(),
        of::<Tracked>(),
        of::<Followed>(),
        of::<TrackedNext>(),
        of::<NewtonReport>(),
        of::<QpReport>(),
        of::<PlaceShift>(),
        of::<Multipliers>(),
        of::<MultipliersNext>(),
        of::<Overlaps>(),
        of::<VolumeReport>(),
        of::<CellImpulses>(),
        of::<CellImpulsesNext>(),
        of::<PressureBodies>(),
        of::<PressurePatches>(),
        of::<Bristles>(),
        of::<BristlesNext>(),
        of::<PathEnds>(),
        of::<Drawing>(),
        of::<PressureReport>(),
    ];
    let rows = rows(&page("columns.md"));
    for (name, ty, origin) in &columns {
        let origin = format!("{origin:?}").to_lowercase();
        let found = rows.iter().any(|r| r[..3] == [(*name).to_string(), format!("`{ty}`"), origin.clone()]);
        assert!(found, "columns.md has no row | {name} | `{ty}` | {origin} |");
    }
    // And the pipeline touches no other.
    let tables = [
        Response::penalty(),
        Response::cpf(),
        Response::cpf_implicit(),
        Response::qp(),
        Response::volume(),
        Response::volume_penalty(),
        Response::pressure(),
    ]
    .map(impinge::stages_markdown);
    for line in tables.iter().flat_map(|t| t.lines().skip(2)) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        for column in cells[2..].iter().flat_map(|c| c.split(',')).map(str::trim).filter(|c| !c.is_empty()) {
            assert!(columns.iter().any(|c| c.0 == column), "column '{column}' is not listed in this test");
        }
    }
}

#[test]
fn units_are_the_scene_schema_s() {
    // Section and key to unit, from the table the reader obeys.
    let mut schema = BTreeMap::new();
    let mut section = String::new();
    for line in impinge::scene::schema_markdown().lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.trim_matches(|c| "`[]".contains(c)).to_string();
        } else if let Some(row) = line.strip_prefix("| `") {
            let cells: Vec<&str> = row.split(" | ").collect();
            let of_keys = !section.contains(' ') && !section.starts_with("mesh.") && section != "Measures";
            if of_keys && cells.len() >= 3 && !cells[2].trim().is_empty() {
                let unit = cells[2].split(" (").next().unwrap_or_default().trim();
                schema.insert(format!("{section}.{}", cells[0].trim_end_matches('`')), unit.to_string());
            }
        }
    }
    assert!(schema.len() > 40, "the schema's form has changed: {schema:?}");
    let mut guide = BTreeMap::new();
    for row in rows(&page("units.md")) {
        if let Some(key) = row[0].strip_prefix('`').and_then(|k| k.strip_suffix('`'))
            && row.len() == 3
        {
            guide.insert(key.to_string(), row[2].clone());
        }
    }
    for (key, unit) in &schema {
        assert_eq!(guide.get(key), Some(unit), "`{key}` in units.md");
    }
    for key in guide.keys() {
        assert!(
            schema.contains_key(key),
            "units.md names `{key}`, which the schema does not have with a unit"
        );
    }
}

#[test]
fn every_file_the_guide_points_to_exists() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = 0;
    for entry in std::fs::read_dir(guide_dir()).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for quoted in text.split('`').filter(|q| q.starts_with("crates/") || q.starts_with("fixtures/")) {
            assert!(root.join(quoted).exists(), "{} points to {quoted}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} paths found");
}

#[test]
fn a_response_of_your_own_is_short_and_swapping_fits_a_page() {
    let own = page("own_response.md");
    let code = own.split("```").nth(1).unwrap();
    let stage = code.split("struct Respond {").nth(1).and_then(|c| c.split("// A cube").next()).unwrap();
    assert!(stage.lines().count() < 60, "{} lines", stage.lines().count());
    assert!(page("swap.md").lines().count() < 100, "{} lines", page("swap.md").lines().count());
}
