//! Where the numbers of images stand while kernels slide over them.

/// Lanes of the widest vectors.
pub(super) const MOST_LANES: usize = 16;
/// Numbers behind the last one that a vector may reach into.
pub(super) const SLACK: usize = 2 * MOST_LANES;
/// Height and width of a kernel.
pub(super) const SIDE: usize = 3;

/// Images as a convolution sees them: with a line and a column of zeros around them, and only
/// every `stride`-th window of them.
///
/// A channel is taken apart into phases: the pixels whose line and column, divided by `stride`,
/// leave the same rest. In a phase windows begin at `0, 1, 2…`, whatever the stride is. Lines are
/// one longer than there are windows; with a stride of 1 the zero behind a line is the one
/// before the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub height: usize,
    pub width: usize,
    pub stride: usize,
}

/// A weight of a kernel and where the number stands that it is multiplied with.
pub(super) type Tap = (usize, usize);

/// Pixels with the same rests.
#[derive(Clone, Copy)]
pub(super) struct Phase {
    /// The rests of line and column.
    rest: [usize; 2],
    /// The first line inside the image, and how many there are.
    first: usize,
    lines: usize,
}

impl Frame {
    /// Windows of a column and of a line.
    pub fn places(&self) -> (usize, usize) {
        (
            self.height.div_ceil(self.stride),
            self.width.div_ceil(self.stride),
        )
    }

    /// From one line to the next.
    pub fn line(&self) -> usize {
        self.places().1 + 1
    }

    /// Windows with those between lines, which are none.
    pub fn windows(&self) -> usize {
        self.places().0 * self.line()
    }

    /// Numbers of a phase, from which a window may reach down and to the right.
    fn phase(&self) -> usize {
        self.windows() + 2 * self.line() + 2 + SLACK
    }

    /// Rests of a line or column that some window looks at.
    fn rests(&self) -> usize {
        self.stride.min(SIDE)
    }

    /// Numbers of a channel.
    pub fn plane(&self) -> usize {
        self.rests() * self.rests() * self.phase()
    }

    /// All phases of a channel.
    pub fn phases(&self) -> impl Iterator<Item = Phase> + use<> {
        let Self { height, stride, .. } = *self;
        let rests = self.rests();
        (0..rests * rests).map(move |at| {
            let rest = [at / rests, at % rests];
            let first = usize::from(rest[0] == 0);
            Phase {
                rest,
                first,
                lines: ((height + stride - rest[0]) / stride).saturating_sub(first),
            }
        })
    }

    /// Pixels of a line in a phase: the first in the image, and the first in the phase.
    fn columns(&self, phase: Phase) -> (usize, usize) {
        match phase.rest[1] {
            0 => (self.stride - 1, 1),
            rest => (rest - 1, 0),
        }
    }

    /// The image line that is a line of a phase.
    fn image_line(&self, phase: Phase, line: usize) -> usize {
        (phase.first + line) * self.stride + phase.rest[0] - 1
    }

    /// Takes a channel apart.
    pub fn fill(&self, x: &[f32], plane: &mut [f32]) {
        plane.fill(0.0);
        for (phase, own) in self.phases().zip(plane.chunks_mut(self.phase())) {
            let (from, to) = self.columns(phase);
            for at in 0..phase.lines {
                let x = &x[self.image_line(phase, at) * self.width..][..self.width];
                let own = &mut own[(phase.first + at) * self.line() + to..];
                match self.stride {
                    1 => own[..self.width].copy_from_slice(x),
                    stride => {
                        let x = x.iter().skip(from).step_by(stride);
                        own.iter_mut().zip(x).for_each(|(own, x)| *own = *x);
                    }
                }
            }
        }
    }

    /// All taps of a window.
    pub fn taps(&self) -> [Tap; SIDE * SIDE] {
        std::array::from_fn(|tap| {
            let (down, right) = (tap / SIDE, tap % SIDE);
            let phase = down % self.stride * self.rests() + right % self.stride;
            let inside = down / self.stride * self.line() + right / self.stride;
            (tap, phase * self.phase() + inside)
        })
    }

    /// Numbers of a channel of pulls, which windows reach from below and from the right.
    pub fn pull_plane(&self) -> usize {
        2 * self.line() + 2 + self.phase()
    }

    /// Lays out a channel of pulls, one number for every window.
    pub fn fill_pull(&self, pull: &[f32], plane: &mut [f32]) {
        let (_, wide) = self.places();
        plane.fill(0.0);
        let lines = plane[2 * self.line() + 2..].chunks_mut(self.line());
        for (own, pull) in lines.zip(pull.chunks(wide)) {
            own[..wide].copy_from_slice(pull);
        }
    }

    /// The windows that look at a pixel of a phase.
    pub fn pull_taps(&self, phase: Phase) -> Vec<Tap> {
        let inside =
            |tap: &usize| [tap / SIDE % self.stride, tap % SIDE % self.stride] == phase.rest;
        let taps = (0..SIDE * SIDE).filter(inside);
        let taps = taps.map(|tap| {
            let up = 2 - tap / SIDE / self.stride;
            let left = 2 - tap % SIDE / self.stride;
            (tap, (up + phase.first) * self.line() + left)
        });
        taps.collect()
    }

    /// Numbers of a phase that are found for its pixels.
    pub fn found(&self, phase: Phase) -> usize {
        phase.lines * self.line()
    }

    /// Puts what was found for a phase in its place in a channel.
    pub fn put(&self, phase: Phase, found: &[f32], x: &mut [f32]) {
        let (from, to) = self.columns(phase);
        for (at, found) in found.chunks(self.line()).take(phase.lines).enumerate() {
            let x = &mut x[self.image_line(phase, at) * self.width..][..self.width];
            match self.stride {
                1 => x.copy_from_slice(&found[to..][..self.width]),
                stride => {
                    let x = x.iter_mut().skip(from).step_by(stride);
                    x.zip(&found[to..]).for_each(|(x, found)| *x = *found);
                }
            }
        }
    }
}
