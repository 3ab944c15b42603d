"""Value checks in constructors: eager, functionalized, under transformations (V-1 to V-11)."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import checkify

from probly.dispatch import library
from probly.representation.jax_functions import jax_mean, jax_reshape
from probly.validation import validation

K = library("jax").classes
nan, inf = float("nan"), float("inf")


def ball(p: jax.Array, radius: jax.Array) -> Any:
    return K["distance_credal"](K["probability_categorical"](p), radius)


p = [[0.25, 0.75], [0.5, 0.5]]
VALID_INVALID = [
    ("probability_categorical", (p,), ([[0.25, -0.75], [0.5, 0.5]],), "non-negative"),
    ("probability_categorical", (p,), ([[0.25, nan], [0.5, 0.5]],), "non-negative"),
    ("probability_categorical", (p,), ([[0.0, 0.0], [0.5, 0.5]],), "positive, finite sum"),
    ("logit_categorical", ([[0.0, -inf]],), ([[0.0, nan]],), "NaN"),
    ("logit_categorical", ([[0.0, 1.0]],), ([[-inf, -inf]],), "finite"),
    ("probability_bernoulli", ([0.5],), ([1.5],), r"\[0, 1\]"),
    ("sparse_log_categorical", ([[0, 2]], [[0.0, 1.0]]), ([[0, -2]], [[0.0, 1.0]]), "non-negative"),
    ("dirichlet", (p,), ([[0.0, 1.0], [1.0, 1.0]],), "strictly positive"),
    ("gaussian", ([0.0], [1.0]), ([0.0], [0.0]), "Variance must be positive"),
    ("onehot_set", ([[0, 1]],), ([[0, 2]],), "one-hot encoded"),
    ("intervals_credal", ([0.1, 0.2], [0.9, 0.8]), ([0.6, 0.7], [0.9, 0.8]), "sum to 1"),
    ("level_set_credal", ([[2.0, 3.0]], [0.5]), ([[2.0, 3.0]], [1.5]), r"\[0, 1\]"),
    ("ball", (p, [0.1, 0.1]), (p, [0.1, -0.1]), "non-negative"),
]


@pytest.mark.parametrize(
    ("kind", "valid", "invalid", "message"), VALID_INVALID, ids=[f"{c[0]}-{n}" for n, c in enumerate(VALID_INVALID)]
)
def test_checks(kind: str, valid: Any, invalid: Any, message: str) -> None:
    make = ball if kind == "ball" else K[kind]
    valid, invalid = (tuple(map(jnp.asarray, arrays)) for arrays in (valid, invalid))
    with pytest.raises(ValueError, match=message):
        make(*invalid)
    with pytest.raises(ValueError, match="functionalized"):
        jax.jit(make)(*valid)
    traces = []

    def traced(*arrays: jax.Array) -> Any:
        traces.append(1)
        return make(*arrays)

    checked = jax.jit(checkify.checkify(traced))
    errors = [checked(*arrays)[0].get() for arrays in (valid, invalid, valid)]
    assert errors[0] is None
    assert message.strip("\\[]")[:4] in errors[1]
    assert errors[2] is None
    assert len(traces) == 1
    assert type(checked(*valid)[1]) is type(make(*valid))


def test_eager_error_is_jax_own() -> None:
    with pytest.raises(checkify.JaxRuntimeError, match="non-negative"):
        K["probability_categorical"](jnp.array([-1.0, 2.0]))


def test_types_and_shapes_are_checked_while_tracing() -> None:
    with pytest.raises(TypeError):
        jax.jit(checkify.checkify(K["dirichlet"]))(jnp.ones(3, bool))
    with pytest.raises(ValueError, match="axes"):
        jax.eval_shape(checkify.checkify(K["dirichlet"]), jnp.ones(()))
    with pytest.raises(TypeError):
        K["dirichlet"]([1.0, 2.0])


d = K["probability_categorical"](jnp.asarray(p))


@pytest.mark.parametrize(
    "rebuild",
    [
        lambda d: d[0],
        lambda d: jax_reshape(d, (2, 1)),
        lambda d: jax_mean(d),
        lambda d: (K["dirichlet"](d.array) + 1).mean,
        lambda d: K["dirichlet"](d.array).sample(2, jax.random.key(0)),
    ],
    ids=["index", "reshape", "mean", "arithmetic", "sample"],
)
def test_reconstruction_needs_checkify(rebuild: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match="functionalized"):
        jax.jit(rebuild)(d)
    error, result = jax.jit(checkify.checkify(rebuild))(d)
    error.throw()
    assert jax.tree.structure(result) == jax.tree.structure(rebuild(d))


def test_composition_with_vmap_and_grad() -> None:
    make = K["probability_categorical"]
    bad = jnp.array([[0.5, 0.5], [-1.0, 2.0]])
    error, _ = jax.vmap(checkify.checkify(lambda w: make(w).probabilities))(bad)
    assert "at mapped index 1" in error.get()
    error, result = jax.jit(checkify.checkify(jax.vmap(lambda w: make(w).probabilities)))(jnp.asarray(p))
    assert error.get() is None
    assert result.shape == (2, 2)
    with pytest.raises(ValueError, match="non-negative"):
        jax.vmap(lambda w: make(w).probabilities)(bad)

    def loss(w: jax.Array) -> jax.Array:
        return jax_mean(make(w), axis=0).probabilities[0]

    error, gradient = jax.jit(checkify.checkify(jax.grad(loss)))(jnp.asarray(p))
    error.throw()
    assert jnp.allclose(gradient, jax.grad(loss)(jnp.asarray(p)))

    def with_error(w: jax.Array) -> tuple[jax.Array, Any]:
        error, value = checkify.checkify(loss)(w)
        return value, error

    assert jax.grad(with_error, has_aux=True)(jnp.asarray(p))[1].get() is None


def test_all_checks_and_nested_jit() -> None:
    error, _ = checkify.checkify(jax.jit(lambda d: d[0]), errors=checkify.all_checks)(d)
    assert error.get() is None


def test_checks_can_be_turned_off() -> None:
    with validation("shapes"):
        assert jax.jit(lambda d: d[0])(d).num_classes == 2


g = K["gaussian"](jnp.zeros(3), jnp.ones(3))


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda d: d.probabilities, d),
        (lambda d: d.logits, d),
        (lambda d: d.entropy(), d),
        (lambda d: d == d, d),
        (lambda d: d.sample(3, jax.random.key(0)), d),
        (lambda g: (g.mean, g.var, g.std, g.quantile(jnp.array([0.1, 0.9]))), g),
        (lambda g: g.sample(3, prng_key=jax.random.key(0)), g),
        (lambda a: a.entropy(), K["dirichlet"](jnp.asarray(p))),
        (lambda m: K["onehot_set"](m).set_size, jnp.ones((2, 3), bool)),
    ],
    ids=["probabilities", "logits", "entropy", "equal", "sample", "gaussian", "gaussian-sample", "dirichlet", "set"],
)
def test_reading_needs_plain_jit_only(read: Callable[[Any], Any], value: Any) -> None:
    jax.tree.map(lambda a, b: jnp.allclose(a, b) or pytest.fail("differs"), jax.jit(read)(value), read(value))
