"""Random measures, composed up to depth four: density, mass and sampler must agree with each other."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from flatppl import flatppl

#: Nodes of the numerical integral over (0, 1), mapped to the reals; dense where heavy tails and edges lie.
GRID = (np.arange(6_000) + 0.5) / 6_000
POINTS = np.log(GRID / (1 - GRID)) * np.exp(2 * np.abs(GRID - 0.5))
SAMPLES = 1_000

small = st.sampled_from(["0.5", "1.0", "1.75", "2.5"])
shift = st.sampled_from(["-1.0", "0.0", "0.75"])

leaves = st.one_of(
    st.builds("Normal({}, {})".format, shift, small),
    st.builds("Exponential({})".format, small),
    st.builds("Gamma({}, {})".format, st.sampled_from(["1.5", "2.5", "4.0"]), small),
    st.builds("Logistic({}, {})".format, shift, small),
    st.builds("LogNormal({}, {})".format, shift, st.sampled_from(["0.25", "0.5"])),
    st.builds("Uniform(interval({}, 2.0))".format, shift),
    st.builds("Beta({}, {})".format, st.sampled_from(["1.5", "3.0"]), st.sampled_from(["1.5", "2.0"])),
)


truncated = st.builds("normalize(truncate({}, interval({}, inf)))".format, leaves, st.sampled_from(["-0.5", "0.25"]))


def compose(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """One more operation, each a probability measure over a real."""
    weight = st.sampled_from(["0.25", "1.0", "3.0"])
    return st.one_of(
        st.builds("locscale({}, {}, {})".format, inner, shift, small),
        st.builds("pushfwd(x -> {} - {} * x, {})".format, shift, small, inner),
        st.builds("normalize(superpose(weighted({}, {}), weighted({}, {})))".format, weight, inner, weight, inner),
        st.builds("normalize(weighted({}, {}))".format, weight, inner),
        st.builds("lawof(draw({}))".format, inner),
    )


measures = st.recursive(leaves | truncated, compose, max_leaves=4)
#: Laws whose convolution with a Gaussian has a closed form.
gaussian = st.recursive(st.builds("Normal({}, {})".format, shift, small), compose, max_leaves=4)


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(measures)
def test_density_mass_and_sampler_agree(measure: str) -> None:
    source = f"""
    M = {measure}
    xs = external(cartpow(reals, {len(POINTS)}))
    values, _ = rand(rnginit(20261130), iid(M, {SAMPLES}))
    inputs = xs
    outputs = (fn(densityof(M, _)).(xs), values)
    """
    density, values = flatppl(source).compile(backend="numpy", dtype="float64")(POINTS)
    assert np.isfinite(density).all()
    masses = 0.5 * (density[1:] + density[:-1]) * np.diff(POINTS)
    assert masses.sum() == pytest.approx(1.0, abs=5e-3)
    cdf = np.concatenate([[0.0], np.cumsum(masses)])
    u = np.sort(np.interp(values, POINTS, cdf))
    steps = np.arange(SAMPLES + 1) / SAMPLES
    distance = max(np.abs(u - steps[1:]).max(), np.abs(u - steps[:-1]).max())
    # Kolmogorov's 1e-4 quantile, and the error of the numerical distribution function.
    assert distance < 2.23 / np.sqrt(SAMPLES) + 5e-3


@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(gaussian, small, st.sampled_from(["-0.75", "0.4", "1.9"]))
def test_a_noisy_reading_is_the_marginal_of_the_pair(measure: str, noise: str, point: str) -> None:
    """The law of a noisy reading, integrated by hand over the grid."""
    source = f"""
    M = {measure}
    z ~ M
    y ~ Normal(z, {noise})
    xs = external(cartpow(reals, {len(POINTS)}))
    pair = lawof(record(z = z, y = y))
    inputs = xs
    outputs = {{}}
    """
    joint = flatppl(source.format(f"fn(densityof(pair, record(z = _, y = {point}))).(xs)"))
    density = joint.compile(backend="numpy", dtype="float64")(POINTS)
    by_hand = np.sum(0.5 * (density[1:] + density[:-1]) * np.diff(POINTS))
    marginal = flatppl(source.format(f"densityof(lawof(y), {point})")).compile(backend="numpy", dtype="float64")
    assert float(marginal(POINTS)) == pytest.approx(by_hand, rel=5e-3)


#: A measure over y that mentions the draw z ~ Normal(0, 1), a point y, and the log density of (z = 1, y).
CONDITIONAL = [
    ("pushfwd(x -> x + z, Normal(0, 1))", "1.0", norm.logpdf(1.0) + norm.logpdf(0.0)),
    ("locscale(Normal(0, 1), z, 2.0)", "1.0", norm.logpdf(1.0) + norm.logpdf(0.0, scale=2.0)),
    ("iid(pushfwd(x -> x + z, Normal(0, 1)), 2)", "[1.0, 1.0]", norm.logpdf(1.0) + 2 * norm.logpdf(0.0)),
    (
        "joint(a = Normal(z, 1), b = Normal(z, 2))",
        "record(a = 1.0, b = 1.0)",
        norm.logpdf(1.0) + norm.logpdf(0.0) + norm.logpdf(0.0, scale=2.0),
    ),
    (
        "normalize(truncate(Normal(z, 1), interval(0, inf)))",
        "1.0",
        norm.logpdf(1.0) + norm.logpdf(0.0) - norm.logcdf(1.0),
    ),
    ("kchain(Normal(z, 1), x -> Normal(x, 1))", "1.0", norm.logpdf(1.0) + norm.logpdf(0.0, scale=2**0.5)),
    ("markovchain(s -> Normal(s, 1), z, 2)", "[1.0, 1.0]", norm.logpdf(1.0) + 2 * norm.logpdf(0.0)),
    # A law has integrated z out; it is a parameter of nothing.
    ("lawof(draw(Normal(z, 1)))", "1.0", norm.logpdf(1.0) + norm.logpdf(1.0, scale=2**0.5)),
]


@pytest.mark.parametrize(("measure", "point", "expected"), CONDITIONAL)
def test_a_draw_that_a_measure_mentions_is_its_parameter(measure: str, point: str, expected: float) -> None:
    source = f"""
    z ~ Normal(0, 1)
    y ~ {measure}
    outputs = logdensityof(lawof(record(z = z, y = y)), record(z = 1.0, y = {point}))
    """
    value = flatppl(source).compile(backend="numpy", dtype="float64")()
    assert float(value) == pytest.approx(expected, rel=1e-12)


def test_a_draw_that_a_measure_mentions_is_sampled_once() -> None:
    source = """
    z ~ Normal(0, 3)
    y ~ pushfwd(x -> x + z, Normal(0, 1))
    values, _ = rand(rnginit(20261130), iid(lawof(record(z = z, y = y)), 4000))
    outputs = (values.y, values.z)
    """
    y, z = flatppl(source).compile(backend="numpy", dtype="float64")()
    # Six standard errors of a standard deviation.
    assert np.std(y - z) == pytest.approx(1.0, abs=6 / np.sqrt(2 * 4000))
    assert np.std(y) == pytest.approx(np.sqrt(10.0), abs=6 * np.sqrt(10.0) / np.sqrt(2 * 4000))
