"""Beta(alpha, beta): density x^(alpha - 1) (1 - x)^(beta - 1) / B(alpha, beta) at 0 <= x <= 1."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import betainc, betaincc, betainccinv, betaincinv, lbeta, log, log1p, logistic, maximum, minimum
from flatppl.tensor.program import Node
from flatppl.values.sets import posreals, unitinterval
from flatppl_distributions.numerics import Number, log_kernel, log_peak
from flatppl_distributions.tails import log_beta_tails, log_between


def log_density(x: Number, alpha: Number, beta: Number) -> Number:
    """Log density on the support: two gamma kernels about their shares of alpha + beta."""
    total = alpha + beta
    gap = x * total - alpha
    kernels = log_kernel(alpha, x * total, gap, -1.0) + log_kernel(beta, (1.0 - x) * total, -gap, -1.0)
    return log(total) + log_peak(alpha) + log_peak(beta) - log_peak(total) + kernels


def algebraic(x: Number, alpha: Number, beta: Number) -> Number:
    """The textbook form of ``log_density``."""
    return (alpha - 1.0) * log(x) + (beta - 1.0) * log1p(-x) - lbeta(alpha, beta)


def cdf(x: Number, alpha: Number, beta: Number) -> Number:
    """Distribution function."""
    return betainc(alpha, beta, minimum(maximum(x, 0.0), 1.0))


def survival(x: Number, alpha: Number, beta: Number) -> Number:
    """Upper tail."""
    return betaincc(alpha, beta, minimum(maximum(x, 0.0), 1.0))


def log_mass(lo: Node, hi: Node, alpha: Node, beta: Node) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    return log_between(lambda x: log_beta_tails(alpha, beta, minimum(maximum(x, 0.0), 1.0)), lo, hi)


def quantile(u: Number, alpha: Number, beta: Number) -> Number:
    """Inverse of the distribution function."""
    return betaincinv(alpha, beta, u)


def upper_quantile(q: Number, alpha: Number, beta: Number) -> Number:
    """Inverse of the upper tail."""
    return betainccinv(alpha, beta, q)


def sample(rng: Rng, alpha: Number, beta: Number) -> Number:
    """One draw: the share of the first of two gamma draws."""
    return logistic(rng.loggamma(alpha) - rng.loggamma(beta))


Beta = Distribution(
    name="Beta",
    parameters=(("alpha", posreals), ("beta", posreals)),
    support=unitinterval,
    log_density=log_density,
    algebraic=algebraic,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case((2.0, 3.5), 0.3, 0.6611802010988751, 0.4117025023425648),
        Case((1.0, 2.0), 0.0, 0.6931471805599453, 0.0),
        Case((0.5, 0.5), 1e-10, 10.368195579170829, 6.366197723781917e-06),
        Case((1.0, 1.0), 1.0, 0.0, 1.0),
        Case((1000000.0, 2000000.0), 0.333, 6.540411835131777, 0.11032283951664962),
        Case((0.001, 2.0), 0.75, -8.005655749389614, 0.9999622873938938),
        Case((3.0, 1000000.0), 4e-06, 11.894951099628276, 0.7618984527464214),
    ),
)
