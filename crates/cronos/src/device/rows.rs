//! Blocks of rows, and the products with them.

use super::link::Link;
use super::plan::Room;
use crate::engine::Engine;
use crate::matrix::Matrix;
use crate::real::Real;
use burn::tensor::{Bool, Tensor};
use std::ops::Range;
use std::sync::Arc;

/// The numbers of everything.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub rows: usize,
    pub features: usize,
    pub gates: usize,
    pub signs: usize,
    pub outputs: usize,
}

impl Sizes {
    pub fn of<T: Real>(engine: &Engine<'_, T>, outputs: usize) -> Self {
        Self {
            rows: engine.rows(),
            features: engine.features(),
            gates: engine.gates.len(),
            signs: engine.activation.signs(),
            outputs,
        }
    }

    /// Groups of one output, and of all.
    pub fn per_output(&self) -> usize {
        self.signs * self.gates
    }

    pub fn groups(&self) -> usize {
        self.per_output() * self.outputs
    }
}

/// `X` of some rows: where the products are made, or here, to be sent for each.
enum Features {
    There(Box<Tensor<2>>),
    Here(Vec<f32>, Arc<Link>),
}

/// Some of the rows, with the state that belongs to them.
pub(super) struct Block {
    pub range: Range<usize>,
    x: Features,
    /// rows x P
    mask: Tensor<2, Bool>,
    /// `√w`: rows x 1
    pub root: Option<Tensor<2>>,
    pub y: Tensor<2>,
    /// `s + ν`: rows x k; nothing without cones
    pub a: Option<Tensor<2>>,
    /// How stiffly each slack is held; nothing where all are 1
    pub stiffness: Option<Tensor<2>>,
    /// `f + μ`, `f` and `F u`: rows x C
    pub e: Tensor<2>,
    pub f: Tensor<2>,
    pub fu: Tensor<2>,
}

/// All blocks, in order.
pub(super) struct Rows {
    pub sizes: Sizes,
    pub blocks: Vec<Block>,
    /// 1 and, with cones, −1: 1 x 1 x signs x 1
    signs: Tensor<4>,
}

impl Rows {
    pub fn new<T: Real>(
        engine: &Engine<'_, T>,
        y: &Matrix<T>,
        link: &Arc<Link>,
        room: &Room,
    ) -> Self {
        let sizes = Sizes::of(engine, y.columns());
        let parts: Vec<(Range<usize>, Option<Tensor<2>>)> = match engine.x.there() {
            Some(there) => {
                let parts = there.parts(room.block);
                parts.map(|(rows, x)| (rows, Some(x))).collect()
            }
            None => {
                let starts = (0..sizes.rows).step_by(room.block);
                let ranges = starts.map(|from| from..sizes.rows.min(from + room.block));
                ranges.map(|rows| (rows, None)).collect()
            }
        };
        let blocks = parts.into_iter().map(|(range, there)| {
            let (from, to, rows) = (range.start, range.end, range.len());
            let part = |m: &Matrix<T>| -> Vec<f32> {
                let columns = m.columns();
                let values = &m.values()[from * columns..to * columns];
                values.iter().map(|value| value.wide() as f32).collect()
            };
            let active = |row: usize| (0..sizes.gates).map(move |i| engine.gates.active(i, row));
            let roots = engine.roots().map(|roots| &roots[from..to]);
            let thin = Tensor::zeros([rows, sizes.outputs], &link.device);
            Block {
                range,
                x: match there {
                    Some(there) => Features::There(Box::new(there)),
                    None if to <= room.staying => {
                        let there = link.send(part(&engine.matrix()), [rows, sizes.features]);
                        Features::There(Box::new(there))
                    }
                    None => Features::Here(part(&engine.matrix()), link.clone()),
                },
                mask: link.send_bits((from..to).flat_map(active).collect(), [rows, sizes.gates]),
                root: roots.map(|roots| link.send_all(roots, [rows, 1])),
                y: link.send(part(y), [rows, sizes.outputs]),
                a: None,
                stiffness: None,
                e: thin.clone(),
                f: thin.clone(),
                fu: thin,
            }
        });
        let signs = [1.0, -1.0][..sizes.signs].to_vec();
        Self {
            blocks: blocks.collect(),
            signs: link.send(signs, [1, 1, sizes.signs, 1]),
            sizes,
        }
    }

    /// `± D h` for every sign and gate: rows x C to rows x k.
    pub fn spread(&self, block: &Block, h: Tensor<2>) -> Tensor<2> {
        let Sizes { outputs, gates, .. } = self.sizes;
        let rows = block.range.len();
        let wide = h.reshape([rows, outputs, 1, 1]) * self.signs.clone() * block.mask4(gates);
        wide.reshape([rows, self.sizes.groups()])
    }

