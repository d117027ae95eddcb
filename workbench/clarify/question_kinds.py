"""The kinds of question that have a file: every module of ``workbench.clarify.kinds``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from workbench.clarify.situation import Situation
from workbench.model import Question


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """One kind of question.

    A ``late`` kind is searched only if no other question is open, because its findings may follow from a
    default.
    """

    name: str
    find: Callable[[Situation], Iterable[Question]]
    late: bool = False


@cache
def kinds() -> tuple[QuestionKind, ...]:
    """Every kind, in the order of the modules' names; a module's ``LATE`` makes its kind late."""
    package = import_module("workbench.clarify.kinds")
    names = sorted(module.name for module in iter_modules(package.__path__))
    modules = [(name, import_module(f"{package.__name__}.{name}")) for name in names]
    return tuple(QuestionKind(name, module.find, getattr(module, "LATE", False)) for name, module in modules)
