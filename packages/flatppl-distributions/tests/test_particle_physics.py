"""The module particle-physics: the examples of its specification, and rows far from where their mass lies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from flatppl import CompilationError, flatppl
from flatppl.exam.subject import Subject
from flatppl_distributions.particle_physics.members import PARTICLE_PHYSICS

BACKENDS = ("numpy", "jax")


MODULE = 'hep = standard_module("particle-physics", "0.1")\n'


def value(expression: str, backend: str = "numpy") -> Any:
    """Value of an expression that uses the module as ``hep``."""
    module = flatppl(f"{MODULE}outputs = {expression}")
    with module.context.plugins.backends[backend].session("float64"):
        return np.asarray(module.compile(backend=backend, dtype="float64")(), np.float64)


# Densities, functions.md 26.3.
DENSITIES = [
    ("CrystalBall(0.0, 1.0, 1.5, 3.0)", {-3.0: 0.0227404838, 0.0: 0.3754007512, 1.0: 0.2276920653}),
    (
        "DoubleSidedCrystalBall(0.0, 1.0, 2.0, 1.5, 1.0, 3.0, 4.0)",
        {-3.0: 0.0127821028, 0.0: 0.2110074278, 1.0: 0.1862134014, 5.0: 0.0358046728},
    ),
    ("Argus(10.0, -2.0, 0.5)", {5.0: 0.0835059398, 9.0: 0.2318706940}),
    ("RelativisticBreitWigner(1.0, 0.2)", {1.0: 3.2301834768, 0.5: 0.2144520151}),
    ("Voigtian(0.0, 1.0, 1.0)", {0.0: 0.2789554704, 1.0: 0.2001796376}),
    ("Landau(0.0, 1.0)", {-1.0: 0.1513919115, 0.0: 0.1788541607, 3.0: 0.0742476546}),
    ("BifurcatedNormal(0.0, 1.0, 2.0)", {-1.0: 0.1613138163, 0.0: 0.2659615203, 1.0: 0.2347102178}),
    ("ContinuedPoisson(3.5)", {2.0: math.exp(-1.6876212436), 2.5: math.exp(-1.5690661811)}),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("law", "expected"), DENSITIES)
def test_densities(law: str, expected: dict[float, float], backend: str) -> None:
    queries = ", ".join(f"densityof(hep.{law}, {x!r})" for x in expected)
    np.testing.assert_allclose(value(f"[{queries}]", backend), list(expected.values()), rtol=3e-9)


# Log densities far out and for extreme parameters, by mpmath at 40 digits (25 for Landau).
FAR = [
    ("CrystalBall", (1.0, 0.25, 0.01, 1.001), -1000000.0, -20.73390014143345),
    ("DoubleSidedCrystalBall", (5.0, 0.001, 1000.0, 0.5, 3.0, 1.01, 50.0), 5000.0, -17.287043825241085),
    ("DoubleSidedCrystalBall", (5.0, 0.001, 1000.0, 0.5, 3.0, 1.01, 50.0), 4.99, -9.017401226333533),
    ("BifurcatedNormal", (3.0, 1e-06, 1000000.0), 2.9999995, -14.166301910644947),
    ("BifurcatedNormal", (3.0, 1e-06, 1000000.0), 3.0, -14.041301910610002),
    ("Voigtian", (0.0, 50.0, 0.01), 3.0, -4.377903164190877),
    ("Voigtian", (0.0, 1e-20, 1.0), 9.5, -46.04212865208754),
    ("Voigtian", (0.0, 1e-09, 1.0), 6.25, -20.44681758972028),
    ("Voigtian", (0.0, 0.02, 1.0), 5.5, -9.043993464867361),
    ("Voigtian", (0.0, 1000.0, 1.0), 300.0, -7.666822511036575),
    ("Voigtian", (0.0, 1e-300, 1.0), 1000000000.0, -734.0599366385159),
    ("Voigtian", (0.0, 1000000000.0, 0.001), 1000000000.0, -22.784286454669967),
    ("Landau", (0.0, 1.0), -9.25, -3824.419749088759),
    ("Landau", (2.0, 0.001), 1.984375, -2246747.2909647506),
    ("Landau", (0.0, 1.0), -1.5, -2.2970926866201777),
    ("Landau", (0.0, 1.0), 0.5, -1.8004030648068667),
    ("Landau", (0.0, 1.0), 25.0, -6.268203899193747),
    ("Landau", (0.0, 1.0), 10000.0, -18.419022798441397),
    ("Landau", (0.0, 1.0), 1e200, -921.0340371976183),
    ("Argus", (1.0, 700.0, 0.5), 0.0625, 1.736021896307777),
    ("Argus", (1.0, -10000.0, 3.0), 0.984375, -284.75233014851375),
    ("Argus", (1.0, -3.0, 1000.0), 0.03125, 3.159057602743516),
    ("Argus", (1.0, 1e-09, 1e-09), 0.5, 9.623179267565526e-10),
    ("RelativisticBreitWigner", (1.0, 1e-09), 1.0000000005, 19.57853586810664),
    ("RelativisticBreitWigner", (1.0, 1000000000.0), 1000.0, -10.466643033980187),
    ("RelativisticBreitWigner", (1.0, 1.0), 1e200, -1842.2671967134759),
    ("ContinuedPoisson", (1000000000.0,), 1000100000.0, -16.280454790927536),
]


@pytest.mark.parametrize(("name", "parameters", "x", "expected"), FAR)
def test_far(name: str, parameters: tuple[float, ...], x: float, expected: float) -> None:
    got = Subject(PARTICLE_PHYSICS[name], parameters).log_density([x])[0]
    assert got == pytest.approx(expected, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("width", [1e-12, 1e-6, 0.01, 0.1, 3.0])
def test_voigt_profile(width: float) -> None:
    """The law of one deviation is SciPy's Voigt profile."""
    from scipy.special import voigt_profile

    x = np.linspace(-30.0, 30.0, 601)
    got = Subject(PARTICLE_PHYSICS["Voigtian"], (0.0, 2.0 * width, 1.0)).log_density(x)
    np.testing.assert_allclose(np.exp(got), voigt_profile(x, 1.0, width), rtol=1e-9)


