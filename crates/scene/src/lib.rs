//! TOML scene files to worlds, with expectations.
