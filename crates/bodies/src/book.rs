//! Where every response ends: what it decided is applied, through the one ledger.

use crate::error::ContactError;
use crate::names::{Names, check};
use crate::tables::Decisions;
use impinge_contact::{
    ApplyWorkspace, BodyDofsView, ContactsView, Decided, Ledger, Loads, PairsView, PlaneContactsView,
    SurfaceMap, SurfaceView, apply,
};
use impinge_geometry::is_finite;

/// Clears loads and ledger, calls [`apply`], and stops the run at a wrench that is not finite. Moments are about the poses and points given.
pub fn book(
    names: &Names,
    map: &SurfaceMap,
    bodies: BodyDofsView<'_>,
    surface: SurfaceView<'_>,
    pairs: PairsView<'_>,
    (contacts, planes): (ContactsView<'_>, PlaneContactsView<'_>),
    decisions: &Decisions,
    loads: &mut Loads,
    ledger: &mut Ledger,
    workspace: &mut ApplyWorkspace,
) -> Result<(), ContactError> {
    loads.clear();
    ledger.reset(map.bodies());
    let decided = Decided {
        mesh: (contacts, decisions.mesh.view()),
        plane: (planes, decisions.plane.view()),
        bend: &decisions.bend,
        patches: decisions.patches.view(),
    };
    apply(map, bodies, surface, pairs, decided, loads, ledger, workspace);
    for (b, w) in loads.wrench.iter().enumerate() {
        check(names, b, is_finite(w.impulse) && is_finite(w.moment), "the contact force")?;
    }
    Ok(())
}
