//! Exact volumes by place and by cell of a grid.

use super::moments::Moments;
use super::regions::unite;
use super::{Exact, Hit, Through, WallRay};
use crate::VolumeError;
use crate::bounds::Bounds;
use crate::closed::Body;
use crate::ldi::LayeredDepth;
use crate::overlap::{Cell, CellGrid, Gather, Overlap, Walls, place_names};
use impinge_geometry::DVec3;

/// Rays along a cell's edge that share out the walls' pushes.
const RAYS_PER_CELL: f64 = 16.0;
/// At least so many.
const LEAST_RAYS: f64 = 2.0;
/// Rays through walls at most, along the three axes (600 MB, some times that while they are collected and sorted): in grids of more than 5461 cells fewer rays go through each.
const MOST_RAYS: usize = 1 << 22;

/// Rays along an edge where so many cells are full.
fn rays_per_cell(cells: f64) -> f64 {
    (MOST_RAYS as f64 / (3.0 * cells)).sqrt().clamp(LEAST_RAYS, RAYS_PER_CELL)
}

impl Exact {
    /// Fills `regions`; gives the names of the places, and where those are told apart the moments of the regions.
    fn divide(
        &mut self,
        bodies: [Body<'_>; 2],
        centre: DVec3,
        hits: &[Hit],
    ) -> (Vec<u32>, [Vec<Moments>; 2]) {
        let active = [&self.a, &self.b];
        let places = self.by_place.then_some(&mut self.places).map(|places| {
            let through: Vec<Through> = self.found.iter().flat_map(|f| &f.through).copied().collect();
            places.settle(hits, &through, bodies, active);
            &*places
        });
        for side in 0..2 {
            self.regions[side].fill(side, hits, active[side], places);
        }
        let Some(places) = places else { return (vec![0], Default::default()) };
        let moments = [0, 1].map(|side| {
            let regions = &self.regions[side];
            regions.list.iter().map(|r| regions.moments(side, r, hits)).collect::<Vec<_>>()
        });
        let count = unite(places.count, &mut self.regions, active, &moments, hits, centre);
        let mut lowest = vec![[u32::MAX; 2]; count];
        for side in 0..2 {
            for r in &self.regions[side].list {
                let least = &mut lowest[r.place as usize][side];
                let vertices = active[side].face[r.face as usize].vertices;
                *least = vertices.into_iter().fold(*least, u32::min);
            }
        }
        (place_names(&lowest), moments)
    }

    /// All segments in one list, which goes back to `hits` after use.
    fn all_hits(&mut self) -> Vec<Hit> {
        let mut hits = std::mem::take(&mut self.hits);
        hits.clear();
        hits.extend(self.found.iter().flat_map(|f| &f.hits));
        hits
    }

    /// Puts the regions in the order of places.
    fn sort_regions(&mut self) {
        for (order, regions) in self.by_region.iter_mut().zip(&self.regions) {
            order.clear();
            order.extend(0..regions.list.len() as u32);
            order.sort_by_key(|&i| regions.list[i as usize].place);
        }
    }

    /// One contact for each place.
    pub(super) fn mono_by_place(&mut self, bodies: [Body<'_>; 2], centre: DVec3, out: &mut Overlap) {
        let hits = self.all_hits();
        let (names, moments) = self.divide(bodies, centre, &hits);
        self.hits = hits;
        self.sort_regions();
        let order = &self.by_region;
        let mut from = [0; 2];
        for (place, part) in (0..).zip(names) {
            let mut volume = 0.0;
            for side in 0..2 {
                let active = if side == 0 { &mut self.a } else { &mut self.b };
                let regions = &self.regions[side].list;
                let rest = order[side][from[side]..].iter().map(|&i| i as usize);
                for i in rest.take_while(|&i| regions[i].place == place) {
                    from[side] += 1;
                    volume += active.add(regions[i].face as usize, &moments[side][i], centre);
                }
            }
            let start = Gather::drain_pair([&mut self.a.gather, &mut self.b.gather], out);
            if start[2] > start[0] {
                out.cells.push(Cell { index: [0; 3], part, volume, along: [volume; 3], flat: None, start });
            }
        }
        out.order();
    }

    /// The pieces of both surfaces in the cells of the grid.
    fn cut(&mut self, hits: &[Hit], place: u32, grid: &CellGrid, common: &Bounds) {
        let order = &self.by_region;
        self.pieces.clear();
        for side in 0..2 {
            let active = if side == 0 { &self.a } else { &self.b };
            let regions = &self.regions[side];
            let of = |i: u32| &regions.list[i as usize];
            let first = order[side].partition_point(|&i| of(i).place < place);
            for r in order[side][first..].iter().map(|&i| of(i)).take_while(|r| r.place == place) {
                let chain = self.cutter.start();
                regions.around(side, r, hits, chain);
                if !chain.is_empty() {
                    let face = &active.face[r.face as usize];
                    self.cutter.pieces(face, side as u8, grid, common, &mut self.pieces);
                }
            }
        }
    }

    /// The place of a ray between both bodies, from what it met; the first one where neither end tells.
    fn place_of(&self, ray: &WallRay, hits: &[Hit]) -> u32 {
        let of = [ray.lower, ray.upper].into_iter().find_map(|met| {
            let side = usize::from(met.side);
            let active = if side == 0 { &self.a } else { &self.b };
            let face = active.triangle.binary_search(&met.triangle).ok()?;
            let at = [met.corner[1].1, met.corner[2].1];
            self.regions[side].place_at(side, face as u32, at, hits)
        });
        of.unwrap_or(0)
    }

    /// One contact for each cell, and for each place in it.
    pub(super) fn multi(
        &mut self,
        bodies: [Body<'_>; 2],
        grid: &CellGrid,
        (common, bounds): (&Bounds, &[Bounds; 2]),
        out: &mut Overlap,
    ) -> Result<(), VolumeError> {
        let most = MOST_RAYS / (3 * (LEAST_RAYS * LEAST_RAYS) as usize);
        let cells = grid.count(common.lo, common.hi, most)?;
        // Rays first: they refuse what would need too much memory.
        self.rays.clear();
        let pixel = grid.size / rays_per_cell(cells);
        let image = match &mut self.image {
            Some(image) => image,
            none => none.insert(Box::new(LayeredDepth::new(pixel)?)),
        };
        image.set_pixel(pixel);
        image.walls(&bodies, (common, bounds), grid, &mut self.rays)?;
        let hits = self.all_hits();
        let mut rays = std::mem::take(&mut self.rays);
        let (names, _) = self.divide(bodies, (common.lo + common.hi) * 0.5, &hits);
        self.sort_regions();
        if let &[part] = &names[..] {
            self.cells_of_place((0, part), (bodies, &hits), &mut rays, (grid, common), out);
        } else {
            let mut by_place: Vec<Vec<WallRay>> = vec![Vec::new(); names.len()];
            if !by_place.is_empty() {
                rays.iter().for_each(|r| by_place[self.place_of(r, &hits) as usize].push(*r));
            }
            for (part, (place, mut rays)) in names.into_iter().zip((0..).zip(by_place)) {
                self.cells_of_place((place, part), (bodies, &hits), &mut rays, (grid, common), out);
            }
        }
        (self.hits, self.rays) = (hits, rays);
        out.order();
        Ok(())
    }

    /// The cells of one place.
    fn cells_of_place(
        &mut self,
        (place, part): (u32, u32),
        (bodies, hits): ([Body<'_>; 2], &[Hit]),
        rays: &mut [WallRay],
        (grid, common): (&CellGrid, &Bounds),
        out: &mut Overlap,
    ) {
        self.cut(hits, place, grid, common);
        rays.sort_by_key(|r| (r.axis, r.cell));
        let carry = self.adding.add_up(&self.pieces, rays, grid, common);
        let (cells, entries) = (&self.adding.cells, &self.adding.entries);
        if grid.walls == Walls::Carried {
            let centre = (common.lo + common.hi) * 0.5;
            let of = |i: usize| entries[3 * i].cell;
            self.flats.find(
                &self.pieces,
                of,
                bodies.map(|b| b.x),
                centre,
                cells,
                grid.size.min((common.hi - common.lo).component_max()),
            );
        }
        self.by_cell.sort(cells.len(), entries.iter().map(|e| e.cell));
        for (number, index, sum) in cells.ordered(&mut self.order) {
            for &i in self.by_cell.of(number) {
                let e = &entries[i as usize];
                let body = if e.side == 0 { &mut self.a } else { &mut self.b };
                *body.gather.at(e.vertex) += e.gradient;
            }
            let start = Gather::drain_pair([&mut self.a.gather, &mut self.b.gather], out);
            let along = [sum.along.x, sum.along.y, sum.along.z];
            let flat = if grid.walls == Walls::Carried { self.flats.of(number, carry) } else { None };
            out.cells.push(Cell { index, part, volume: sum.volume(), along, flat, start });
        }
    }
}
