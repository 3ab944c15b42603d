"""Images of measures: ``pushfwd(f, M)``, ``locscale``, ``relabel``, and functions with a given inverse."""

from __future__ import annotations

from typing import Any

from flatppl.errors import Refusal, refuse
from flatppl.functions import FUNCTIONS
from flatppl.functions.higher_order import broadcast
from flatppl.functions.variadic import relabel
from flatppl.graph.nodes import Call, Local, Ref
from flatppl.measures.base import COUNTING, NORMALIZED, Measure, MeasureOperation, require_measure
from flatppl.measures.draws import leaf_of, own_draws
from flatppl.measures.fundamental import Dirac
from flatppl.measures.joint import Joint
from flatppl.measures.law import Law
from flatppl.measures.lift import is_kernel, lifted
from flatppl.measures.product import Iid
from flatppl.tensor.program import Node
from flatppl.values.callables import Closure, Function, Native
from flatppl.values.forms import TableForm, Tensor, Texts, describe, fill, flatten, form_of, unflatten
from flatppl.values.product_sets import Power, RecordProduct
from flatppl.values.sets import FiniteSet, IntegerSet, RealSet, Set

__all__ = ["OPERATIONS"]


def _image(evaluator: Any, measure: Measure, f: Any) -> Any:
    """Task: the law of ``f(x)`` for a point x of the measure.

    An image of the image of a discrete law is an image of that law: its atoms are found as atoms of integers.
    """
    match measure:
        case Dirac(point):
            base = None
        case Law(point, source, own) if own is not None and measure.reference == COUNTING:
            base = Law(point, source, own)
        case _:
            point = leaf_of(evaluator, measure)
            base = Law(point, measure, own_draws(point))
    value = yield f(point)
    try:
        flatten(value)
    except TypeError:
        refuse("kind", f"pushfwd needs a function that gives a value, got a {describe(value)}")
    return Dirac(value) if base is None else Law(value, base.source, base.own)


