//! Exact tier: being merged; until then what the f64 tiers leave open counts as no contact.
use crate::{Kind, Roots};
use impinge_geometry::DVec3;
pub(crate) fn touches(_: Kind, _: &[DVec3; 4], _: &[DVec3; 4]) -> bool {
    false
}
pub(crate) fn roots(_: Kind, _: &[DVec3; 4], _: &[DVec3; 4]) -> Roots {
    Roots::default()
}
pub(crate) fn sign_at_start(_: Kind, _: &[DVec3; 4], _: &[DVec3; 4]) -> i8 {
    0
}
