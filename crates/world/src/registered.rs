//! A line of the list of responses.

use crate::response::Response;
use crate::schema::Section;
use crate::settings::Settings;

/// A line of the list: what must be known of a response before there is one.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
    /// Its name in scene files, on the command line and in messages.
    pub name: &'static str,
    /// What it is, in a clause.
    pub meaning: &'static str,
    /// The table of a scene file that has its settings: keys, units, bounds, defaults.
    pub section: &'static Section,
    /// Keys of it that a report shows with their defaults.
    pub shown: &'static [&'static str],
    /// Makes the response of its table.
    pub read: fn(&mut Settings) -> Response,
}

impl Registered {
    /// The response with the defaults of its section.
    #[must_use]
    pub fn response(&self) -> Response {
        (self.read)(&mut Settings::new(self.section, []))
    }
}
