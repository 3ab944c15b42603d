"""Circular references between bindings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = ["cycles"]


def cycles(references: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Circles of names, each starting with the name that stands first in ``references``.

    Of circles that share names, only some are reported; time is linear in the references.

    Parameters
    ----------
    references : mapping of str to tuple of str
        The names that each name refers to directly; names without an entry refer to nothing.

    Examples
    --------
    >>> list(cycles({"a": ("b",), "b": ("c",), "c": ("b",), "d": ("d",)}))
    [('b', 'c'), ('d',)]
    """
    order = {name: number for number, name in enumerate(references)}
    done: set[str] = set()
    reported: set[str] = set()
    for root in references:
        if root in done:
            continue
        path, place, rests = [root], {root: 0}, [iter(references[root])]
        while path:
            name = next(rests[-1], None)
            if name is None:
                rests.pop()
                done.add(path[-1])
                del place[path.pop()]
            elif name in place:
                if name not in reported and path[-1] not in reported:
                    circle = path[place[name] :]
                    reported.update(circle)
                    yield _rotated(circle, order)
            elif name not in done and name in references:
                place[name] = len(path)
                path.append(name)
                rests.append(iter(references[name]))


def _rotated(circle: list[str], order: Mapping[str, int]) -> tuple[str, ...]:
    first = min(range(len(circle)), key=lambda number: order[circle[number]])
    return (*circle[first:], *circle[:first])
