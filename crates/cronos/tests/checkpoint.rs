//! A run that goes on from a state that was kept ends with the same bits as one that was never
//! broken off.

mod problems;

use cronos::{
    Activation, Checkpoint, Error, Keeper, Loss, Program, Real, Settings, Solution, Solver,
};
use problems::{Case, LOSSES, Quirk, rounded};
use std::ops::ControlFlow;
use std::sync::Mutex;

/// Keeps every state, as bytes.
struct All {
    every: usize,
    from: Mutex<Option<Checkpoint>>,
    kept: Mutex<Vec<Vec<u8>>>,
}

impl Keeper for All {
    fn every(&self) -> usize {
        self.every
    }

    fn start(&self) -> Option<Checkpoint> {
        self.from.lock().unwrap().take()
    }

    fn keep(&self, state: &Checkpoint) -> ControlFlow<()> {
        self.kept.lock().unwrap().push(state.to_bytes().unwrap());
        ControlFlow::Continue(())
    }
}

fn case(activation: Activation, loss: Loss) -> Program<f64> {
    let case = Case {
        n: 300,
        d: 6,
        outputs: 2,
        gates: 5,
        beta: 0.5,
        activation,
        quirk: Quirk::None,
        seed: 5,
    };
    case.with_loss(loss, true)
}

/// The solution, and the states that were kept on the way.
fn solve<T: Real>(
    program: &Program<T>,
    settings: &Settings,
    from: Option<&[u8]>,
) -> Result<(Solution, Vec<Vec<u8>>), Error> {
    let from = from.map(Checkpoint::from_bytes).transpose()?;
    let keeper = All {
        every: 7,
        from: Mutex::new(from),
        kept: Mutex::default(),
    };
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    let solution = program.solve_kept(settings, &keeper, go_on)?;
    Ok((solution, keeper.kept.into_inner().unwrap()))
}

fn bits(solution: &Solution) -> Vec<u64> {
    let of_history = solution.history.iter().flat_map(|record| {
        [
            record.objective,
            record.primal_residual,
            record.rho,
            record.lower_bound,
        ]
    });
    let certificate = solution.certificate;
    let worth = [
        certificate.objective,
        certificate.lower_bound,
        certificate.violation,
    ];
    (solution.weights.iter().copied())
        .chain(worth)
        .chain(of_history)
        .map(f64::to_bits)
        .collect()
}

fn goes_on_as_before<T: Real>(program: &Program<T>, settings: &Settings) {
    let (whole, kept) = solve(program, settings, None).expect("a solution");
    assert!(kept.len() > 5, "{} states", kept.len());
    for state in [&kept[0], &kept[kept.len() / 2], &kept[kept.len() - 1]] {
        let (rest, later) = solve(program, settings, Some(state)).expect("a solution");
        assert_eq!(rest.status, whole.status);
        assert!(bits(&rest) == bits(&whole), "{settings:?}");
        // what it keeps itself is what was kept before
        let seconds_aside = |bytes: &Vec<u8>| Checkpoint::from_bytes(bytes).unwrap().iteration;
        let own: Vec<usize> = later.iter().map(seconds_aside).collect();
        let before: Vec<usize> = kept.iter().map(seconds_aside).collect();
        assert!(before.ends_with(&own));
    }
}

/// Every loss and both activations by all solvers; relu by `direct` and `sample-pcg` with groups that
/// have a stiffness by then.
#[test]
fn a_run_goes_on_as_if_nothing_had_happened() {
    for loss in LOSSES {
        for activation in [Activation::Relu, Activation::Gated] {
            let program = case(activation, loss);
            for solver in [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg] {
                let paper = solver == Solver::PrimalPcg;
                let settings = Settings {
                    solver,
                    gap_relative: 0.0,
                    max_iterations: if paper { 80 } else { 150 },
                    refresh_every: 4,
                    ..Settings::default()
                };
                goes_on_as_before(&program, &settings);
            }
        }
    }
}

#[test]
fn in_single_precision_too() {
    let program = case(Activation::Relu, Loss::Squared);
    let settings = Settings {
        gap_relative: 1e-3,
        ..Settings::default()
    };
    goes_on_as_before(&rounded(&program), &settings);
}

/// Also where cones are being closed by then.
#[test]
fn with_a_larger_penalty_at_the_end_too() {
    let settings = Settings {
        solver: Solver::SamplePcg,
        gap_relative: 1e-4,
        ..Settings::default()
    };
    let program = problems::SHARED.program();
    let (whole, kept) = solve(&program, &settings, None).expect("a solution");
    let rhos = whole.history.windows(2);
    let jump = rhos.filter(|pair| pair[1].rho > 10.0 * pair[0].rho);
    let at = jump.map(|pair| pair[0].number).next().expect("a jump");
    let last = Checkpoint::from_bytes(&kept[kept.len() - 1]).unwrap();
    assert!(last.iteration >= at);
    goes_on_as_before(&program, &settings);
}

/// More iterations, or more time, may be asked for; anything else is another run.
#[test]
fn a_state_belongs_to_its_run() {
    let program = case(Activation::Relu, Loss::Squared);
    let short = Settings {
        gap_relative: 0.0,
        max_iterations: 60,
        ..Settings::default()
    };
    let (_, kept) = solve(&program, &short, None).expect("a solution");
    let last = kept.last().expect("a state");
    let long = Settings {
        max_iterations: 120,
        time_limit_seconds: Some(1e6),
        ..short.clone()
    };
    let (rest, _) = solve(&program, &long, Some(last)).expect("it goes on");
    let (whole, _) = solve(&program, &long, None).expect("a solution");
    assert!(bits(&rest) == bits(&whole));

    let refuses = |program: &Program<f64>, settings: &Settings| {
        let why = solve(program, settings, Some(last)).expect_err("refused");
        assert!(
            why.to_string().contains("other data or other settings"),
            "{why}"
        );
    };
    let rho = Settings {
        rho: Some(0.3),
        ..short.clone()
    };
    refuses(&program, &rho);
    let mut other = program.clone();
    other.beta = 0.6;
    refuses(&other, &short);
    refuses(&case(Activation::Relu, Loss::SquaredHinge), &short);
}

/// Every flip of a byte and every cut is refused, or does not matter.
#[test]
fn a_damaged_state_is_refused() {
    let program = case(Activation::Gated, Loss::Squared);
    let settings = Settings {
        gap_relative: 0.0,
        max_iterations: 20,
        ..Settings::default()
    };
    let (_, kept) = solve(&program, &settings, None).expect("a solution");
    let bytes = &kept[0];
    let state = Checkpoint::from_bytes(bytes).expect("whole");
    assert_eq!(&state.to_bytes().expect("written"), bytes);
    for at in (0..bytes.len()).step_by(37) {
        assert!(Checkpoint::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        let read = Checkpoint::from_bytes(&flipped);
        if let Ok(read) = read {
            let usable = solve(&program, &settings, Some(&read.to_bytes().unwrap()));
            assert!(read == state || usable.is_err(), "flipped at {at}");
        }
    }
}
