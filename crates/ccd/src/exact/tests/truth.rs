//! Against the public truth files (named by `IMPINGE_SHARED`; skipped with a note when unset).

use super::Pair;
use crate::exact::{roots, touches};
use crate::{Class, Kind};
use impinge_geometry::DVec3;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Kind, pairs and truths of one `.ccdq` file.
pub(in crate::exact) struct Queries {
    pub name: String,
    pub kind: Kind,
    pub pairs: Vec<(Pair, bool)>,
}

pub(in crate::exact) fn folder(name: &str) -> Option<PathBuf> {
    let Some(shared) = std::env::var_os("IMPINGE_SHARED") else {
        eprintln!("skipped {name}: IMPINGE_SHARED is not set");
        return None;
    };
    Some(Path::new(&shared).join("ccd-truth").join(name))
}

pub(in crate::exact) fn read_all(folder: &Path) -> Vec<Queries> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "ccdq"));
    files.sort();
    assert!(!files.is_empty(), "no queries in {}", folder.display());
    files.iter().map(|f| read(f)).collect()
}

fn read(file: &Path) -> Queries {
    let bytes = std::fs::read(file).unwrap();
    assert_eq!(&bytes[..8], b"CCDQ0001");
    let u32_at = |i: usize| u32::from_le_bytes(bytes[i..i + 4].try_into().unwrap());
    let u64_at = |i: usize| u64::from_le_bytes(bytes[i..i + 8].try_into().unwrap());
    let kind = if u32_at(8) == 0 { Kind::VertexFace } else { Kind::EdgeEdge };
    let one = |query: usize| {
        let start = 16 + query * 200;
        let x = |i: usize| f64::from_bits(u64_at(start + 8 * i));
        let point = |i: usize| DVec3::new(x(3 * i), x(3 * i + 1), x(3 * i + 2));
        let at = |end: usize| std::array::from_fn(|i| point(4 * end + i));
        ((at(0), at(1)), u64_at(start + 192) == 1)
    };
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    Queries { name, kind, pairs: (0..u32_at(12) as usize).map(one).collect() }
}

#[test]
fn every_decision_is_the_truth() {
    for name in ["given", "extra_given", "sim_given"] {
        let Some(folder) = folder(name) else { return };
        for file in read_all(&folder) {
            for (i, ((x0, x1), truth)) in file.pairs.iter().enumerate() {
                let all = roots(file.kind, x0, x1);
                assert_eq!(all.touch(), *truth, "{} {i}: {all:?}", file.name);
                assert_eq!(touches(file.kind, x0, x1), *truth, "{} {i}", file.name);
            }
        }
    }
}

/// `[-]0x1.8p-3`.
fn hex_float(text: &str) -> f64 {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |t| (true, t));
    let (digits, exponent) = text.strip_prefix("0x").unwrap().split_once('p').unwrap();
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap() as f64;
    let value = mantissa * f64::exp2(exponent.parse::<f64>().unwrap() - 4.0 * fraction.len() as f64);
    if negative { -value } else { value }
}

#[test]
fn every_root_has_its_published_enclosure_and_flag() {
    let Some(folder) = folder("given") else { return };
    let files: BTreeMap<String, Queries> =
        read_all(&folder).into_iter().map(|q| (q.name.clone(), q)).collect();
    let table = std::fs::read_to_string(folder.join("roots.csv")).unwrap();
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let file = &files[cells[0]];
        let (x0, x1) = &file.pairs[cells[1].parse::<usize>().unwrap()].0;
        let got = roots(file.kind, x0, x1);
        assert_eq!(got.touch(), cells[2] == "1", "{row}");
        let flat = matches!(got.class, Class::CoplanarAlways | Class::DegenerateAlways);
        assert_eq!(flat, cells[3] == "1", "{row}: {got:?}");
        rows += 1;
        if flat {
            continue;
        }
        assert_eq!(got.roots.len(), cells[4].parse::<usize>().unwrap(), "{row}: {got:?}");
        assert_eq!(
            got.roots.iter().filter(|r| r.inside).count(),
            cells[5].parse::<usize>().unwrap(),
            "{row}: {got:?}"
        );
        for (root, cell) in got.roots.iter().zip(cells[6..].iter().filter(|c| !c.is_empty())) {
            let parts: Vec<&str> = cell.split(';').collect();
            let (lo, hi) = (hex_float(parts[0]), hex_float(parts[1]));
            assert!(lo <= root.t_hi && root.t <= hi, "{row}: {got:?}");
            assert!(root.t == root.t_hi || root.t.next_up() == root.t_hi, "{row}: {got:?}");
            assert_eq!(root.inside, parts[2] == "in", "{row}: {got:?}");
        }
    }
    assert!(rows > 5000, "only {rows} rows");
}
