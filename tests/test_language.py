"""What programs mean: boundaries, captured draws, laws, phases, modules. Values from closed forms."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from flatppl import CompilationError, Context, flatppl


def run(source: str, *args, context: Context | None = None, **kwargs):
    """The query's answer from the reference backend."""
    return flatppl(source, context=context).compile(backend="numpy", dtype="float64")(*args, **kwargs)


def normal(x: float, mu: float, sigma: float) -> float:
    return stats.norm.logpdf(x, mu, sigma)


# -- boundaries and reification ----------------------------------------------------------------------------


def test_boundaries_are_substituted_all_at_once() -> None:
    source = """
    u = elementof(reals)
    v = u ^ 2
    w = v + u
    g = functionof(w, first = v, second = u)
    h = functionof(v, v0 = v, u0 = u)
    outputs = (g(10.0, 1.0), h(3.0, 7.0), g(second = 1.0, first = 2.0))
    """
    assert run(source) == pytest.approx((11.0, 3.0, 3.0))


def test_traced_boundary_is_keyword_only() -> None:
    source = "a = elementof(reals)\nb = elementof(posreals)\nf = functionof(2.5 * a / b)\noutputs = {}"
    assert run(source.format("f(b = 2.0, a = 4.0)")) == pytest.approx(5.0)
    with pytest.raises(CompilationError, match="by keyword only"):
        run(source.format("f(4.0, 2.0)"))


def test_conditional_and_marginal_kernels() -> None:
    source = """
    a = elementof(reals)
    z ~ Normal(0.0, 1.0)
    m = Normal(a + z, 0.5)
    cond = functionof(m, a = a, z = z)
    marg = functionof(lawof(m), a = a)
    outputs = (logdensityof(cond(1.0, 0.25), 0.7), logdensityof(marg(1.0), 0.7))
    """
    assert run(source) == pytest.approx((normal(0.7, 1.25, 0.5), normal(0.7, 1.0, math.sqrt(1.25))))


def test_a_boundary_reaches_into_a_captured_leaf() -> None:
    source = """
    k = elementof(posreals)
    step = s -> Normal(s, k)
    path ~ markovchain(step, 0.0, 3)
    K = kernelof(path, k = k)
    outputs = logdensityof(K(k = 2.0), [0.5, 1.0, -1.0])
    """
    assert run(source) == pytest.approx(normal(0.5, 0, 2) + normal(1.0, 0.5, 2) + normal(-1.0, 1.0, 2))


def test_a_boundary_frees_a_captured_draw_inside_a_scan() -> None:
    source = """
    g ~ Normal(0.0, 1.0)
    decay(acc, u) = exp(-g * g) * acc + u
    tr = scan(decay, 0.0, [1.0, 2.0])
    obs ~ Normal.(tr, 1.0)
    K = kernelof(record(obs = obs), g = g)
    track = functionof(tr, g = g)
    outputs = (logdensityof(K(g = 0.5), record(obs = [1.0, 2.0])), track(0.5))
    """
    value, track = run(source)
    states = [1.0, math.exp(-0.25) + 2.0]
    assert track == pytest.approx(states)
    assert value == pytest.approx(normal(1.0, states[0], 1.0) + normal(2.0, states[1], 1.0))


def test_captured_draw_is_one_realisation() -> None:
    """Every step shares s; integrated per step it is another model."""
    shared = """
    s ~ Bernoulli(0.25)
    step = prev -> Normal(prev, 1.0 + s)
    path ~ markovchain(step, 0.0, 2)
    outputs = logdensityof(lawof(path), [0.5, 2.0])
    """
    once = [math.exp(normal(0.5, 0, sd) + normal(2.0, 0.5, sd)) for sd in (1.0, 2.0)]
    assert run(shared) == pytest.approx(math.log(0.75 * once[0] + 0.25 * once[1]))
    per_step = shared.replace("prev -> Normal(prev, 1.0 + s)", "prev -> lawof(Normal(prev, 1.0 + s))")
    first, second = (
        math.log(0.75 * math.exp(normal(x, m, 1.0)) + 0.25 * math.exp(normal(x, m, 2.0)))
        for x, m in ((0.5, 0), (2.0, 0.5))
    )
    assert run(per_step) == pytest.approx(first + second)


