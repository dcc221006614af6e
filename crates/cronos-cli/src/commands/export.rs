//! `cronos export`

use crate::arguments::Export;
use crate::failure::Failure;
use crate::{model_file, output};
use cronos::Task;
use std::process::ExitCode;

pub fn run(export: &Export) -> Result<ExitCode, Failure> {
    model_file::check_writable(&export.onnx, export.force)?;
    let model = model_file::read(&export.model)?;
    model_file::write(&export.onnx, &model.to_onnx()?, export.force)?;
    let out = match model.task {
        Task::Classification { .. } => "decision values and label",
        Task::Regression => "prediction",
    };
    output::remark(&format!(
        "wrote {}: {} raw features in, {out} out",
        export.onnx.display(),
        model.features()
    ));
    Ok(ExitCode::SUCCESS)
}
