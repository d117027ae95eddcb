"""The domain of Python's types without the parts that lowered programs cannot mention.

Nagini declares every class that it knows, and unions of up to four types, in every program, with some forty
axioms about them. Silicon sends all of it to each Z3, one sentence at a time. Lowered programs have ints,
booleans and sets of ints. An axiom that is left out can only make a proof fail, never succeed.
"""

# Nagini has no type information; only the modules of this package touch it.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

CLASSES = frozenset({"object", "int", "bool", "float", "str", "NoneType", "PSet"})
"""The classes that are kept; ``float`` is a superclass of ``int`` in Nagini's library."""

RELATIONS = frozenset(
    {"typeof", "issubtype", "isnotsubtype", "extends_", "get_basic", "union_basic", "PSet_arg", "PSet_basic"}
)
_UNIONS = ("union_basic_", "union_subtype_", "subtype_union_")
_CLASS = "subtype_"


def needed_functions(names: Iterable[str]) -> set[str]:
    """The names of the domain's functions that are kept."""
    return {name for name in names if name in CLASSES | RELATIONS}


def needed_axioms(names: Iterable[str]) -> set[str]:
    """The names of the domain's axioms that are kept: all but those of other classes and of unions."""
    return {name for name in names if not name.startswith(_UNIONS) and not _of_other_class(name)}


def _of_other_class(axiom: str) -> bool:
    return axiom.startswith(_CLASS) and axiom.removeprefix(_CLASS) not in CLASSES


class SmallTypeDomain:
    """Replaces Nagini's ``TypeDomainFactory.create_type_domain``."""

    def __init__(self) -> None:
        """Install the replacement; ``whole`` removes it."""
        from nagini_translation.translators import type_domain_factory

        self._factory: Any = type_domain_factory.TypeDomainFactory
        self._plain: Any = self._factory.create_type_domain

        def create(factory: Any, functions: list[Any], axioms: list[Any], ctx: Any) -> Any:
            needed_names = needed_functions(str(function.name()) for function in functions)
            stated = needed_axioms(str(axiom.name()) for axiom in axioms)
            return self._plain(
                factory,
                [function for function in functions if str(function.name()) in needed_names],
                [axiom for axiom in axioms if str(axiom.name()) in stated],
                ctx,
            )

        self._factory.create_type_domain = create

    def whole(self) -> None:
        """Let Nagini declare all classes again."""
        self._factory.create_type_domain = self._plain
