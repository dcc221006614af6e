//! Where a program is solved.

use crate::Error;

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

impl Place {
    /// The name a user types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu(_) => "gpu",
            Self::Cuda(_) => "cuda",
            Self::Flex => "flex",
        }
    }

    fn missing(self) -> Error {
        Error::Device(format!(
            "{0} is not compiled in: rebuild with --features {0}",
            self.name()
        ))
    }

    /// Refuses a place that this build knows nothing of.
    #[cfg(not(feature = "device"))]
    pub(crate) fn check(self) -> Result<(), Error> {
        match self {
            Self::Cpu => Ok(()),
            _ => Err(self.missing()),
        }
    }

    /// The device, if it is not the processor itself.
    #[cfg(feature = "device")]
    pub(crate) fn open(self) -> Result<Option<burn::tensor::Device>, Error> {
        match self {
            Self::Cpu => Ok(None),
            #[cfg(feature = "flex")]
            Self::Flex => Ok(Some(burn::tensor::Device::flex())),
            #[cfg(feature = "cuda")]
            Self::Cuda(index) => Ok(Some(burn::tensor::Device::cuda(index))),
            #[cfg(feature = "gpu")]
            Self::Gpu(index) => wgpu(index).map(Some),
            #[allow(unreachable_patterns)]
            _ => Err(self.missing()),
        }
    }
}
