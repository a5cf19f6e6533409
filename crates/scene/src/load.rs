//! Scene files in: text or path to [`SceneSpec`], and single keys changed afterwards.

use crate::document::Document;
use crate::error::{Issue, SceneError};
use crate::spec::{Response, SceneSpec};
use crate::{read, suggest};
use std::path::{Path, PathBuf};

impl SceneSpec {
    /// Reads and validates the text of a scene; `origin` is the file it came from, for messages and for mesh
    /// paths, which are relative to its folder.
    ///
    /// # Errors
    /// Every mistake found, each with line, column and fix.
    pub fn from_str(text: &str, origin: &Path) -> Result<Self, SceneError> {
        let document = Document::parse(text, &origin.display().to_string())?;
        read::scene(document, origin, origin.parent().unwrap_or_else(|| Path::new("")), None)
    }

    /// Reads and validates a scene file.
    ///
    /// # Errors
    /// As [`SceneSpec::from_str`], and a file that cannot be read.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        Self::load_with(path, &[])
    }

    /// Reads a scene file and sets keys before it is validated; several keys that are only right together
    /// can be changed this way. See [`SceneSpec::set`].
    ///
    /// # Errors
    /// As [`SceneSpec::load`] and [`SceneSpec::set`].
    pub fn load_with(path: &Path, keys: &[(&str, &str)]) -> Result<Self, SceneError> {
        Self::load_under(path, keys, None)
    }

    /// [`SceneSpec::load_with`] for a run under another response than the scene's own, which may be one that could not take it. Expectations that name no
    /// response stay those of the scene's own.
    ///
    /// # Errors
    /// As [`SceneSpec::load_with`].
    pub fn load_under(
        path: &Path,
        keys: &[(&str, &str)],
        response: Option<Response>,
    ) -> Result<Self, SceneError> {
        // A device may have no end, and a pipe cannot be read again.
        let text = std::fs::metadata(path).and_then(|m| match m.is_file() || m.is_dir() {
            true => std::fs::read_to_string(path),
            false => Err(std::io::Error::other("it is a device or a pipe; write the scene into a file")),
        });
        let text = text.map_err(|e| unreadable(path, &e))?;
        Self::from_str_under(&text, path, keys, response)
    }

    /// [`SceneSpec::from_str`] with keys set before the scene is validated, as in [`SceneSpec::load_with`].
    ///
    /// # Errors
    /// As [`SceneSpec::from_str`] and [`SceneSpec::set`].
    pub fn from_str_with(text: &str, origin: &Path, keys: &[(&str, &str)]) -> Result<Self, SceneError> {
        Self::from_str_under(text, origin, keys, None)
    }

    /// [`SceneSpec::from_str_with`] for a run under another response, as in [`SceneSpec::load_under`].
    ///
    /// # Errors
    /// As [`SceneSpec::from_str_with`].
    pub fn from_str_under(
        text: &str,
        origin: &Path,
        keys: &[(&str, &str)],
        response: Option<Response>,
    ) -> Result<Self, SceneError> {
        let mut document = Document::parse(text, &origin.display().to_string())?;
        for (key, value) in keys {
            document.set(key, value)?;
        }
        read::scene(document, origin, origin.parent().unwrap_or_else(|| Path::new("")), response)
    }

    /// The text of the scene's file, without what was set on top of it.
    #[must_use]
    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// Sets one key by its dotted path, as a command line does, and validates the scene again; on an error
    /// the scene stays as it was.
    ///
    /// The path starts at the file's top: `scene.dt`, `body.ball.mass`, `pair.0.mu_s`,
    /// `pair.steel+rubber.mu_s`, `penalty.evaluate`. The value is TOML; a bare word counts as text. Unknown
    /// keys are refused just as in the file.
    ///
    /// # Errors
    /// The path leads nowhere, or the scene with the new value is wrong.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SceneError> {
        let mut document = self.document.clone();
        document.set(key, value)?;
        let under = (key != "scene.response").then_some(self.response);
        *self = read::scene(document, &self.origin, &self.base_dir, under)?;
        Ok(())
    }

    /// Sets a number in the table of a response, and leaves the rest as the spec has it, not as the file.
    ///
    /// # Errors
    /// As [`SceneSpec::set`].
    pub fn set_response(&mut self, response: Response, key: &str, value: f64) -> Result<(), SceneError> {
        let mut document = self.document.clone();
        document.set(&format!("{}.{key}", response.section.name()), &format!("{value:?}"))?;
        self.responses = read::responses(&document)?;
        self.document = document;
        Ok(())
    }

    /// Everything that decides what the scene computes, a line for each value, with all bits of every number: equal for two scenes
    /// that run alike and are watched alike (what is recorded and expected). Left out are its title, words and colours, the folder it lies in,
    /// and what a file holds that it names.
    #[must_use]
    pub fn in_words(&self) -> String {
        let mut same = self.clone();
        same.document = Document::empty();
        (same.origin, same.base_dir) = (PathBuf::new(), PathBuf::new());
        (same.title, same.description, same.source) = Default::default();
        // What a program has added to the list is nothing to a scene that does not set it.
        same.responses.retain(|r, made| Response::ALL.contains(r) || *made != r.response());
        same.bodies.iter_mut().for_each(|b| b.color = None);
        format!("{same:#?}")
    }

    /// The file the scene came from.
    #[must_use]
    pub fn origin(&self) -> &Path {
        &self.origin
    }

    /// How many steps the scene takes: `duration` over `dt`, rounded up.
    #[must_use]
    pub fn steps(&self) -> u64 {
        // 1 s in steps of 0.1 s are ten steps though 1/0.1 may round to just above ten.
        ((self.duration / self.dt) * (1.0 - 1e-12)).ceil().max(1.0) as u64
    }
}

/// Whether a file begins with the mark of UTF-16.
fn is_utf16(path: &Path) -> bool {
    let mut mark = [0; 2];
    let read = std::fs::File::open(path).and_then(|mut f| std::io::Read::read_exact(&mut f, &mut mark));
    read.is_ok() && matches!(mark, [0xff, 0xfe] | [0xfe, 0xff])
}

fn unreadable(path: &Path, error: &std::io::Error) -> SceneError {
    let origin = path.display().to_string();
    let what = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such scene file".to_string(),
        std::io::ErrorKind::InvalidData if is_utf16(path) => {
            "the scene file is UTF-16 text, and UTF-8 is read".to_string()
        }
        std::io::ErrorKind::InvalidData => "the scene file is not UTF-8 text".to_string(),
        _ => format!("the scene file cannot be read: {error}"),
    };
    if error.kind() == std::io::ErrorKind::InvalidData {
        return Issue::placeless(origin, what, "save it as UTF-8 text").into();
    }
    if error.kind() != std::io::ErrorKind::NotFound {
        return Issue::placeless(origin, what, "give a text file that may be read").into();
    }
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let given = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    // A link that leads nowhere is there by its name.
    let known: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != given).collect();
    let fix = if known.is_empty() {
        "give the path of a .toml scene file".to_string()
    } else {
        suggest::did_you_mean(given, &known, "the scenes beside it are")
    };
    Issue::placeless(origin, what, fix).into()
}
