"""What of a framework is there."""

import importlib
from typing import Any


def found(module: str, name: str, otherwise: Any = None) -> Any:
    """A name of a framework's module; `otherwise` where the framework is not installed."""
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return otherwise


def base(module: str, name: str) -> Any:
    """A class of a framework to be derived from; `object` where the framework is not installed."""
    return found(module, name, object)
