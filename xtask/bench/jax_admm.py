"""The algorithm of the CRONOS paper in JAX: ADMM whose u-step is solved by conjugate
gradients with a randomized Nyström preconditioner, in single precision, jitted."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from clock import Watch
from problems import Problem

RANK = 20  # of the sketch; the paper: "worked well uniformly"
RHOS = [0.001, 0.01, 0.1, 1.0, 10.0]  # the paper: from 0.001 to 1
INNER = [50, 1000]  # the paper: 5 to 50 iterations at most in its experiments


def forward(x, d, u):
    """F u (n) and G u (n × 2P) of u (d × 2P: all v, then all w) from one product with X."""
    xu = x @ u
    gates = d.shape[1]
    return jnp.sum(d * (xu[:, :gates] - xu[:, gates:]), axis=1), signs(d) * xu


def adjoint(x, d, f, g):
    """Fᵀ f + Gᵀ g, d × 2P, by one product with Xᵀ."""
    df = d * f[:, None]
    return x.T @ (jnp.hstack([df, -df]) + signs(d) * g)


def signs(d):
    """2D − I for v and for w, n × 2P"""
    return jnp.hstack([2 * d - 1, 2 * d - 1])


def hessian(x, d, rho, u):
    """H u = (FᵀF/ρ + GᵀG) u"""
    f, g = forward(x, d, u)
    return adjoint(x, d, f / rho, g)


@jax.jit
def nystrom(x, d, rho, key):
    """Eigenvectors (2dP × r) and eigenvalues of a randomized approximation of H."""
    shape = (x.shape[1], 2 * d.shape[1])
    omega, _ = jnp.linalg.qr(jax.random.normal(key, (shape[0] * shape[1], RANK), x.dtype))
    apply = lambda column: hessian(x, d, rho, column.reshape(shape)).ravel()
    y = jax.lax.map(apply, omega.T).T
    shift = jnp.finfo(x.dtype).eps * jnp.linalg.norm(y)
    y = y + shift * omega
    core = omega.T @ y
    c = jnp.linalg.cholesky((core + core.T) / 2)  # lower; Y / Cᵀ below
    b = jax.scipy.linalg.solve_triangular(c, y.T, lower=True).T
    basis, sigma, _ = jnp.linalg.svd(b, full_matrices=False)
    return basis, jnp.maximum(0.0, sigma**2 - shift)


def pcg(apply, precondition, b, start, tolerance, most):
    """Until ‖w‖ ≤ tolerance, as in the paper's Algorithm 5."""
    w = b - apply(start)
    z = precondition(w)

    def go_on(state):
        _, w, _, _, count = state
        return (jnp.linalg.norm(w) > tolerance) & (count < most)

    def step(state):
        u, w, z, p, count = state
        q = apply(p)
        wz = jnp.vdot(w, z)
        alpha = wz / jnp.vdot(p, q)
        u, w = u + alpha * p, w - alpha * q
        z = precondition(w)
        return u, w, z, z + (jnp.vdot(w, z) / wz) * p, count + 1

    u, _, _, _, count = jax.lax.while_loop(go_on, step, (start, w, z, z, 0))
    return u, count


@jax.jit
def iterate(x, d, y, basis, eigenvalues, state, rho, beta, most):
    """One ADMM iteration; multipliers are scaled, so their step is 1."""
    u, v, s, lam, nu, k, inner = state
    shrink = (eigenvalues[-1] + 1.0) / (eigenvalues + 1.0) - 1.0
    flat = lambda r: r.ravel() + basis @ (shrink * (basis.T @ r.ravel()))
    precondition = lambda r: flat(r).reshape(r.shape)
    # b = Fᵀy/ρ + v − λ + Gᵀ(s − ν)
    b = v - lam + adjoint(x, d, y / rho, s - nu)
    apply = lambda p: p + hessian(x, d, rho, p)
    u, count = pcg(apply, precondition, b, u, (k + 1.0) ** -1.2, most)
    _, gu = forward(x, d, u)
    sum_ = u + lam
    norm = jnp.linalg.norm(sum_, axis=0, keepdims=True)
    v = sum_ * jnp.maximum(0.0, 1.0 - beta / rho / jnp.maximum(norm, 1e-30))
    s = jnp.maximum(gu + nu, 0.0)
    return u, v, s, lam + u - v, nu + gu - s, k + 1, inner + count


def solve(problem: Problem, watch: Watch, rho: float, most: int) -> dict:
    """Runs until the watch says so. Both iterates are shown to it, u and v."""
    x, d, y = (jnp.asarray(a) for a in (problem.x, problem.gates, problem.y))
    zero, rows = jnp.zeros((x.shape[1], 2 * d.shape[1])), jnp.zeros((len(y), 2 * d.shape[1]))
    fresh = (zero, zero, rows, zero, rows, jnp.float32(0), jnp.int32(0))
    rho_, beta = jnp.float32(rho), jnp.float32(problem.beta)
    sketch = partial(nystrom, x, d, rho_, jax.random.PRNGKey(0))
    # compiled before the clock starts
    basis, eigenvalues = sketch()
    jax.block_until_ready(iterate(x, d, y, basis, eigenvalues, fresh, rho_, beta, jnp.int32(1)))

    watch.start()
    basis, eigenvalues = jax.block_until_ready(sketch())
    state, iterations = fresh, 0
    while True:
        state = iterate(x, d, y, basis, eigenvalues, state, rho_, beta, jnp.int32(most))
        state = jax.block_until_ready(state)
        iterations += 1
        if watch.due(iterations) and watch.show(iterations, [groups(a) for a in state[:2]]):
            return watch.record() | {"rho": rho, "inner_most": most, "inner": int(state[6])}


def groups(u) -> np.ndarray:
    """2 × P × d"""
    u = np.asarray(u)
    return u.T.reshape(2, -1, u.shape[0])


def settings(*_) -> list[tuple[float, int]]:
    return [(rho, most) for rho in RHOS for most in INNER]
