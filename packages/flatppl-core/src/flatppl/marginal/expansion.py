"""A finished program as a sum over known functions of one variable: powers, a logarithm, ``log1p(-z)``.

What closed-form integrals need: ``log density = sum_p c_p z^p + a log z + b log1p(-z)`` with coefficients free
of z. The variable may be a vector, as long as the program treats its entries alike and sums them at the end;
coefficients then have the vector's shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flatppl.tensor.ops import broadcast, concat, log, power, reshape, select, stack, sum_, take, transpose
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.ranges import range_of
from flatppl.tensor.substitute import substitute

__all__ = ["LOG", "LOG1M", "Expansion", "expand"]

#: Keys of the two logarithms; powers have Fraction keys.
LOG = "log"
LOG1M = "log1m"

#: Products and powers beyond this many terms are not expanded.
TERM_LIMIT = 32

Key = Any


class NoExpansion(Exception):
    """The program is no such sum."""


class Expansion:
    """Coefficients by basis function.

    Attributes
    ----------
    terms : dict
        Basis key to coefficient node (or number).
    summed : bool
        The entries of a vector variable have been summed: coefficients of non-constant terms keep the vector's
        shape, the constant is a scalar.
    """

    __slots__ = ("summed", "terms")

    def __init__(self, terms: dict[Key, Any], summed: bool = False) -> None:
        self.terms = terms
        self.summed = summed

    @property
    def free(self) -> bool:
        """Only a constant."""
        return set(self.terms) <= {Fraction(0)}

    @property
    def monomial(self) -> tuple[Fraction, Any] | None:
        """(power, coefficient) of a single power."""
        if len(self.terms) == 1:
            ((key, value),) = self.terms.items()
            if isinstance(key, Fraction):
                return key, value
        return None

    def mapped(self, f: Callable[[Any], Any]) -> Expansion:
        """Coefficients changed one by one by a linear function."""
        return Expansion({key: f(value) for key, value in self.terms.items()}, self.summed)


def expand(root: Node, variable: Node, positive: bool, unit: bool) -> Expansion | None:
    """Expansion of a scalar program in a variable, or None.

    Parameters
    ----------
    root : Node
    variable : Node
    positive : bool
        The variable is positive: fractional powers and logarithms are allowed.
    unit : bool
        The variable is below one as well: ``log1p(-z)`` is allowed.
    """
    known: dict[int, Expansion] = {variable.number: Expansion({Fraction(1): 1.0})}
    state = _State(variable, positive, unit)
    root = without_sure_guards(root)
    try:
        for node in ancestors([root], lambda node: node is variable):
            if node.number not in known:
                known[node.number] = _expanded(node, known, state)
    except NoExpansion:
        return None
    return known[root.number]


def without_sure_guards(root: Node) -> Node:
    """The program without parameter checks that hold but for a set of measure zero: ``0 < x`` where ``0 <= x``."""
    sure = {
        node: node.operands[0] for node in ancestors([root]) if node.primitive.name == "guard" and _almost_sure(node)
    }
    while sure:
        root = substitute(root.builder, [root], sure)[0]
        sure = {
            node: node.operands[0]
            for node in ancestors([root])
            if node.primitive.name == "guard" and _almost_sure(node)
        }
    return root


def _almost_sure(guard: Node) -> bool:
    flag = guard.operands[1]
    if flag.primitive.name not in ("lt", "le"):
        return False
    low, high = (range_of(operand) for operand in flag.operands)
    return low.hi <= high.lo


class _State:
    """The variable and what is known about it."""

    __slots__ = ("positive", "unit", "variable")

    def __init__(self, variable: Node, positive: bool, unit: bool) -> None:
        self.variable = variable
        self.positive = positive
        self.unit = unit


def _expanded(node: Node, known: dict[int, Expansion], state: _State) -> Expansion:
    parts = [known[operand.number] for operand in node.operands]
    if all(part.free and not part.summed for part in parts):
        return Expansion({Fraction(0): node})
    rule = _RULES.get(node.primitive.name)
    if rule is None:
        raise NoExpansion
    return rule(node, parts, state)


def _combine(a: Expansion, b: Expansion, sign: float) -> Expansion:
    if a.summed != b.summed and not (a.free or b.free):
        raise NoExpansion
    terms = dict(a.terms)
    for key, value in b.terms.items():
        terms[key] = terms[key] + sign * value if key in terms else sign * value
    return Expansion(terms, a.summed or b.summed)


def _times(a: Expansion, b: Expansion) -> Expansion:
    if a.free or b.free:
        other, factor = (b, a) if a.free else (a, b)
        scale = factor.terms.get(Fraction(0), 0.0)
        return other.mapped(lambda value: value * scale)
    if a.summed or b.summed or len(a.terms) * len(b.terms) > TERM_LIMIT:
        raise NoExpansion
    terms: dict[Key, Any] = {}
    for p, x in a.terms.items():
        for q, y in b.terms.items():
            if not isinstance(p, Fraction) or not isinstance(q, Fraction):
                raise NoExpansion
            terms[p + q] = terms[p + q] + x * y if p + q in terms else x * y
    return Expansion(terms)


def _divide(a: Expansion, b: Expansion) -> Expansion:
    single = b.monomial
    if single is None or b.summed:
        raise NoExpansion
    exponent, coefficient = single
    terms = {}
    for key, value in a.terms.items():
        if exponent and (not isinstance(key, Fraction) or a.summed):
            raise NoExpansion
        terms[key - exponent if exponent else key] = value / coefficient
    return Expansion(terms, a.summed)


def _raised(a: Expansion, exponent: Fraction, state: _State) -> Expansion:
    if exponent == 0:
        return Expansion({Fraction(0): 1.0})
    single = a.monomial
    if single is not None and not a.summed:
        p, c = single
        if p * exponent != int(p * exponent) and not state.positive:
            raise NoExpansion
        if p != 0 and exponent.denominator != 1 and not state.positive:
            raise NoExpansion
        if exponent == 2:
            return Expansion({p * 2: c * c})
        return Expansion({p * exponent: power(c, float(exponent))})
    if exponent.denominator != 1 or not 0 < exponent <= TERM_LIMIT:
        raise NoExpansion
    result = a
    for _ in range(int(exponent) - 1):
        result = _times(result, a)
    return result


def _logarithm(a: Expansion, state: _State) -> Expansion:
    single = a.monomial
    if single is not None and state.positive and not a.summed:
        p, c = single
        return Expansion({Fraction(0): log(c), LOG: float(p)})
    if state.unit and set(a.terms) == {Fraction(0), Fraction(1)} and _is(a.terms[Fraction(0)], 1.0):
        return _complement(a.terms[Fraction(1)])
    raise NoExpansion


def _log1p(a: Expansion, state: _State) -> Expansion:
    single = a.monomial
    if single is None or single[0] != 1 or not state.unit:
        raise NoExpansion
    return _complement(single[1])


def _complement(slope: Any) -> Expansion:
    """``log(1 + slope z)`` for the slope -1."""
    if not _is(slope, -1.0):
        raise NoExpansion
    return Expansion({LOG1M: 1.0})


def _is(x: Any, number: float) -> bool:
    if isinstance(x, Node):
        return x.constant is not None and x.constant.size > 0 and bool((x.constant == number).all())
    return bool(x == number)


def _scaled_log(node: Node, parts: Sequence[Expansion], state: _State, f: Any) -> Expansion:
    factor, argument = parts
    if not factor.free:
        raise NoExpansion
    if argument.free:
        return Expansion({Fraction(0): node})
    return _times(factor, f(argument, state))


def _select(node: Node, parts: Sequence[Expansion], state: _State) -> Expansion:
    condition, a, b = parts
    if not condition.free or a.summed or b.summed:
        raise NoExpansion
    flag = condition.terms[Fraction(0)]
    keys = {**a.terms, **b.terms}
    return Expansion({key: select(flag, a.terms.get(key, 0.0), b.terms.get(key, 0.0)) for key in keys})


def _sum(node: Node, parts: Sequence[Expansion], state: _State) -> Expansion:
    (a,) = parts
    source, axes = node.operands[0], node.params["axes"]
    if state.variable.shape:
        if a.summed or source.shape != state.variable.shape or len(axes) != len(source.shape):
            raise NoExpansion
        terms = {key: _full(value, source, node) for key, value in a.terms.items()}
        constant = {Fraction(0): sum_(terms.pop(Fraction(0)))} if Fraction(0) in terms else {}
        return Expansion({**terms, **constant}, summed=True)
    return a.mapped(lambda value: sum_(_full(value, source, node), axes))


def _full(value: Any, like: Node, node: Node) -> Node:
    """A coefficient with the shape of the node that it belongs to."""
    lifted = node.builder.convert(node.builder.lift(value), "real")
    return lifted if lifted.shape == like.shape else broadcast(lifted, like.shape, ())


def _structural(node: Node, parts: Sequence[Expansion], state: _State) -> Expansion:
    """Operations that move entries: on every coefficient alike. Only for a scalar variable."""
    if state.variable.shape or any(part.summed for part in parts):
        raise NoExpansion
    if any(not part.free for part in parts[1:]) and node.primitive.name == "take":
        raise NoExpansion
    keys = list(dict.fromkeys(key for part in parts for key in part.terms))
    move = _MOVES[node.primitive.name]
    terms = {}
    for key in keys:
        operands = [
            _full(part.terms.get(key, 0.0), operand, node) for part, operand in zip(parts, node.operands, strict=True)
        ]
        terms[key] = move(node, operands)
    return Expansion(terms)


def _take(node: Node, operands: list[Node]) -> Node:
    return take(operands[0], node.operands[1], node.params["axis"])


def _dot(node: Node, parts: Sequence[Expansion], state: _State) -> Expansion:
    a, b = parts
    if state.variable.shape or (not a.free and not b.free):
        raise NoExpansion
    moving, fixed = (b, a) if a.free else (a, b)
    constant = fixed.terms[Fraction(0)]
    source = node.operands[1] if a.free else node.operands[0]

    def contract(value: Any) -> Node:
        full = _full(value, source, node)
        pair = (constant, full) if a.free else (full, constant)
        return node.builder.apply("dot", *pair)

    return moving.mapped(contract)


def _triangular(node: Node, parts: Sequence[Expansion], state: _State) -> Expansion:
    matrix, moving = parts
    if state.variable.shape or not matrix.free or moving.summed:
        raise NoExpansion
    source = node.operands[1]
    return moving.mapped(
        lambda value: node.builder.build(node.primitive, (node.operands[0], _full(value, source, node)), node.params)
    )


_MOVES: dict[str, Callable[[Node, list[Node]], Node]] = {
    "reshape": lambda node, xs: reshape(xs[0], node.params["shape"]),
    "transpose": lambda node, xs: transpose(xs[0], node.params["axes"]),
    "broadcast": lambda node, xs: broadcast(xs[0], node.params["shape"], node.params["dims"]),
    "slice": lambda node, xs: node.builder.apply("slice", xs[0], **node.params),
    "reverse": lambda node, xs: node.builder.apply("reverse", xs[0], **node.params),
    "concat": lambda node, xs: concat(xs, node.params["axis"]),
    "stack": lambda node, xs: stack(*xs),
    "take": _take,
}

_RULES: dict[str, Callable[[Node, Sequence[Expansion], _State], Expansion]] = {
    "neg": lambda node, parts, state: parts[0].mapped(lambda value: -1.0 * value),
    "add": lambda node, parts, state: _combine(parts[0], parts[1], 1.0),
    "sub": lambda node, parts, state: _combine(parts[0], parts[1], -1.0),
    "mul": lambda node, parts, state: _times(parts[0], parts[1]),
    "div": lambda node, parts, state: _divide(parts[0], parts[1]),
    "integer_pow": lambda node, parts, state: _raised(parts[0], Fraction(node.params["exponent"]), state),
    "pow": lambda node, parts, state: _raised(parts[0], _exponent(node.operands[1]), state),
    "sqrt": lambda node, parts, state: _raised(parts[0], Fraction(1, 2), state),
    "log": lambda node, parts, state: _logarithm(parts[0], state),
    "log1p": lambda node, parts, state: _log1p(parts[0], state),
    "xlogy": lambda node, parts, state: _scaled_log(node, parts, state, _logarithm),
    "xlog1py": lambda node, parts, state: _scaled_log(node, parts, state, _log1p),
    "guard": lambda node, parts, state: parts[0],
    "select": _select,
    "sum": _sum,
    "dot": _dot,
    "triangular_solve": _triangular,
    **dict.fromkeys(_MOVES, _structural),
}


def _exponent(node: Node) -> Fraction:
    if node.constant is None or node.shape:
        raise NoExpansion
    exponent = Fraction(float(node.constant)).limit_denominator(64)
    if float(exponent) != float(node.constant):
        raise NoExpansion
    return exponent
