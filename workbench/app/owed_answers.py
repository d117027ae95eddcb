"""Which answers of a session are in force.

An answer to a question of the author is in force where the author still asks it, the draft follows the
answer, and the policy decides as the draft does on every input. The solver has to prove the last; what it
does not know is not in force.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind, Owing
from workbench.author.protocol import CASE
from workbench.model import (
    Arguments,
    Assumption,
    Question,
    SentenceRole,
    Verdict,
    WorkbenchError,
)

if TYPE_CHECKING:
    from workbench.engines.smt.departure import Departure
    from workbench.policy.terms import PolicyTerms

_KEPT = 256
OUTSIDE_DIALECT = "the policy is not in the dialect"
"""Why no answer is in force in a policy that cannot be read."""


def owed_answers(owing: Owing) -> tuple[Owed, ...]:
    """Each stored answer, with the reason why it is not in force.

    What accepts a finding about the contract is no answer about the policy: see ``clause_findings``.
    """
    from workbench.app.clause_findings import is_finding

    answers = _Answers(owing)
    return tuple(
        answers.owed(assumption) for assumption in owing.assumptions if not is_finding(assumption.question)
    )


def _kind(assumption: Assumption, asked: Question | None) -> OwedKind:
    own_words = asked is not None and asked.free_text and assumption.value == assumption.statement
    return OwedKind.WORDS if own_words else OwedKind.ANSWER


@dataclass
class _Answers:
    """The answers of one session at one moment."""

    owing: Owing

    @cached_property
    def _asked(self) -> Mapping[str, Question]:
        """What is asked, by id."""
        return {item.id: item for item in (*self.owing.questions, *self.owing.draft.questions)}

    def owed(self, assumption: Assumption) -> Owed:
        """An answer, with what keeps it from being in force."""
        kind = _kind(assumption, self._asked.get(assumption.question))
        name, statement = assumption.question, assumption.statement
        reason, mend = self._trouble(assumption)
        return Owed(kind, name, statement, reason, mend)

    def _command(self, assumption: Assumption, *words: str) -> str:
        return f"workbench answer {shlex.join([self.owing.folder, assumption.question])} {' '.join(words)}"

    def _trouble(self, assumption: Assumption) -> tuple[str, str]:
        """Why an answer is not in force, and what mends that; both are empty where it is."""
        retract = self._command(assumption, "--retract")
        asked = self._asked.get(assumption.question)
        if asked is None:
            return "the request no longer asks what it answers", retract
        if assumption.question in self.owing.untold:
            return (
                "the model drafted the policy before this answer, which differs from what it assumed",
                f"workbench draft {shlex.quote(self.owing.folder)}, which asks the model again",
            )
        if why := self._refused(assumption, asked):
            return why, f"answer again: {self._command(assumption, 'VALUE')}, or take it back: {retract}"
        if self.owing.terms is None:
            return OUTSIDE_DIALECT, "correct policy.py; its problems say where"
        if why := self._not_witnessed(assumption, asked):
            return why, f"edit policy.py so that it does what the answer says, or take it back: {retract}"
        return "", ""

    # --- whether the draft follows ------------------------------------------------

    def _refused(self, assumption: Assumption, asked: Question) -> str:
        """Why the draft does not follow an answer; empty if it does.

        An answer in a person's own words is followed where the draft reads the sentence that it is about.
        What is doubtful in that reading is an open question of its own.
        """
        if assumption.value in [option.value for option in asked.options]:
            return ""
        said = [
            sentence
            for sentence in self.owing.draft.sentences
            if sentence.span.start <= asked.span.start < sentence.span.end
        ]
        is_read = bool(said) and all(sentence.role is not SentenceRole.OPEN for sentence in said)
        return "" if is_read else "the draft has no rule for it"

    # --- whether the policy follows -----------------------------------------------

    def _not_witnessed(self, assumption: Assumption, asked: Question) -> str:
        """Why the policy is not shown to do what an answer says; empty if it is."""
        terms = self.owing.terms
        if terms is None:
            return OUTSIDE_DIALECT
        if asked.kind == CASE:
            return self._case_missed(assumption, asked, terms)
        if self._as_drafted:
            return ""
        if self._drafted is None:
            return "the draft is not in the dialect, so nothing shows that the policy follows it"
        found = self._departure
        return "" if found.departs is False else self._said(found)

    def _case_missed(self, assumption: Assumption, asked: Question, terms: PolicyTerms) -> str:
        """Why an answer about one input is not in force: the policy decides the input otherwise."""
        from workbench.engines.compiled.compile import compile_policy

        if assumption.value not in tuple(Verdict) or asked.example is None:
            return ""
        names = {parameter.name for parameter in terms.arguments}
        if names - asked.example.keys():
            return "its input no longer has all arguments of the policy"
        example = {name: value for name, value in asked.example.items() if name in names}
        verdict = compile_policy(terms).decide(example).verdict
        return "" if verdict == assumption.value else f"the policy says {verdict} there"

    @cached_property
    def _as_drafted(self) -> bool:
        """Whether the policy file is the draft's."""
        from workbench.policy.render import format_policy

        return self._drafted is not None and self.owing.source == format_policy(self.owing.draft.policy)

    @property
    def _drafted(self) -> PolicyTerms | None:
        return self.owing.drafted

    @cached_property
    def _own(self) -> frozenset[str]:
        """The rules of the policy that no draft has: a person wrote them."""
        terms, drafted = self.owing.terms, self._drafted
        assert terms is not None and drafted is not None
        return frozenset(rule.name for rule in terms.rules) - {rule.name for rule in drafted.rules}

    @cached_property
    def _departure(self) -> Departure:
        """Whether the policy departs from the draft anywhere."""
        terms, drafted = self.owing.terms, self._drafted
        assert terms is not None and drafted is not None
        return _departure(terms.source, drafted.source, self._own)

    def _said(self, found: Departure) -> str:
        """A departure in words."""
        if found.departs is None:
            return (
                "nothing shows that the policy does what it says: the solver does not decide it "
                f"({found.why})"
            )
        assert found.arguments is not None
        verdict = "allows" if found.allowed else "denies"
        return f"policy.py was edited otherwise: it {verdict} {self._shown(found.arguments)}"

    def _shown(self, arguments: Arguments) -> str:
        from workbench.app.value_texts import arguments_words
        from workbench.policy.decisive_part import what_fires

        policies = [terms for terms in (self.owing.terms, self._drafted) if terms is not None]
        return arguments_words(what_fires(policies, arguments) or arguments) or "every call"


@lru_cache(maxsize=_KEPT)
def _departure(policy: str, drafted: str, own: frozenset[str]) -> Departure:
    """Whether a policy departs from a draft; the texts are checked."""
    from workbench.engines.smt.departure import Departure, departure
    from workbench.policy.check import check

    try:
        return departure(check(policy), check(drafted), own=own)
    except WorkbenchError as error:
        return Departure(None, why=str(error))
