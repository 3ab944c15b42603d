"""The command line: ``flatppl check FILE`` and ``flatppl plugins``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from flatppl.frames import Unit
from flatppl.graph.dependencies import Dependencies
from flatppl.graph.resolve import salvage
from flatppl.host import Context, Module
from flatppl.registry import Registry
from flatppl.spans import Source

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="flatppl", description="FlatPPL: declarative probabilistic models.")
    commands = parser.add_subparsers(dest="command", required=True)
    checker = commands.add_parser("check", help="report all errors of a model file")
    checker.add_argument("file", type=Path)
    commands.add_parser("plugins", help="list what the installed plugins offer")
    options = parser.parse_args(arguments)
    context = Context()
    return check_file(options.file, context) if options.command == "check" else list_plugins(context.plugins)


def check_file(path: Path, context: Context) -> int:
    """Print every error of a file; status 1 if there is one."""
    try:
        source = Source(str(path), path.read_text(encoding="utf-8"), str(path.resolve()))
    except (OSError, UnicodeDecodeError) as error:
        print(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8 text'}", file=sys.stderr)
        return 2
    graph, errors = salvage(source, context.base_names)
    errors += Module(context, Unit(graph, Dependencies(graph)), {}).errors()
    for found in errors:
        print(found, end="\n\n")
    print(f"{path}: {len(errors)} error{'' if len(errors) == 1 else 's'}" if errors else f"{path}: no errors")
    return 1 if errors else 0


def list_plugins(registry: Registry) -> int:
    """Print plugins and what they offer."""
    print("plugins")
    for plugin in registry.plugins:
        print(f"  {plugin.name} ({plugin.distribution})")
    for name, backend in sorted(registry.backends.items()):
        engines = ", ".join(sorted(registry.engines(name))) or "none"
        print(f"backend {name}\n  profiles: {', '.join(backend.profiles)}\n  derivative engines: {engines}")
    for name, module in sorted(registry.modules.items()):
        print(f"module {name} {module.version}\n  members: {', '.join(sorted(module.members))}")
    for left in registry.quarantined:
        print(f"quarantined {left.name} ({left.distribution}): {left.reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
