"""Build queries from tensor programs, without the language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import pytest

from flatppl.backend import Executable, Options, Signature
from flatppl.tensor.avals import Aval
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, close
from flatppl.values.forms import Form, TensorForm, leaves

Body = Callable[..., Node | Sequence[Node]]


@pytest.fixture(autouse=True)
def _strict_types() -> Iterator[None]:
    with jax.numpy_rank_promotion("raise"), jax.numpy_dtype_promotion("strict"):
        yield


def executable(
    body: Body,
    inputs: dict[str, Form | str],
    outputs: Sequence[Form] | None = None,
    flags: Sequence[tuple[str, str]] = (),
    primitives: Any = CORE,
) -> Executable:
    """The query with inputs of these forms (a kind stands for a scalar), and the results of ``body(builder, ...)``."""
    builder = Builder(primitives)
    forms = {name: TensorForm(form) if isinstance(form, str) else form for name, form in inputs.items()}
    params = [builder.variable(Aval(leaf.kind, leaf.shape)) for form in forms.values() for leaf in leaves(form)]
    built = body(builder, *params)
    results = [built] if isinstance(built, Node) else list(built)
    count = len(results) - 2 * len(flags)
    made = [TensorForm(node.kind, node.shape) for node in results[:count]] if outputs is None else outputs
    signature = Signature(tuple(forms.items()), tuple((None, form) for form in made), len(made) > 1)
    return Executable(close(params, results, builder.root), signature, tuple(flags))


@pytest.fixture
def make() -> Callable[..., Any]:
    """``make(body, inputs, ..., **options)``: a compiled JAX query."""
    from flatppl_jax.plugin import JaxBackend

    def compile_it(body: Body, inputs: dict[str, Form | str], *, lowerings: Any = None, **rest: Any) -> Any:
        options = {key: rest.pop(key) for key in ("dtype", "checks", "target", "autodiff") if key in rest}
        return JaxBackend().compile(executable(body, inputs, **rest), Options(**options), lowerings)

    return compile_it


@pytest.fixture
def make_executable() -> Callable[..., Executable]:
    """:func:`executable` itself."""
    return executable