def _pushfwd(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 2:
        refuse("call", "pushfwd(f, M) takes two positional inputs")
    f, target = args
    if not isinstance(f, (Function, MeasureOperation)) and not is_kernel(f):
        refuse("kind", f"pushfwd needs a function first, got {describe(f)}")

    def build(measure: Any) -> Any:
        return _image(evaluator, require_measure(measure, "pushfwd"), lambda x: _applied(evaluator, f, x))

    return lifted(evaluator, "pushfwd", target, build)


def _applied(evaluator: Any, f: Any, x: Any) -> Any:
    """Task: ``f(x)``; a function of one number that is applied to nothing but its input goes to every entry."""
    if isinstance(f, MeasureOperation):
        return (yield evaluator.apply(f, [x], {}))
    try:
        return (yield evaluator.apply_whole(f, x))
    except Refusal as refusal:
        entries = isinstance(x, Tensor) and len(x.levels) == 1 and _is_unary(f)
        if refusal.code != "shape" or not entries:
            raise
    return (yield broadcast(evaluator, (f, x), {}))


def _is_unary(f: Any) -> bool:
    """Whether a callable is a function of one input, or calls such functions one after another on its input."""
    if not isinstance(f, Closure):
        return isinstance(f, Function) and len(f.parameters) == 1
    body = f.reify.body
    while isinstance(body, Call) and len(body.args) == 1 and not body.keywords:
        body = body.args[0]
    return len(f.inputs) == 1 and isinstance(body, (Local, Ref)) and body.name == f.targets[0].target.name


def _locscale(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 3:
        refuse("call", "locscale(M, shift, scale) takes three positional inputs")
    target, shift, scale = args

    def moved(x: Any) -> Any:
        scaled = FUNCTIONS["mul"].rule(scale, x)
        return FUNCTIONS["add"].rule(scaled, _spread(shift, scaled))

    return lifted(
        evaluator, "locscale", target, lambda measure: _image(evaluator, require_measure(measure, "locscale"), moved)
    )


def _spread(shift: Any, like: Any) -> Any:
    """A scalar shift of a vector moves every entry."""
    if isinstance(shift, Tensor) and not shift.levels and like.levels:
        return Tensor(shift.node.builder.apply("broadcast", shift.node, shape=like.node.shape, dims=()), like.levels)
    return shift


def _relabel(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 2:
        refuse("call", "relabel(x, names) takes two positional inputs")
    target, names = args
    if isinstance(target, Measure):
        return _relabelled_measure(evaluator, target, names)
    if isinstance(target, Set):
        return _relabelled_set(target, names)
    if isinstance(target, Function) or is_kernel(target):
        return _relabelled_callable(evaluator, target, names)
    return relabel(target, names)


def _relabelled_measure(evaluator: Any, measure: Measure, names: Any) -> Measure:
    """The same measure over a record: its parts stay parts, so that each still has its own law."""
    form = measure.form()
    relabel(fill(form, evaluator.builder.variable), names)
    labels = names.texts
    match measure:
        case Law(value, source, None):
            return Law(relabel(value, names), source)
        case _ if getattr(form, "levels", None) == ():
            return Joint((measure,), labels)
        case Joint(parts, old) if old is not None or all(getattr(p.form(), "levels", None) == () for p in parts):
            return Joint(parts, labels)
        case Iid(base, axes) if isinstance(form, TableForm):
            return Iid(_relabelled_measure(evaluator, base, names), axes)
        case Iid(base, _):
            return Joint((base,) * len(labels), labels)
        case Law(value, source, own):
            return Law(relabel(value, names), source, own)
    point = leaf_of(evaluator, measure)
    source = None if measure.mass_class == NORMALIZED else measure
    return Law(relabel(point, names), source, own_draws(point))


def _relabelled_set(target: Set, names: Any) -> Set:
    if not isinstance(names, Texts):
        refuse("kind", f"relabel takes a vector of strings as names, got a {describe(names)}")
    labels = names.texts
    if isinstance(target, (RealSet, IntegerSet, FiniteSet)) and len(labels) == 1:
        return RecordProduct(((labels[0], target),))
    if isinstance(target, Power) and target.shape == (len(labels),):
        return RecordProduct(tuple((label, target.base) for label in labels))
    if isinstance(target, RecordProduct) and len(target.items) == len(labels):
        return RecordProduct(tuple((label, part) for label, (_, part) in zip(labels, target.items, strict=True)))
    refuse("shape", f"relabel: {target.describe()} does not have {len(labels)} components")


def _relabelled_callable(evaluator: Any, target: Any, names: Any) -> Native:
    inputs = evaluator.inputs_of(target)

    def rule(*values: Any) -> Any:
        result = yield evaluator.apply(target, [], dict(zip(inputs, values, strict=True)))
        return (yield evaluator.made_by(relabelled, lambda parts: _relabel(evaluator, (*parts, names), {}), (result,)))

    relabelled = Native("relabelled callable", inputs, rule, getattr(target, "ordered", True))
    return relabelled


def _bijection(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Native:
    given = dict(zip(("f", "f_inv", "logvolume"), args, strict=False)) | keywords
    if set(given) != {"f", "f_inv", "logvolume"}:
        refuse("call", "bijection(f, f_inv, logvolume) takes exactly these inputs")
    f, f_inv, volume = given["f"], given["f_inv"], given["logvolume"]
    inputs = evaluator.inputs_of(f)
    if len(inputs) != 1:
        refuse("call", "bijection needs a function of one input")

    def rule(x: Any) -> Any:
        y = yield evaluator.apply(f, [], {inputs[0]: x})
        return _annotated(evaluator, x, y, f_inv, volume)

    return Native("bijection", inputs, rule)


def _annotated(evaluator: Any, x: Any, y: Any, f_inv: Any, volume: Any) -> Any:
    """The image, marked with its inverse; only for images and arguments of one tensor each."""
    (_, sources), (form, images) = flatten(x), flatten(y)
    if len(sources) != 1 or len(images) != 1:
        return y
    source_form = form_of(x)

    def inverse(node: Node) -> tuple[Node, Node]:
        point = evaluator.run(evaluator.apply_whole(f_inv, unflatten(form, iter([node]))))
        return flatten(point)[1][0], _volume(evaluator, volume, unflatten(source_form, iter(flatten(point)[1])))

    marked = evaluator.builder.apply("annotated", images[0], sources[0], inverse=inverse)
    return unflatten(form, iter([marked]))


def _volume(evaluator: Any, volume: Any, point: Any) -> Node:
    if isinstance(volume, Tensor):
        return evaluator.builder.convert(volume.node, "real")
    value = evaluator.run(evaluator.apply_whole(volume, point))
    if not isinstance(value, Tensor) or value.levels:
        refuse("kind", f"logvolume must give a real scalar, got a {describe(value)}")
    return evaluator.builder.convert(value.node, "real")


OPERATIONS = (
    MeasureOperation("pushfwd", _pushfwd),
    MeasureOperation("locscale", _locscale),
    MeasureOperation("relabel", _relabel),
    MeasureOperation("bijection", _bijection),
)
