"""Set constructors: interval, finiteset, setof, cartpow, cartprod, stdsimplex."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flatppl.calls import bind
from flatppl.errors import refuse
from flatppl.measures.base import MeasureOperation
from flatppl.tensor.ops import convert
from flatppl.values.array_sets import Simplex
from flatppl.values.callables import fixed_integer, fixed_integers
from flatppl.values.forms import Tensor, Text, Texts, describe
from flatppl.values.product_sets import Power, Product, RecordProduct
from flatppl.values.sets import FiniteSet, Labels, RealSet, Set

__all__ = ["OPERATIONS"]


def _interval(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> RealSet:
    ends = []
    for end in bind("interval", ("lo", "hi"), args, keywords):
        if not isinstance(end, Tensor) or end.levels or end.kind not in ("boolean", "integer", "real"):
            refuse("kind", f"an end of an interval must be a real scalar, got {describe(end)}")
        node = convert(end.node, "real")
        ends.append(node if node.constant is None else float(node.constant))
    lo, hi = ends
    if isinstance(lo, float) and isinstance(hi, float) and lo > hi:
        refuse("domain", f"interval({lo:g}, {hi:g}) is empty: its ends are in the wrong order")
    return RealSet(lo, hi)


def _finite(name: str, members: Sequence[Any]) -> Set:
    if members and all(isinstance(member, Text) for member in members):
        texts = tuple(member.text for member in members)
        if len(set(texts)) != len(texts):
            refuse("domain", f"{name}: members must be distinct")
        return Labels(texts)
    kinds, values = set(), []
    for member in members:
        if not isinstance(member, Tensor) or member.levels or member.node.constant is None:
            refuse("kind", f"{name}: members must be fixed scalars of one kind, got {describe(member)}")
        kinds.add(member.kind)
        values.append(float(member.node.constant))
    if len(kinds) != 1:
        refuse("kind", f"{name}: members must be of one kind, got {', '.join(sorted(kinds))}")
    if len(set(values)) != len(values):
        refuse("domain", f"{name}: members must be distinct")
    return FiniteSet(tuple(values), kinds.pop())


def _finiteset(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Set:
    if keywords or not args:
        refuse("call", "finiteset(a, b, ...) takes at least one member by position")
    return _finite("finiteset", args)


def _setof(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Set:
    (vector,) = bind("setof", ("v",), args, keywords)
    if isinstance(vector, Texts):
        return _finite("setof", [Text(text) for text in vector.texts])
    if not isinstance(vector, Tensor) or vector.levels != (1,) or vector.node.constant is None:
        refuse("kind", f"setof needs a fixed vector, got {describe(vector)}")
    builder = evaluator.builder
    return _finite("setof", [Tensor(builder.constant(entry)) for entry in vector.node.constant])


def _cartpow(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Power:
    base, size = bind("cartpow", ("S", "size"), args, keywords)
    if not isinstance(base, Set):
        refuse("kind", f"cartpow needs a set first, got {describe(base)}")
    shape = fixed_integers(size, "cartpow: size")
    if not shape or any(extent < 0 for extent in shape):
        refuse("shape", f"cartpow: sizes must be positive, got {list(shape)}")
    return Power(base, shape)


def _cartprod(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Set:
    if bool(args) == bool(keywords):
        refuse("call", "cartprod takes either positional or keyword components")
    for part in (*args, *keywords.values()):
        if not isinstance(part, Set):
            refuse("kind", f"cartprod needs sets, got {describe(part)}")
    if keywords:
        return RecordProduct(tuple(keywords.items()))
    if all(isinstance(part, RecordProduct) for part in args):
        return RecordProduct(tuple(item for part in args for item in part.items))
    product = Product(tuple(args))
    product.form()
    return product


def _stdsimplex(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Simplex:
    (n,) = bind("stdsimplex", ("n",), args, keywords)
    size = fixed_integer(n, "stdsimplex: n")
    if size < 1:
        refuse("domain", f"stdsimplex: n must be positive, got {size}")
    return Simplex(size)


OPERATIONS = (
    MeasureOperation("interval", _interval),
    MeasureOperation("finiteset", _finiteset),
    MeasureOperation("setof", _setof),
    MeasureOperation("cartpow", _cartpow),
    MeasureOperation("cartprod", _cartprod),
    MeasureOperation("stdsimplex", _stdsimplex),
)
