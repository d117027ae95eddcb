"""The cases of a session: running all, and keeping and removing those of a person."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from workbench.files.bounded_text import load_json
from workbench.model import (
    Arguments,
    Case,
    CaseOrigin,
    Counterexample,
    Json,
    Value,
    Verdict,
    WorkbenchError,
)
from workbench.serialization.json_form import Nested, json_form

if TYPE_CHECKING:
    from workbench.app.request import Request
    from workbench.check.cases_run import CaseRun
    from workbench.check.disputed_input import DisputedInput
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session


@dataclass(frozen=True, slots=True)
class KeptCase:
    """A case that was stored, and what it says of the rules and the contract."""

    case: Case
    judgement: DisputedInput


json_form(KeptCase, "case", Nested(None, "judgement"))


class Cases:
    """The cases of a session: runs, stores, edits and removes them."""

    def __init__(self, session: Session, request: Request) -> None:
        self._session = session
        self._request = request

    def generate(self) -> int:
        """Make the cases of the policy anew, as they follow from its rules; a person's stay.

        The number of generated cases. Raises WorkbenchError if the policy is not in the dialect.
        """
        cases = self._request.cases()
        self._session.set_cases(cases, "Make the cases of the policy")
        return sum(case.origin == "generated" for case in cases)

    def run(
        self,
        source: str | None = None,
        cases: Sequence[Case] | None = None,
        *,
        cancelled: threading.Event | None = None,
    ) -> CaseRun:
        """Run the session's cases against the policy with pytest, in a process of its own."""
        from workbench.check.cases_run import run_cases

        return run_cases(
            self._session.evaluated(source).terms,
            self._session.cases if cases is None else cases,
            cancelled=cancelled,
            words=self._session.words,
        )

    def keep(
        self,
        terms: PolicyTerms,
        arguments: Arguments,
        expected: Verdict,
        *,
        reason: str = "",
        requirements: Sequence[str] = (),
        origin: CaseOrigin = "human",
        identity: str = "",
    ) -> KeptCase:
        """Keep an input with the decision that a person expects as a case of the session.

        Raises WorkbenchError if the policy cannot evaluate the input (unless that is expected), or if a case
        of a person expects another decision on the same input.
        """
        from workbench.check.disputed_input import judge, with_case

        judgement = judge(terms, arguments, expected)
        case = Case(identity or origin, dict(arguments), expected, reason, tuple(requirements), origin)
        before = self._session.cases
        after = with_case(before, case)
        if after != before:
            self._session.set_cases(after, f"Keep a case: {after[-1].id}")
        kept_case = next(candidate for candidate in reversed(after) if candidate.arguments == case.arguments)
        return KeptCase(kept_case, judgement)

    def keep_counterexample(
        self,
        terms: PolicyTerms,
        clause: str,
        counterexample: Counterexample,
        expected: Verdict | None = None,
        reason: str = "",
    ) -> KeptCase:
        """Keep the counterexample to a clause as a case, with the decision that a person expects.

        Without ``expected``, the case expects the opposite of the policy's decision, as the clause demands.
        """
        if expected is None:
            if counterexample.decision is None:
                raise WorkbenchError(f"The policy decides nothing on the counterexample to {clause}.")
            allowed = counterexample.decision is Verdict.ALLOW
            expected = Verdict.DENY if allowed else Verdict.ALLOW
        named = next(contract_clause for contract_clause in terms.clauses if contract_clause.id == clause)
        return self.keep(
            terms,
            counterexample.arguments,
            expected,
            reason=reason or f"Counterexample to {clause}: {named.comment or named.source}",
            requirements=named.requirements,
            origin="counterexample",
            identity=f"counterexample-{clause}",
        )

    def read_arguments(self, terms: PolicyTerms, text: str) -> Arguments:
        """The arguments in a JSON object; each must be an argument of the policy and fit its type."""
        from workbench.runs.values.coerce import coerce_whole
        from workbench.runs.values.found_value import Missing

        try:
            parsed = load_json(text)
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict):
            raise WorkbenchError('The arguments are not one JSON object; write them like {"age": 17}.')
        words = terms.file.words
        values = words.from_file(cast("dict[str, Json]", parsed))
        type_by_name = {argument.name: argument.type for argument in terms.arguments}
        arguments: dict[str, Value] = {}
        for name, value in values.items():
            if name not in type_by_name:
                own = words.in_file({**dict.fromkeys(type_by_name), "tool": values.get("tool")})
                names = ", ".join(own if words else type_by_name) or "none"
                raise WorkbenchError(f"The policy does not read {name!r}; it reads {names}.")
            try:
                arguments[name] = coerce_whole(value, type_by_name[name])
            except Missing as error:
                raise WorkbenchError(f"The argument {words.said(name)} does not fit: {error}.") from None
        return arguments

    def text(self, identity: str) -> str:
        """The text of a case in ``cases.toml``, for an editor."""
        from workbench.session.excerpts import case_text

        return case_text(self._named(identity), self._session.words)

    def put_text(self, identity: str, text: str) -> None:
        """Store the case in an edited text, in place of the case with this id."""
        from workbench.session.excerpts import read_case

        types = {argument.name: argument.type for argument in self._session.spec.arguments}
        old, case = self._named(identity), read_case(text, types, self._session.words)
        cases = tuple(case if item is old else item for item in self._session.cases)
        self._session.set_cases(cases, f"Edit the case {case.id}")

    def new_text(self, terms: PolicyTerms, requirement: str = "") -> str:
        """The text of a new case for ``cases.toml``, with the input of a known case.

        The known case is one of the requirement, if it has any.
        """
        from workbench.check.cases_generate import generate_cases
        from workbench.session.excerpts import case_text

        all_cases = self._session.cases or generate_cases(terms)
        about = [case for case in all_cases if requirement in case.requirements]
        begun = next(iter((*about, *all_cases)), None)
        arguments: Arguments = begun.arguments if begun is not None else {}
        taken_ids, number = {case.id for case in self._session.cases}, 1
        while f"case-{number}" in taken_ids:
            number += 1
        named = (requirement,) if requirement else ()
        return case_text(
            Case(f"case-{number}", arguments, Verdict.DENY, "", named, "human"), self._session.words
        )

    def add_text(self, text: str) -> KeptCase:
        """Store the case in a text as a new one.

        Raises WorkbenchError as ``keep`` does, and if the text is no case, its id is taken, or the policy
        file is not in the dialect.
        """
        from workbench.session.excerpts import read_case

        types = {argument.name: argument.type for argument in self._session.spec.arguments}
        new_case = read_case(text, types, self._session.words)
        if any(case.id == new_case.id for case in self._session.cases):
            raise WorkbenchError(f"There is a case {new_case.id!r} already; choose another id.")
        return self.keep(
            self._session.evaluated().terms,
            new_case.arguments,
            new_case.expected,
            reason=new_case.reason,
            requirements=new_case.requirements,
            origin=new_case.origin,
            identity=new_case.id,
        )

    def _named(self, identity: str) -> Case:
        case = next((case for case in self._session.cases if case.id == identity), None)
        if case is None:
            raise WorkbenchError(f"The session has no case {identity!r}; `workbench cases` lists them.")
        return case

    def take(self, identity: str, decided: Verdict) -> Case:
        """Let a case expect another decision; raises WorkbenchError if there is none."""
        new = replace(self._named(identity), expected=decided)
        cases = (new if one.id == identity else one for one in self._session.cases)
        self._session.set_cases(cases, f"Expect {decided} of the case {identity}")
        return new

    def remove(self, identity: str) -> Case:
        """Remove a case; raises WorkbenchError if there is none, or if the draft would make it again.

        A case that another program removed is put back first, so that the journal has both.
        """
        gone = removed_cases(self._session).get(identity)
        if gone is not None:
            self._session.set_cases((*self._session.cases, gone), f"Put the case {identity} back")
        case = self._named(identity)
        if case.origin == "generated":
            raise WorkbenchError(
                f"The case {identity} is made from the request; change the request or its answers."
            )
        cases = tuple(old_case for old_case in self._session.cases if old_case.id != identity)
        self._session.set_cases(cases, f"Remove the case {identity}")
        return case


# --- the cases that another program removed, by the journal

_CASES = "cases.toml"


def removed_cases(session: Session) -> dict[str, Case]:
    """The cases that another program removed and that are not back, by id.

    What the workbench itself removed, a person removed. A case that only another journal knows, as that of a
    colleague, is none of them.

    A case that the draft made is one of them until the workbench writes the cases again.
    """
    removed: dict[str, Case] = {}
    for change in session.history:
        if not removed and not change.outside:
            continue  # nothing can come back
        for file in change.files:
            if file.name != _CASES:
                continue
            before, after = _cases(file.old), _cases(file.new)
            if change.outside:
                removed |= {name: case for name, case in before.items() if name not in after}
            else:
                removed = {name: case for name, case in removed.items() if case.origin != "generated"}
            for name in after:
                removed.pop(name, None)
    present = _cases(session.text(_CASES)) if removed else {}
    return {name: case for name, case in removed.items() if name not in present}


def _cases(text: str | None) -> dict[str, Case]:
    """The cases of a text by id; none of a text that cannot be read, as of a file that another tool broke."""
    from workbench.session.session_files import read_cases

    try:
        return {case.id: case for case in read_cases(text or "")}
    except WorkbenchError:
        return {}