def test_landau_profile() -> None:
    """SciPy's Landau law with location log(pi/2) and scale pi/2 is the standard one."""
    from scipy.stats import landau

    x = np.linspace(-2.0, 300.0, 999)
    law = Subject(PARTICLE_PHYSICS["Landau"], (0.0, 1.0))
    expected = landau.pdf(x, math.log(math.pi / 2.0), math.pi / 2.0)
    np.testing.assert_allclose(np.exp(law.log_density(x)), expected, rtol=1e-10)


@pytest.mark.parametrize(("name", "parameters"), [("Landau", (1.0, 0.5)), ("Voigtian", (1.0, 0.6, 0.4))])
def test_draws(name: str, parameters: tuple[float, ...]) -> None:
    """Draws of laws without a distribution function: counts in bins against integrals of the density."""
    law = Subject(PARTICLE_PHYSICS[name], parameters)
    edges = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0])
    nodes, weights = np.polynomial.legendre.leggauss(60)
    half = 0.5 * np.diff(edges)[:, None]
    points = edges[:-1, None] + half * (nodes + 1.0)
    masses = (np.exp(law.log_density(points.ravel())).reshape(points.shape) * half * weights).sum(1)
    counts = np.histogram(law.draws(2000), edges)[0]
    deviations = (counts - 2000 * masses) / np.sqrt(2000 * masses * (1.0 - masses))
    assert np.abs(deviations).max() < 4.0


@pytest.mark.parametrize("law", [law for law, _ in DENSITIES])
def test_second_derivatives(law: str) -> None:
    """Second derivatives in x by JAX are those of differences of NumPy's values."""
    import jax

    head, _, rest = law.partition("(")
    parameters = tuple(float(x) for x in rest[:-1].split(","))
    text = f"{MODULE}x = elementof(reals)\ninputs = x\noutputs = logdensityof(hep.{law}, x)"
    module = flatppl(text)
    with module.context.plugins.backends["jax"].session("float64"), jax.enable_x64(True):
        function = module.compile(backend="jax", dtype="float64")
        points = np.array([0.3, 0.7, 1.9, 4.3, 8.1])
        got = [float(jax.grad(jax.grad(lambda x: function(x=x)))(x)) for x in points]
    step = 1e-4
    around = points + step * np.array([-1.0, 0.0, 1.0])[:, None]
    low, middle, high = Subject(PARTICLE_PHYSICS[head], parameters).log_density(around.ravel()).reshape(3, -1)
    np.testing.assert_allclose(got, (low - 2.0 * middle + high) / step**2, rtol=1e-4, atol=1e-5)


# ---------------------------------------------------------------- interpolation, functions.md 26.1

INTERPOLATIONS = ("interp_pwlin", "interp_pwexp", "interp_poly2_lin", "interp_poly6_lin", "interp_poly6_exp")
TABLE = {
    -2.0: (0.6, 0.64, 0.65, 0.6, 0.64),
    -1.0: (0.8, 0.8, 0.8, 0.8, 0.8),
    -0.5: (0.9, 0.894427191, 0.8875, 0.894824219, 0.892275838),
    0.0: (1.0, 1.0, 1.0, 1.0, 1.0),
    0.3: (1.09, 1.081889749, 1.0795, 1.082944919, 1.079330978),
    1.0: (1.3, 1.3, 1.3, 1.3, 1.3),
    2.0: (1.6, 1.69, 1.65, 1.6, 1.69),
}


@pytest.mark.parametrize("backend", BACKENDS)
def test_interpolation(backend: str) -> None:
    calls = [f"hep.{name}(0.8, 1.0, 1.3, {alpha!r})" for alpha in TABLE for name in INTERPOLATIONS]
    expected = np.array(list(TABLE.values())).ravel()
    np.testing.assert_allclose(value(f"[{', '.join(calls)}]", backend), expected, rtol=1e-9)


