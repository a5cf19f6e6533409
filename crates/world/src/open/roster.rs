//! Which bodies a world has.

use crate::body::BodyDesc;
use crate::body_data::DataKind;
use crate::builder::Builder;
use crate::trace::digest_of;
use impinge_contact::StateHash;
use std::sync::Arc;

/// What stands in the slot of a body that was removed.
pub(super) fn nobody(slot: usize) -> BodyDesc {
    BodyDesc::particles(&format!("(removed from slot {slot})"), Vec::new(), 1.0)
}

/// The bodies of a world between two changes of them.
#[derive(Clone, Debug)]
pub struct Members {
    /// What the world would be built from.
    pub(crate) from: Builder,
    /// How often each slot was taken and left: even where a body is.
    pub(crate) generation: Vec<u32>,
}

impl Members {
    pub(crate) fn new(from: Builder) -> Arc<Self> {
        let generation = vec![0; from.bodies.len()];
        Arc::new(Self { from, generation })
    }

    /// Over what a program may have changed of them: which are there, drivers, rules, laws and sensors.
    pub(crate) fn digest(&self) -> u64 {
        let mut h = StateHash::default();
        self.generation.iter().for_each(|g| h.word(u64::from(*g)));
        self.from.bodies.iter().for_each(|b| h.word(digest_of(&b.name)));
        self.from.bodies.iter().filter_map(BodyDesc::driver).for_each(|d| d.hash_into(&mut h));
        let laws = &self.from.laws;
        h.word(digest_of(&(&laws.exceptions, &laws.laws, &laws.of_materials)));
        for s in &self.from.sensors {
            h.word(digest_of(&(&s.name, s.on, &s.pose, s.groups)));
            s.shape.mesh.positions().iter().for_each(|p| h.vector(*p));
            h.word(digest_of(&s.shape.mesh.triangles()));
        }
        h.finish()
    }

    /// How many bodies are there.
    pub(crate) fn present(&self) -> usize {
        self.generation.iter().filter(|g| *g % 2 == 0).count()
    }

    pub(crate) fn is_there(&self, slot: usize) -> bool {
        self.generation.get(slot).is_some_and(|g| g % 2 == 0)
    }
}

/// The bodies of a world whose bodies, drivers, rules, laws or sensors are not as it was built with: those, or what a file says of them.
///
/// A file names meshes, functions and data of the built world by their slots, and holds those that came later. So it goes back into a world that
/// was built as that one was.
#[derive(Clone, Debug)]
pub struct Roster(Source);

/// The kinds of data that files hold.
pub(crate) type Kinds = fn() -> Vec<DataKind>;

#[derive(Clone, Debug)]
enum Source {
    World {
        now: Arc<Members>,
        #[cfg_attr(not(feature = "serde"), expect(dead_code, reason = "a file is written against it"))]
        built: Arc<Members>,
        #[cfg_attr(not(feature = "serde"), expect(dead_code, reason = "a file is written with them"))]
        kinds: Kinds,
    },
    #[cfg(feature = "serde")]
    File(Arc<super::written::Written>),
}

impl Roster {
    pub(crate) fn new(now: &Arc<Members>, built: &Arc<Members>, kinds: Kinds) -> Self {
        Self(Source::World { now: now.clone(), built: built.clone(), kinds })
    }

    pub(crate) fn digest(&self) -> u64 {
        match &self.0 {
            Source::World { now, .. } => now.digest(),
            #[cfg(feature = "serde")]
            Source::File(written) => written.digest,
        }
    }

    /// The bodies, in a world that was built as `built`.
    #[cfg_attr(
        not(feature = "serde"),
        expect(clippy::unnecessary_wraps, reason = "a file may be of another world")
    )]
    pub(crate) fn members(&self, built: &Members, kinds: Kinds) -> Result<Arc<Members>, String> {
        let _ = (built, kinds);
        match &self.0 {
            Source::World { now, .. } => Ok(now.clone()),
            #[cfg(feature = "serde")]
            Source::File(written) => written.in_world(built, &kinds()).map(Arc::new),
        }
    }
}

impl PartialEq for Roster {
    fn eq(&self, other: &Self) -> bool {
        self.digest() == other.digest()
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Roster {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Source::World { now, built, kinds } => super::written::Written::of(now, built, &kinds())
                .map_err(serde::ser::Error::custom)?
                .serialize(to),
            Source::File(written) => written.serialize(to),
        }
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Roster {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        super::written::Written::deserialize(from).map(|w| Self(Source::File(Arc::new(w))))
    }
}
