"""Representations as pytrees, and the methods of JAX arrays (J-8 to J-11, P-7b)."""

import copy
import pickle
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax_representations import Pair, Sidecar, Vectors

from probly_jax.representation._protected_axis.jax import JaxAxisProtected
from probly_jax.representation.distribution.jax_categorical import JaxProbabilityCategoricalDistribution as Categorical
from probly_jax.representation.distribution.jax_gaussian import JaxGaussianDistribution
from probly_jax.representation.sample.jax_sample import JaxSample

data = jnp.arange(6.0).reshape(2, 3)
x = Vectors(data)


@pytest.mark.parametrize(
    "leaf",
    [object(), None, 3, "text", jax.ShapeDtypeStruct((2,), float)],
    ids=["object", "none", "int", "text", "struct"],
)
def test_unflattening_takes_anything_and_keeps_the_structure(leaf: Any) -> None:
    for value in (
        Categorical(data + 1),
        JaxSample(Categorical(data + 1), 0, jnp.ones(2)),
        JaxGaussianDistribution(data, data + 1),
    ):
        leaves, structure = jax.tree.flatten(value)
        made = structure.unflatten([leaf] * len(leaves))
        assert type(made) is type(value)
        if leaf is not None:
            assert jax.tree.structure(made) == structure


def test_static_fields_and_keys() -> None:
    sample = JaxSample(data, 1)
    assert jax.tree.map(lambda a: a + 1, sample).sample_axis == 1
    assert jax.tree.structure(sample) != jax.tree.structure(JaxSample(data, 0))
    assert [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(sample)] == [".array"]


def test_text_sidecars_are_static() -> None:
    text = np.array(["a", "b"], dtype=object)
    traces = []

    @jax.jit
    def double(s: Sidecar) -> Sidecar:
        traces.append(s.tag)
        return jax.tree.map(lambda a: 2 * a, s)

    s = Sidecar(data, text, "mine")
    assert double(double(s)).text is text
    assert double(s).tag == "mine"
    assert len(traces) == 1
    assert s[1].text == "b"
    assert s.reshape(1, 2).text.tolist() == [["a", "b"]]


def test_slots() -> None:
    @dataclass(frozen=True, eq=False, slots=True)
    class Slotted(JaxAxisProtected[jax.Array]):
        array: jax.Array
        protected_axes: ClassVar[dict[str, int]] = {"array": 1}

    assert jax.jit(lambda s: s.reshape(2, 1))(Slotted(data)).shape == (2, 1)


def test_transformations() -> None:
    traces = []

    @jax.jit
    def step(v: Vectors) -> Vectors:
        traces.append(1)
        return 2 * v + v[0]

    assert type(step(step(x))) is Vectors
    assert len(traces) == 1
    gradient = jax.grad(lambda v: (v * v).array.sum())(x)
    assert type(gradient) is Vectors
    np.testing.assert_array_equal(gradient.array, 2 * data)
    mapped = jax.vmap(lambda v: v + 1, in_axes=1, out_axes=1)(Pair(data[..., None], data[..., None, None]))
    assert (mapped.shape, mapped.protected_shape) == ((2, 3), (1,))
    axes = jax.tree.map(lambda _: 1, JaxSample(data, 0))
    assert jax.vmap(lambda s: s.samples, in_axes=(axes,))(JaxSample(data, 0)).shape == (3, 2)


def test_at() -> None:
    for name in ("add", "subtract", "multiply", "divide", "power", "min", "max"):
        changed = getattr(x.at[1], name)(2.0)
        np.testing.assert_array_equal(changed.array, getattr(data.at[1], name)(2.0))
    assert x.at[0].get().shape == ()
    np.testing.assert_array_equal(x.at[1].set(x[0]).array, jnp.stack([data[0], data[0]]))
    np.testing.assert_array_equal(x.at[:].add(x).array, 2 * data)
    pair = Pair(data, data[..., None])
    assert pair.at[0].set((jnp.ones(3), jnp.ones((3, 1)))).second[0].tolist() == [[1.0]] * 3
    assert float(pair.at[..., 0].multiply(0.0).first[0].sum()) == 0.0
    side = Sidecar(data, np.array([1, 2]))
    assert side.at[0].set(side[1]).text.tolist() == [2, 2]
    with pytest.raises(TypeError):
        side.at[0].add(1)
    with pytest.raises(TypeError):
        pair.at[0].set(jnp.ones(3))
    with pytest.raises(ValueError, match="protected shape"):
        x.at[0].set(jnp.ones(2))
    with pytest.raises(IndexError):
        x.at[0, 0]
    with pytest.raises(ValueError, match="non-negative"):
        Categorical(data + 1).at[0].set(-jnp.ones(3))
    with pytest.raises(TypeError, match=r"\.at"):
        x[0] = data[0]


def test_methods_of_arrays() -> None:
    device = jax.devices()[0]
    assert x.to_device(device).devices() == {device}
    assert x.block_until_ready() is x
    assert x.sharding == data.sharding
    assert x.view(jnp.int32).dtype == jnp.int32
    assert x.astype(jnp.float16).dtype == jnp.float16
    assert x.conj().shape == (2,)
    assert x.tolist() == data.tolist()
    assert Vectors(jnp.ones((1, 1))).item() == 1.0
    assert float(jax.grad(lambda v: v.stop_gradient().array.sum())(x).array.sum()) == 0.0
    with pytest.raises(ValueError, match="protected"):
        x.view(jnp.int8)


def test_copies() -> None:
    value = JaxSample(Categorical(data + 1), 0, jnp.ones(2))
    for made in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), jax.tree.map(lambda a: a, value)):
        np.testing.assert_array_equal(made.array.array, value.array.array)
        assert repr(made) == repr(value)
