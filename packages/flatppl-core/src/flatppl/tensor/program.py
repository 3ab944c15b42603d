"""The tensor program: a typed, shape-static, hash-consed DAG of primitives with sub-programs.

A :class:`Node` belongs to the region of its deepest operand, so work that does not depend on a loop's
variables is outside the loop from the start. Node numbers grow with construction: sorting by number is a
topological order, which keeps every walk iterative.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flatppl.errors import InternalError, refuse
from flatppl.tensor.avals import Aval, aval_of, join

__all__ = ["Builder", "Node", "Primitive", "Program", "Region", "ancestors", "close"]

#: Results above this number of entries are not folded at build time.
FOLD_LIMIT = 1 << 22
#: Loops nested deeper than this are refused.
REGION_LIMIT = 64

Array = NDArray[np.generic]


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """One operation of the tensor program.

    Attributes
    ----------
    name : str
        Unique name.
    abstract : callable
        ``abstract(*avals, **params) -> Aval`` (or a tuple of them): the abstract-evaluation rule; refuses
        operands that do not fit.
    evaluate : callable
        ``evaluate(*arrays, **params) -> array`` (or a tuple): the NumPy meaning, the oracle of every lowering.
    elementwise : bool
        Operands are scalars or share the result's shape; kinds are as ``abstract`` says.
    range : callable or None
        ``range(*intervals, **params) -> Interval``: bounds of the result from bounds of the operands.
    batch : callable or None
        ``batch(builder, operands, batched, axes, params) -> Node``: the operation with leading batch axes;
        ``operands`` marked in ``batched`` carry them. Elementwise primitives need none.
    simplify : callable or None
        ``simplify(operands, params) -> Node | None``: an equal, simpler node.
    pure : bool
        Equal nodes may be merged and folded.
    """

    name: str
    abstract: Callable[..., Any]
    evaluate: Callable[..., Any]
    elementwise: bool = False
    range: Callable[..., Any] | None = None
    batch: Callable[..., Any] | None = None
    simplify: Callable[..., Any] | None = None
    pure: bool = True


class Region:
    """Body of a loop under construction; the root region has no parent."""

    __slots__ = ("depth", "parent")
    depth: int

    def __init__(self, parent: Region | None = None) -> None:
        self.parent = parent
        self.depth = 0 if parent is None else parent.depth + 1
        if self.depth > REGION_LIMIT:
            refuse("depth", f"loops are nested deeper than {REGION_LIMIT}")


class Node:
    """Result of a primitive; compares by identity; carries operators with kind promotion."""

    # NumPy arrays leave operators with nodes to the node.
    __array_ufunc__ = None
    __slots__ = ("__weakref__", "aval", "builder", "number", "operands", "params", "primitive", "region")

    def __init__(
        self,
        builder: Builder,
        primitive: Primitive,
        operands: tuple[Node, ...],
        params: dict[str, Any],
        aval: Any,
        region: Region,
    ) -> None:
        self.builder = builder
        self.primitive = primitive
        self.operands = operands
        self.params = params
        self.aval = aval
        self.region = region
        self.number = builder.next_number()

    @property
    def kind(self) -> str:
        """Kind of the tensor."""
        return self.aval.kind

    @property
    def shape(self) -> tuple[int, ...]:
        """Static shape."""
        return self.aval.shape

    @property
    def size(self) -> int:
        """Number of entries."""
        return self.aval.size

    @property
    def constant(self) -> Array | None:
        """The value of a constant node, otherwise None."""
        return self.params["value"].array if self.primitive.name == "constant" else None

    def __repr__(self) -> str:
        return f"<{self.primitive.name}#{self.number} {self.aval}>"

    def __add__(self, other: Any) -> Node:
        return self.builder.arithmetic("add", self, other)

    def __radd__(self, other: Any) -> Node:
        return self.builder.arithmetic("add", other, self)

    def __sub__(self, other: Any) -> Node:
        return self.builder.arithmetic("sub", self, other)

    def __rsub__(self, other: Any) -> Node:
        return self.builder.arithmetic("sub", other, self)

    def __mul__(self, other: Any) -> Node:
        return self.builder.arithmetic("mul", self, other)

    def __rmul__(self, other: Any) -> Node:
        return self.builder.arithmetic("mul", other, self)

    def __truediv__(self, other: Any) -> Node:
        return self.builder.arithmetic("div", self, other, least="real")

    def __rtruediv__(self, other: Any) -> Node:
        return self.builder.arithmetic("div", other, self, least="real")

    def __pow__(self, other: Any) -> Node:
        return self.builder.arithmetic("pow", self, other, least="real")

    def __rpow__(self, other: Any) -> Node:
        return self.builder.arithmetic("pow", other, self, least="real")

    def __neg__(self) -> Node:
        return self.builder.arithmetic("neg", self)

    def __lt__(self, other: Any) -> Node:
        return self.builder.arithmetic("lt", self, other)

    def __le__(self, other: Any) -> Node:
        return self.builder.arithmetic("le", self, other)

    def __gt__(self, other: Any) -> Node:
        return self.builder.arithmetic("lt", other, self)

    def __ge__(self, other: Any) -> Node:
        return self.builder.arithmetic("le", other, self)

    def __and__(self, other: Any) -> Node:
        return self.builder.apply("and", self, self.builder.lift(other))

    def __or__(self, other: Any) -> Node:
        return self.builder.apply("or", self, self.builder.lift(other))

    def __invert__(self) -> Node:
        return self.builder.apply("not", self)


class Constant:
    """A hashable wrapper of a constant array (by content for small arrays, by identity otherwise)."""

    __slots__ = ("array", "key")

    def __init__(self, array: Array) -> None:
        array = np.asarray(array)
        if array.flags.writeable:
            array = array.copy()
            array.flags.writeable = False
        self.array = array
        content: Hashable = array.tobytes() if array.size <= 64 else id(array)
        self.key = (array.dtype.str, array.shape, content)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.key == other.key


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A closed sub-program.

    Attributes
    ----------
    params : tuple of Node
        Variables that the loop (or the caller) supplies.
    captures : tuple of Node
        Nodes of outer regions that the body reads; explicit operands of the loop node, in this order.
    nodes : tuple of Node
        The body in topological order, without params, captures.
    results : tuple of Node
    """

    params: tuple[Node, ...]
    captures: tuple[Node, ...]
    nodes: tuple[Node, ...]
    results: tuple[Node, ...]


