//! A step that takes minutes need not be waited for.

use crate::halving::Watch;
use crate::simulation::{Simulation, StepError};
use crate::stage::Step;
use impinge_geometry::halt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

impl Simulation {
    /// Gives up the step in progress once `wish` is true: between stages, and between the passes of what may take long in one. The step then fails
    /// with [`crate::StageError::GivenUp`], and the state is that before it. Whoever wants to go on sets the wish back first. A step that is not
    /// given up has the bits it has without a wish. A stage of your own may ask [`halt::asked`] in its loops.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation, StageError};
    /// # use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
    /// let mut sim = Simulation::new(1e-3)?;
    /// sim.insert(BodyDesc::ball("ball", 0.1, Mass::Total(2.0), [0.0, 0.0, 3.0])?)?;
    /// let wish = Arc::new(AtomicBool::new(false));
    /// sim.give_up_when(wish.clone());
    /// sim.step()?;
    /// // By a handler of signals, say, or another thread.
    /// wish.store(true, Ordering::SeqCst);
    /// assert_eq!(sim.step().unwrap_err().source, StageError::GivenUp);
    /// assert_eq!(sim.steps(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn give_up_when(&mut self, wish: Arc<AtomicBool>) {
        self.wish = Some(wish);
    }

    pub(crate) fn made_or_given_up(&mut self, step: &Step, watch: Watch<'_>) -> Result<(), StepError> {
        match self.wish.clone() {
            Some(wish) => halt::within(&wish, || self.whole_or_halves(step, watch)),
            None => self.whole_or_halves(step, watch),
        }
    }
}
