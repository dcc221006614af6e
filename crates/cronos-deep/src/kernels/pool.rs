//! Means of windows that do not overlap, and of whole channels, of one row.

/// Means of `size` x `size` pixels; a rest at the edge is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub channels: usize,
    pub height: usize,
    pub width: usize,
    pub size: usize,
}

impl Pool {
    pub fn input(&self) -> usize {
        self.channels * self.height * self.width
    }

    pub fn output(&self) -> usize {
        self.channels * (self.height / self.size) * (self.width / self.size)
    }

    pub fn forward(&self, x: &[f32], y: &mut [f32]) {
        let (size, width) = (self.size, self.width / self.size);
        let share = 1.0 / (size * size) as f32;
        let planes = x.chunks(self.height * self.width);
        let outputs = y.chunks_mut((self.output() / self.channels).max(1));
        for (y, x) in outputs.zip(planes) {
            let lines = x.chunks(self.width * size);
            for (y, lines) in y.chunks_mut(width).zip(lines) {
                if size == 2 {
                    let (above, below) = lines.split_at(self.width);
                    let pairs = above.chunks_exact(2).zip(below.chunks_exact(2));
                    for (y, (a, b)) in y.iter_mut().zip(pairs) {
                        *y = share * ((a[0] + a[1]) + (b[0] + b[1]));
                    }
                    continue;
                }
                y.fill(0.0);
                for line in lines.chunks(self.width) {
                    for (y, x) in y.iter_mut().zip(line.chunks(size)) {
                        *y += share * x.iter().sum::<f32>();
                    }
                }
            }
        }
    }

    pub fn backward(&self, pull: &[f32], back: &mut [f32]) {
        let (size, width) = (self.size, self.width / self.size);
        let share = 1.0 / (size * size) as f32;
        let planes = back.chunks_mut(self.height * self.width);
        let pulls = pull.chunks((self.output() / self.channels).max(1));
        for (back, pull) in planes.zip(pulls) {
            let (inside, edge) = back.split_at_mut(self.height / size * size * self.width);
            edge.fill(0.0);
            let lines = inside.chunks_mut(self.width * size);
            for (lines, pull) in lines.zip(pull.chunks(width)) {
                for line in lines.chunks_mut(self.width) {
                    let (inside, edge) = line.split_at_mut(width * size);
                    edge.fill(0.0);
                    if size == 2 {
                        for (back, pull) in inside.chunks_exact_mut(2).zip(pull) {
                            back.copy_from_slice(&[share * pull; 2]);
                        }
                        continue;
                    }
                    for (back, pull) in inside.chunks_mut(size).zip(pull) {
                        back.fill(share * pull);
                    }
                }
            }
        }
    }
}

/// The mean of each channel.
#[derive(Clone, Debug)]
pub(crate) struct GlobalAverage {
    pub channels: usize,
    pub pixels: usize,
}

impl GlobalAverage {
    pub fn forward(&self, x: &[f32], y: &mut [f32]) {
        let share = 1.0 / self.pixels as f32;
        for (y, x) in y.iter_mut().zip(x.chunks(self.pixels)) {
            *y = share * x.iter().sum::<f32>();
        }
    }

    pub fn backward(&self, pull: &[f32], back: &mut [f32]) {
        let share = 1.0 / self.pixels as f32;
        for (back, pull) in back.chunks_mut(self.pixels).zip(pull) {
            back.fill(share * pull);
        }
    }
}
