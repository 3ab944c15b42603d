"""A canonical key of a tensor program: equal for equal programs, in every process."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from flatppl.errors import InternalError
from flatppl.tensor.program import Constant, Node, Program

__all__ = ["program_key"]


def program_key(program: Program) -> str:
    """Digest of a program's structure.

    Nodes are numbered in the order of a depth-first walk from the results, so the key does not depend on when a
    node was built, on dead nodes, or on names of variables. Constants count by content.

    Raises
    ------
    InternalError
        If a primitive has a param that is neither a number, a string, a tuple of these, an array nor a program.
    """
    sink = hashlib.sha256()
    numbers: dict[int, int] = {}
    for node in (*program.params, *program.captures):
        _enter(sink, numbers, node, f"leaf {node.aval}")
    for result in program.results:
        _walk(sink, numbers, result)
    sink.update(repr([numbers[result.number] for result in program.results]).encode())
    return sink.hexdigest()


def _enter(sink: Any, numbers: dict[int, int], node: Node, line: str) -> None:
    numbers[node.number] = len(numbers)
    sink.update(f"{line}\n".encode())


def _walk(sink: Any, numbers: dict[int, int], root: Node) -> None:
    stack = [root]
    while stack:
        node = stack[-1]
        waiting = [operand for operand in node.operands if operand.number not in numbers]
        if node.number in numbers or not waiting:
            stack.pop()
            if node.number not in numbers:
                _enter(sink, numbers, node, _line(node, numbers))
        else:
            stack.extend(reversed(waiting))


def _line(node: Node, numbers: dict[int, int]) -> str:
    operands = [numbers[operand.number] for operand in node.operands]
    params = ",".join(f"{name}={_param(node.params[name])}" for name in sorted(node.params))
    return f"{node.primitive.name} {operands} {params}"


def _param(value: Any) -> str:
    if value is None or isinstance(value, (bool, int, float, str)):
        return f"{type(value).__name__}:{value!r}"
    if isinstance(value, tuple):
        return f"({','.join(map(_param, value))})"
    if isinstance(value, Constant):
        return _param(value.array)
    if isinstance(value, np.ndarray):
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"array:{value.dtype.str}:{value.shape}:{content}"
    if isinstance(value, Program):
        return f"program:{program_key(value)}"
    raise InternalError(f"a param of type {type(value).__name__} has no canonical form")
