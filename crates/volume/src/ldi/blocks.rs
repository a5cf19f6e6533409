//! Voxels in blocks of 4³, found by where they are.

/// No block.
pub const NONE: u32 = u32::MAX;

/// Voxels along an edge of a block, as a power of two: those of a block are the bits of a number.
pub const EDGE: u32 = 2;
const MASK: u32 = (1 << EDGE) - 1;

#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// A bit for each voxel with an end in it, x fastest.
    pub voxels: u64,
    pub at: [u32; 3],
    /// Where its clusters start.
    pub first: u32,
}

/// Voxels of a block on its lower and its upper side, by axis, and how far the next voxel along it is.
const LOW: [u64; 3] = [0x1111_1111_1111_1111, 0x000f_000f_000f_000f, 0x0000_0000_0000_ffff];
const HIGH: [u64; 3] = [LOW[0] << 3, LOW[1] << 12, LOW[2] << 48];
const SHIFT: [u32; 3] = [1, 4, 16];

/// Voxels of the block a step away along an axis that are those given or next to one of them along it.
#[inline(always)]
#[must_use]
pub fn beside_along(v: u64, axis: usize, step: i32) -> u64 {
    match step {
        0 => v | (v & !HIGH[axis]) << SHIFT[axis] | (v & !LOW[axis]) >> SHIFT[axis],
        1 => (v & HIGH[axis]) >> (3 * SHIFT[axis]),
        _ => (v & LOW[axis]) << (3 * SHIFT[axis]),
    }
}

/// Voxels of the block a `step` away that are those given or next to one of them.
#[inline(always)]
#[must_use]
pub fn beside(voxels: u64, step: [i32; 3]) -> u64 {
    (0..3).fold(voxels, |v, k| beside_along(v, k, step[k]))
}

/// Which bit of its block a voxel is.
#[must_use]
pub fn bit_of([x, y, z]: [u32; 3]) -> u32 {
    x & MASK | (y & MASK) << EDGE | (z & MASK) << (2 * EDGE)
}

/// Blocks in the order in which they came, and a table of slots that nothing runs through.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    pub list: Vec<Block>,
    /// A block or [`NONE`], at the slot its place is hashed to or at the first free one after it; a power of two of them, at least half of
    /// them free.
    slots: Vec<u32>,
}

impl Blocks {
    /// None any more.
    pub fn clear(&mut self) {
        self.list.clear();
        let slots = self.slots.len().max(64);
        self.slots.clear();
        self.slots.resize(slots, NONE);
    }

    /// Where a block's slot is, or would be.
    #[inline(always)]
    fn slot(&self, at: [u32; 3]) -> usize {
        const MIX: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9];
        let key = (0..3).fold(0u64, |h, k| h.wrapping_add(u64::from(at[k]).wrapping_mul(MIX[k])));
        let last = self.slots.len() - 1;
        let mut slot = (key >> 32) as usize & last;
        while self.slots[slot] != NONE && self.list[self.slots[slot] as usize].at != at {
            slot = (slot + 1) & last;
        }
        slot
    }

    /// The block at a place, or [`NONE`].
    #[inline(always)]
    #[must_use]
    pub fn at(&self, at: [u32; 3]) -> u32 {
        self.slots[self.slot(at)]
    }

    pub fn at_or_new(&mut self, at: [u32; 3]) -> u32 {
        let slot = self.slot(at);
        if self.slots[slot] != NONE {
            return self.slots[slot];
        }
        let new = self.list.len() as u32;
        self.list.push(Block { voxels: 0, at, first: 0 });
        if 2 * self.list.len() <= self.slots.len() {
            self.slots[slot] = new;
            return new;
        }
        let more = 2 * self.slots.len();
        self.slots.clear();
        self.slots.resize(more, NONE);
        for b in 0..=new {
            // Each is another one: its slot is free.
            let slot = self.slot(self.list[b as usize].at);
            self.slots[slot] = b;
        }
        new
    }
}
