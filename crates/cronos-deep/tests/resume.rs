//! Training that is broken off and resumed.

use cronos::{HeadGates, HeadOptions, Loss, Matrix};
use cronos_deep::optim::Method;
use cronos_deep::{
    Architecture, Augment, Checkpoint, Device, End, Epoch, Inputs, Layers, Options, Rule, Samples,
    Trained, Watch, parameters, train_with,
};
use std::cell::Cell;
use std::ops::ControlFlow;

const EPOCHS: usize = 5;

fn wave(at: usize) -> f64 {
    (at as f64 * 0.7 + (at * at % 97) as f64).sin()
}

/// Images of 4 x 4 whose sum of the first line tells the class.
fn data(rows: usize, first: usize) -> (Matrix<f64>, Matrix<f32>) {
    let x = Matrix::from_fn(rows, 16, |i, j| wave((first + i) * 16 + j));
    let y = Matrix::from_fn(rows, 1, |i, _| {
        match (0..4).map(|j| x.at(i, j)).sum::<f64>() > 0.0 {
            true => 1.0,
            false => -1.0,
        }
    });
    (x, y)
}

fn options(rule: Rule) -> Options {
    Options {
        rule,
        head: HeadOptions {
            loss: Loss::Logistic,
            beta: 0.1,
            gates: 4,
            ..HeadOptions::default()
        },
        epochs: EPOCHS,
        batch: 16,
        decay: 0.1,
        augment: Some(Augment {
            shift: 1,
            mirror: false,
        }),
        ..Options::default()
    }
}

/// Trains on `rows` rows; `last` is the epoch after which it breaks off.
fn run(
    rows: usize,
    options: &Options,
    from: Option<&Checkpoint>,
    last: usize,
    stop: &dyn Fn() -> bool,
) -> Result<(Trained<Layers>, Option<Checkpoint>), cronos::Error> {
    let ((x, y), (x_new, y_new)) = (data(rows, 0), data(60, 1000));
    let device = Device::flex().autodiff();
    let samples = |x, y| Samples {
        inputs: Inputs {
            table: x,
            image: Some([4, 4, 1]),
        },
        y,
        weights: None,
    };
    let architecture: Architecture = "cnn:3".parse().unwrap();
    let layers = architecture.build(&[1, 4, 4], 0, &device).unwrap();
    let mut kept = None;
    let mut keep = |checkpoint: &Checkpoint| {
        kept = Some(checkpoint.clone());
        ControlFlow::Continue(())
    };
    let mut observe = |epoch: &Epoch| match epoch.number == last {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let watch = Watch {
        keep: Some(&mut keep),
        from,
        stop,
        ..Watch::new(&mut observe)
    };
    let validation = Some(samples(&x_new, &y_new));
    let trained = train_with(layers, samples(&x, &y), validation, options, &device, watch)?;
    Ok((trained, kept))
}

fn whole(options: &Options) -> Trained<Layers> {
    run(90, options, None, EPOCHS, &|| false).unwrap().0
}

fn broken_off(options: &Options, last: usize) -> Checkpoint {
    let (trained, kept) = run(90, options, None, last, &|| false).unwrap();
    assert_eq!(trained.end, End::BrokenOff);
    kept.unwrap()
}

/// Everything of an epoch but its seconds.
fn record(epoch: &Epoch) -> [u64; 5] {
    [
        epoch.before_head,
        epoch.objective,
        epoch.train,
        epoch.validation,
        epoch.validation_loss,
    ]
    .map(f64::to_bits)
}

fn assert_same(what: &str, a: &Trained<Layers>, b: &Trained<Layers>) {
    assert_eq!(a.network, b.network, "{what}");
    assert_eq!(a.best, b.best, "{what}");
    let values = |trained: &Trained<Layers>| parameters::read(&trained.features).0;
    assert_eq!(values(a), values(b), "{what}");
    let records = |trained: &Trained<Layers>| trained.history.iter().map(record).collect();
    let (a, b): (Vec<_>, Vec<_>) = (records(a), records(b));
    assert_eq!(a, b, "{what}");
}

#[test]
fn what_is_resumed_has_the_bits_of_what_was_never_broken_off() {
    let mut all = vec![
        options(Rule::Alternate),
        Options {
            head: HeadOptions {
                source: HeadGates::Redrawn,
                ..options(Rule::Alternate).head
            },
            ..options(Rule::Alternate)
        },
    ];
    for method in Method::ALL {
        let rate = if method.needs_rate() { 0.01 } else { 1.0 };
        all.push(options(Rule::Descend { method, rate }));
    }
    for options in &all {
        let undisturbed = whole(options);
        assert_eq!(undisturbed.history.len(), EPOCHS + 1);
        for last in [0, 3] {
            let kept = broken_off(options, last);
            assert_eq!(kept.history().len(), last + 1);
            let kept = Checkpoint::from_bytes(&kept.to_bytes().unwrap()).unwrap();
            let (resumed, _) = run(90, options, Some(&kept), EPOCHS, &|| false).unwrap();
            let what = format!("{:?} {:?}", options.rule, options.head.source);
            assert_same(&what, &resumed, &undisturbed);
        }
    }
}

#[test]
fn a_checkpoint_of_other_terms_is_refused() {
    let options = options(Rule::Alternate);
    let kept = broken_off(&options, 1);
    let refusal = |rows: usize, options: &Options| {
        let answer = run(rows, options, Some(&kept), EPOCHS, &|| false);
        answer
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    let other = Options {
        batch: 8,
        ..options.clone()
    };
    let text = refusal(90, &other);
    assert!(text.contains("batch was 16 and is 8 now"), "{text}");
    let text = refusal(80, &options);
    assert!(text.contains("training rows was 90 and is 80"), "{text}");
    let mut other = options.clone();
    other.head.beta = 0.2;
    assert!(refusal(90, &other).contains("beta was 0.1"));
    other.head.source = HeadGates::Seed;
    assert!(refusal(90, &other).contains("fixed gates"));
}

#[test]
fn altered_bytes_are_refused() {
    let bytes = broken_off(&options(Rule::Alternate), 0).to_bytes().unwrap();
    assert!(Checkpoint::from_bytes(&bytes).is_ok());
    for length in [0, 7, 100, bytes.len() - 1] {
        assert!(
            Checkpoint::from_bytes(&bytes[..length]).is_err(),
            "{length}"
        );
    }
    let mut altered = bytes.clone();
    *altered.last_mut().unwrap() ^= 1;
    let error = Checkpoint::from_bytes(&altered).unwrap_err().to_string();
    assert!(error.contains("checksum"), "{error}");
}

#[test]
fn training_ends_within_an_epoch_when_told_so() {
    let options = options(Rule::Alternate);
    let undisturbed = whole(&options);
    // six steps make an epoch; asked before each
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 2 * 6 + 3
    };
    let (trained, kept) = run(90, &options, None, EPOCHS, &stop).unwrap();
    assert_eq!(trained.end, End::BrokenOff);
    assert_eq!(trained.history.len(), 3);
    assert_eq!(asked.get(), 16);
    // what was kept goes on as if nothing had happened
    let (resumed, _) = run(90, &options, kept.as_ref(), EPOCHS, &|| false).unwrap();
    assert_same("stopped", &resumed, &undisturbed);
}
