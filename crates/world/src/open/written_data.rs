//! Data of bodies as a file holds them.

use crate::body_data::{BodyData, BodyDatas, DataKind};
use std::any::Any;
use std::sync::Arc;

/// Data of one kind in a file.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct WrittenData {
    kind: String,
    bytes: Vec<u8>,
}

/// Data as a file holds them; `None` where no response of the list has said how.
pub(super) fn written(datas: &BodyDatas, kinds: &[DataKind]) -> Option<Vec<WrittenData>> {
    let one = |data: &Arc<dyn BodyData>| {
        let any: &dyn Any = &**data;
        let (kind, bytes) = kinds.iter().find_map(|k| Some((k.name, (k.write)(any)?)))?;
        Some(WrittenData { kind: kind.to_string(), bytes: bytes.ok()? })
    };
    datas.0.iter().map(one).collect()
}

/// # Errors
/// Of a kind that no response of the list has.
pub(super) fn read(written: &[WrittenData], kinds: &[DataKind]) -> Result<BodyDatas, String> {
    let one = |w: &WrittenData| match kinds.iter().find(|k| k.name == w.kind) {
        Some(kind) => (kind.read)(&w.bytes).map_err(|e| format!("the snapshot's {}: {e}", w.kind)),
        None => Err(format!("the snapshot has data '{}', which no response known here has", w.kind)),
    };
    written.iter().map(one).collect::<Result<_, _>>().map(BodyDatas)
}
