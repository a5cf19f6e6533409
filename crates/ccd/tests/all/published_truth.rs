//! The oracle of these tests against the published sets of queries with known answers.
//!
//! Reads `ccd-truth` in the folder that IMPINGE_SHARED names; says what it skipped when there is none.

use crate::oracle::{Dyadic, truth};
use impinge_ccd::{Class, Kind};
use impinge_geometry::DVec3;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

struct Query {
    x0: [DVec3; 4],
    x1: [DVec3; 4],
    hit: bool,
}

fn read(path: &Path) -> (Kind, Vec<Query>) {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"CCDQ0001", "{}", path.display());
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let kind = [Kind::VertexFace, Kind::EdgeEdge][word(8) as usize];
    let queries: Vec<Query> = bytes[16..]
        .chunks_exact(200)
        .map(|record| {
            let number = |i: usize| f64::from_le_bytes(record[8 * i..8 * i + 8].try_into().unwrap());
            let point = |i: usize| DVec3::new(number(3 * i), number(3 * i + 1), number(3 * i + 2));
            Query {
                x0: std::array::from_fn(point),
                x1: std::array::from_fn(|i| point(4 + i)),
                hit: u64::from_le_bytes(record[192..].try_into().unwrap()) == 1,
            }
        })
        .collect();
    assert_eq!(queries.len(), word(12) as usize, "{}", path.display());
    (kind, queries)
}

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("IMPINGE_SHARED").map(|s| Path::new(&s).join("ccd-truth"));
    if folder.as_ref().is_none_or(|f| !f.is_dir()) {
        eprintln!("skipped: IMPINGE_SHARED does not name a folder with ccd-truth");
        return None;
    }
    folder
}

fn query_files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "ccdq"));
    files.sort();
    files
}

#[test]
fn the_oracle_agrees_with_the_published_truth() {
    let Some(folder) = folder() else { return };
    let mut compared = 0;
    for set in ["given", "extra_given", "sim_given"] {
        for path in query_files(&folder.join(set)) {
            let (kind, queries) = read(&path);
            for (i, q) in queries.iter().enumerate() {
                assert_eq!(truth(kind, &q.x0, &q.x1).touch(), q.hit, "{} query {i}", path.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// A hexadecimal floating-point literal, `0x1.8p-3`.
fn hex(s: &str) -> f64 {
    let (m, e) = s.strip_prefix("0x").and_then(|s| s.split_once('p')).unwrap();
    let (whole, fraction) = m.split_once('.').unwrap();
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
    digits as f64 * 2f64.powi(e.parse::<i32>().unwrap() - 4 * fraction.len() as i32)
}

#[test]
fn every_published_root_is_the_oracles() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("given/roots.csv")).unwrap();
    let mut files: BTreeMap<&str, (Kind, Vec<Query>)> = BTreeMap::new();
    let mut roots = 0;
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        let number = |i: usize| f[i].parse::<usize>().unwrap();
        let (kind, queries) = files.entry(f[0]).or_insert_with(|| read(&folder.join("given").join(f[0])));
        let q = &queries[number(1)];
        let t = truth(*kind, &q.x0, &q.x1);
        assert_eq!(t.touch(), number(2) == 1, "{line}");
        let coplanar = matches!(t.class, Class::CoplanarAlways | Class::DegenerateAlways);
        assert_eq!(coplanar, number(3) == 1, "{line}");
        assert_eq!(t.roots.len(), number(4), "{line}");
        let listed = f[6..].iter().map(|r| {
            let p: Vec<&str> = r.split(';').collect();
            (Dyadic::from_f64(hex(p[0])), Dyadic::from_f64(hex(p[1])), p[2] == "in")
        });
        let ours: Vec<_> = match coplanar {
            false => t.roots.iter().map(|r| (&r.at, r.inside)).collect(),
            true => t.first().into_iter().map(|a| (a, true)).collect(),
        };
        assert_eq!(ours.len(), f[6..].len(), "{line}");
        for ((at, inside), (lo, hi, listed_inside)) in ours.into_iter().zip(listed) {
            assert_eq!(inside, listed_inside, "{line}");
            assert_ne!(at.cmp_dyadic(&lo), Ordering::Less, "{line}");
            assert_ne!(at.cmp_dyadic(&hi), Ordering::Greater, "{line}");
            roots += 1;
        }
    }
    assert!(roots > 800, "{roots}");
}
