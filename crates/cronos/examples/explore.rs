use cronos::*;
use std::ops::ControlFlow;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let get = |k: &str, d: f64| args.iter().find_map(|a| a.strip_prefix(&format!("{k}=")).map(|v| v.parse().unwrap())).unwrap_or(d);
    let text = std::fs::read_to_string("/tmp/x/digits.csv").unwrap();
    let rows: Vec<Vec<f64>> = text.lines().map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    let seed = get("seed", 0.0) as usize;
    let test: Vec<usize> = (0..rows.len()).filter(|i| (i * 7919 + seed * 104729) % 1000 < 300).collect();
    let train: Vec<usize> = (0..rows.len()).filter(|i| (i * 7919 + seed * 104729) % 1000 >= 300).collect();
    let all: Vec<usize> = (0..rows.len()).collect();
    let binary = get("binary", 0.0) > 0.0;
    let train = if get("all", 0.0) > 0.0 { all } else { train };
    let low = get("low", 0.0);
    let m = |idx: &[usize]| Matrix::from_fn(idx.len(), 64, |i, j| rows[idx[i]][j]);
    let t = |idx: &[usize]| if binary { Matrix::from_fn(idx.len(), 1, |i, _| if rows[idx[i]][64] >= 5.0 {1.0} else {-1.0}) } else { Matrix::from_fn(idx.len(), 10, |i, j| if rows[idx[i]][64] as usize == j { 1.0 } else { low }) };
    let (x, y) = (m(&train), t(&train));
    let zero = get("beta", -1.0);
    let c = y.columns();
    let options = Options {
        beta: if zero >= 0.0 { Some(zero) } else { None },
        gates: GateSource::Sampled(get("gates", 50.0) as usize),
        activation: if get("gated", 0.0) > 0.0 { Activation::Gated } else { Activation::Relu },
        precision: if get("f64", 0.0) > 0.0 { Precision::F64 } else { Precision::F32 },
        seed: seed as u64,
        settings: Settings {
            solver: match get("solver", 0.0) as i32 { 0 => Solver::Auto, 1 => Solver::Direct, 2 => Solver::SamplePcg, _ => Solver::PrimalPcg },
            rho: Some(get("rho", 0.1)),
            adapt_rho: get("adapt", 1.0) > 0.0,
            loss_weight: args.iter().any(|a| a.starts_with("c=")).then(|| get("c", 0.5)),
            gap_relative: get("tol", 1e-2),
            max_iterations: get("max", 5000.0) as usize,
            ..Default::default()
        },
        ..Default::default()
    };
    let verbose = get("v", 0.0) > 0.0;
    let start = std::time::Instant::now();
    let f = fit(&x, &y, TargetScaling::identity(c), &options, &mut |it| {
        if verbose && (it.certificate.is_some()) && (it.number as u64 % (get("v",1.0) as u64) == 0) {
            let k = it.certificate.unwrap();
            println!("{:5} obj_u {:10.4} viol_u {:.1e} rp {:.1e} rd {:.1e} lb {:10.4} | v: {:10.4} viol {:.1e} gap {:.3e} net {:.4} rho {:.2e} inner {}", it.number, it.objective, it.violation, it.primal_relative, it.dual_relative, it.lower_bound, k.objective, k.violation, k.gap, k.network_objective, it.rho, it.inner_iterations);
        }
        ControlFlow::Continue(())
    }).unwrap();
    let acc = |idx: &[usize]| { let o = f.network.predict(&m(idx)).unwrap(); let ok = idx.iter().enumerate().filter(|&(i, &r)| { let label = rows[r][64]; if binary { (o.at(i,0) >= 0.0) == (label >= 5.0) } else { let row = o.row(i); (0..10).max_by(|&a,&b| row[a].total_cmp(&row[b])).unwrap() == label as usize } }).count(); ok as f64 / idx.len() as f64 };
    let k = f.solution.certificate;
    println!("{} its {} obj {:.4} lb {:.4} gap {:.2e} viol {:.1e} net {:.4} neurons {} beta {:.4} train {:.4} test {:.4} {:.2}s (setup {:.2} solve {:.2} sweep {:.2} check {:.2}) {:?}", f.solution.status, f.solution.history.len(), k.objective, k.lower_bound, k.gap, k.violation, k.network_objective, f.network.neurons(), f.beta, acc(&train), acc(&test), start.elapsed().as_secs_f64(), f.solution.seconds.setup, f.solution.seconds.solve, f.solution.seconds.sweep, f.solution.seconds.check, f.solution.choice.solver);
}
