//! What one response knows of a body and the others do not: a pressure field, a coating, a wear.

use crate::body::BodyDesc;
use crate::column::columns;
use std::any::Any;
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
}

/// The data of one body, one of each type.
#[derive(Clone, Debug, Default)]
pub struct BodyDatas(Vec<Arc<dyn BodyData>>);

impl BodyDatas {
    /// That of this type.
    pub fn get<T: BodyData>(&self) -> Option<&T> {
        self.0.iter().find_map(|d| {
            let any: &dyn Any = &**d;
            any.downcast_ref()
        })
    }

    /// Puts it in the place of what there was of its type.
    pub fn set<T: BodyData>(&mut self, data: T) {
        self.0.retain(|d| {
            let any: &dyn Any = &**d;
            !any.is::<T>()
        });
        self.0.push(Arc::new(data));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn check(&self, body: &BodyDesc) -> Result<(), String> {
        self.0.iter().try_for_each(|d| d.check(body))
    }
}

/// Data of all bodies by slot, for responses to prepare from.
#[derive(Clone, Debug, Default)]
pub struct DataOfBodies(pub Vec<BodyDatas>);

columns! {
    DataOfBodies => "data of bodies", Scene;
}
