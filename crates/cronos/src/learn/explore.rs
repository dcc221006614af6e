#![allow(missing_docs)]
use super::*;
use crate::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Table = (Vec<Vec<f64>>, Vec<String>);
fn read(path: &str) -> Table {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let t = head.iter().position(|h| *h == "target").unwrap();
    let mut x = vec![]; let mut y = vec![];
    for l in lines { let c: Vec<&str> = l.split(',').collect();
        y.push(c[t].to_string());
        x.push(c.iter().enumerate().filter(|(i,_)| *i!=t).map(|(_,v)| v.parse().unwrap()).collect()); }
    (x,y)
}
// knots encoding
pub fn knots(train: &[Vec<f64>], most: usize, bins: usize) -> Vec<Vec<f64>> {
    let d = train[0].len();
    (0..d).map(|j| {
        let mut v: Vec<f64> = train.iter().map(|r| r[j]).collect();
        v.sort_by(f64::total_cmp);
        let mut u = v.clone(); u.dedup();
        if u.len() <= 2 { vec![] } else if u.len() <= most { u }
        else if bins == 0 { vec![] } else {
            let mut k: Vec<f64> = (0..=bins).map(|b| v[(b*(v.len()-1))/bins]).collect(); k.dedup(); k }
    }).collect()
}
pub fn encode(rows: &[Vec<f64>], knots: &[Vec<f64>], hats: bool, keep: bool) -> Vec<Vec<f64>> {
    rows.iter().map(|r| {
        let mut out = vec![];
        for (j,k) in knots.iter().enumerate() {
            if k.is_empty() || keep || k.len()>12 && false { out.push(r[j]); }
            if k.is_empty() { continue; }
            if hats {
                for c in 0..k.len() {
                    let x = r[j];
                    let left = if c==0 {1.0} else {((x-k[c-1])/(k[c]-k[c-1])).clamp(0.0,1.0)};
                    let right = if c+1==k.len() {0.0} else {((x-k[c])/(k[c+1]-k[c])).clamp(0.0,1.0)};
                    out.push(left-right);
                }
            } else {
                for c in 1..k.len() { out.push(((r[j]-k[c-1])/(k[c]-k[c-1])).clamp(0.0,1.0)); }
            }
        }
        out
    }).collect()
}
fn folds(y: &[usize], k: usize, seed: u64) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut idx: Vec<usize> = (0..y.len()).collect();
    for i in (1..idx.len()).rev() { let j = rng.random_range(0..=i); idx.swap(i,j); }
    idx.sort_by_key(|&i| y[i]);
    let mut f = vec![0; y.len()];
    for (p,&i) in idx.iter().enumerate() { f[i] = p % k; }
    f
}
fn mat(rows: &[Vec<f64>], idx: &[usize]) -> Matrix<f64> { Matrix::from_fn(idx.len(), rows[0].len(), |i,j| rows[idx[i]][j]) }
fn targets(y: &[usize], idx: &[usize], c: usize, loss: Loss) -> Matrix<f32> {
    if c==2 { Matrix::from_fn(idx.len(),1,|i,_| if y[idx[i]]==1 {1.0} else {-1.0}) }
    else { Matrix::from_fn(idx.len(),c,|i,k| if y[idx[i]]==k {1.0} else if loss==Loss::Logistic {-1.0} else {0.0}) }
}
pub struct Step { pub b: f64, pub hidden: Hidden<f32> }
pub struct Conf { pub loss: Loss, pub ratio: f64, pub steps: usize, pub new: usize, pub its: usize, pub units: usize, pub low: f64 }
/// path on x,y; returns for each β the network
fn path(x: &Matrix<f32>, y: &Matrix<f32>, conf: &Conf, seed: u64, stop_at: Option<usize>, mut visit: impl FnMut(usize,&Hidden<f32>) -> bool) -> Hidden<f32> {
    let n = x.rows() as f64;
    let mut hidden = Hidden::none(x.columns(), y.columns());
    let top = 0.3; // β per row at the top
    for k in 0..conf.steps {
        let b = top * conf.ratio.powi(k as i32);
        if b < conf.low { break; }
        let objective = Objective{x,y,weights:None,loss:conf.loss,beta:b*n};
        let effort = Effort{units: conf.units, new_units: conf.new, starts: 64, rounds: 2, tolerance: 0.02, patience: Patience{iterations: conf.its, progress: 1e-3}};
        let last = stop_at == Some(k);
        learn(&objective, &mut hidden, effort, seed.wrapping_add(k as u64 * 977), |_| true);
        if !visit(k,&hidden) || last { break; }
    }
    hidden
}
fn predict(x: &Matrix<f32>, h: &Hidden<f32>) -> Vec<Vec<f64>> {
    (0..x.rows()).map(|i| { let mut f = vec![0.0; h.outputs];
        for (w,a) in h.units() { let z = crate::inner::dot(x.row(i), w).max(0.0); for c in 0..h.outputs { f[c] += z*a[c].wide(); } } f }).collect()
}
fn class(f: &[f64]) -> usize { if f.len()==1 { (f[0]>=0.0) as usize } else { (0..f.len()).max_by(|&a,&b| f[a].total_cmp(&f[b])).unwrap() } }
fn logloss(f: &[f64], y: usize, loss: Loss) -> f64 {
    if f.len()==1 { let m = if y==1 {f[0]} else {-f[0]}; let m = if loss==Loss::Squared {4.0*m} else {m}; (1.0+(-m).exp()).ln().min(20.0) }
    else { let s = if loss==Loss::Squared {8.0} else {1.0}; let mx=f.iter().cloned().fold(f64::MIN,f64::max); let z: f64=f.iter().map(|v| ((v-mx)*s).exp()).sum(); (z.ln()-(f[y]-mx)*s).min(20.0) }
}
pub struct Result { pub cv: f64, pub cvll: f64, pub step: usize, pub single: f64, pub ens: f64, pub seconds: f64, pub neurons: usize, pub oracle: f64 }
#[allow(clippy::too_many_arguments)]
pub fn run(tr: &[Vec<f64>], ytr: &[usize], te: &[Vec<f64>], yte: &[usize], c: usize, conf: &Conf, k: usize, scale_floor: f64) -> (Result, Vec<Vec<f64>>) {
    let t = std::time::Instant::now();
    let n = tr.len();
    let f = folds(ytr,k,7);
    let scale = |idx: &[usize]| { let m = mat(tr,idx); let mut s = Scaling::standard(&m,None); for v in s.scale.iter_mut() { if *v < scale_floor {*v = scale_floor.max(*v)} } s };
    use rayon::prelude::*;
    let res: Vec<(Vec<(f64,f64,usize)>, Vec<Hidden<f32>>, Scaling)> = (0..k).into_par_iter().map(|q| {
        let ti: Vec<usize> = (0..n).filter(|&i| f[i]!=q).collect();
        let vi: Vec<usize> = (0..n).filter(|&i| f[i]==q).collect();
        let s = scale(&ti);
        let x: Matrix<f32> = s.apply(&mat(tr,&ti),true); let xv: Matrix<f32> = s.apply(&mat(tr,&vi),true);
        let y = targets(ytr,&ti,c,conf.loss);
        let mut out = vec![]; let mut nets = vec![]; let mut best = f64::MAX; let mut since = 0;
        path(&x,&y,conf,q as u64*31+1,None,|_,h| {
            let p = predict(&xv,h);
            let err = p.iter().zip(&vi).filter(|(p,i)| class(p)!=ytr[**i]).count() as f64;
            let ll: f64 = p.iter().zip(&vi).map(|(p,i)| logloss(p,ytr[*i],conf.loss)).sum();
            out.push((err,ll,vi.len())); nets.push(h.clone());
            if err < best { best = err; since = 0 } else { since += 1 }
            since < 7
        });
        (out,nets,s)
    }).collect();
    let steps = res.iter().map(|r| r.0.len()).max().unwrap();
    let mut best = (f64::MAX,0,0.0,0.0);
    let mut bestll = (f64::MAX, 0);
    for s in 0..steps {
        let (mut e, mut l) = (0.0,0.0);
        for r in &res { let q = r.0.get(s).unwrap_or(r.0.last().unwrap()); e += q.0; l += q.1; }
        e /= n as f64; l /= n as f64;
        let score = e + 0.05*l;
        if score < best.0 { best = (score,s,e,l); }
        if l < bestll.0 { bestll = (l,s); }
    }
    let step = best.1;
    // refit
    let all: Vec<usize> = (0..n).collect();
    let s = scale(&all); let x: Matrix<f32> = s.apply(&mat(tr,&all),true); let y = targets(ytr,&all,c,conf.loss);
    let ti: Vec<usize> = (0..te.len()).collect();
    let h = path(&x,&y,conf,99,Some(step),|_,_| true);
    let xt: Matrix<f32> = s.apply(&mat(te,&ti),true);
    let ps = predict(&xt,&h);
    let acc = |p: &[Vec<f64>]| p.iter().zip(yte).filter(|(p,y)| class(p)==**y).count() as f64/yte.len() as f64;
    let single = acc(&ps);
    let mut avg: Vec<Vec<f64>> = ps.clone();
    for v in avg.iter_mut().flatten() { *v *= 1.0; }
    for r in &res { let hh = &r.1[step.min(r.1.len()-1)]; let xt: Matrix<f32> = r.2.apply(&mat(te,&ti),true); let p = predict(&xt,hh);
        for (a,b) in avg.iter_mut().zip(&p) { for (a,b) in a.iter_mut().zip(b) { *a += b; } } }
    for v in avg.iter_mut().flatten() { *v /= (k+1) as f64; }
    let ens = acc(&avg);
    (Result{cv:best.2,cvll:best.3,step,single,ens,seconds:t.elapsed().as_secs_f64(),neurons:h.len(),oracle:0.0}, avg)
}
#[test]
fn tables() {
    let dir = "/tmp/tables-results/splits";
    let only: Option<Vec<String>> = std::env::var("ONLY").ok().map(|s| s.split(',').map(String::from).collect());
    let seed = std::env::var("SEEDN").unwrap_or("0".into());
    let mut names: Vec<String> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).filter(|n| n.ends_with(&format!("-{seed}"))).collect();
    names.sort();
    let get = |k: &str, d: f64| std::env::var(k).ok().map_or(d, |v| v.parse().unwrap());
    for name in names {
        let base = name.rsplit_once('-').unwrap().0.to_string();
        if let Some(o) = &only { if !o.contains(&base) { continue; } }
        let (tr,ytr) = read(&format!("{dir}/{name}/train.csv")); let (te,yte) = read(&format!("{dir}/{name}/test.csv"));
        if tr.len() as f64 > get("MOST",1e9) || (tr.len() as f64) < get("LEAST",0.0) { continue; }
        let mut cl = ytr.clone(); cl.sort(); cl.dedup();
        let id = |s: &String| cl.iter().position(|c| c==s).unwrap_or(999);
        let ytr: Vec<usize> = ytr.iter().map(id).collect(); let yte: Vec<usize> = yte.iter().map(id).collect();
        let c = cl.len();
        let like = if c==2 {Loss::Logistic} else {Loss::Softmax};
        let mut line = format!("{base} n={} d={} C={}", tr.len(), tr[0].len(), c);
        for (tag, loss, enc) in [("log/raw", like, 0), ("sq/raw", Loss::Squared, 0), ("log/hat", like, 1), ("log/bin", like, 2)] {
            if enc==2 && tr[0].len()>30 { continue; }
            if let Ok(w) = std::env::var("TAGS") { if !w.split(',').any(|t| t==tag) { continue; } }
            let (a,b) = match enc { 0 => (tr.clone(),te.clone()),
              1 => { let k = knots(&tr, 12, 0); if k.iter().all(|k| k.is_empty()) { continue; } (encode(&tr,&k,true,true), encode(&te,&k,true,true)) }
              _ => { let k = knots(&tr, 12, 8); if k.iter().all(|k| k.is_empty()) { continue; } (encode(&tr,&k,true,true), encode(&te,&k,true,true)) } };
            let conf = Conf{loss, ratio: get("RATIO",0.5), steps: 30, new: get("NEW",8.0) as usize, its: get("ITS",30.0) as usize, units: get("UNITS",100.0) as usize, low: 1e-6};
            let (r,_) = run(&a,&ytr,&b,&yte,c,&conf,5, get("FLOOR", 0.0));
            if std::env::var("VERBOSE").is_ok() { eprintln!("{base} {tag} {} x {} {:.1}s", a.len(), a[0].len(), r.seconds); }
            line += &format!(" | {tag} cv {:.4} ll {:.3} step {} h {} single {:.4} ens {:.4} {:.1}s", 1.0-r.cv, r.cvll, r.step, r.neurons, r.single, r.ens, r.seconds);
        }
        println!("{line}");
    }
}
