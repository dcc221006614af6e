//! The device that `--device` names.

use crate::failure::Failure;
use crate::{output, panics};
use cronos::Place;
use cronos_deep::language::is_onnx;
use std::path::Path;

/// A device, which must be there.
pub fn find(name: &str) -> Result<Place, Failure> {
    let place = Place::named(name).map_err(Failure::Usage)?;
    place.check()?;
    if place != Place::Cpu {
        panics::hear_the_driver();
    }
    Ok(place)
}

/// The same; what `auto` found is told.
pub fn find_and_tell(name: &str) -> Result<Place, Failure> {
    let place = find(name)?;
    match (name, place) {
        ("auto", Place::Cpu) => {
            output::remark("there is no graphics card for this build; the processor is used");
        }
        ("auto", place) => output::remark(&format!("device: {place}")),
        _ => {}
    }
    Ok(place)
}

/// The device of an encoder: an ONNX file is for the processor.
pub fn of_encoder(name: &str, encoder: &Path) -> Result<Place, Failure> {
    match find(name)? {
        Place::Cpu => Ok(Place::Cpu),
        _ if is_onnx(encoder) && name == "auto" => {
            output::remark("ONNX files are run by the processor");
            Ok(Place::Cpu)
        }
        place if is_onnx(encoder) => Err(Failure::Usage(format!(
            "ONNX files are run by the processor, not by {place}; use --device cpu, or an encoder of \
             safetensors or GGUF"
        ))),
        place => Ok(place),
    }
}
