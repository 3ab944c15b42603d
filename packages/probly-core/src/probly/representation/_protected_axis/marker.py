"""What tells a representation from an array, for modules below the base class."""

__all__ = ["Representation"]


class Representation:
    """Mark of every class with protected axes."""

    __slots__ = ()
