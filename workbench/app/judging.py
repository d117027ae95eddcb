"""The causes of denials, and a person's judgements of them, which are stored as cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.app.results import Logs
from workbench.model import CallDecision, Case, Judgement
from workbench.serialization.json_form import Nested, json_form
from workbench.serialization.nouns import PLACE

if TYPE_CHECKING:
    from workbench.app.runs import Runs
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.replay.grouping import Cause, DenialGroup, JudgedGroup
    from workbench.session import Session

__all__ = ["Cause", "DenialGroup", "DeniedCalls", "Judged", "Judging"]


@dataclass(frozen=True, slots=True)
class DeniedCalls:
    """A group of denied calls, with the calls."""

    group: DenialGroup
    calls: tuple[CallDecision, ...]


json_form(DeniedCalls, Nested(None, "group"), ("calls", Nested(PLACE, "calls", many=True)))


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement of a group, by its key, and what became of it."""

    key: str
    judgement: Judgement
    judged: JudgedGroup


json_form(Judged, "key", "judgement", Nested(None, "judged"))


class Judging:
    """Groups of denied calls, and the judgements of a person about them."""

    def __init__(self, session: Session, runs: Runs) -> None:
        self._session = session
        self._runs = runs

    def denials(self, terms: PolicyTerms, decided: Sequence[CallDecision]) -> tuple[DenialGroup, ...]:
        """The calls that are not allowed, grouped by cause, the largest group first.

        A screen shows ``DenialGroup.said`` with the number of ``calls``. A person judges a whole group by
        ``judge``. ``DenialGroup.key`` is the name of a group in every run of the program.
        """
        from workbench.engines.compiled.compile import compile_policy
        from workbench.runs.replay.grouping import group_denials

        return group_denials(compile_policy(terms), decided)

    def denial_named(self, terms: PolicyTerms, logs: Logs, key: str) -> DenialGroup:
        """The group of denials with this key. Raises WorkbenchError if there is none."""
        from workbench.runs.replay.grouping import group_named

        return group_named(self.denials(terms, self._runs.decide(terms, logs)), key)

    def judge(self, groups: Sequence[DenialGroup], judgement: Judgement) -> JudgedGroup:
        """Store a judgement of whole groups as cases.

        There is one case for each of the first different arguments of a group. They replace earlier
        judgements of the same arguments. They are one entry of the journal, so that one undo takes them back.
        ``JudgedGroup.contradicted`` names cases that expect another decision.

        Raises WorkbenchError if the calls of a group lack arguments, because then no case can be made.
        """
        from workbench.runs.replay.grouping import cases_of

        new = [case for group in groups for case in cases_of(group, judgement)]
        return self._keep_judged(new, f"Judge {', '.join(group.key for group in groups)}: {judgement}")

    def judge_call(
        self, terms: PolicyTerms, decided: CallDecision, judgement: Judgement, tried: str = ""
    ) -> JudgedGroup:
        """Store a judgement of one call as a case, in place of an earlier one of its arguments.

        The call is a recorded one, or one that a person ``tried``, which is named by this text.

        Raises WorkbenchError if the call cannot be evaluated.
        """
        from workbench.runs.replay.filtering import rules_of
        from workbench.runs.replay.grouping import case_of

        fired = rules_of(decided)
        named = (
            requirement for rule in terms.rules if rule.name in fired for requirement in rule.requirements
        )
        case = case_of(decided, judgement, dict.fromkeys(named), tried)
        called = f"“{tried}”" if tried else f"call {decided.index} of {decided.run}"
        return self._keep_judged([case], f"Judge {called}: {judgement}")

    def _keep_judged(self, new: Sequence[Case], label: str) -> JudgedGroup:
        from workbench.runs.replay.grouping import with_judgement

        cases, judged = with_judgement(self._session.cases, new)
        self._session.set_cases(cases, label)
        return judged

    def caused(
        self, terms: PolicyTerms, decided: Sequence[CallDecision]
    ) -> tuple[tuple[DenialGroup, ...], Mapping[str, Judgement]]:
        """The groups of ``denials``, and the earlier judgements of them, by the keys of the groups."""
        groups = self.denials(terms, decided)
        judgement_by_key = {group.key: self.judged(group) for group in groups}
        return groups, {
            key: judgement for key, judgement in judgement_by_key.items() if judgement is not None
        }

    def judged(self, group: DenialGroup) -> Judgement | None:
        """The judgement of a group by a person; None if the group was not judged."""
        from workbench.runs.replay.grouping import judgement_of

        return judgement_of(group, self._session.cases)
