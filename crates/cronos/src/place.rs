//! Where a program is solved.

use crate::Error;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::str::FromStr;

/// Where the arrays of a run are, and who works on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The processor.
    #[default]
    Cpu,
    /// A graphics card of any maker, by Vulkan, Metal or DirectX 12; needs the feature `gpu`.
    Gpu(usize),
    /// A card of NVIDIA by CUDA; needs the feature `cuda`.
    Cuda(usize),
    /// The processor by the operations of a device, to test those; needs the feature `flex`.
    Flex,
}

/// Drivers that compute on the processor.
const PLAYED: [&str; 3] = ["llvmpipe", "SwiftShader", "Microsoft Basic Render"];

/// A place of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// How to ask for it.
    pub place: Place,
    /// What it is.
    pub name: String,
}

impl Place {
    /// The kinds of devices, each with the feature that brings it.
    pub const DEVICES: [Self; 2] = [Self::Gpu(0), Self::Cuda(0)];

    /// The kind of place, which is also the feature that brings it.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu(_) => "gpu",
            Self::Cuda(_) => "cuda",
            Self::Flex => "flex",
        }
    }

    /// Whether this build knows devices of this kind.
    pub fn is_compiled_in(self) -> bool {
        match self {
            Self::Cpu => true,
            Self::Gpu(_) => cfg!(feature = "gpu"),
            Self::Cuda(_) => cfg!(feature = "cuda"),
            Self::Flex => cfg!(feature = "flex"),
        }
    }

    /// Refuses a device that is not there, or that this build knows nothing of.
    pub fn check(self) -> Result<(), Error> {
        let kind = self.kind();
        if !self.is_compiled_in() {
            return Err(Error::Device(format!(
                "{kind} is not compiled in: rebuild with --features {kind}"
            )));
        }
        let (Self::Gpu(index) | Self::Cuda(index)) = self else {
            return Ok(());
        };
        match self.count() {
            0 => Err(Error::Device(format!(
                "there is no device for {kind}; is its driver installed? `cronos devices` lists \
                 what there is, --device cpu needs none"
            ))),
            count if index >= count => Err(Error::Device(format!(
                "{self} is not there: {kind}:0 to {kind}:{} are",
                count - 1
            ))),
            _ => Ok(()),
        }
    }

    /// Does work on a device. Its driver may give up by a panic, when memory runs out or the device
    /// is lost; that becomes an error.
    pub fn guard<R>(self, work: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
        if self == Self::Cpu {
            return work();
        }
        std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            let why = text.unwrap_or_else(|| "it does not say why".into());
            let why = why.lines().next().unwrap_or_default().to_owned();
            Err(Error::Device(format!(
                "{self} failed: {why}; if its memory is too small, use fewer gates or smaller batches, \
                 or --device cpu"
            )))
        })
    }

    /// By name; `auto` is a card if there is one, else the processor.
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "auto" => Ok(Self::best()),
            _ => name.parse(),
        }
    }

    /// The first card of this machine, and the processor if there is none or only a program that
    /// plays one.
    pub fn best() -> Self {
        let real = |found: &Found| !PLAYED.iter().any(|name| found.name.contains(name));
        let kinds = Self::DEVICES.into_iter().rev();
        let first = kinds.flat_map(Self::found).find(real);
        first.map_or(Self::Cpu, |found| found.place)
    }

    /// Number of devices of the same kind, none of which is opened.
    fn count(self) -> usize {
        match self {
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => all(burn::tensor::DeviceType::Wgpu).count(),
            #[cfg(feature = "cuda")]
            Self::Cuda(_) => all(burn::tensor::DeviceType::Cuda).count(),
            _ => 0,
        }
    }

    /// All devices of the same kind.
    pub fn found(self) -> Vec<Found> {
        match self {
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => named(burn::tensor::DeviceType::Wgpu, Self::Gpu),
            #[cfg(feature = "cuda")]
            Self::Cuda(_) => named(burn::tensor::DeviceType::Cuda, Self::Cuda),
            _ => Vec::new(),
        }
    }

    /// The device, if it is not the processor itself.
    #[cfg(feature = "device")]
    pub fn open(self) -> Result<Option<burn::tensor::Device>, Error> {
        self.check()?;
        Ok(match self {
            #[cfg(feature = "gpu")]
            Self::Gpu(index) => all(burn::tensor::DeviceType::Wgpu).nth(index),
            #[cfg(feature = "cuda")]
            Self::Cuda(index) => all(burn::tensor::DeviceType::Cuda).nth(index),
            #[cfg(feature = "flex")]
            Self::Flex => Some(burn::tensor::Device::flex()),
            _ => None,
        })
    }
}

/// All devices of a type.
#[cfg(any(feature = "gpu", feature = "cuda"))]
fn all(kind: burn::tensor::DeviceType) -> impl Iterator<Item = burn::tensor::Device> {
    burn::tensor::Device::enumerate(kind).into_iter()
}

#[cfg(any(feature = "gpu", feature = "cuda"))]
fn named(kind: burn::tensor::DeviceType, place: fn(usize) -> Place) -> Vec<Found> {
    let found = all(kind).enumerate().map(|(index, device)| Found {
        place: place(index),
        name: match device.identity() {
            Some(identity) => identity.name.to_string(),
            None => format!("{device:?}"),
        },
    });
    found.collect()
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, index) = text.split_once(':').unwrap_or((text, "0"));
        let number = index.parse();
        match (kind, number) {
            ("cpu", Ok(0)) => Ok(Self::Cpu),
            ("gpu", Ok(index)) => Ok(Self::Gpu(index)),
            ("cuda", Ok(index)) => Ok(Self::Cuda(index)),
            ("flex", Ok(0)) => Ok(Self::Flex),
            _ => Err(format!(
                "{text:?} is no device; give auto, cpu, gpu or cuda, the last two with a number if \
                 there are several, as gpu:1"
            )),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gpu(index) | Self::Cuda(index) if *index > 0 => {
                write!(f, "{}:{index}", self.kind())
            }
            _ => f.write_str(self.kind()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Place;
    use crate::Error;

    #[test]
    fn places_are_read_as_they_are_written() {
        for place in [
            Place::Cpu,
            Place::Gpu(0),
            Place::Gpu(3),
            Place::Cuda(1),
            Place::Flex,
        ] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for wrong in ["", "gpu:", "gpu:x", "gpu:-1", "cpu:1", "tpu", "cuda:1:2"] {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_device_that_gives_up_is_an_error() {
        let lost = || -> Result<(), Error> { panic!("lost\nat some place") };
        let why = Place::Gpu(1).guard(lost).unwrap_err().to_string();
        assert!(why.starts_with("gpu:1 failed: lost; if"), "{why}");
        assert_eq!(Place::Gpu(0).guard(|| Ok(3)), Ok(3));
    }

    #[test]
    fn what_is_not_compiled_in_is_refused_with_the_remedy() {
        for place in Place::DEVICES {
            if !place.is_compiled_in() {
                let why = place.check().unwrap_err().to_string();
                let remedy = format!("rebuild with --features {place}");
                assert!(why.contains(&remedy), "{why}");
            }
        }
        assert_eq!(Place::Cpu.check(), Ok(()));
    }
}
