"""JSON forms of the nouns: the objects that commands print with ``--json``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from workbench.check.realise.run_words import run_json
from workbench.model import (
    Assumption,
    Case,
    CaseResult,
    ClauseProof,
    Counterexample,
    Demonstration,
    Draft,
    ImportProblem,
    Json,
    Option,
    PathRule,
    Problem,
    Proof,
    Proposal,
    Question,
    Sentence,
    SentenceRole,
    StepVerdict,
    TheoremVerdict,
)
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form

type Answered = tuple[Question, Assumption]


def _requirement(proof: ClauseProof) -> str:
    return ", ".join(proof.requirements)


def _seconds(proof: ClauseProof) -> float:
    return round(proof.seconds, 3)


def _default(question: Question) -> str | None:
    return question.default or None


def _passed(results: Sequence[CaseResult]) -> int:
    return sum(result.passed for result in results)


def _failed(results: Sequence[CaseResult]) -> int:
    return len(_failures(results))


def _failures(results: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
    return tuple(result for result in results if not result.passed)


def _roles(draft: Draft) -> Mapping[str, int]:
    counts = Counter(sentence.role for sentence in draft.sentences)
    return {role.value: counts[role] for role in SentenceRole}


def _plain(value: object) -> Json:
    match value:
        case dict():
            return {str(key): _plain(item) for key, item in cast("dict[object, object]", value).items()}
        case list() | tuple():
            return [_plain(item) for item in cast("list[object]", value)]
        case _:
            return value if isinstance(value, bool | int | str) else str(value)


def _records(proposal: Proposal) -> Mapping[str, Json]:
    from workbench.session.agent_records import record_table

    return {record.name: _plain(record_table(record)) for record in proposal.records}


def _notes(proposal: Proposal) -> Mapping[str, Json]:
    from workbench.session.agent_file import note_tables

    return {tool: _plain(note_tables(notes)) for tool, notes in proposal.notes.items()}


def _readings(proposal: Proposal) -> Mapping[str, Json]:
    from workbench.session.agent_file import reading_table

    return {reading.name: _plain(reading_table(reading)) for reading in proposal.readings}


def _context(proposal: Proposal) -> Mapping[str, Json]:
    from workbench.session.agent_file import context_table

    return {name: _plain(context_table(field)) for name, field in proposal.context.items()}


def _realised(counterexample: Counterexample) -> Sequence[Mapping[str, Json]] | None:
    return None if counterexample.realised is None else run_json(counterexample.realised)


def _breaking(verdict: TheoremVerdict) -> Sequence[Mapping[str, Json]] | None:
    return None if verdict.breaking is None else run_json(verdict.breaking)


def _requirements(verdict: TheoremVerdict) -> str:
    return ", ".join(verdict.requirements)


def _took(verdict: TheoremVerdict) -> float:
    return round(verdict.seconds, 3)


json_form(PathRule, "rule", "fired", "conditions")
json_form(
    Counterexample,
    *("arguments", "decisive_arguments", "left_out", "confirmed", "decision", "note", "path"),
    ("realised?", _realised),
)
json_form(
    ClauseProof,
    *(("id", "clause"), ("requirement", _requirement), "status", "engine", "why", ("seconds", _seconds)),
    *("cached", "counterexample"),
)
json_form(Option, "value", "label", "effect", "statement")
json_form(Problem, "message", "instead", "line", "column")
json_form(ImportProblem, "path", "line", "reason", "count")
json_form(CaseResult, "case", "actual", "detail")
json_form(
    Sentence,
    "text",
    "role",
    ("line", "span.line"),
    ("start", "span.start"),
    ("end", "span.end"),
    "requirements",
)

PROOF = json_form(Proof, "status", "why", "clauses")
json_form(StepVerdict, "tool", "status", "why")
THEOREM = json_form(
    TheoremVerdict,
    *("name", "sentence", ("requirement", _requirements), "line", "status", "engine", "why"),
    *(
        "assumed",
        "lemmas",
        "found",
        ("by_tool", "steps"),
        ("breaking_run", _breaking),
        "rules",
        "searched",
        ("wrong_versions_refused", "refuses"),
        ("seconds", _took),
    ),
)
QUESTION = json_form(
    Question,
    *("id", "kind", "text", "quote", ("line", "span.line"), "requirements", "options"),
    *(("default", _default), "blocking", "free_text", "example"),
)
ASSUMPTION = json_form(
    Assumption, "id", "question", "value", "statement", "made_by", "when", "requirements", "why"
)
# A question with the assumption that its answer became.
ANSWERED = JsonForm[Answered](Answered, fields(Nested(QUESTION, "0"), ("assumption", "1")))
# The numbers of cases that passed and failed, and every failure.
CASES = JsonForm[Sequence[CaseResult]](
    Sequence[CaseResult], fields(("passed", _passed), ("failed", _failed), ("failures", _failures))
)
CASE = json_form(Case, "id", "arguments", "expected", "reason", "requirements", "origin")
DEMONSTRATION = json_form(Demonstration, "id", "agent_input", "agent_output", "plan", "code", "enabled")
# Every sentence of a request with its place and role, and the number of sentences of each role.
COVERAGE = JsonForm[Draft](Draft, fields(("counts", _roles), "sentences"))
# A proposal with all that it declares as in ``agent.toml``.
PROPOSAL = json_form(
    Proposal,
    *("name", ("records", _records)),
    *(("notes", _notes), ("readings", _readings), ("context", _context), "errors", "nouns"),
    *("evidence", "unsure"),
)
