//! `roots.csv`: for queries of the sets beside it, every root of the coplanarity cubic in `[0,1]` as an enclosure with an
//! inside flag. Columns: `file,query,hit,coplanar,nroots,ncontact`, then one `lo;hi;in` or `lo;hi;out` per root with the
//! ends as hexadecimal floating-point numbers. Where the points stay in one plane (`coplanar`), there are no roots, and
//! the first contact is listed in their place, if there is one.

use std::collections::BTreeMap;
use std::path::Path;

/// A root as listed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedRoot {
    /// Lower end of the enclosure.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// The features touch there.
    pub inside: bool,
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The features touch.
    pub hit: bool,
    /// The cubic is identically zero.
    pub coplanar: bool,
    /// The roots, ascending.
    pub roots: Vec<ListedRoot>,
}

/// The rows of one folder, by file and query.
#[derive(Default)]
pub struct Listed(BTreeMap<String, BTreeMap<usize, Row>>);

impl Listed {
    /// The rows of a file with `n` queries.
    ///
    /// # Errors
    /// When a row names a query that does not exist.
    pub fn of(&self, file: &str, n: usize) -> Result<Option<&BTreeMap<usize, Row>>, String> {
        let rows = self.0.get(file);
        match rows.and_then(|r| r.last_key_value()) {
            Some((last, _)) if *last >= n => {
                Err(format!("roots.csv names query {last} of {file}, which has {n} queries"))
            }
            _ => Ok(rows),
        }
    }

    /// Names of the files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// Reads the list of a folder; empty when it has none.
///
/// # Errors
/// The file, the line and what is wrong with it.
pub fn read(folder: &Path) -> Result<Listed, String> {
    let path = folder.join("roots.csv");
    if !path.exists() {
        return Ok(Listed::default());
    }
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut listed = Listed::default();
    for (i, line) in text.lines().enumerate().skip(1) {
        let refused = |e: &str| format!("{}:{}: {e}", path.display(), i + 1);
        let (file, query, row) = parse(line).map_err(|e| refused(&e))?;
        if listed.0.entry(file.to_string()).or_default().insert(query, row).is_some() {
            return Err(refused("this query has a line already"));
        }
    }
    Ok(listed)
}

fn parse(line: &str) -> Result<(&str, usize, Row), String> {
    let fields: Vec<&str> = line.split(',').collect();
    let [file, numbers @ ..] = &fields[..] else { unreachable!("a split has at least one part") };
    if numbers.len() < 5 {
        return Err("a line has file,query,hit,coplanar,nroots,ncontact and its roots".into());
    }
    let number = |i: usize| -> Result<usize, String> {
        numbers[i].parse().map_err(|_| format!("`{}` is no whole number", numbers[i]))
    };
    let flag = |i: usize| match number(i)? {
        v @ (0 | 1) => Ok(v == 1),
        v => Err(format!("a flag is 0 or 1, not {v}")),
    };
    let roots = numbers[5..].iter().map(|r| root(r)).collect::<Result<Vec<_>, _>>()?;
    let row = Row { hit: flag(1)?, coplanar: flag(2)?, roots };
    let contacts = row.roots.iter().filter(|r| r.inside).count();
    let expected = if row.coplanar { contacts } else { number(3)? };
    if row.roots.len() != expected || contacts != number(4)? {
        return Err("nroots and ncontact are not what the line lists".into());
    }
    Ok((file, number(0)?, row))
}

fn root(text: &str) -> Result<ListedRoot, String> {
    let refused = || format!("`{text}` is not lo;hi;in or lo;hi;out with hexadecimal ends");
    let mut parts = text.split(';');
    let mut end = || parts.next().and_then(hexadecimal).ok_or_else(refused);
    let (lo, hi) = (end()?, end()?);
    let inside = match (parts.next(), parts.next()) {
        (Some("in"), None) => true,
        (Some("out"), None) => false,
        _ => return Err(refused()),
    };
    Ok(ListedRoot { lo, hi, inside })
}

/// A number like `0x1.8p-3`; the digits must fit into 53 bits.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.strip_prefix("0x")?.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let digits = i32::try_from(fraction.len()).ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(digits.checked_mul(4)?)?;
    // Two factors, so that a small number does not vanish on the way.
    let half = exponent / 2;
    let exact = mantissa < 1 << 53 && exponent.unsigned_abs() < 2000;
    exact.then(|| mantissa as f64 * 2f64.powi(half) * 2f64.powi(exponent - half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lines() {
        assert_eq!(hexadecimal("0x1.f3ffbd6234d49p-3"), Some(f64::from_bits(0x3fcf_3ffb_d623_4d49)));
        assert_eq!(hexadecimal("0x0.0p+0"), Some(0.0));
        assert_eq!(hexadecimal("0x1.0000000000000p+0"), Some(1.0));
        assert_eq!(hexadecimal("0x1.0p-1074"), Some(5e-324));
        assert_eq!(
            ["0.5", "0x1.0", "0xg.0p0", "0x1.00000000000000p0", "0x1.0p-2147483648"].map(hexadecimal),
            [None; 5]
        );

        let (file, query, row) =
            parse("a.ccdq,7,1,0,2,1,0x1.0p-2;0x1.8p-2;out,0x1.0p-1;0x1.0p-1;in").unwrap();
        assert_eq!((file, query, row.hit, row.coplanar), ("a.ccdq", 7, true, false));
        assert_eq!(row.roots[0], ListedRoot { lo: 0.25, hi: 0.375, inside: false });
        assert_eq!(row.roots[1], ListedRoot { lo: 0.5, hi: 0.5, inside: true });
        assert!(parse("a.ccdq,7,1,1,0,1,0x1.0p-1;0x1.0p-1;in").unwrap().2.coplanar);
        for bad in [
            "a.ccdq,7,1,0,2",
            "a.ccdq,7,2,0,0,0",
            "a.ccdq,x,0,0,0,0",
            "a.ccdq,7,1,0,2,1,0x1.0p-1;0x1.0p-1;in",
            "a.ccdq,7,1,0,1,1,0x1.0p-1;0x1.0p-1",
            "a.ccdq,7,1,0,1,1,0x1.0p-1;0x1.0p-1;out",
            "a.ccdq,7,1,0,1,1,0.5;0.5;in",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
