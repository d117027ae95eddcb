"""The builder of the norms of one statement, with the checks that each norm has to pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from workbench.author.argument_terms import all_of, any_of, conjuncts, names, value_listing
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.lexicon import is_action
from workbench.author.rules.norms import Effect, Norm, split_scope
from workbench.author.rules.sentences import Chunk
from workbench.model import Kind
from workbench.policy.connectives import is_true
from workbench.policy.terms import Term

if TYPE_CHECKING:
    from workbench.author.rules.statement_reading import StatementReader


NO_FORM = "its form is none that the language has"


@dataclass(frozen=True, slots=True)
class Default:
    """A sentence that states the decision about everything that no other sentence covers."""

    allow: bool


type StatementNorms = tuple[Norm, ...] | Default


def is_passive(action: Chunk) -> bool:
    """Whether an action reads "be sent ..."."""
    return len(action) > 1 and action[0].text.lower() == "be"


@dataclass(slots=True)
class NormBuilder:
    """Builds the norms of one statement: “if” narrows them by ``when``, “unless” makes an exception.

    ``spent`` are the fields that a form has used: no part of a statement may be left unused.
    """

    reader: StatementReader
    requirement: str
    text: str
    when: Term
    unless: Term | None
    spent: set[str] = field(default_factory=set[str])

    def complete(self, reading: StatementNorms) -> StatementNorms:
        """The reading; raises UnreadableError if its form has not used every part of the statement."""
        if self.unless is not None and "unless" not in self.spent:
            raise UnreadableError("it is open what “unless” frees from")
        return reading

    def exception(self) -> Term | None:
        """The condition of the part after “unless”, marked as used by the form; None without such a part."""
        self.spent.add("unless")
        return self.unless

    def norm(self, effect: Effect, scope: Term, condition: Term) -> StatementNorms:
        """One norm with this effect. Raises UnreadableError if it names two calls."""
        self._check_one_call(effect, scope, condition)
        return (Norm(self.requirement, effect, scope, condition, self.text),)

    def _check_one_call(self, effect: Effect, scope: Term, condition: Term) -> None:
        """Refuse two tools for one call: “never refund if it was cancelled” refers to an earlier call."""
        listed = [
            (listing, place)
            for place, term in enumerate((scope, condition))
            for part in conjuncts(term)
            if (listing := value_listing(part)) is not None
            and is_action(self.reader.lexicon.argument(listing.argument))
        ]
        for first, second in combinations(listed, 2):
            apart = first[1] != second[1] and effect is Effect.REQUIRE
            is_affirmed = not (first[0].negated and second[0].negated)
            if is_affirmed and (apart or not set(first[0].values) & set(second[0].values)):
                raise UnreadableError("it names two things that are done, and which call comes first is open")

    def check_roles(self, subject_term: Term, rest: Term) -> None:
        """Refuse a sentence that names a role of its subject again: “contractors without a manager”."""
        enums = {argument.name for argument in self.reader.lexicon.of_kind(Kind.ENUM)}
        if again := enums & set(names(subject_term)) & set(names(rest)):
            raise UnreadableError(f"it says two things of {sorted(again)[0]}", sorted(again)[0])

    def deny(self, everything: Term) -> StatementNorms:
        """A norm that forbids this condition. Raises UnreadableError if it would forbid every call."""
        if is_true(everything):
            raise UnreadableError("it names nothing that the agent spec knows")
        scope, condition = split_scope(self.reader.lexicon, everything)
        return self.norm(Effect.FORBID, scope, condition)

    def require(self, scope: Term, condition: Term) -> StatementNorms:
        """A norm that allows ``scope`` only under the condition. Raises UnreadableError without one."""
        if is_true(condition):
            raise UnreadableError("it does not say what is required")
        return self.norm(Effect.REQUIRE, all_of(scope, self.when), condition)

    def or_exception(self, condition: Term) -> Term:
        """The requirement or its exception: “only S may V unless C”."""
        unless = self.exception()
        return condition if unless is None else any_of(condition, unless)

    def acts(self, condition: Term) -> Term:
        """The actions that a condition names."""
        lexicon = self.reader.lexicon
        return all_of(
            *(
                part
                for part in conjuncts(condition)
                if names(part) and all(is_action(lexicon.argument(name)) for name in names(part))
            )
        )
