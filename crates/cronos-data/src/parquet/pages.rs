//! Pages of a column, looked at before they are decoded: what they say of themselves must fit into
//! their bytes.

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// Pages of a flat column: empty ones are passed over.
pub(super) struct Pages {
    pages: Box<dyn PageReader>,
    /// Whether values may be missing, so that a level stands in front of them.
    levels: bool,
}

impl Pages {
    pub(super) fn new(pages: Box<dyn PageReader>, levels: bool) -> Self {
        Self { pages, levels }
    }

    /// A dictionary cannot have more values than bytes, nor a page more lengths than values.
    fn check(&self, page: &Page) -> Result<()> {
        let (told, most) = match page {
            Page::DictionaryPage {
                buf, num_values, ..
            } => (Some(u64::from(*num_values)), buf.len() as u64),
            _ => (self.lengths(page), u64::from(page.num_values())),
        };
        match told {
            Some(told) if told <= most => Ok(()),
            Some(told) => Err(ParquetError::General(format!(
                "{told} values where at most {most} can be"
            ))),
            None => Err(ParquetError::General("a page is cut off".into())),
        }
    }

    /// The most lengths that a page of texts says to have; 0 in other encodings.
    fn lengths(&self, page: &Page) -> Option<u64> {
        let kinds = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            // those of the part that is the text before, and those of the rest
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => return Some(0),
        };
        let start = match page {
            Page::DataPageV2 {
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => *def_levels_byte_len as usize + *rep_levels_byte_len as usize,
            _ if self.levels => {
                let length = page.buffer().first_chunk::<4>()?;
                4 + u32::from_le_bytes(*length) as usize
            }
            _ => 0,
        };
        let mut left = page.buffer().get(start..)?;
        let mut most = 0;
        for _ in 0..kinds {
            let (count, behind) = deltas(left, u64::from(page.num_values()))?;
            (most, left) = (count.max(most), behind);
        }
        Some(most)
    }
}

/// How many numbers there are in blocks of differences, and what follows them; if there are more than
/// `most`, that is enough to know.
fn deltas(bytes: &[u8], most: u64) -> Option<(u64, &[u8])> {
    let (block, left) = number(bytes)?;
    let (parts, left) = number(left)?;
    let (count, left) = number(left)?;
    let (_, mut left) = number(left)?;
    if count > most {
        return Some((count, left));
    }
    let each = block.checked_div(parts)?;
    let mut to_come = count.saturating_sub(1);
    while to_come > 0 {
        // the least difference, the bits of a number of each part, the parts
        (_, left) = number(left)?;
        let (bits, behind) = left.split_at_checked(usize::try_from(parts).ok()?)?;
        left = behind;
        for &bits in bits {
            if to_come > 0 {
                let bytes = u64::from(bits).checked_mul(each)? / 8;
                left = left.get(usize::try_from(bytes).ok()?..)?;
                to_come = to_come.saturating_sub(each.max(1));
            }
        }
        if parts == 0 {
            return None;
        }
    }
    Some((count, left))
}

/// A number in groups of seven bits, lowest first.
fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let length = bytes.iter().take(10).position(|&byte| byte < 0x80)? + 1;
    let groups = bytes[..length].iter().rev();
    let number = groups.fold(0u64, |number, &byte| number << 7 | u64::from(byte & 0x7f));
    Some((number, &bytes[length..]))
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        while let Some(page) = self.pages.get_next_page()? {
            self.check(&page)?;
            if page.num_values() > 0 || matches!(page, Page::DictionaryPage { .. }) {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}
