//! A line of the list of responses.

use crate::response::Response;
use crate::settings::Settings;

/// A line of the list: what must be known of a response before there is one.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
    /// Its name in scene files, on the command line and in messages.
    pub name: &'static str,
    /// The table of a scene file that has its settings.
    pub section: &'static str,
    /// The response with the settings that hold where nothing is said.
    pub default: fn() -> Response,
    /// Reads its settings; `None` where the crate of scenes does it.
    pub read: Option<ReadSettings>,
}

/// Makes a response of the table that a scene file has for it.
pub type ReadSettings = fn(&mut Settings) -> Result<Response, String>;
