"""Facts that rules may speak of: their names, where they come from, and the arguments that give them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.clarify.named_things import options_of
from workbench.model import Argument, Record


class FactSource(StrEnum):
    """The source of a fact."""

    CALL = "an argument of the call"
    CONTEXT = "the context of the run"
    EARLIER_CALL = "earlier calls"
    EARLIER_RESULT = "what an earlier call returned"
    TIME = "the time of the call"
    POLICY = "an argument of the policy"


@dataclass(frozen=True, slots=True)
class SayableFact:
    """Something that a rule may speak of: its name in plain words, and the argument that gives it.

    ``tools`` are those whose calls have it, all where empty. ``records`` and ``arguments`` are those that
    it also needs: the customer of the order needs the order. A fact ``of_element`` has as its argument's
    name a place in an element of a list; ``arguments`` has the list. ``meaning`` is the part of a kind of
    value (``path.absolute``), ``root`` where relative paths begin. ``absent`` are the places that may be
    None where it has no value, in the order of looking; else it is the argument itself.
    """

    phrase: str
    source: FactSource
    argument: Argument
    tools: tuple[str, ...] = ()
    stems: frozenset[str] = field(default_factory=frozenset[str])
    records: tuple[Record, ...] = ()
    arguments: tuple[Argument, ...] = ()
    of_element: bool = False
    meaning: str = ""
    root: str = ""
    absent: tuple[str, ...] = ()

    @property
    def declared(self) -> tuple[Argument, ...]:
        """The arguments that the agent spec takes for it."""
        return self.arguments if self.of_element else (*self.arguments, self.argument)


def with_meaning(fact: SayableFact) -> SayableFact:
    """The fact with the part of a kind of value that its argument is, and with the root of its paths."""
    options = options_of(fact.argument)
    root = options.get("root") or options.get("folder") or ""
    return replace(fact, meaning=str(options.get("part", "")), root=str(root))
