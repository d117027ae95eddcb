"""A rule in a person's plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.author.rules.norms import Effect
from workbench.clarify.sayable_facts import SayableFact
from workbench.model import Assumption

FORMS: Mapping[str, Effect] = {
    "only if": Effect.REQUIRE,
    "never if": Effect.FORBID,
    "never": Effect.FORBID,
    "allowed if": Effect.PERMIT,
    "allowed": Effect.PERMIT,
}
"""The effects of rules in a person's words."""


@dataclass(frozen=True, slots=True)
class PersonRule:
    """A rule in a person's words: its effect, its tools and its conditions.

    ``left_out`` are the words of the sentence that the offered rule leaves out. ``stricter`` are left-out
    words that would narrow the rule or make an exception. ``assumed`` has the parts that no person stated,
    with the reasons. ``partly_named`` are the facts that its conditions name by only some of their words.
    ``aloud`` is the rule with quotation marks around the texts in its conditions. A rule may come from
    reading the sentence itself, without a person's conditions: then ``answers`` lead to that reading, and
    ``needs`` are the facts that the agent spec gets for it.
    """

    effect: Effect
    tools: tuple[str, ...]
    conditions: tuple[str, ...]
    either: bool = False
    left_out: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    aloud: str = ""
    answers: tuple[Assumption, ...] = ()
    stricter: str = ""
    partly_named: tuple[str, ...] = ()
    needs: tuple[SayableFact, ...] = ()

    @property
    def sentence(self) -> str:
        """The rule in plain words."""
        if self.aloud:
            return self.aloud
        tools_text = " or ".join(self.tools) or "anything"
        when = (" or " if self.either else " and ").join(self.conditions)
        match self.effect:
            case Effect.REQUIRE:
                return f"{tools_text} only if {when}"
            case Effect.FORBID:
                return f"never {tools_text}" + (f" if {when}" if when else "")
            case Effect.PERMIT:
                return f"{tools_text} is allowed" + (f" if {when}" if when else "")

    @property
    def offered(self) -> str:
        """The rule in plain words, with the words that it leaves out and its assumptions."""
        assumed = f"; assumed: {'; '.join(self.assumed)}" if self.assumed else ""
        return "".join((self.sentence, *(f"; {note}" for note in (*self._speaks_of, *self.omitted)), assumed))

    @property
    def unsaid(self) -> tuple[str, ...]:
        """The assumptions of the rule, with the facts that its conditions do not name in full."""
        return (*self.assumed, *self._speaks_of)

    @property
    def _speaks_of(self) -> tuple[str, ...]:
        return (
            (f"it speaks of {', '.join(f'“{phrase}”' for phrase in self.partly_named)}",)
            if self.partly_named
            else ()
        )

    @property
    def omitted(self) -> tuple[str, ...]:
        """The words of the sentence that the rule leaves out, as text."""
        left = f"left out: {', '.join(self.left_out)}" if self.left_out else ""
        stricter = f"denies more: also what “{self.stricter}” lets pass" if self.stricter else ""
        return tuple(filter(None, (left, stricter)))
