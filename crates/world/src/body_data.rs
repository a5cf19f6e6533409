//! What one response knows of a body and the others do not: a pressure field, a coating, a wear.

use crate::body::BodyDesc;
use crate::column::columns;
use crate::kept::Stored;
use std::any::{Any, TypeId};
use std::fmt::Debug;
use std::sync::Arc;

/// Data of a body for a response.
pub trait BodyData: Any + Debug + Send + Sync {
    /// Refuses what does not fit the body it is given to.
    ///
    /// # Errors
    /// The reason, with the body's name.
    fn check(&self, _body: &BodyDesc) -> Result<(), String> {
        Ok(())
    }

    /// What [`crate::ContactResponse::refuses`] may ask of it: of bodies whose answers are the same two stand for all. Of data that says nothing
    /// each is its own.
    fn class(&self) -> u64 {
        std::ptr::from_ref(self).cast::<()>() as usize as u64
    }
}

/// The data of one body, one of each type.
#[derive(Clone, Debug, Default)]
pub struct BodyDatas(pub(crate) Vec<Arc<dyn BodyData>>);

impl BodyDatas {
    /// That of this type.
    #[must_use]
    pub fn get<T: BodyData>(&self) -> Option<&T> {
        self.0.iter().find_map(|d| {
            let any: &dyn Any = &**d;
            any.downcast_ref()
        })
    }

    /// Puts it in the place of what there was of its type.
    pub fn set<T: BodyData>(&mut self, data: T) {
        self.share(Arc::new(data));
    }

    /// As [`BodyDatas::set`], for data that several bodies have.
    pub fn share<T: BodyData>(&mut self, data: Arc<T>) {
        self.0.retain(|d| {
            let any: &dyn Any = &**d;
            !any.is::<T>()
        });
        self.0.push(data);
    }

    /// The very same data.
    #[cfg(feature = "serde")]
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// [`BodyData::class`] of each.
    pub(crate) fn classes(&self) -> Vec<(TypeId, u64)> {
        let of = |d: &Arc<dyn BodyData>| {
            let any: &dyn Any = &**d;
            (any.type_id(), d.class())
        };
        self.0.iter().map(of).collect()
    }

    pub(crate) fn check(&self, body: &BodyDesc) -> Result<(), String> {
        self.0.iter().try_for_each(|d| d.check(body))
    }
}

/// Data of all bodies by slot, for responses to prepare from.
#[derive(Clone, Debug, Default)]
pub struct DataOfBodies(pub Vec<BodyDatas>);

/// To bytes; `None` for data of another type.
#[cfg(feature = "serde")]
type Write = fn(&dyn Any) -> Option<Result<Vec<u8>, String>>;
#[cfg(feature = "serde")]
type Read = fn(&[u8]) -> Result<Arc<dyn BodyData>, String>;

/// A kind of data that snapshots in files hold, see [`crate::ContactResponse::data`].
#[derive(Clone, Copy, Debug)]
pub struct DataKind {
    /// Its name in files; no two kinds have the same.
    pub name: &'static str,
    #[cfg(feature = "serde")]
    pub(crate) write: Write,
    #[cfg(feature = "serde")]
    pub(crate) read: Read,
}

impl DataKind {
    /// Data of this type.
    #[cfg(not(feature = "serde"))]
    #[must_use]
    pub const fn of<T: BodyData + Stored>(name: &'static str) -> Self {
        Self { name }
    }

    /// Data of this type.
    #[cfg(feature = "serde")]
    #[must_use]
    pub const fn of<T: BodyData + Stored>(name: &'static str) -> Self {
        Self {
            name,
            write: |data| Some(postcard::to_stdvec(data.downcast_ref::<T>()?).map_err(|e| e.to_string())),
            read: |bytes| {
                let read: T = postcard::from_bytes(bytes).map_err(|e| e.to_string())?;
                Ok(Arc::new(read))
            },
        }
    }
}

columns! {
    DataOfBodies => "data of bodies", Scene;
}
