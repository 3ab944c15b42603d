"""Every worked example of the function reference, with constant arguments (folded) and with inputs (evaluated)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from flatppl.errors import Refusal
from flatppl.functions import FUNCTIONS
from flatppl.functions.access import ALL, ONLY, get, get0
from flatppl.functions.common import as_value
from flatppl.functions.variadic import Ragged, cat, record_of, relabel, table_of, vector
from flatppl.tensor.avals import Aval
from flatppl.tensor.checks import take_checks
from flatppl.tensor.evaluate import evaluate_nodes
from flatppl.tensor.intervals import Interval
from flatppl.tensor.mapping import cells, finish_map
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, Region, ancestors
from flatppl.values.array_sets import Simplex
from flatppl.values.forms import Record, Table, Tensor, Text, Texts, Tuple, flatten
from flatppl.values.product_sets import Power
from flatppl.values.sets import FiniteSet, IntegerSet, Labels, RealSet, booleans, integers, posreals, reals

INF, NAN, PI = math.inf, math.nan, math.pi


@dataclass(frozen=True)
class F:
    """An argument that is fixed in both readings (a size, a selector)."""

    value: Any


@dataclass(frozen=True)
class A:
    """An array with the given levels; a matrix by default."""

    value: Any
    levels: tuple[int, ...] = (2,)
    row: bool = False


class T(dict):
    """A table."""


def row(*xs: float) -> A:
    return A(list(xs), (1,), True)


class Reader:
    """Turn Python data into values: constants, or inputs with recorded values."""

    def __init__(self, symbolic: bool) -> None:
        self.builder = Builder(CORE)
        self.symbolic = symbolic
        self.inputs: dict[int, Any] = {}

    def tensor(self, data: Any, levels: tuple[int, ...], is_row: bool, symbolic: bool) -> Tensor:
        array = np.asarray(data)
        node = self.builder.constant(array)
        if symbolic:
            node = self.builder.variable(Aval(node.kind, node.shape))
            self.inputs[node.number] = array
        return Tensor(node, levels, is_row)

    def value(self, data: Any, symbolic: bool | None = None) -> Any:
        symbolic = self.symbolic if symbolic is None else symbolic
        match data:
            case F(inner):
                return self.value(inner, False)
            case A(inner, levels, is_row):
                return self.tensor(inner, levels, is_row, symbolic)
            case T():
                columns = tuple((name, self.value(part, symbolic)) for name, part in data.items())
                return table_of(Record(columns))
            case dict():
                return Record(tuple((name, self.value(part, symbolic)) for name, part in data.items()))
            case tuple():
                return Tuple(tuple(self.value(part, symbolic) for part in data))
            case str():
                return Text(data)
            case list():
                return self.listed(data, symbolic)
            case bool() | int() | float() | np.generic():
                return self.tensor(data, (), False, symbolic)
        return data

    def listed(self, data: list[Any], symbolic: bool) -> Any:
        if all(isinstance(x, bool | int | float) for x in data):
            return self.tensor(data, (1,), False, symbolic)
        return vector(self.builder, [self.value(part, symbolic) for part in data])


SPECIAL = {
    "get": get,
    "get0": get0,
    "cat": lambda *values: cat(values),
    "vector": lambda *values: vector(values[0].node.builder, values),
    "relabel": relabel,
    "record_of": record_of,
    "table_of": table_of,
}


def call(name: str, arguments: list[Any]) -> Any:
    if name in SPECIAL:
        return SPECIAL[name](*arguments)
    function = FUNCTIONS[name]
    missing = len(function.parameters) - len(arguments)
    return function.rule(*arguments, *function.defaults[len(function.defaults) - missing :])


def unpacked(value: Any) -> list[Any]:
    """Tensor values inside, also of ragged lists."""
    return [part for item in value.items for part in unpacked(item)] if isinstance(value, Ragged) else [value]


def outcome(name: str, arguments: tuple[Any, ...], symbolic: bool) -> tuple[list[Any], list[Any]]:
    """Forms and numbers of a call's result."""
    reader = Reader(symbolic)
    result = as_value(reader.builder, call(name, [reader.value(x) for x in arguments]))
    flat = [flatten(part) for part in unpacked(result)]
    nodes = [node for _, part in flat for node in part]
    return [form for form, _ in flat], list(evaluate_nodes(ancestors(nodes), nodes, dict(reader.inputs)))


