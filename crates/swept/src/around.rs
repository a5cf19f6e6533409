//! What is at each vertex, in one list.

/// Numbers at every vertex, in the order in which they were named.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Of each vertex where its numbers begin; one more at the end.
    first: Vec<u32>,
    all: Vec<u32>,
}

impl Around {
    /// For this many vertices; `named` gives every vertex with a number at it, twice the same.
    pub fn set<I: Iterator<Item = (u32, u32)>>(&mut self, vertices: usize, named: impl Fn() -> I) {
        self.first.clear();
        self.first.resize(vertices + 1, 0);
        for (v, _) in named() {
            self.first[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            self.first[v + 1] += self.first[v];
        }
        self.all.clear();
        self.all.resize(self.first[vertices] as usize, 0);
        // Filling moves every beginning to its end, which is the beginning of the next.
        for (v, number) in named() {
            let at = &mut self.first[v as usize];
            self.all[*at as usize] = number;
            *at += 1;
        }
        self.first.copy_within(0..vertices, 1);
        self.first[0] = 0;
    }

    /// Of one vertex; none of vertices that were not counted.
    #[must_use]
    pub fn of(&self, vertex: u32) -> &[u32] {
        let range = self.first.get(vertex as usize..vertex as usize + 2);
        range.map_or(&[], |r| &self.all[r[0] as usize..r[1] as usize])
    }
}
