//! From rows to a model.

use cronos::{Loss, Matrix, Task};
use cronos_deep::{About, Data, Goal, Moves, Recipe, Rule, Truth, Watch};
use std::ops::ControlFlow;

fn small() -> Recipe {
    Recipe {
        architecture: "mlp:8".parse().unwrap(),
        epochs: Some(3),
        gates: 4,
        ..Recipe::default()
    }
}

/// Two classes that a line tells apart.
fn rows(count: usize) -> (Matrix<f64>, Vec<usize>) {
    let x = Matrix::from_fn(count, 2, |i, j| ((7 * i + 3 * j) % 11) as f64 - 5.0);
    let classes = (0..count).map(|i| usize::from(x.at(i, 0) > 0.0)).collect();
    (x, classes)
}

#[test]
fn a_tenth_of_the_rows_chooses_the_epoch_unless_they_are_too_few() {
    for (count, expected) in [(110, [99, 11]), (4, [4, 0])] {
        let (x, indices) = rows(count);
        let truth = Truth::Classes {
            indices: &indices,
            count: 2,
        };
        let data = Data::new(&x, None, truth, None, &small()).unwrap();
        assert_eq!(data.rows(), expected);
        assert_eq!(data.validation().is_some(), expected[1] > 0);
        assert_eq!((data.goal, data.loss), (Goal::Classes, Loss::Logistic));
    }
}

#[test]
fn the_model_predicts_what_the_training_scored() {
    let (x, indices) = rows(200);
    let recipe = small();
    let truth = Truth::Classes {
        indices: &indices,
        count: 2,
    };
    let data = Data::new(&x, None, truth, None, &recipe).unwrap();
    assert!(recipe.memory(&data).unwrap() > 0);
    let options = recipe.options(&data, Rule::Alternate);
    let mut seen = 0;
    let watch = &mut |_: &_| {
        seen += 1;
        ControlFlow::Continue(())
    };
    let trained = recipe.train(&data, &options, Watch::new(watch)).unwrap();
    assert_eq!(seen, 4);
    let about = About {
        task: Task::Classification {
            classes: vec!["no".into(), "yes".into()],
        },
        feature_names: vec!["a".into(), "b".into()],
        broken_off: "time-limit",
    };
    let model = recipe.model(&data, &options, &trained, about).unwrap();
    model.check().unwrap();
    let found = model.classify(&x).unwrap();
    let held = data.validation().unwrap();
    let mut values = vec![0.0; 2];
    let right = (0..held.inputs.rows()).filter(|&row| {
        held.inputs.table.read(row, 0, &mut values);
        let at = (0..200).find(|&i| x.row(i) == values).unwrap();
        found[at] == indices[at]
    });
    let share = right.count() as f64 / held.inputs.rows() as f64;
    let best = &trained.history[trained.best];
    assert!((share - best.validation).abs() < 1e-9, "{share}");
    let report = recipe.report(&data, &options, &trained, &model);
    assert_eq!(report["status"], "validated");
    assert_eq!(report["epochs"], 3);
    assert_eq!(report["history"].as_array().unwrap().len(), 4);
    // 2 x 8 in front; of each unit 8 weights, a bias and one outer weight
    let units = model.network.neurons();
    assert_eq!(report["parameters"], 16 + 10 * units);
}

#[test]
fn targets_that_do_not_fit_are_refused() {
    let (x, mut indices) = rows(20);
    let refused = |indices: &[usize]| {
        let truth = Truth::Classes { indices, count: 2 };
        let data = Data::new(&x, None, truth, None, &small());
        data.err().unwrap().to_string()
    };
    let few = refused(&indices[1..]);
    assert_eq!(
        few,
        "targets: expected 20 rows, as many as the features, found 19 rows"
    );
    indices[3] = 2;
    let other = refused(&indices);
    assert!(
        other.contains("the class number 2, but there are 2"),
        "{other}"
    );
    let numbers = Matrix::from_fn(20, 1, |i, _| if i == 7 { f64::NAN } else { 1.0 });
    let wrong = Data::new(&x, None, Truth::Numbers(&numbers), None, &small());
    let wrong = wrong.err().unwrap().to_string();
    assert!(wrong.contains("row 7, column 0"), "{wrong}");
}

#[test]
fn settings_out_of_range_are_refused() {
    for (recipe, sentence) in [
        (
            Recipe {
                batch: 0,
                ..small()
            },
            "batch is 0; it must be at least 1",
        ),
        (
            Recipe {
                epochs: Some(0),
                ..small()
            },
            "epochs is 0; it must be at least 1",
        ),
        (
            Recipe {
                alpha: -1.0,
                ..small()
            },
            "alpha is -1; it must be finite and not negative",
        ),
        (
            Recipe {
                beta: Some(f64::NAN),
                ..small()
            },
            "beta is NaN; it must be finite",
        ),
    ] {
        let refused = recipe.check().unwrap_err().to_string();
        assert!(refused.starts_with(sentence), "{refused}");
    }
}

#[test]
fn images_are_moved_as_their_colours_say() {
    let x = Matrix::from_fn(40, 48, |i, j| (i * j % 7) as f64);
    let indices: Vec<usize> = (0..40).map(|i| i % 2).collect();
    let truth = Truth::Classes {
        indices: &indices,
        count: 2,
    };
    let moved = |image, moves| {
        let recipe = Recipe { moves, ..small() };
        let data = Data::new(&x, image, truth, None, &recipe).unwrap();
        recipe.options(&data, Rule::Alternate).augment
    };
    assert_eq!(moved(None, Some(Moves::Mirror)), None);
    let mirrored = |image, moves| moved(Some(image), moves).map(|augment| augment.mirror);
    assert_eq!(mirrored([4, 4, 3], None), Some(true));
    assert_eq!(mirrored([6, 8, 1], None), Some(false));
    assert_eq!(mirrored([6, 8, 1], Some(Moves::Mirror)), Some(true));
    assert_eq!(mirrored([4, 4, 3], Some(Moves::None)), None);
}
