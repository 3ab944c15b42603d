"""``python -m probly.testing CASES.json [--backend NAME]``."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence

from probly.dispatch import library
from probly.errors import BackendNotFoundError
from probly.testing.cases import failure, load, selected

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a case file; print a line per failing case and a closing count; 1 if any failed."""
    parser = argparse.ArgumentParser(prog="python -m probly.testing", description=main.__doc__)
    parser.add_argument("cases", help="case file in the format of the requirements, section 11")
    parser.add_argument("--backend", help="run on this backend alone; by default on every installed one a case names")
    given = parser.parse_args(arguments)
    try:
        if given.backend:
            library(given.backend)
    except BackendNotFoundError as error:
        parser.error(str(error))
    passed = failed = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case, backend in selected(load(given.cases), given.backend):
            problem = failure(case, backend)
            if problem is None:
                passed += 1
            else:
                failed += 1
                print(f"{case['id']} [{backend}] {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
