//! `cronos export`

use crate::arguments::Export;
use crate::failure::Failure;
use crate::{model_file, output};
use std::process::ExitCode;

pub fn run(export: &Export) -> Result<ExitCode, Failure> {
    model_file::check_writable(&export.onnx, export.force)?;
    let model = model_file::read(&export.model)?;
    model_file::write(&export.onnx, &model.to_onnx()?, export.force)?;
    output::remark(&format!(
        "wrote {}: {} raw features in, decision values and label out",
        export.onnx.display(),
        model.network.features()
    ));
    Ok(ExitCode::SUCCESS)
}
