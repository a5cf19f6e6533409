//! Two texts in, the lines that differ out: enough to see what changed in a table of a few dozen lines.

/// The lines of both texts in order; lines only in `old` start with `-`, only in `new` with `+`, others with a blank.
pub fn lines(old: &str, new: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    // Longest common subsequence of the tails from (i, j).
    let mut common = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] =
                if a[i] == b[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = String::new();
    while i < a.len() || j < b.len() {
        let (sign, line) = if i < a.len() && j < b.len() && a[i] == b[j] {
            i += 1;
            j += 1;
            (' ', a[i - 1])
        } else if j >= b.len() || (i < a.len() && common[i + 1][j] >= common[i][j + 1]) {
            i += 1;
            ('-', a[i - 1])
        } else {
            j += 1;
            ('+', b[j - 1])
        };
        out.push(sign);
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_stands_between_its_neighbours() {
        assert_eq!(lines("a\nb\nc", "a\nB\nc\n"), " a\n-b\n+B\n c\n");
        assert_eq!(lines("", "x\n"), "+x\n");
        assert_eq!(lines("x\ny\n", "y\n"), "-x\n y\n");
        assert_eq!(lines("same\n", "same\n"), " same\n");
    }
}
