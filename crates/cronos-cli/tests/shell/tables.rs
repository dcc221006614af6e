//! Data to learn from, and the files that hold it.

use std::io::Write;

/// Rows of features and a class each; the same on every machine.
pub struct Data {
    pub rows: Vec<Vec<f64>>,
    pub classes: Vec<usize>,
}

/// Numbers from -1 to 1 with three decimals, so that text holds them exactly.
pub fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % 2001) as f64 / 1000.0 - 1.0
    }
}

/// Two classes that no plane separates: the sign of the product of two features.
pub fn corners(rows: usize, features: usize) -> Data {
    let mut next = noise(7);
    let rows: Vec<Vec<f64>> = (0..rows)
        .map(|_| (0..features).map(|_| next()).collect())
        .collect();
    let classes = rows
        .iter()
        .map(|row| usize::from(row[0] * row[1] > 0.0))
        .collect();
    Data { rows, classes }
}

impl Data {
    /// A table with the header `a0,a1,…,class`; classes are called by `names`.
    pub fn table(&self, delimiter: &str, names: [&str; 2]) -> String {
        let mut lines = vec![self.header().join(delimiter)];
        for (row, &class) in self.rows.iter().zip(&self.classes) {
            let mut cells: Vec<String> = row.iter().map(f64::to_string).collect();
            cells.push(names[class].to_owned());
            lines.push(cells.join(delimiter));
        }
        lines.join("\n") + "\n"
    }

    pub fn csv(&self) -> String {
        self.table(",", ["no", "yes"])
    }

    pub fn header(&self) -> Vec<String> {
        let mut names: Vec<String> = (0..self.rows[0].len()).map(|j| format!("a{j}")).collect();
        names.push("class".to_owned());
        names
    }

    /// Some of the rows.
    pub fn part(&self, rows: std::ops::Range<usize>) -> Data {
        Data {
            rows: self.rows[rows.clone()].to_vec(),
            classes: self.classes[rows].to_vec(),
        }
    }

    /// The features as an npy file.
    pub fn npy(&self) -> Vec<u8> {
        npy(&self.rows)
    }

    /// Features and class in one npy file, the class last.
    pub fn npy_with_class(&self) -> Vec<u8> {
        let rows = self.rows.iter().zip(&self.classes);
        let rows: Vec<Vec<f64>> = rows
            .map(|(row, &class)| [&row[..], &[class as f64]].concat())
            .collect();
        npy(&rows)
    }

    /// Features and class as LIBSVM writes them, without the zeros.
    pub fn svm(&self) -> String {
        let mut text = String::new();
        for (row, class) in self.rows.iter().zip(&self.classes) {
            text.push_str(&class.to_string());
            for (column, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                text.push_str(&format!(" {}:{value}", column + 1));
            }
            text.push('\n');
        }
        text
    }

    /// The classes as a one-dimensional npy file.
    pub fn class_npy(&self) -> Vec<u8> {
        let values: Vec<f64> = self.classes.iter().map(|&class| class as f64).collect();
        array(&format!("({},)", values.len()), &values)
    }
}

/// A table of regression: the header `a0,a1,a2,y` and a curved surface.
pub fn surface(rows: usize) -> String {
    let mut next = noise(11);
    let mut text = String::from("a0,a1,a2,y\n");
    for _ in 0..rows {
        let (a, b, c) = (next(), next(), next());
        let y = 10.0 + 3.0 * a.abs() - 2.0 * b + c;
        text.push_str(&format!("{a},{b},{c},{y}\n"));
    }
    text
}

/// A two-dimensional npy file.
pub fn npy(rows: &[Vec<f64>]) -> Vec<u8> {
    array(
        &format!("({}, {})", rows.len(), rows[0].len()),
        &rows.concat(),
    )
}

/// An npy file of bytes.
pub fn bytes_npy(shape: &[usize], values: &[u8]) -> Vec<u8> {
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    let mut bytes = header("|u1", &format!("({})", sides.join(", ")));
    bytes.extend(values);
    bytes
}

/// An IDX file of bytes.
pub fn idx(shape: &[u32], values: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, shape.len() as u8];
    bytes.extend(shape.iter().flat_map(|side| side.to_be_bytes()));
    bytes.extend(values);
    bytes
}

fn array(shape: &str, values: &[f64]) -> Vec<u8> {
    let mut bytes = header("<f8", shape);
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// How an npy file begins.
pub fn header(kind: &str, shape: &str) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}