    /// `(2D − I) z`
    pub fn turn(&self, block: &Block, z: Tensor<2>) -> Tensor<2> {
        let (rows, gates, k) = (block.range.len(), self.sizes.gates, z.dims()[1]);
        let sign = block.mask3(gates).mul_scalar(2.0).sub_scalar(1.0);
        (z.reshape([rows, k / gates, gates]) * sign).reshape([rows, k])
    }

    /// `Σ ± D z` over signs and gates: rows x k to rows x C.
    pub fn sum(&self, block: &Block, z: Tensor<2>) -> Tensor<2> {
        let Sizes {
            signs,
            outputs,
            gates,
            ..
        } = self.sizes;
        let rows = block.range.len();
        let z = z.reshape([rows, outputs * signs, gates]) * block.mask3(gates);
        self.signed(z.reshape([rows, self.sizes.groups()]))
    }

    /// `Σ ± z` over signs and gates: rows x k to rows x C.
    pub fn signed(&self, z: Tensor<2>) -> Tensor<2> {
        let Sizes {
            signs,
            outputs,
            gates,
            ..
        } = self.sizes;
        let rows = z.dims()[0];
        let z = z.reshape([rows, outputs * signs, gates]);
        let of_sign = z.sum_dim(2).reshape([rows, outputs, signs, 1]);
        (of_sign * self.signs.clone())
            .sum_dim(2)
            .reshape([rows, outputs])
    }

    /// `v − w`: k x d to (C P) x d.
    pub fn fold(&self, u: &Tensor<2>) -> Tensor<2> {
        let Sizes {
            signs,
            outputs,
            gates,
            features,
            ..
        } = self.sizes;
        let signed = u.clone().reshape([outputs, signs, gates * features]) * self.sign3();
        signed.sum_dim(1).reshape([outputs * gates, features])
    }

    /// `q` and `−q`: (C P) x d to k x d.
    pub fn unfold(&self, q: Tensor<2>) -> Tensor<2> {
        let Sizes {
            outputs,
            gates,
            features,
            ..
        } = self.sizes;
        let wide = q.reshape([outputs, 1, gates * features]) * self.sign3();
        wide.reshape([self.sizes.groups(), features])
    }

    fn sign3(&self) -> Tensor<3> {
        self.signs.clone().reshape([1, self.sizes.signs, 1])
    }

    /// `Σ_i D_i X q_i`: (C P) x d to n x C.
    pub fn predict(&self, q: &Tensor<2>) -> Tensor<2> {
        let Sizes { outputs, gates, .. } = self.sizes;
        let parts = self.blocks.iter().map(|block| {
            let z = block.forward(q);
            let rows = block.range.len();
            let z = z.reshape([rows, outputs, gates]) * block.mask3(gates);
            z.sum_dim(2).reshape([rows, outputs])
        });
        Tensor::cat(parts.collect(), 0)
    }

    /// `Xᵀ D_i t`: n x C to (C P) x d.
    pub fn predict_back(&self, t: &Tensor<2>) -> Tensor<2> {
        let Sizes { outputs, gates, .. } = self.sizes;
        self.total(|block| {
            let rows = block.range.len();
            let own = t.clone().slice(block.range.clone());
            let wide = own.reshape([rows, outputs, 1]) * block.mask3(gates);
            wide.reshape([rows, outputs * gates])
        })
    }

    /// `Σ Zᵀ X` over the blocks; there is at least one.
    pub fn total(&self, wide: impl Fn(&Block) -> Tensor<2>) -> Tensor<2> {
        let (first, others) = (&self.blocks[0], &self.blocks[1..]);
        others.iter().fold(first.back(wide(first)), |sum, block| {
            sum + block.back(wide(block))
        })
    }
}

impl Block {
    fn mask3(&self, gates: usize) -> Tensor<3> {
        let rows = self.range.len();
        self.mask.clone().float().reshape([rows, 1, gates])
    }

    fn mask4(&self, gates: usize) -> Tensor<4> {
        let rows = self.range.len();
        self.mask.clone().float().reshape([rows, 1, 1, gates])
    }

    fn x(&self) -> Tensor<2> {
        match &self.x {
            Features::There(x) => (**x).clone(),
            Features::Here(x, link) => {
                let rows = self.range.len();
                link.send(x.clone(), [rows, x.len() / rows])
            }
        }
    }

    /// `X uᵀ`: rows x k
    pub fn forward(&self, u: &Tensor<2>) -> Tensor<2> {
        self.x().matmul(u.clone().transpose())
    }

    /// `Zᵀ X`: k x d
    pub fn back(&self, z: Tensor<2>) -> Tensor<2> {
        z.transpose().matmul(self.x())
    }
}
