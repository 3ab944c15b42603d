"""FlatPPL: text of a probabilistic model in, a callable out."""

from flatppl.errors import CompilationError as CompilationError
from flatppl.host import Binding as Binding
from flatppl.host import Context as Context
from flatppl.host import Module as Module
from flatppl.host import flatppl as flatppl
from flatppl.integration import Integration as Integration
from flatppl.random_state import rngstate_bytes as rngstate_bytes

__all__ = ["Binding", "CompilationError", "Context", "Integration", "Module", "flatppl", "rngstate_bytes"]