def test_interpolation_of_yields() -> None:
    calls = ", ".join(f"hep.{name}(90, 100, 120, 0.5)" for name in INTERPOLATIONS)
    expected = [110.0, 109.5445115010, 108.75, 109.4824218750, 109.1618296933]
    np.testing.assert_allclose(value(f"[{calls}]"), expected, rtol=1e-11)


@pytest.mark.parametrize("name", INTERPOLATIONS)
def test_interpolation_of_templates(name: str) -> None:
    whole = value(f"hep.{name}([0.8, 90.0], [1.0, 100.0], [1.3, 120.0], 0.5)")
    dotted = value(f"hep.{name}.([0.8, 90.0], [1.0, 100.0], [1.3, 120.0], 0.5)")
    single = value(f"[hep.{name}(0.8, 1.0, 1.3, 0.5), hep.{name}(90.0, 100.0, 120.0, 0.5)]")
    np.testing.assert_allclose([whole, dotted], [single, single], rtol=1e-14)


def test_interpolation_refusals() -> None:
    with pytest.raises(CompilationError, match="vectors of one length"):
        value("hep.interp_pwlin([1.0, 2.0], [1.0, 2.0, 3.0], 1.0, 0.5)")
    with pytest.raises(CompilationError, match="left of interp_poly6_exp must be positive"):
        value("hep.interp_poly6_exp(-0.1, 1.0, 1.3, 0.5)")


@pytest.mark.parametrize("name", ["interp_poly6_lin", "interp_poly6_exp"])
def test_smooth_at_the_anchors(name: str) -> None:
    """Value and two derivatives are continuous at alpha = 1 and -1."""
    import jax

    text = f"{MODULE}a = elementof(reals)\ninputs = a\noutputs = hep.{name}(0.8, 1.0, 1.3, a)"
    module = flatppl(text)
    with module.context.plugins.backends["jax"].session("float64"), jax.enable_x64(True):
        function = module.compile(backend="jax", dtype="float64")
        second = jax.grad(jax.grad(lambda a: function(a=a)))
        for end in (-1.0, 1.0):
            assert float(second(end * (1.0 - 1e-9))) == pytest.approx(float(second(end * (1.0 + 1e-9))), abs=1e-7)


# ---------------------------------------------------------------- kinematics, functions.md 26.2

KINEMATICS = [
    ("kallen(1, 2, 3)", -8.0),
    ("breakup_momentum(5.0, 3.0, 1.0)", 1.3747727085),
    ("breakup_momentum(0.77, 0.13957, 0.13957)", 0.3588108347),
    ("blatt_weisskopf(0, 0.5, 2.0)", 1.0),
    ("blatt_weisskopf(1, 0.5, 2.0)", 0.7071067812),
    ("blatt_weisskopf(2, 0.5, 2.0)", 0.2773500981),
    ("blatt_weisskopf(3, 0.5, 2.0)", 0.0600841768),
    ("blatt_weisskopf(4, 0.5, 2.0)", 0.0088575384),
    ("blatt_weisskopf(7, 1e30, 1e20)", 1.0),
    ("wignerd(1, 1, 0, cos(0.7))", -0.4555306952),
    ("wignerd(1, 0, 1, cos(0.7))", 0.4555306952),
    ("wignerd(1, 1, 1, cos(0.7))", 0.8824210936),
    ("wignerd(1, 1, -1, cos(0.7))", 0.1175789064),
    ("wignerd(2, 1, -2, cos(0.7))", -0.0757464111),
    ("wignerd(2, 0, 0, cos(0.7))", 0.3774753572),
    ("wignerd_doublearg(1, 1, -1, cos(0.7))", -0.3428978075),
    ("wignerd_doublearg(3, 3, 1, cos(0.7))", -0.5240843807),
]


@pytest.mark.parametrize("backend", BACKENDS)
def test_kinematics(backend: str) -> None:
    got = value(f"[{', '.join('hep.' + call for call, _ in KINEMATICS)}]", backend)
    np.testing.assert_allclose(got, [expected for _, expected in KINEMATICS], rtol=1e-8)


@pytest.mark.parametrize("two_j", [1, 2, 5, 6])
def test_wignerd_is_orthogonal(two_j: int) -> None:
    spins = range(-two_j, two_j + 1, 2)
    calls = [f"hep.wignerd_doublearg({two_j}, {a}, {b}, 0.3)" for a in spins for b in spins]
    d = value(f"[{', '.join(calls)}]").reshape(two_j + 1, two_j + 1)
    np.testing.assert_allclose(d @ d.T, np.eye(two_j + 1), atol=1e-13)


@pytest.mark.parametrize(
    "call", ["wignerd(1, 2, 0, 0.5)", "wignerd_doublearg(3, 2, 1, 0.5)", "blatt_weisskopf(8, 1, 1)"]
)
def test_refused_numbers(call: str) -> None:
    with pytest.raises(CompilationError):
        value(f"hep.{call}")
