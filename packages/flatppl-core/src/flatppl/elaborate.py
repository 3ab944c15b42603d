"""The evaluator: module graph in, symbolic values out; iterative over frames.

Rules are plain functions or generators. A generator *yields* what it needs evaluated (another generator, or a
value, which comes back as it is) and *returns* its result; :meth:`Evaluator.run` keeps the stack of generators
explicitly, so neither bindings nor calls nor measures use the Python stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from types import GeneratorType
from typing import Any

from flatppl.calls import bind
from flatppl.distribution import Distribution
from flatppl.errors import InternalError, Refusal, refuse
from flatppl.frames import Frame
from flatppl.functions.common import as_value
from flatppl.graph.nodes import Builtin, Call, Expr, Literal, Local, Member, Part, Ref, Reify
from flatppl.measures.base import Measure, MeasureOperation
from flatppl.measures.constructor import DistributionMeasure
from flatppl.measures.given import apply_to_draws
from flatppl.spans import Span
from flatppl.tensor.mapping import cells, finish_map
from flatppl.tensor.program import Builder, Node, Region
from flatppl.values.callables import Closure, Function, Native
from flatppl.values.forms import Record, Table, Tensor, Text, Tuple, Value, describe

__all__ = ["Evaluator", "Task"]

Task = Generator[Any, Any, Any]

#: Evaluation deeper than this many nested rules is refused.
DEPTH_LIMIT = 50_000


class Evaluator:
    """Evaluates graph nodes to values.

    Parameters
    ----------
    builder : Builder
        Receives the tensor program.
    base : mapping of str to Value
        Values of the names of ``base``.
    forms : mapping of str to callable
        Special forms: ``form(evaluator, call, frame)`` on unevaluated arguments.
    registry : Registry
        What plugins offer.
    load : callable
        ``load(location, unit) -> Unit`` for ``load_module``.
    """

    def __init__(
        self,
        builder: Builder,
        base: Mapping[str, Any],
        forms: Mapping[str, Callable[..., Any]],
        registry: Any,
        load: Callable[[str, Any], Any],
    ) -> None:
        self.builder = builder
        self.base = base
        self.forms = forms
        self.registry = registry
        self.load = load
        self.region = builder.root
        self.draws = 0
        #: Laws formed that own every draw their value depends on.
        self.laws = 0
        #: Densities in the textbook form that closed forms recognise, instead of the numerically careful one.
        self.algebraic = False
        #: Settings of numerical integration; None allows exact rules only.
        self.integration: Any = None
        self._origins: dict[int, tuple[Value, Span]] = {}

    # -- the loop ---------------------------------------------------------------------------------

    def run(self, task: Any) -> Any:
        """Result of a task."""
        if not isinstance(task, GeneratorType):
            return task
        stack: list[Task] = [task]
        value: Any = None
        error: Refusal | None = None
        while True:
            try:
                request = stack[-1].send(value) if error is None else stack[-1].throw(error)
                value, error = (None, None) if type(request) is GeneratorType else (request, None)
            except StopIteration as stop:
                stack.pop()
                request, value, error = stop.value, None, None
                if type(request) is not GeneratorType:
                    value = request
                    if not stack:
                        return value
            except Refusal as refusal:
                stack.pop()
                if not stack:
                    raise
                error = refusal
                continue
            if type(request) is GeneratorType:
                stack.append(request)
                if len(stack) > DEPTH_LIMIT:
                    error = Refusal("depth", f"evaluation is nested deeper than {DEPTH_LIMIT} rules")

    # -- nodes ------------------------------------------------------------------------------------

    def evaluate(self, node: Expr, frame: Frame) -> Any:
        """Value of a node in a frame, or a task for it."""
        match node:
            case Literal(value=value):
                return Text(value) if isinstance(value, str) else Tensor(self.builder.constant(value))
            case Ref(name=name):
                return self.binding(name, frame)
            case Local(name=name):
                return frame.parameters[name]
            case Builtin(name=name):
                return self.base[name] if name in self.base else self._missing(node)
        home = frame.home_of_node(node)
        found = home.memo.get(node)
        return found if found is not None else self._compute(node, home)

    def binding(self, name: str, frame: Frame) -> Any:
        """Value of a binding, or a task for it."""
        home = frame.home_of_binding(name)
        if name in home.cut:
            return home.cut[name]
        return self.evaluate(home.unit.graph.bindings[name].expr, home)

    def _missing(self, node: Builtin) -> Any:
        raise Refusal("unsupported", f"{node.name} is not implemented in this version", node.span)

    def _compute(self, node: Expr, frame: Frame) -> Task:
        try:
            rule: Callable[..., Any] = _RULES.get(type(node), _unknown)
            value = yield rule(self, node, frame)
        except Refusal as refusal:
            if refusal.span is None:
                refusal.span = node.span
            raise
        frame.memo[node] = value
        if isinstance(value, (Measure, Native)):
            self._origins.setdefault(id(value), (value, node.span))
        return value

    def _call(self, node: Call, frame: Frame) -> Task:
        if type(node.head) is Builtin:
            if (form := self.forms.get(node.head.name)) is not None:
                return (yield form(self, node, frame))
            _check_written_size(node, node.head.name)
        callee = yield self.evaluate(node.head, frame)
        args = []
        for arg in node.args:
            args.append((yield self.evaluate(arg, frame)))
        keywords = {}
        for key, arg in node.keywords:
            keywords[key] = yield self.evaluate(arg, frame)
        try:
            return (yield self.apply(callee, args, keywords))
        except Refusal as refusal:
            if refusal.span is not None and isinstance(callee, (Closure, Native)) and refusal.span != node.span:
                refusal.trail.append(node.span)
            raise

    def _reify(self, node: Reify, frame: Frame) -> Task | Closure:
        if node.inputs is not None:
            return Closure(node, frame, node.inputs, ordered=True)
        return self._traced(node, frame)

    def _traced(self, node: Reify, frame: Frame) -> Closure:
        from flatppl.graph.nodes import Input

        names = frame.unit.dependencies.auto_inputs(node.body)
        if not names:
            refuse("form", f"{node.kind} without a boundary reaches no elementof leaf; list its inputs by keyword")
        targets = tuple(Input(name, Ref(node.span, name)) for name in names)
        return Closure(node, frame, targets, ordered=False)

    def _member(self, node: Member, frame: Frame) -> Task:
        module = yield self.binding(node.alias, frame)
        return (yield module.member(self, node.name))

    def _part(self, node: Part, frame: Frame) -> Task:
        value = yield self.evaluate(node.source, frame)
        match value:
            case Tuple(items=items):
                parts: Sequence[Any] = items
            case Record(items=fields):
                parts = [part for _, part in fields]
            case Tensor(levels=levels) if levels and levels[0] == 1:
                parts = [None] * value.node.shape[0]
            case _:
                refuse("kind", f"{describe(value)} cannot be decomposed; use an array, a record or a tuple")
        if len(parts) != node.count:
            refuse("shape", f"{describe(value)} has {len(parts)} parts, not {node.count}")
        if parts[node.index] is not None:
            return parts[node.index]
        index = Tensor(self.builder.constant(node.index))
        return (yield self.apply(self.base["get0"], [value, index], {}))

    # -- calls ------------------------------------------------------------------------------------

    def apply(self, callee: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Value of a call, or a task for it."""
        match callee:
            case Closure():
                values = bind("this callable", callee.inputs, args, keywords, ordered=callee.ordered)
                return apply_to_draws(self, values, lambda values: self._apply_closure(callee, tuple(values)))
            case Function(name, parameters, rule, whole, defaults):
                return as_value(
                    self.builder, rule(*bind(name, parameters, args, keywords, whole=whole, defaults=defaults))
                )
            case Distribution():
                names = tuple(name for name, _ in callee.parameters)
                return DistributionMeasure.build(callee, bind(callee.name, names, args, keywords))
            case MeasureOperation(rule=rule):
                return rule(self, tuple(args), dict(keywords))
            case Native(name, inputs, rule, ordered):
                values = bind(name, inputs, args, keywords, ordered=ordered)
                return apply_to_draws(self, values, lambda values: rule(*values))
        refuse("call", f"{describe(callee)} cannot be called")

    def _apply_closure(self, callee: Closure, values: tuple[Any, ...]) -> Task:
        key = ("apply", callee.reify, callee.frame, values, self.algebraic)
        found = callee.frame.memo.get(key)
        if found is not None:
            return found
        before = self.draws, self.laws
        result = yield self.evaluate(callee.reify.body, self._frame_of(callee, values))
        if callee.reify.kind == "kernelof":
            result = yield self.base["lawof"].rule(self, (result,), {})
        if (self.draws, self.laws) == before:
            callee.frame.memo[key] = result
        return result

    def _frame_of(self, callee: Closure, values: Sequence[Any]) -> Frame:
        pairs = list(zip(callee.targets, values, strict=True))
        parameters = {t.target.name: value for t, value in pairs if isinstance(t.target, Local)}
        cut = {t.target.name: value for t, value in pairs if isinstance(t.target, Ref)}
        return Frame(callee.frame.unit, self.region, callee.frame, callee.reify, parameters, cut)

    def apply_together(self, callees: Sequence[Closure], values: Mapping[str, Any]) -> Task:
        """Bodies of callables that bind the same names, at the same values: what they draw on the way is one draw."""
        frame = self._frame_of(callees[0], [values[name] for name in callees[0].inputs])
        results = []
        for callee in callees:
            results.append((yield self.evaluate(callee.reify.body, frame)))
        return results

    def inputs_of(self, callee: Any) -> tuple[str, ...]:
        """Names of a callable's inputs in order."""
        match callee:
            case Closure() | Native():
                return callee.inputs
            case Function(parameters=parameters):
                return parameters
            case Distribution():
                return tuple(name for name, _ in callee.parameters)
        refuse("kind", f"{describe(callee)} is not a callable")

    def apply_whole(self, callee: Any, value: Any) -> Any:
        """Apply to a variate: whole if there is one input, by field names if there are several."""
        names = self.inputs_of(callee)
        if len(names) > 1:
            return self.apply(callee, [], self._fields(callee, names, value))
        return self.apply(callee, [], {names[0]: value})

    def _fields(self, callee: Any, names: tuple[str, ...], value: Any) -> dict[str, Any]:
        if isinstance(value, (Record, Table)):
            return dict(value.items)
        refuse("call", f"{describe(callee)} takes {len(names)} inputs; a {describe(value)} feeds only one")

    def apply_cell(self, callee: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Apply to the cells of a broadcast, reduce, scan or filter; a row goes whole to a callable of one input."""
        if len(args) != 1 or keywords or not isinstance(args[0], Record):
            return self.apply_positional(callee, args, keywords)
        names = self.inputs_of(callee)
        if len(names) == 1 and not (isinstance(callee, (Distribution, Function)) and names[0] in args[0].fields):
            return self.apply(callee, [], {names[0]: args[0]})
        return self.apply(callee, args, {})

    def apply_positional(self, callee: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Apply without splatting a record that is bound by position."""
        if not any(isinstance(arg, (Record, Table)) for arg in args):
            return self.apply(callee, args, keywords)
        names = self.inputs_of(callee)
        if len(args) > len(names):
            refuse("call", f"{describe(callee)} takes {len(names)} inputs, got {len(args)}")
        return self.apply(callee, [], {**dict(zip(names, args, strict=False)), **keywords})

    # -- loops ------------------------------------------------------------------------------------

    def map_cells(self, arrays: Sequence[Node], axes: tuple[int, ...], body: Callable[[list[Node]], Any]) -> Task:
        """``body`` (giving a list of nodes) on every cell of the arrays along the leading axes; arrays of results."""
        region = Region(self.region)
        variables = cells(self.builder, arrays, axes, region)
        results = yield self.inside(region, body(variables))
        return finish_map(self.builder, arrays, axes, region, variables, results)

    def inside(self, region: Region, task: Any) -> Task:
        """Run a task with ``region`` as the place of new draws and loops."""
        outer, self.region = self.region, region
        try:
            return (yield task)
        finally:
            self.region = outer

    # -- measures ---------------------------------------------------------------------------------
    # A density that has no rule is the fault of the measure, so the refusal points at its text. A mass or a sample
    # that has none is the fault of who asks for it: `totalmass`, `rand`, or a measure such as `normalize(m)`.

    def density(self, measure: Measure, x: Any) -> Task:
        """Log density of a measure at a value of its form."""
        try:
            return (yield measure.log_density(self, x))
        except Refusal as refusal:
            raise self._attributed(refusal, measure) from None

    def textbook_density(self, measure: Measure, x: Any) -> Task:
        """The same, as an expression that closed forms recognise."""
        outer, self.algebraic = self.algebraic, True
        try:
            return (yield self.density(measure, x))
        finally:
            self.algebraic = outer

    def log_mass(self, measure: Measure) -> Any:
        """Log total mass of a measure, or a task for it."""
        return measure.log_mass(self)

    def log_mass_within(self, measure: Measure, region: Any) -> Any:
        """Log mass of a measure inside a set, or a task for it."""
        return measure.log_mass_within(self, region)

    def sample(self, measure: Measure, stream: Any) -> Any:
        """A value drawn from a measure (from its normalized form if its mass is not one), or a task for it."""
        return measure.sample(self, stream)

    def made_by(self, kernel: Native, rule: Callable[..., Any], parts: tuple[Any, ...]) -> Task:
        """``rule(parts)``, a measure: what is refused then, or later about it, is the fault of the kernel's text."""
        try:
            measure = yield rule(parts)
        except Refusal as refusal:
            raise self._attributed(refusal, kernel) from None
        if id(kernel) in self._origins:
            self._origins.setdefault(id(measure), (measure, self._origins[id(kernel)][1]))
        return measure

    def _attributed(self, refusal: Refusal, culprit: Value) -> Refusal:
        if refusal.span is None and id(culprit) in self._origins:
            refusal.span = self._origins[id(culprit)][1]
        return refusal


#: Operations that take a size -> its position.
_SIZES = {"iid": 1, "markovchain": 2}


def _check_written_size(node: Call, name: str) -> None:
    """Refuse a size that is written as zero; one that data decide may be zero, and both have the same value."""
    position = _SIZES.get(name, len(node.args))
    for size in node.args[position : position + 1]:
        parts = size.args if isinstance(size, Call) and getattr(size.head, "name", None) == "vector" else (size,)
        if any(isinstance(part, Literal) and part.value == 0 and part.value is not False for part in parts):
            refuse("shape", f"{name}: a written size must be positive; only the size of data may be zero")


def _unknown(evaluator: Evaluator, node: Expr, frame: Frame) -> Any:
    if type(node).__name__ == "Axis":
        refuse("scope", "an axis name stands only in the indices of aggregate and metricsum")
    raise InternalError(f"no rule for {type(node).__name__}")


_RULES: dict[type, Callable[..., Any]] = {
    Call: Evaluator._call,
    Reify: Evaluator._reify,
    Member: Evaluator._member,
    Part: Evaluator._part,
}