class Builder:
    """Builds nodes: checks, folds, simplifies and merges equal ones.

    Parameters
    ----------
    primitives : mapping of str to Primitive
    """

    def __init__(self, primitives: Mapping[str, Primitive]) -> None:
        self.primitives = primitives
        self.root = Region()
        self._interned: dict[Any, Node] = {}
        #: Results of range analysis by node number, trusting declared sets and not.
        self.intervals: dict[int, Any] = {}
        self.proved: dict[int, Any] = {}
        self._count = 0

    def next_number(self) -> int:
        """Running number of nodes."""
        self._count += 1
        return self._count

    def constant(self, value: Any) -> Node:
        """Node of a NumPy array or Python number; floats are float64, integers int64."""
        array = np.asarray(value)
        if array.dtype.kind in "iu":
            array = array.astype(np.int64, copy=False)
        elif array.dtype.kind == "f":
            array = array.astype(np.float64, copy=False)
        elif array.dtype.kind == "c":
            array = array.astype(np.complex128, copy=False)
        elif array.dtype.kind != "b":
            raise InternalError(f"no tensor kind for dtype {array.dtype}")
        content = Constant(array)
        key = ("constant", content)
        node = self._interned.get(key)
        if node is None:
            node = Node(self, self.primitives["constant"], (), {"value": content}, aval_of(array), self.root)
            self._interned[key] = node
        return node

    def lift(self, value: Any) -> Node:
        """A node as it is, anything else as a constant."""
        return value if isinstance(value, Node) else self.constant(value)

    def variable(self, aval: Aval, region: Region | None = None, **params: Any) -> Node:
        """A fresh variable: an input, a loop variable, or a named leaf."""
        return Node(self, self.primitives["variable"], (), params, aval, region or self.root)

    def random(self, aval: Aval, region: Region, **params: Any) -> Node:
        """A fresh leaf that stands for (a component of) a draw."""
        return Node(self, self.primitives["random"], (), params, aval, region)

    def convert(self, node: Node, kind: str) -> Node:
        """The node as another kind (exact embedding upwards; see primitive ``convert`` for the others)."""
        return node if node.kind == kind else self.apply("convert", node, kind=kind)

    def arithmetic(self, name: str, *operands: Any, least: str = "integer") -> Node:
        """Apply after converting all operands to the join of their kinds and ``least``."""
        nodes = [self.lift(operand) for operand in operands]
        kind = join(least, *(node.kind for node in nodes))
        return self.apply(name, *(self.convert(node, kind) for node in nodes))

    def apply(self, name: str, *operands: Node, **params: Any) -> Node:
        """Build ``name(*operands, **params)``."""
        return self.build(self.primitives[name], operands, params)

    def build(self, primitive: Primitive, operands: tuple[Node, ...], params: dict[str, Any]) -> Node:
        """Check shapes and kinds, fold, simplify, merge, or make a new node."""
        key = (primitive.name, operands, *params.values()) if primitive.pure else None
        if key is not None and (found := self._interned.get(key)) is not None:
            return found
        aval = primitive.abstract(*(operand.aval for operand in operands), **params)
        node = None
        if primitive.pure:
            node = self._folded(primitive, operands, params, aval)
            if node is None and primitive.simplify is not None:
                node = primitive.simplify(operands, params)
        if node is None:
            node = Node(self, primitive, operands, params, aval, self._region(operands))
        if key is not None:
            self._interned[key] = node
        return node

    def _folded(
        self, primitive: Primitive, operands: tuple[Node, ...], params: dict[str, Any], aval: Any
    ) -> Node | None:
        arrays = []
        for operand in operands:
            if operand.primitive.name != "constant":
                return None
            arrays.append(operand.params["value"].array)
        avals = aval if isinstance(aval, tuple) else (aval,)
        body = params.get("body")
        if isinstance(body, Program) and any(node.primitive.name == "guard" for node in body.nodes):
            return None  # Its checks have to leave the loop first.
        if primitive.name == "pack" or any(a.size > FOLD_LIMIT or a.kind == "rngstate" for a in avals):
            return None
        with np.errstate(all="ignore"):
            result = primitive.evaluate(*arrays, **params)
        if isinstance(result, tuple):
            return self.apply("pack", *(self.constant(np.asarray(part)) for part in result))
        return self.constant(np.asarray(result))

    def _region(self, operands: tuple[Node, ...]) -> Region:
        region = self.root
        for operand in operands:
            if operand.region.depth > region.depth:
                region = operand.region
        return region


def ancestors(roots: Iterable[Node], stop: Callable[[Node], bool] | None = None) -> list[Node]:
    """All nodes that the roots depend on, roots included, in topological order.

    ``stop(node)`` true keeps the node but does not go on to its operands.
    """
    seen: dict[int, Node] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.number in seen:
            continue
        seen[node.number] = node
        if stop is None or not stop(node):
            stack.extend(node.operands)
    return [seen[number] for number in sorted(seen)]


def close(params: Sequence[Node], results: Sequence[Node], region: Region) -> Program:
    """Make the sub-program of a region: find its body and its captures.

    Constants stay in the body; any other node of an outer region becomes a capture.
    """
    own = {param.number for param in params}

    def outside(node: Node) -> bool:
        return node.region is not region or node.number in own

    nodes, captures = [], []
    for node in ancestors(results, outside):
        if node.number in own:
            continue
        if node.region is region or node.primitive.name == "constant":
            nodes.append(node)
        else:
            captures.append(node)
    return Program(tuple(params), tuple(captures), tuple(nodes), tuple(results))
