//! Rows of very many bytes, as images are.

use cronos::{Bytes, Classifier, GateSource, Options, Table};

const N: usize = 60;
const D: usize = 280_000;

/// Two kinds of stripes under noise.
fn images() -> (Bytes, Vec<&'static str>) {
    let mut state = 1u64;
    let mut noise = move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 58) as u8
    };
    let mut bytes = Vec::with_capacity(N * D);
    for i in 0..N {
        let period = [700, 900][i % 2];
        bytes.extend((0..D).map(|j| 60 + noise() + if j % period < 300 { 40 } else { 0 }));
    }
    let labels = (0..N).map(|i| ["coarse", "fine"][i % 2]).collect();
    (Bytes::from_rows(N, D, bytes).expect("bytes"), labels)
}

#[test]
fn wide_bytes_are_learned_with_the_same_bits_for_any_number_of_threads() {
    let (x, labels) = images();
    for gates in [GateSource::Learned { most: None }, GateSource::Sampled(10)] {
        let options = Options {
            gates,
            ..Options::default()
        };
        let fits = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let classifier = Classifier {
                options: options.clone(),
            };
            pool.expect("threads")
                .install(|| classifier.fit(&x, &labels))
                .expect("fitted")
        });
        let [first, others @ ..] = &fits;
        for other in others {
            assert_eq!(first.fitted.network, other.fitted.network);
            assert_eq!(first.fitted.certificate, other.fitted.certificate);
        }
        assert_eq!(first.fitted.reduced_features, Some(N));
        assert_eq!(first.predict(&x).expect("labels"), labels);
        // a part of the rows is predicted as all of them are
        let part = x.select(&[3, 8]);
        assert_eq!(
            first.predict(&part).expect("labels"),
            [labels[3], labels[8]]
        );
    }
}

#[test]
fn too_little_memory_is_told() {
    let (x, labels) = images();
    let mut options = Options::default();
    options.settings.memory_limit_bytes = Some(1 << 20);
    let error = Classifier { options }
        .fit(&x, &labels)
        .expect_err("too little");
    assert!(error.to_string().contains("smaller images"), "{error}");
}
