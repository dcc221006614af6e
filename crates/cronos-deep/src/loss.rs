//! The losses on tensors, as the convex program has them.

use burn::tensor::{Tensor, activation};
use cronos::{Error, Loss};

/// The mean of the losses of the rows, each times its weight (rows x 1).
pub(crate) fn loss_of_batch(
    loss: Loss,
    f: Tensor<2>,
    y: Tensor<2>,
    weights: Option<Tensor<2>>,
) -> Result<Tensor<1>, Error> {
    let rows = f.dims()[0] as f64;
    let losses = match loss {
        Loss::Squared => (f - y).square().mul_scalar(0.5),
        // log(1 + exp(−yf)), which must not overflow
        Loss::Logistic => activation::softplus(f.mul(y).neg(), 1.0),
        Loss::Softmax => activation::log_softmax(f, 1).mul(y).neg(),
        Loss::SquaredHinge => {
            let short = activation::relu(f.mul(y).neg().add_scalar(1.0));
            short.square().mul_scalar(0.5)
        }
        // ½ c² + δ (r − c) with r = |f − y| and c = min(r, δ)
        Loss::Huber { delta } => {
            let r = (f - y).abs();
            let near = r.clone().clamp_max(delta);
            near.clone().square().mul_scalar(0.5) + (r - near).mul_scalar(delta)
        }
        Loss::Quantile { level } => {
            let r = y - f;
            let above = activation::relu(r.clone()).mul_scalar(level);
            above + activation::relu(r.neg()).mul_scalar(1.0 - level)
        }
        other => {
            return Err(Error::Data(format!(
                "deep networks have no {} loss",
                other.name()
            )));
        }
    };
    let losses = match weights {
        Some(weights) => losses.mul(weights),
        None => losses,
    };
    Ok(losses.sum().div_scalar(rows))
}