def test_uncut_leaf_in_a_lambda_is_a_free_reference() -> None:
    source = "scale = elementof(reals)\nf = x -> x * scale\ninputs = scale\noutputs = f(3.0)"
    assert run(source, 2.0) == pytest.approx(6.0)


def test_kernelof_conditions_on_what_it_lists() -> None:
    source = """
    mu ~ Normal(0.0, 5.0)
    tau = elementof(posreals)
    th ~ iid(Normal(mu, tau), 2)
    y ~ Normal.(th, [1.0, 2.0])
    fwd = kernelof(record(y = y), mu = mu, th = th)
    inner = kernelof(record(y = y), mu = mu, tau = tau)
    outputs = (
        logdensityof(fwd(0.3, [1.0, -1.0]), record(y = [0.5, 0.0])),
        logdensityof(inner(0.3, 1.5), record(y = [0.5, 0.0])))
    inputs = tau
    """
    given, marginal = run(source, 1.5)
    assert given == pytest.approx(normal(0.5, 1.0, 1.0) + normal(0.0, -1.0, 2.0))
    spread = [math.sqrt(1.5**2 + sd**2) for sd in (1.0, 2.0)]
    assert marginal == pytest.approx(normal(0.5, 0.3, spread[0]) + normal(0.0, 0.3, spread[1]))


# -- laws and shared ancestry ------------------------------------------------------------------------------

SHARED = """
z ~ Normal(0.0, 1.0)
a ~ Normal(z, 0.5)
b ~ Normal(z, 0.5)
"""
POINT = "record(a = 0.4, b = -0.2)"


def shared_normal(x: list[float]) -> float:
    return stats.multivariate_normal.logpdf(x, [0, 0], [[1.25, 1.0], [1.0, 1.25]])


@pytest.mark.parametrize("law", ["lawof(record(a = a, b = b))", "joint(a = lawof(a), b = lawof(b))"])
def test_shared_ancestry_is_one_law(law: str) -> None:
    assert run(f"{SHARED}outputs = logdensityof({law}, {POINT})") == pytest.approx(shared_normal([0.4, -0.2]))


def test_copies_of_a_law_never_share() -> None:
    value = run(f"{SHARED}outputs = logdensityof(iid(lawof(a), 2), [0.4, -0.2])")
    assert value == pytest.approx(normal(0.4, 0, math.sqrt(1.25)) + normal(-0.2, 0, math.sqrt(1.25)))


def test_constructors_over_one_latent_are_conditionally_independent() -> None:
    value = run(
        "z ~ Normal(0.0, 1.0)\noutputs = logdensityof(lawof(joint(Normal(z, 0.5), Normal(z, 0.5))), [0.4, -0.2])"
    )
    assert value == pytest.approx(shared_normal([0.4, -0.2]))


def test_two_loads_share_nothing() -> None:
    context = Context()
    leaf = "z ~ Normal(0.0, 1.0)\na ~ Normal(z, 0.5)\nb ~ Normal(z, 0.5)\nla = lawof(a)\nlb = lawof(b)"
    context.register("leaf", flatppl(leaf, context=context))
    head = 'm1 = load_module("leaf")\nm2 = load_module("leaf")\n'
    once = run(head + f"outputs = logdensityof(joint(a = m1.la, b = m1.lb), {POINT})", context=context)
    twice = run(head + f"outputs = logdensityof(joint(a = m1.la, b = m2.lb), {POINT})", context=context)
    assert once == pytest.approx(shared_normal([0.4, -0.2]))
    assert twice == pytest.approx(normal(0.4, 0, math.sqrt(1.25)) + normal(-0.2, 0, math.sqrt(1.25)))


def test_a_hierarchy_off_its_support_is_minus_infinity() -> None:
    source = """
    sigma ~ Exponential(1.0)
    y ~ Normal(0.0, sigma)
    s = elementof(reals)
    inputs = s
    outputs = logdensityof(lawof(record(sigma = sigma, y = y)), record(sigma = s, y = 0.5))
    """
    assert run(source, -1.0) == -math.inf
    assert run(source, 2.0) == pytest.approx(-2.0 + normal(0.5, 0.0, 2.0))