M3 = A([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
M23 = A([[1, 2, 3], [4, 5, 6]])
VV = [[1, 2, 3], [4, 5, 6]]
XS = [2, 4, 4, 4, 5, 5, 7, 9]
TABLE = T(m=[1.0, 2.0, 4.0], k=[1, 0, 1])
CUBE = list(range(1, 25))

GENERATION = [
    ("array", ([1, 2, 3, 4, 5, 6], F([2, 3]), F([1, 2])), M23),
    ("array", ([1, 2, 3, 4, 5, 6], F([2, 3]), F([2, 1])), A([[1, 3, 5], [2, 4, 6]])),
    ("array", ([1.5, 2.5], F(2), F(1)), [1.5, 2.5]),
    ("fill", (0, F(3)), [0, 0, 0]),
    ("fill", (2.5, F([1, 2])), A([[2.5, 2.5]])),
    ("fill", ([1, 2], F(2)), [[1, 2], [1, 2]]),
    ("fill", (True, F(0)), A(np.zeros(0, bool), (1,))),
    ("zeros", (F(2),), [0.0, 0.0]),
    ("ones", (F([2, 1]),), A([[1.0], [1.0]])),
    ("eye", (F(2),), A([[1.0, 0.0], [0.0, 1.0]])),
    ("onehot", (2, F(4)), [0.0, 1.0, 0.0, 0.0]),
    ("linspace", (0, 1, F(4)), [0.0, 0.3333333333333333, 0.6666666666666667, 1.0]),
    ("linspace", (2, 2, F(1)), [2.0]),
    ("extlinspace", (0, 10, F(5)), [-INF, 0.0, 2.5, 5.0, 7.5, 10.0, INF]),
]
ACCESS = [
    ("get", (M3, 2, 3), 6),
    ("get", (M3, F(2), 3), 6),
    ("get", (M3, F(2), F(3)), 6),
    ("get", (M3, ALL, 2), [2, 5, 8]),
    ("get", (M3, 2), [4, 5, 6]),
    ("get", (M3, [1, 3], 2), [2, 8]),
    ("get", (M3, [1, 3], [3, 1]), A([[3, 1], [9, 7]])),
    ("get", ([10, 20, 30], [3, 3, 1]), [30, 30, 10]),
    ("get0", ([10, 20, 30], 0), 10),
    ("get0", ([10, 20, 30], F([2, 0])), [30, 10]),
    ("get", ([7], ONLY), 7),
    ("get", (A([[1], [2]]), ALL, ONLY), [1, 2]),
    ("get", (A([[1], [2]]), 2, ONLY), 2),
    ("get", (VV, 2), [4, 5, 6]),
    ("get", (VV, 2, 3), 6),
    ("get", (VV, ALL, F(3)), [3, 6]),
    ("get", (VV, [2, 1]), [[4, 5, 6], [1, 2, 3]]),
    ("get", (row(1, 2, 3), 2), 2),
    ("get", (row(1, 2, 3), [3, 1]), row(3, 1)),
    ("get", ({"a": 1, "b": 2.0, "c": "x"}, "b"), 2.0),
    ("get", ({"a": 1, "b": 2.0, "c": "x"}, ["c", "a"]), {"c": "x", "a": 1}),
    ("get", (TABLE, "m"), [1.0, 2.0, 4.0]),
    ("get", (TABLE, ["k"]), T(k=[1, 0, 1])),
    ("get", (TABLE, 2), {"m": 2.0, "k": 0}),
    ("get", (TABLE, [3, 1]), T(m=[4.0, 1.0], k=[1, 1])),
    ("get", (TABLE, ALL), TABLE),
    ("get0", (TABLE, 2), {"m": 4.0, "k": 1}),
    ("get", (T(id=[1, 2], hit=T(x=[0.1, 0.2])), 2), {"id": 2, "hit": {"x": 0.2}}),
    ("get", (T(p=[[0.0, 1.0], [2.0, 0.5]], s=["u", "v"]), F(2)), {"p": [2.0, 0.5], "s": "v"}),
    ("get", ((1, "x"), F(2)), "x"),
    ("get0", ((1, "x"), F(0)), 1),
    ("get", (["a", "b"], F(2)), "b"),
    ("get", ([[1, 2], [3, 4, 5]], F(2), 3), 5),
    ("get", (A(np.arange(24).reshape(2, 3, 4), (3,)), 2, F(3), 1), 20),
    ("get", (A(np.arange(24).reshape(2, 3, 4), (3,)), 2, [3, 1], 1), [20, 12]),
]
VARIADIC = [
    ("vector", (1, 2.5), [1.0, 2.5]),
    ("vector", (True, 2), [1, 2]),
    ("vector", (M23, M23), A([M23.value, M23.value], (1, 2))),
    ("cat", (1, 2.5), [1.0, 2.5]),
    ("cat", ([1, 2], [3]), [1, 2, 3]),
    ("cat", ([1, 2],), [1, 2]),
    ("cat", (1,), [1]),
    ("cat", ([[1, 2]], [[3, 4]]), [[1, 2], [3, 4]]),
    ("cat", (["a"], ["b"]), ["a", "b"]),
    ("cat", ({"a": 1}, {"b": 2}), {"a": 1, "b": 2}),
    ("record_of", (TABLE,), {"m": [1.0, 2.0, 4.0], "k": [1, 0, 1]}),
    ("table_of", ({"m": [1.0, 2.0, 4.0], "k": [1, 0, 1]},), TABLE),
    ("relabel", ([1.0, 2.0], ["x", "y"]), {"x": 1.0, "y": 2.0}),
    ("relabel", (3, ["x"]), {"x": 3}),
    ("relabel", ({"a": 1, "b": 2}, ["b", "a"]), {"b": 1, "a": 2}),
    ("relabel", (TABLE, ["u", "v"]), T(u=[1.0, 2.0, 4.0], v=[1, 0, 1])),
]
ARRAYS = [
    ("rowstack", (VV,), M23),
    ("colstack", (VV,), A([[1, 4], [2, 5], [3, 6]])),
    ("tile", ([1, 2, 3], F(2)), [1, 2, 3, 1, 2, 3]),
    ("tile", (A([[1, 2]]), F([2, 2])), A([[1, 2, 1, 2], [1, 2, 1, 2]])),
    ("tile", ([[1, 2], [3, 4]], F(2)), [[1, 2], [3, 4], [1, 2], [3, 4]]),
    ("splitblocks", ([1, 2, 3, 4, 5, 6], F(2)), [[1, 2], [3, 4], [5, 6]]),
    ("joinblocks", ([[1, 2], [3, 4]],), [1, 2, 3, 4]),
    ("partition", ([1, 2, 3, 4, 5, 6], F(3)), [[1, 2, 3], [4, 5, 6]]),
    ("partition", ([1, 2, 3, 4, 5], F([2, 3])), [[1, 2], [3, 4, 5]]),
    ("partition", ([1, 2, 3, 4], F([2, 2])), [[1, 2], [3, 4]]),
    ("reverse", ([[1, 2], [3, 4]],), [[3, 4], [1, 2]]),
    ("reverse", (TABLE,), T(m=[4.0, 2.0, 1.0], k=[1, 0, 1])),
    ("reverse", (["a", "b"],), ["b", "a"]),
    ("reverse", ([[1], [2, 3]],), [[2, 3], [1]]),
    ("sort", ([3, 1, 2],), [1, 2, 3]),
    ("sort", ([True, False],), [False, True]),
    ("sort", ([2.0, NAN, 1.0],), [1.0, 2.0, NAN]),
    ("sort", (["b", "B", "a"],), ["B", "a", "b"]),
    ("sort", (FiniteSet((3, 1)),), [1, 3]),
    ("sort", (Labels(("b", "a")),), ["a", "b"]),
    ("addaxes", ([1, 2], F(1), F(0)), A([[1, 2]])),
    ("addaxes", ([1, 2], F(0), F(1)), A([[1], [2]])),
    ("addaxes", (M23, F(0), F(0)), M23),
    (
        "blockdiagmat",
        ([A([[1, 2], [3, 4]]), M23],),
        A([[1, 2, 0, 0, 0], [3, 4, 0, 0, 0], [0, 0, 1, 2, 3], [0, 0, 4, 5, 6]]),
    ),
    ("blockdiagmat", ([A([[1.5]]), A([[2.5]])],), A([[1.5, 0.0], [0.0, 2.5]])),
    ("bandedmat", ([1, 2], F(2)), A([[1, 2, 0], [0, 1, 2]])),
    ("bandedmat", ([7], F(3)), A([[7, 0, 0], [0, 7, 0], [0, 0, 7]])),
    ("conv", ([1, 2, 4, 8], [1, 2, 3]), [11, 22]),
    ("crosscorr", ([1, 2, 4, 8], [1, 2, 3]), [17, 34]),
    ("conv", ([1, 2, 3, 4], [1, 0, -1]), [2, 2]),
    ("crosscorr", ([1.0, 2.0, 3.0, 4.0], [1, 0, -1]), [-2.0, -2.0]),
]
RESTRICTIONS = [
    ("integer", (3.0,), 3),
    ("boolean", (1,), True),
    ("boolean", (0.0,), False),
    ("imag", (2.5,), 0.0),
    ("real", (3,), 3.0),
    ("string", ("a",), "a"),
    ("identity", (TABLE,), TABLE),
    ("fixed", (2.0,), 2.0),
]
ELEMENTARY = [
    *(("div", pair, q) for pair, q in [((7, 3), 2), ((-7, 3), -3), ((7, -3), -3), ((-7, -3), 2), ((True, 1), 1)]),
    *(("mod", pair, r) for pair, r in [((7, 3), 1), ((-7, 3), 2), ((7, -3), -2), ((-7, -3), -1)]),
    *(("round", (x,), n) for x, n in [(-2.5, -2), (-1.5, -2), (-0.5, 0), (0.5, 0), (1.5, 2), (2.5, 2), (3.5, 4)]),
    ("floor", (-0.5,), -1),
    ("ceil", (0.2,), 1),
    ("floor", (3,), 3),
    ("exp", (-INF,), 0.0),
    ("exp", (1,), math.e),
    ("log2", (10,), 3.3219280949),
    ("log10", (1000.0,), 3.0),
    ("log1p", (1e-10,), 9.9999999995e-11),
    ("log1p", (-1,), -INF),
    ("expm1", (1e-10,), 1.00000000005e-10),
    ("sqrt", (2,), 1.4142135624),
    ("abs", (-3,), 3),
    ("abs2", (-3.0,), 9.0),
    ("conj", (2.5,), 2.5),
    ("atan2", (1, -1), 2.3561944902),
    ("atan2", (-1, -1), -2.3561944902),
    ("atan2", (0, -1), PI),
    ("atan2", (0, 0), 0.0),
    ("atan", (INF,), PI / 2),
    ("asin", (1,), PI / 2),
    ("acos", (-1,), PI),
    ("acosh", (1,), 0.0),
    ("atanh", (1,), INF),
    ("asinh", (1.0,), 0.881373587),
    ("tan", (0.5,), 0.5463024898),
    ("min", (2, 3.0), 2.0),
    ("max", (2, 3), 3),
    ("max", (2.0, NAN), NAN),
    ("min", ("b", "a"), "a"),
    ("gamma", (0.5,), 1.7724538509),
    ("loggamma", (100,), 359.1342053696),
    ("logit", (0.8,), 1.3862943611),
    ("logit", (0,), -INF),
    ("logit", (1,), INF),
    ("invlogit", (-2,), 0.1192029220),
    ("probit", (0.975,), 1.9599639845),
    ("probit", (0.0,), -INF),
    ("invprobit", (-1,), 0.1586552539),
]
OPERATORS = [
    ("add", (True, True), 2),
    ("add", ([1, 2], [0.5, 0.5]), [1.5, 2.5]),
    ("sub", (M23, M23), A([[0, 0, 0], [0, 0, 0]])),
    ("add", (row(1, 2), row(3, 4)), row(4, 6)),
    ("neg", (True,), -1),
    ("neg", ([1.0, -2.0],), [-1.0, 2.0]),
    ("mul", (3, False), 0),
    ("mul", (2, [1, 2]), [2, 4]),
    ("mul", (row(1, 2), 2.0), row(2.0, 4.0)),
    ("mul", (2, A(np.ones((1, 2, 2)), (3,))), A(np.full((1, 2, 2), 2.0), (3,))),
    ("mul", (row(1, 2), [3, 4]), 11),
    ("mul", ([1, 2], row(3, 4, 5)), A([[3, 4, 5], [6, 8, 10]])),
    ("mul", (row(1, 2), M23), row(9, 12, 15)),
    ("mul", (M23, [1, 0, 1]), [4, 10]),
    ("mul", (M23, A([[1], [0], [1]])), A([[4], [10]])),
    ("divide", (1, 2), 0.5),
    ("divide", ([2, 4], 2), [1.0, 2.0]),
    ("divide", (row(2, 4), 2), row(1.0, 2.0)),
    ("pow", (2, F(3)), 8),
    ("pow", (0, F(0)), 1),
    ("pow", (2, F(-1)), 0.5),
    ("pow", (-3.0, F(2)), 9.0),
    ("pow", (-3.0, F(3.0)), -27.0),
    ("pow", (2.0, 0.5), 1.4142135624),
    ("pow", (2.0, F(100)), 2.0**100),
    ("equal", (3, 3), True),
    ("equal", (True, 1), True),
    ("unequal", (3, 4), True),
    ("equal", ("a", "a"), True),
    ("lt", ("Z", "a"), True),
    ("lt", (1, 2.5), True),
    ("le", (2.0, 2.0), True),
    ("gt", (NAN, 1.0), False),
    ("ge", (2, 3), False),
    ("isfinite", (INF,), False),
    ("isfinite", (3,), True),
    ("isinf", (-INF,), True),
    ("isinf", (NAN,), False),
    ("isnan", (NAN,), True),
    ("isnan", (3,), False),
    ("iszero", (-0.0,), True),
    ("iszero", (1,), False),
]
A22, A42 = A([[1.0, 2.0], [3.0, 4.0]]), A([[4, 2], [2, 3]])
LINEAR = [
    ("transpose", ([1, 2],), row(1, 2)),
    ("adjoint", (row(1, 2),), [1, 2]),
    ("transpose", (M23,), A([[1, 4], [2, 5], [3, 6]])),
    ("det", (A22,), -2.0),
    ("logabsdet", (A22,), 0.6931471806),
    ("logabsdet", (A([[1.0, 2.0], [2.0, 4.0]]),), -INF),
    ("inv", (A22,), A([[-2.0, 1.0], [1.5, -0.5]])),
    ("trace", (A42,), 7),
    ("linsolve", (A42, [2, 5]), [-0.5, 2.0]),
    ("lower_cholesky", (A42,), A([[2.0, 0.0], [1.0, 1.4142135624]])),
    ("row_gram", (M23,), A([[14, 32], [32, 77]])),
    ("col_gram", (M23,), A([[17, 22, 27], [22, 29, 36], [27, 36, 45]])),
    ("self_outer", ([1, 2],), A([[1, 2], [2, 4]])),
    ("cross", ([1, 2, 3], [4, 5, 6]), [-3, 6, -3]),
    ("diagmat", ([1.0, INF],), A([[1.0, 0.0], [0.0, INF]])),
    ("diag", (M23,), [1, 5]),
    ("diag", (M23, F(-1)), [4]),
    ("diag", (M23, F(1)), [2, 6]),
    ("diag", (M23, F(2)), [3]),
    ("quadform", (A([[2, 1], [1, 3]]), [1, 2]), 18),
    ("qr", (A([[3, 1], [4, 2]]),), {"Q": A([[0.6, -0.8], [0.8, 0.6]]), "R": A([[5.0, 2.2], [0.0, 0.4]])}),
]
EMPTY = A(np.zeros(0), (1,))
REDUCTIONS = [
    ("var", (XS,), 32 / 7),
    ("std", (XS,), 2.1380899353),
    ("sum", ([True, True, False],), 2),
    ("mean", ([True, False],), 0.5),
    ("mean", ([1, 2],), 1.5),
    ("prod", ([True, True],), 1),
    ("median", ([3, 1, 4, 1],), 2.0),
    ("median", ([3, 1, 2],), 2.0),
    ("median", ([1.0, NAN, 2.0],), NAN),
    ("quantile", ([3, 1, 4, 1, 5], 0.25), 1.0),
    ("quantile", ([3, 1, 4, 1, 5], 0.9), 4.6),
    ("quantile", ([3, 1, 4, 1, 5], 0.5), 3.0),
    ("quantile", ([3, 1, 4, 1, 5], 1), 5.0),
    ("quantile", ([1.0, INF], 0), 1.0),
    ("quantile", ([1.0, NAN], 0), NAN),
    ("quantile", ([2.5], 0.3), 2.5),
    ("quantile", (A([[4, 1], [3, 2]]), 0.5), 2.5),
    ("sum", (M23,), 21),
    ("var", (M23,), 3.5),
    ("median", (M23,), 3.5),
    ("maximum", (M23,), 6),
    ("maximum", ([1.0, NAN],), NAN),
    ("minimum", ([True, False],), False),
    ("maximum", (EMPTY,), -INF),
    ("minimum", (EMPTY,), INF),
    ("maximum", (A(np.zeros(0, int), (1,)),), -INF),
    ("sum", (EMPTY,), 0.0),
    ("sum", (A(np.zeros(0, bool), (1,)),), 0),
    ("prod", (EMPTY,), 1.0),
    ("lany", (A(np.zeros(0, bool), (1,)),), False),
    ("lall", (A(np.zeros(0, bool), (1,)),), True),
    ("lany", ([False, True],), True),
    ("lall", (A([[True, False]]),), False),
    ("sum", (TABLE,), {"m": 7.0, "k": 2}),
    ("mean", (TABLE,), {"m": 7 / 3, "k": 2 / 3}),
    ("sum", (T(a=[1, 2], b=[3, 4]),), {"a": 3, "b": 7}),
    ("mean", (T(p=[[1.0, 2.0], [3.0, 6.0]], t=T(x=[1, 2])),), {"p": [2.0, 4.0], "t": {"x": 1.5}}),
    ("var", (T(p=[[1.0, 2.0], [3.0, 6.0]]),), {"p": [2.0, 8.0]}),
    ("lengthof", (TABLE,), 3),
    ("lengthof", (VV,), 2),
    ("lengthof", (["a"],), 1),
    ("lengthof", ([[1], [2, 3]],), 2),
    ("sizeof", (M23,), [2, 3]),
    ("sizeof", (VV,), [2]),
    ("sizeof", (["a"],), [1]),
    ("indicesof", (M23,), ([1, 2], [1, 2, 3])),
    ("indicesof", (TABLE,), [1, 2, 3]),
    ("indicesof0", ([5, 6],), [0, 1]),
    ("cumsum", ([1, 2, 3],), [1, 3, 6]),
    ("cumprod", ([1, 2, 3],), [1, 2, 6]),
    ("cummax", ([1, 3, 2],), [1, 3, 3]),
    ("cummin", ([True, False, True],), [True, False, False]),
    ("cumsum", ([True, True, False],), [1, 2, 2]),
    ("cummax", ([1.0, NAN, 2.0],), [1.0, NAN, NAN]),
    ("cummax", (EMPTY,), EMPTY),
    ("cumsum", (row(1, 2),), row(1, 3)),
]
V = [3, -4, 0]
BIG = [1000, 1001, 1002]
NORMS = [
    ("l1norm", (V,), 7.0),
    ("l2norm", (V,), 5.0),
    ("linfnorm", (V,), 4.0),
    ("l2norm", ([0.0, 0.0],), 0.0),
    *((name, (EMPTY,), 0.0) for name in ("l1norm", "l2norm", "linfnorm")),
    *((name, (EMPTY,), EMPTY) for name in ("softmax", "logsoftmax", "l1unit", "l2unit")),
    ("logsumexp", (EMPTY,), -INF),
    ("l1unit", (V,), [3 / 7, -4 / 7, 0.0]),
    ("l2unit", (row(3, -4),), row(0.6, -0.8)),
    ("logsumexp", (BIG,), 1002.4076059644),
    ("logsumexp", ([-INF, -INF],), -INF),
    ("logsumexp", ([INF, 1.0],), INF),
    ("softmax", (BIG,), [0.0900305732, 0.2447284711, 0.6652409558]),
    ("logsoftmax", (BIG,), [-2.4076059644, -1.4076059644, -0.4076059644]),
    ("softmax", ([-INF, 0.0],), [0.0, 1.0]),
]
LOGIC = [
    ("land", (True, False), False),
    ("lor", (True, False), True),
    ("lxor", (True, True), False),
    ("lnot", (True,), False),
    ("ifelse", (True, 3, 4.5), 3.0),
    ("ifelse", (False, [1, 2], [3.0, 4.0]), [3.0, 4.0]),
    ("ifelse", (True, {"a": 1, "b": "s"}, {"a": 2, "b": "s"}), {"a": 1, "b": "s"}),
    ("ifelse", (False, T(a=[1, 2]), T(a=[3, 4])), T(a=[3, 4])),
    ("ifelse", (F(True), "a", "b"), "a"),
    ("ifelse", (False, (1, 2), (3.5, 4)), (3.5, 4)),
    ("ifelse", (F(True), ["a"], ["b"]), ["a"]),
]
UNIT3 = RealSet(1.0, 3.0)
SETS = [
    ("in", (3, UNIT3), True),
    ("in", (4.0, UNIT3), False),
    ("in", (0.0, posreals), False),
    ("in", (INF, reals), True),
    ("in", (NAN, reals), False),
    ("in", (2.0, integers), True),
    ("in", (2.5, integers), False),
    ("in", (1.0, booleans), True),
    ("in", ("a", Labels(("a", "b"))), True),
    ("in", ([1.0, 2.0], Power(UNIT3, (2,))), True),
    ("in", ([1.0, 4.0], Power(UNIT3, (2,))), False),
    ("in", ([0.25, 0.75], Simplex(2)), True),
    ("in", (3, FiniteSet((1, 3))), True),
    ("selectbins", (F([0, 1, 2, 3, 4, 5]), RealSet(-3.0, 3.0), [10, 12, 15, 8, 5]), [10, 12, 15, 8]),
    ("selectbins", (F([0, 1, 2, 3]), RealSet(2.0, 3.0), [10, 20, 30]), [30]),
    ("selectbins", (F([0, 1, 2, 3]), posreals, [10, 20, 30]), [10, 20, 30]),
    ("selectbins", (F([0, 0.5, 1.0, 1.5]), IntegerSet(1, 1), [1.0, 2.0, 3.0]), [3.0]),
    ("selectbins", (F([0, 1, 2]), FiniteSet((2,)), [1, 2]), [2]),
    ("bincounts", ([0, 1, 2, 3], [0, 1, 1.5, 2, 3, 3.5, -1]), [1, 2, 2]),
    ("bincounts", ([-INF, 0, 1, 2, INF], [-5, 0, 0.5, 1, 2, 9, INF, -INF]), [2, 2, 1, 3]),
    ("bincounts", ([0, 1, 2], [1.0, 2.0]), [0, 2]),
    ("bincounts", ([0, 1, 2], [1.0]), [0, 1]),
    ("bincounts", ([0, 1], [NAN, 0.5]), [1]),
    ("bincounts", ([0, 1], EMPTY), [0]),
    (
        "bincounts",
        ({"x": [0, 1, 2], "y": [0, 5, 10, 15]}, {"y": [1, 6, 15, 99, 2], "x": [0, 2, 1.5, 1, 0.5]}),
        A([[2, 0, 0], [0, 1, 1]]),
    ),
    ("bincounts", ({"x": [0, 1, 2]}, T(x=[0.5, 0.6])), [2, 0]),
]
APPROXIMATION = [
    ("polynomial", ([1, 2, 3], 2), 17),
    ("polynomial", ([1.5], 2), 1.5),
    ("polynomial", ([2], INF), 2.0),
    ("polynomial", ([1, 0.5], 2), 2.0),
    ("polynomial", (EMPTY, 2.0), 0.0),
    ("bernstein", ([1, 2, 3], 0.25), 1.5),
    ("bernstein", ([0, 1, 0], 0.5), 0.5),
    ("bernstein", ([4, 1, 7], 1), 7.0),
    *(("stepwise", ([0, 1, 3], [10, 20], x), y) for x, y in [(0, 10), (0.5, 10), (1, 20), (3, 20)]),
]
CHAPTERS = {
    "generation": GENERATION, "access": ACCESS, "variadic": VARIADIC, "arrays": ARRAYS, "restrictions": RESTRICTIONS,
    "elementary": ELEMENTARY, "operators": OPERATORS, "linear": LINEAR, "reductions": REDUCTIONS, "norms": NORMS,
    "logic": LOGIC, "sets": SETS, "approximation": APPROXIMATION,
}  # fmt: skip
CASES = [case for cases in CHAPTERS.values() for case in cases]
IDS = [f"{chapter}-{i}-{case[0]}" for chapter, cases in CHAPTERS.items() for i, case in enumerate(cases)]


@pytest.mark.parametrize("symbolic", [False, True], ids=["folded", "inputs"])
@pytest.mark.parametrize(("name", "arguments", "expected"), CASES, ids=IDS)
def test_example(name: str, arguments: tuple[Any, ...], expected: Any, symbolic: bool) -> None:
    forms, numbers = outcome(name, arguments, symbolic)
    reader = Reader(False)
    flat = [flatten(part) for part in unpacked(reader.value(expected))]
    assert forms == [form for form, _ in flat]
    for number, node in zip(numbers, [node for _, part in flat for node in part], strict=True):
        assert number.shape == node.shape
        np.testing.assert_allclose(number, node.constant, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(("name", "arguments"), [case[:2] for case in CASES], ids=IDS)
def test_constant_arguments_fold(name: str, arguments: tuple[Any, ...]) -> None:
    reader = Reader(False)
    result = as_value(reader.builder, call(name, [reader.value(x) for x in arguments]))
    for part in unpacked(result):
        assert all(node.constant is not None for node in flatten(part)[1])


class MapReader(Reader):
    """Reads inputs as cells of arrays that hold the same numbers three times."""

    def __init__(self) -> None:
        super().__init__(True)
        self.region = Region(self.builder.root)
        self.arrays: list[Node] = []
        self.cells: list[Node] = []

    def tensor(self, data: Any, levels: tuple[int, ...], is_row: bool, symbolic: bool) -> Tensor:
        if not symbolic:
            return super().tensor(data, levels, is_row, symbolic)
        whole = super().tensor(np.stack([np.asarray(data)] * 3), levels, is_row, symbolic).node
        self.arrays.append(whole)
        self.cells += cells(self.builder, [whole], (3,), self.region)
        return Tensor(self.cells[-1], levels, is_row)


@pytest.mark.parametrize(("name", "arguments"), [case[:2] for case in CASES], ids=IDS)
def test_example_on_every_cell(name: str, arguments: tuple[Any, ...]) -> None:
    reader = MapReader()
    result = as_value(reader.builder, call(name, [reader.value(x) for x in arguments]))
    results = [node for part in unpacked(result) for node in flatten(part)[1]]
    whole = finish_map(reader.builder, reader.arrays, (3,), reader.region, reader.cells, results)
    numbers = evaluate_nodes(ancestors(whole), whole, dict(reader.inputs))
    for number, once in zip(numbers, outcome(name, arguments, True)[1], strict=True):
        np.testing.assert_allclose(number, np.stack([once] * 3), rtol=1e-12)


def test_blocks_of_a_matrix() -> None:
    reader = Reader(True)
    whole = reader.value(A(np.arange(1, 25).reshape(4, 6)))
    blocks = call("splitblocks", [whole, reader.value(F([2, 3]))])
    assert blocks.levels == (2, 2)
    assert blocks.shape == (2, 2)
    second = call("get", [blocks, reader.value(F(1)), reader.value(F(2))])
    joined = call("joinblocks", [blocks])
    values = evaluate_nodes(ancestors([second.node, joined.node]), [second.node, joined.node], dict(reader.inputs))
    np.testing.assert_array_equal(values[0], [[4, 5, 6], [10, 11, 12]])
    np.testing.assert_array_equal(values[1], np.arange(1, 25).reshape(4, 6))


def test_array_in_any_order_of_axes() -> None:
    reader = Reader(True)
    cube = call("array", [reader.value(CUBE), reader.value(F([2, 3, 4])), reader.value(F([3, 1, 2]))])
    picks = [call("get", [cube, *(reader.value(F(i)) for i in index)]).node for index in ((1, 2, 3), (2, 3, 1))]
    assert [int(x) for x in evaluate_nodes(ancestors(picks), picks, dict(reader.inputs))] == [14, 6]


def test_a_long_literal_is_one_node() -> None:
    builder = Builder(CORE)
    constants = [Tensor(builder.constant(float(i))) for i in range(5000)]
    assert vector(builder, constants).node.constant is not None
    inputs = [Tensor(builder.variable(Aval("real"))) for _ in range(5000)]
    stacked = vector(builder, inputs).node
    assert stacked.primitive.name == "stack"
    assert len(stacked.operands) == 5000


def test_an_empty_literal_is_a_real_vector() -> None:
    empty = vector(Builder(CORE), [])
    assert (empty.kind, empty.levels, empty.shape) == ("real", (1,), (0,))


def test_strings_stay_strings() -> None:
    assert vector(Builder(CORE), [Text("a"), Text("b")]) == Texts(("a", "b"))
    assert isinstance(table_of(Record((("s", Texts(("a",))),))), Table)


#: name, arguments, code and part of the message of a refusal.
REFUSED = [
    ("array", ([1, 2, 3], [2, 2], [1, 2]), "shape", "needs 4 entries, got 3"),
    ("array", ([1, 2], [1, 2], [1, 1]), "shape", "not a permutation"),
    ("zeros", (-1,), "domain", "at least 0"),
    ("zeros", (2.0,), "kind", "the size of zeros must be an integer"),
    ("fill", ("a", 2), "kind", "fill takes numbers"),
    ("onehot", (5, 4), "index", "between 1 and 4"),
    ("linspace", (0, 1, 1), "domain", "needs from = to"),
    ("linspace", (0, 1, 0), "domain", "at least 1"),
    ("get", ([1, 2], 3), "index", "index 3 is out of range; it must be in 1 to 2"),
    ("get", ([1, 2], 0), "index", "index 0 is out of range"),
    ("get", ([1, 2], -1), "index", "out of range"),
    ("get0", ([1, 2], 2), "index", "it must be in 0 to 1"),
    ("get", ([1, 2], 1.0), "kind", "integer(x) converts"),
    ("get", ([1, 2], 1, 1), "index", "at most 1 selectors"),
    ("get", ([1, 2], ONLY), "index", "length 1, got length 2"),
    ("get", ([1, 2], "a"), "index", "integers, integer vectors, all and only"),
    ("get", ({"a": 1}, 1), "field", "read by field name"),
    ("get", ({"alpha": 1}, "alpa"), "field", "did you mean 'alpha'?"),
    ("get", (TABLE, "z"), "field", "no column 'z'"),
    ("get", (TABLE, 4), "index", "1 to 3"),
    ("get", ({"a": 1}, "a", 1), "index", "one selector"),
    ("get", ((1, 2), 3), "index", "1 to 2"),
    ("get", ((1, 2), [1]), "index", "integer literal"),
    ("get", (3, 1), "index", "at most 0"),
    ("get", (reals, 1), "kind", "get takes an array, record, table or tuple"),
    ("vector", (1, [1]), "shape", "elements of one form"),
    ("vector", (1, "a"), "kind", "numbers or strings, not both"),
    ("vector", (1, {"a": 1}), "kind", "write a table"),
    ("vector", (1, (1, 2)), "kind", "a tuple (a, b) holds anything"),
    ("vector", (row(1), row(2)), "shape", "transpose it first"),
    ("cat", (1, [2]), "kind", "only scalars, only vectors or only records"),
    ("cat", (M23,), "kind", "cat takes scalars, vectors or records"),
    ("cat", ({"a": 1}, {"a": 2}), "field", "'a' occurs twice"),
    ("cat", ([1], ["a"]), "kind", "among strings"),
    ("cat", ([1], [[1]]), "shape", "elements of one form"),
    ("record_of", ({"a": 1},), "kind", "one table"),
    ("table_of", (TABLE,), "kind", "one record of vectors"),
    ("table_of", ({"a": [1], "b": [1, 2]},), "shape", "a has 1, b has 2"),
    ("table_of", ({"a": M23},), "kind", "must be a vector or a table"),
    ("relabel", ([1, 2], ["a"]), "shape", "2 parts, but there are 1 names"),
    ("relabel", ([1, 2], [1, 2]), "kind", "vector of strings"),
    ("relabel", ([1, 2], ["a", "a"]), "field", "occurs twice"),
    ("rowstack", (M23,), "shape", "vector of vectors"),
    ("colstack", ([[1], [1, 2]],), "shape", "equal length"),
    ("tile", (M23, 2), "shape", "one integer per axis, 2 in all"),
    ("tile", (3, 2), "shape", "takes an array"),
    ("splitblocks", ([1, 2, 3], 2), "shape", "does not divide into blocks of 2"),
    ("joinblocks", ([1, 2],), "shape", "array of arrays"),
    ("partition", ([1, 2, 3], 2), "shape", "groups of 2"),
    ("partition", ([1, 2, 3], [1, 1]), "shape", "sum to 2, but there are 3"),
    ("reverse", (M23,), "shape", "vector or a table"),
    ("sort", (TABLE,), "kind", "numbers or arrays of numbers"),
    ("addaxes", (row(1), 1, 0), "shape", "transpose it first"),
    ("addaxes", ([1], -1, 0), "domain", "at least 0"),
    ("blockdiagmat", ([[1, 2], [3, 4]],), "shape", "takes a matrix"),
    ("conv", ([1], [1, 2]), "shape", "1 to 1 entries"),
    ("boolean", (2,), "domain", "neither 0 nor 1"),
    ("integer", (3.2,), "domain", "use round, floor or ceil"),
    ("integer", (NAN,), "domain", "not a whole number"),
    ("string", (1,), "kind", "do not convert"),
    ("complex", (1.0, 2.0), "unsupported", "complex"),
    ("cis", (1.0,), "unsupported", "complex"),
    ("exp", ([1, 2],), "shape", "write exp.(...)"),
    ("exp", ("a",), "kind", "string 'a'"),
    ("sqrt", (-1.0,), "domain", "must be at least 0, got -1"),
    ("log", (-1,), "domain", "must be positive"),
    ("asin", (2.0,), "domain", "between -1 and 1"),
    ("gamma", (-0.5,), "domain", "must be positive"),
    ("floor", (INF,), "domain", "no integer value"),
    ("div", (1, 0), "domain", "b is zero"),
    ("div", (1.0, 2), "kind", "takes integers"),
    ("max", ("a", 1), "kind", "takes numbers"),
    ("add", ([1, 2], 1), "shape", "write .+ to apply it to every element"),
    ("add", ([1, 2], [1, 2, 3]), "shape", "same form and size"),
    ("add", ([1, 2], row(1, 2)), "shape", "transposed vector"),
    ("add", ("a", "b"), "kind", "takes numbers"),
    ("mul", ([1, 2], [3, 4]), "shape", "write .*"),
    ("mul", ([[1, 2], [3, 4]], [1, 2]), "shape", "rowstack makes one of it"),
    ("mul", (M23, [1, 2]), "shape", "inner sizes 3 and 2 differ"),
    ("mul", (M23, row(1, 2)), "shape", "is not defined"),
    ("mul", ([1, 2], M23), "shape", "is not defined"),
    ("divide", (2, [1, 2]), "shape", "divisor must be a scalar"),
    ("pow", ([1, 2], 2), "shape", "write a .^ b"),
    ("pow", (-8.0, 0.5), "domain", "fractional exponent"),
    ("pow", (10, 20), "domain", "write 10.0 ^ 20"),
    ("equal", (1.0, 1.0), "kind", "iszero(a - b)"),
    ("equal", ([1], [1]), "shape", "write a .== b"),
    ("equal", ({"a": 1}, {"a": 1}), "kind", "takes numbers"),
    ("lt", ("a", 1), "kind", "compares a string with a string"),
    ("det", (M23,), "shape", "square matrix"),
    ("det", ([[1, 2], [3, 4]],), "shape", "rowstack or colstack"),
    ("transpose", (A(np.ones((1, 1, 1)), (3,)),), "shape", "vector or a matrix"),
    ("inv", (A([[1.0, 2.0], [2.0, 4.0]]),), "domain", "singular"),
    ("linsolve", (A([[1.0, 2.0], [2.0, 4.0]]), [1, 2]), "domain", "singular"),
    ("linsolve", (A22, [1, 2, 3]), "shape", "does not fit"),
    ("linsolve", (A22, A22), "shape", "takes a vector"),
    ("qr", (M23,), "shape", "as many rows as columns"),
    ("lower_cholesky", (A([[1.0, 2.0], [2.0, 1.0]]),), "domain", "not positive definite"),
    ("lower_cholesky", (A([[1.0, 0.5], [0.0, 1.0]]),), "domain", "not symmetric"),
    ("cross", ([1, 2], [1, 2]), "shape", "length 3"),
    ("diag", (M23, 3), "index", "-1 to 2"),
    ("quadform", (A22, [1, 2, 3]), "shape", "does not fit"),
    ("sum", (3,), "shape", "an array or a table"),
    ("sum", (VV,), "shape", "write sum.(xs)"),
    ("mean", (EMPTY,), "domain", "at least 1 element, got 0"),
    ("var", ([1],), "domain", "at least 2 elements, got 1"),
    ("std", ([1],), "domain", "std needs at least 2"),
    ("median", (EMPTY,), "domain", "at least 1"),
    ("lany", ([0, 1],), "kind", "boolean.(xs)"),
    ("quantile", ([1, 2], 1.5), "domain", "between 0 and 1"),
    ("quantile", (TABLE, 0.5), "kind", "arrays of numbers"),
    ("sum", (T(s=["a"]),), "kind", "takes numbers"),
    ("lengthof", (M23,), "shape", "sizeof"),
    ("lengthof", ({"a": 1},), "kind", "vector or a table"),
    ("sizeof", (TABLE,), "kind", "lengthof gives"),
    ("sizeof", (3,), "kind", "takes an array"),
    ("indicesof", (3,), "kind", "array or a table"),
    ("cumsum", (TABLE,), "kind", "numbers"),
    ("cumsum", (M23,), "shape", "takes a vector"),
    ("l1unit", ([0, 0],), "domain", "zero vector"),
    ("l2norm", (M23,), "shape", "takes a vector"),
    ("land", (1, True), "kind", "boolean(x) converts"),
    ("ifelse", (1, 2.0, 3.0), "kind", "the condition of ifelse takes booleans"),
    ("ifelse", (True, 1, [1]), "shape", "one form"),
    ("ifelse", (True, {"a": 1}, {"b": 1}), "shape", "one form"),
    ("ifelse", (True, 1, "a"), "shape", "one form"),
    ("ifelse", ([True], 1, 2), "shape", "ifelse.(conditions, a, b)"),
    ("in", (1, 2), "kind", "takes a set"),
    ("selectbins", ([0, 1], reals, [1, 2]), "shape", "one edge more"),
    ("selectbins", ([0, 0], reals, [1]), "domain", "strictly increasing"),
    ("selectbins", ([0, 1], Simplex(2), [1]), "kind", "interval or a set of numbers"),
    ("bincounts", ([0], [1]), "shape", "at least two edges"),
    ("bincounts", ([1, 0], [1]), "domain", "strictly increasing"),
    ("bincounts", ({"x": [0, 1]}, {"y": [1]}), "field", "named x, the data y"),
    ("bincounts", ({"x": [0, 1]}, [1]), "kind", "record or table"),
    ("bincounts", ({"x": [0, 1], "y": [0, 1]}, {"x": [1], "y": [1, 2]}), "shape", "equal lengths"),
    ("polynomial", ([1, 2], [1, 2]), "shape", "fn(polynomial(..., _)).(xs)"),
    ("bernstein", ([1, 2], 1.5), "domain", "between 0 and 1"),
    ("bernstein", (EMPTY, 0.5), "shape", "at least one"),
    ("stepwise", ([0, 1], [1, 2], 0.5), "shape", "one edge more"),
    ("stepwise", ([0, 1], [1], 2.0), "domain", "outside the edges"),
]


@pytest.mark.parametrize(("name", "arguments", "code", "text"), REFUSED)
def test_refusal(name: str, arguments: tuple[Any, ...], code: str, text: str) -> None:
    reader = Reader(False)
    with pytest.raises(Refusal) as caught:
        call(name, [reader.value(x) for x in arguments])
    assert caught.value.code == code
    assert text in caught.value.message


#: name, arguments that are inputs, and the message of the check that fails (empty: none does).
GUARDED = [
    ("get", ([1, 2], 3), "index out of range: it must be in 1 to 2"),
    ("get", ([1, 2], [1, 3]), "index out of range: it must be in 1 to 2"),
    ("get", (M3, 1, 4), "index out of range: it must be in 1 to 3"),
    ("get0", (TABLE, 3), "index out of range: it must be in 0 to 2"),
    ("get", (M3, 1, 3), ""),
    ("onehot", (5, F(4)), "onehot(i, n): i is outside 1 to 4"),
    ("linspace", (0.0, 1.0, F(1)), "linspace(from, to, 1) needs from = to"),
    ("integer", (2.5,), "integer(x): x is not a whole number; use round, floor or ceil to round"),
    ("integer", (2.0,), ""),
    ("boolean", (2.0,), "boolean(x): x is neither 0 nor 1"),
    ("floor", (NAN,), "floor(x) has no integer value: x is not finite, or too large"),
    ("div", (1, 0), "div(a, b): b is zero"),
    ("mod", (5, 3), ""),
    ("linsolve", (A([[1.0, 2.0], [2.0, 4.0]]), [1.0, 2.0]), "linsolve(A, b): the matrix A is singular"),
    ("linsolve", (A([[NAN, 2.0], [2.0, 4.0]]), [1.0, 2.0]), ""),
    ("inv", (A([[0.0]]),), "inv(A): the matrix A is singular"),
    ("lower_cholesky", (A([[1.0, 2.0], [2.0, 1.0]]),), "lower_cholesky(A): the matrix A is not positive definite"),
    ("lower_cholesky", (A([[1.0, 0.5], [0.0, 1.0]]),), "lower_cholesky(A): the matrix A is not symmetric"),
    ("quantile", ([1.0, 2.0], -0.1), "quantile(xs, p): p is outside 0 to 1"),
    ("l2unit", ([0.0, 0.0],), "l2unit(v): v is a zero vector"),
    ("bincounts", ([0.0, 0.0], [1.0]), "bincounts: the edges must be strictly increasing"),
    (
        "bernstein",
        ([1.0, 2.0], 2.0),
        "bernstein(coefficients, x): x is outside 0 to 1; rescale it as (x - lo) / (hi - lo)",
    ),
    ("stepwise", ([0.0, 1.0], [1.0], -1.0), "stepwise(edges, values, x): x is outside the edges"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), GUARDED)
def test_runtime_check(name: str, arguments: tuple[Any, ...], message: str) -> None:
    reader = Reader(True)
    _, nodes = flatten(call(name, [reader.value(x) for x in arguments]))
    _, flags = take_checks(reader.builder, nodes)
    oks = [flag.ok for flag in flags]
    passed = evaluate_nodes(ancestors(oks), oks, dict(reader.inputs))
    failed = {flag.message for flag, ok in zip(flags, passed, strict=True) if not ok}
    assert failed == ({message} if message else set())


@pytest.mark.parametrize(
    ("name", "arguments"), [("zeros", (3,)), ("eye", (3,)), ("tile", ([1, 2], 3)), ("diag", (M23, 1))]
)
def test_sizes_are_fixed(name: str, arguments: tuple[Any, ...]) -> None:
    reader = Reader(True)
    with pytest.raises(Refusal, match=r"Module\.set"):
        call(name, [reader.value(x) for x in arguments])


def test_a_runtime_condition_does_not_choose_between_strings() -> None:
    reader = Reader(True)
    with pytest.raises(Refusal, match="runtime condition"):
        call("ifelse", [reader.value(True), Text("a"), Text("b")])


def test_a_proof_spares_the_check() -> None:
    builder = Builder(CORE)
    index = Tensor(builder.variable(Aval("integer"), interval=Interval(1.0, 2.0)))
    part = get(Tensor(builder.constant([1.0, 2.0]), (1,)), index)
    assert not any(node.primitive.name == "guard" for node in ancestors([part.node]))
    positive = builder.variable(Aval("real"), interval=Interval(-3.0, -1.0))
    with pytest.raises(Refusal, match="between -3 and -1"):
        FUNCTIONS["sqrt"].rule(Tensor(positive))


#: The functions of the reference whose rules need nothing but values, with their parameters.
SIGNATURES = """
identity x | fixed x | array data size dimorder | fill x size | zeros size | ones size | eye n | onehot i n
linspace from to n | extlinspace from to n | rowstack vs | colstack vs | tile A size | splitblocks A blocksize
joinblocks A | partition xs spec | reverse xs | sort xs | addaxes A n_leading n_trailing | blockdiagmat mats
bandedmat v rows | conv v kernel | crosscorr v kernel | boolean x | integer x | real x | imag x | complex re im
string x | exp x | log x | log2 x | log10 x | log1p x | expm1 x | sqrt x | abs x | abs2 x | conj x | cis theta
sin x | cos x | tan x | asin x | acos x | atan x | atan2 y x | sinh x | cosh x | tanh x | asinh x | acosh x
atanh x | min a b | max a b | floor x | ceil x | round x | div a b | mod a b | gamma x | loggamma x | logit p
invlogit x | probit p | invprobit x | add a b | sub a b | mul a b | divide a b | neg x | pow base exponent
equal a b | unequal a b | lt a b | le a b | gt a b | ge a b | isfinite x | isinf x | isnan x | iszero x
transpose A | adjoint A | det A | logabsdet A | inv A | trace A | linsolve A b | qr A | lower_cholesky A
row_gram A | col_gram A | self_outer x | cross a b | diagmat x | diag A k | quadform A x | sum xs | mean xs
var xs | std xs | prod xs | maximum xs | minimum xs | median xs | quantile xs p | lengthof x | sizeof x
indicesof x | indicesof0 x | cumsum xs | cumprod xs | cummax xs | cummin xs | l1norm v | l2norm v | linfnorm v
l1unit v | l2unit v | logsumexp v | softmax v | logsoftmax v | land a b | lor a b | lnot a | lxor a b | lany xs
lall xs | ifelse cond a b | in x S | selectbins edges region counts | bincounts bins data
polynomial coefficients x | bernstein coefficients x | stepwise edges values x
"""

#: Functions that take a sole record or table as it is.
WHOLE = {
    "sum", "mean", "std", "var", "prod", "maximum", "minimum", "median", "lany", "lall", "lengthof", "reverse",
    "indicesof", "indicesof0", "identity", "fixed",
}  # fmt: skip


def test_names_and_parameters() -> None:
    rows = [row.split() for line in SIGNATURES.strip().splitlines() for row in line.split("|")]
    assert {name: tuple(parameters) for name, *parameters in rows} == {f.name: f.parameters for f in FUNCTIONS.values()}
    assert {f.name for f in FUNCTIONS.values() if f.whole} == WHOLE
    assert {f.name: f.defaults for f in FUNCTIONS.values() if f.defaults} == {"diag": (0,)}