def test_transformed_fields_are_solved_for() -> None:
    source = """
    z ~ Normal(0.3, 0.7)
    w ~ Normal(z, 0.5)
    outputs = logdensityof(lawof(record(ez = exp(z), s = w + 2.0 * z)), record(ez = 1.5, s = 1.2))
    """
    z = math.log(1.5)
    assert run(source) == pytest.approx(normal(z, 0.3, 0.7) - z + normal(1.2 - 2.0 * z, z, 0.5))


def test_components_of_a_vector_draw() -> None:
    source = """
    v ~ iid(Normal(1.0, 2.0), 3)
    outputs = (logdensityof(lawof(record(p = v[3], q = v[1])), record(p = 0.5, q = 1.5)), logdensityof(lawof([v[1], v[2], v[3]]), [0.1, 0.2, 0.3]))
    """
    some, all_three = run(source)
    assert some == pytest.approx(normal(0.5, 1, 2) + normal(1.5, 1, 2))
    assert all_three == pytest.approx(sum(normal(x, 1, 2) for x in (0.1, 0.2, 0.3)))


# -- values ------------------------------------------------------------------------------------------------


def test_promotion_replaces_reads_through_one_name() -> None:
    source = """
    origin = 1.0
    alpha = origin
    beta = origin
    shifted = alpha + 1.0
    inputs = (alpha, shifted)
    outputs = (alpha, beta, origin, shifted)
    """
    assert run(source, 2.0, 9.0) == pytest.approx((2.0, 1.0, 1.0, 9.0))


def test_scan_state_is_the_join_of_init_and_step() -> None:
    source = """
    xs = external(cartpow(reals, 3))
    avg_step(s, x) = record(mean = s.mean + (x - s.mean) / s.n, n = s.n + 1)
    avgs = scan(avg_step, record(mean = 0, n = 1), xs)
    inputs = xs
    outputs = (avgs.mean, avgs.n, scan(sub, 10, [1, 2, 3]), reduce((p, q) -> p * q, xs))
    """
    means, counts, rest, product = run(source, [1.0, 2.0, 4.0])
    assert means == pytest.approx([1.0, 1.5, 7 / 3])
    assert counts.tolist() == [2, 3, 4]
    assert counts.dtype == np.int64
    assert rest.tolist() == [9, 7, 4]
    assert product == pytest.approx(8.0)


def test_broadcast_rows_axes_and_records() -> None:
    source = """
    legs = table(a = [3.0, 5.0], b = [4.0, 12.0])
    hyp2(leg) = leg.a ^ 2 + leg.b ^ 2
    M = rowstack([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    squares = (x -> record(x = x, sq = x ^ 2)).([1.0, 2.0])
    outputs = (hyp2.(legs), M .+ addaxes([10.0, 20.0, 30.0], 1, 0), squares, [5.0] .* [1.0, 2.0], ((a, b) -> a - b).(legs))
    """
    hyp, shifted, squares, repeated, differences = run(source)
    assert hyp.tolist() == [25.0, 169.0]
    assert shifted.tolist() == [[11.0, 22.0, 33.0], [14.0, 25.0, 36.0]]
    assert squares["sq"].tolist() == [1.0, 4.0]
    assert repeated.tolist() == [5.0, 10.0]
    assert differences.tolist() == [-1.0, -7.0]


def test_splatting() -> None:
    source = """
    f(a, b) = a - b
    size_of(r) = r.a + r.b
    args = record(b = 1.0, a = 4.0)
    outputs = (f(args), size_of(r = args), atan2(record(x = 1.0, y = 2.0)))
    """
    assert run(source) == pytest.approx((3.0, 5.0, math.atan2(2.0, 1.0)))
    with pytest.raises(CompilationError, match="pass it whole with the keyword"):
        run(source.replace("size_of(r = args)", "size_of(args)"))


# -- modules -----------------------------------------------------------------------------------------------


def test_relative_files_with_substitution(tmp_path: Path) -> None:
    (tmp_path / "noise.flatppl").write_text(
        "width = elementof(posreals)\njitter = m -> Normal(m, width)\n_hidden = 1.0\nz ~ Normal(0.0, 1.0)\n"
    )
    main = tmp_path / "main.flatppl"
    main.write_text(
        'sigma = elementof(posreals)\nnoise = load_module("noise.flatppl", width = sigma)\n'
        "y ~ noise.jitter.([0.0, 1.0])\nK = kernelof(y, sigma = sigma)\ninputs = sigma\n"
        "outputs = (logdensityof(lawof(y), [0.5, 0.5]), logdensityof(K(sigma = 3.0), [0.5, 0.5]))\n"
    )
    first, second = Context().load(tmp_path).compile(backend="numpy", dtype="float64")(2.0)
    assert first == pytest.approx(normal(0.5, 0, 2) + normal(0.5, 1, 2))
    assert second == pytest.approx(normal(0.5, 0, 3) + normal(0.5, 1, 3))


@pytest.mark.parametrize(
    ("member", "message"), [("_hidden", "private"), ("z", "random quantity"), ("jiter", "did you mean 'jitter'")]
)
def test_what_a_module_does_not_show(tmp_path: Path, member: str, message: str) -> None:
    (tmp_path / "noise.flatppl").write_text("jitter = m -> Normal(m, 1.0)\n_hidden = 1.0\nz ~ Normal(0.0, 1.0)\n")
    source = f'noise = load_module("noise.flatppl")\noutputs = noise.{member}'
    with pytest.raises(CompilationError, match=message):
        flatppl(source, source_path=tmp_path / "main.flatppl").compile(backend="numpy")


def test_errors_in_a_loaded_module_show_the_chain(tmp_path: Path) -> None:
    (tmp_path / "bad.flatppl").write_text("a = 1.0 +\n")
    with pytest.raises(CompilationError) as caught:
        flatppl('m = load_module("bad.flatppl")\noutputs = m.a', source_path=tmp_path / "main.flatppl").compile(
            backend="numpy"
        )
    assert str(caught.value).splitlines()[0].endswith("a line goes on only inside brackets")
    assert "loaded by" in str(caught.value)


def test_module_that_loads_itself(tmp_path: Path) -> None:
    (tmp_path / "a.flatppl").write_text('b = load_module("b.flatppl")\nx = b.y\n')
    (tmp_path / "b.flatppl").write_text('a = load_module("a.flatppl")\ny = a.x\n')
    with pytest.raises(CompilationError, match="loads itself"):
        flatppl('a = load_module("a.flatppl")\noutputs = a.x', source_path=tmp_path / "main.flatppl").compile(
            backend="numpy"
        )


def test_set_fixes_externals() -> None:
    module = flatppl(
        "n = external(posintegers)\nx = elementof(cartpow(reals, n))\ninputs = (n, x)\noutputs = sum(x) / n"
    )
    assert module.set(n=3).compile(backend="numpy")([1.0, 2.0, 6.0]) == pytest.approx(3.0)
    with pytest.raises(ValueError, match="does not lie in posintegers"):
        module.set(n=0)
    with pytest.raises(TypeError, match="no external binding"):
        module.set(x=[1.0])
    with pytest.raises(CompilationError, match=r"Module\.set"):
        module.compile(backend="numpy")


def test_query_puts_another_signature_on_a_model() -> None:
    module = flatppl("a = elementof(reals)\nb = 2.0 * a\ninputs = a\noutputs = b")
    query = module.query(inputs="a", outputs=["b + 1.0", "a"])
    assert query.compile(backend="numpy")(3.0) == pytest.approx((7.0, 3.0))
    assert module.bindings["b"].phase == "parameterized"
    assert module.b.value_type == "real scalar"


def test_a_missing_file_is_named() -> None:
    with pytest.raises(CompilationError, match=r"cannot read .*: No such file"):
        Context().load("no/such/model.flatppl")


def test_registered_modules_in_a_circle() -> None:
    context = Context()
    context.register("ring", flatppl('r = load_module("ring")\nx = r.x', context=context))
    with pytest.raises(CompilationError, match="deeper than 64, or in a circle"):
        run('r = load_module("ring")\noutputs = r.x', context=context)
    with pytest.raises(ValueError, match="append-only"):
        context.register("ring", flatppl("x = 1.0", context=context))
