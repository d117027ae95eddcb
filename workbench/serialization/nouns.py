"""The JSON forms of the nouns of the model, which results hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from workbench.model import (
    Accepted,
    Assumption,
    CallDecision,
    Case,
    CaseResult,
    ClauseProof,
    CodeAttempt,
    Counterexample,
    Demonstration,
    Draft,
    Extracted,
    ImportProblem,
    Json,
    LookedUp,
    Option,
    PathRule,
    Problem,
    Proof,
    Provenance,
    Question,
    RecordedCall,
    Run,
    Sentence,
    SentenceRole,
    StepVerdict,
    TheoremVerdict,
    Value,
    Verdict,
    Violation,
)
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form, written


def json_of(result: object) -> Json:
    """The JSON of a result, in the form of its class; those of the nouns that it holds are known here."""
    return written(result)


type Answered = tuple[Question, Assumption]
type _Condition = tuple[str, bool]


def _named(verdict: ClauseProof | TheoremVerdict) -> str:
    return ", ".join(verdict.requirements)


def _seconds(verdict: ClauseProof | TheoremVerdict) -> float:
    return round(verdict.seconds, 3)


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


def _realised(counterexample: Counterexample) -> Sequence[Mapping[str, Json]] | None:
    return None if counterexample.realised is None else _calls(counterexample.realised)


def _breaking(verdict: TheoremVerdict) -> Sequence[Mapping[str, Json]] | None:
    return None if verdict.breaking is None else _calls(verdict.breaking)


def _calls(run: Run) -> list[Mapping[str, Json]]:
    """The calls of a run in order; the last one is decided.

    ``approved`` is whether a person approved a call about which a rule asked, or did so before by ``grants``.
    """
    return [
        {
            "tool": call.tool,
            "arguments": dict(call.arguments or {}),
            "result": call.result,
            "failed": call.failed,
            "approved": bool(call.approved),
            "grants": list(call.granted),
            "time": call.time,
            "user": call.texts.get("all_user", ""),
            "context": dict(call.context),
        }
        for call in run.calls
    ]


def _parts(decided: CallDecision) -> Mapping[str, Verdict] | None:
    return decided.parts or None


def _look_up(item: Extracted) -> LookedUp | None:
    return item.look_up if item.missing is None else None


def _state(item: Extracted) -> str | None:
    return item.state or None


def _fields(item: Extracted) -> Mapping[str, tuple[Provenance, ...]] | None:
    return item.items if item.state and item.missing is None else None


def _step(call: RecordedCall | CallDecision) -> int:
    return call.index if call.step is None else call.step


def _value(item: Extracted) -> Value:
    return item.value if item.missing is None else None


def _source(item: Extracted) -> tuple[Provenance, ...]:
    return item.provenance if item.missing is None else ()


def _spans(entry: Provenance) -> tuple[tuple[int, int], ...]:
    return tuple((span.start, span.end) for span in entry.spans)


CONDITION = JsonForm[_Condition](_Condition, fields(("condition", "0"), ("holds", "1")))
json_form(PathRule, "rule", "fired", "conditions")
json_form(
    Counterexample,
    *("arguments", "decisive_arguments", "left_out", "confirmed", "decision", "note", "path"),
    ("realised?", _realised),
)
json_form(
    ClauseProof,
    *(("id", "clause"), ("requirement", _named), "status", "engine", "why", ("seconds", _seconds)),
    *("cached", "counterexample"),
)
json_form(CodeAttempt)
json_form(Option)
json_form(Problem, "message", "instead", "line", "column")
json_form(ImportProblem)
json_form(CaseResult, "case", "actual", "detail")
json_form(
    Sentence,
    *("text", "role", ("line", "span.line"), ("start", "span.start"), ("end", "span.end"), "requirements"),
)
json_form(Proof, "status", "why", "clauses")
json_form(StepVerdict)
json_form(
    TheoremVerdict,
    *("name", "sentence", ("requirement", _named), "line", "status", "engine", "why", "assumed", "lemmas"),
    *("found", ("by_tool", "steps"), ("breaking_run", _breaking), "rules", "searched"),
    *(("wrong_versions_refused", "refuses"), ("seconds", _seconds)),
)
json_form(
    Question,
    *("id", "kind", "text", "quote", ("line", "span.line"), "requirements", "options"),
    *(("default", _default), "blocking", "free_text", "example"),
)
json_form(Assumption, "id", "question", "value", "statement", "made_by", "when", "requirements", "why")
ANSWERED = JsonForm[Answered](Answered, fields(Nested(None, "0"), ("assumption", "1")))
"""A question with the assumption that its answer became."""
CASES = JsonForm[Sequence[CaseResult]](
    Sequence[CaseResult], fields(("passed", _passed), ("failed", _failed), ("failures", _failures))
)
"""The numbers of cases that passed and failed, and every failure."""
json_form(Case)
json_form(Demonstration)
json_form(Draft, ("counts", _roles), "sentences")
json_form(Accepted, "mutant", ("description", "what"), "reason")
json_form(Violation, "rule", "message", "items")
json_form(Provenance, "method", "text", ("spans", _spans), "confidence", ("call?", "call"))
json_form(LookedUp, "tool", "arguments")
json_form(
    Extracted,
    *(("value", _value), ("source", _source), ("missing?", "missing"), ("look_up?", _look_up)),
    *(("state?", _state), ("fields?", _fields)),
)
PLACE = JsonForm[RecordedCall | CallDecision](CallDecision, fields("run", ("step", _step), ("call", "index")))
json_form(
    CallDecision,
    *(Nested(PLACE), ("decision", "decision.verdict"), ("violations", "decision.violations")),
    *(("arguments", "extracted"), ("reasons", "decision.reasons"), ("guards?", _parts)),
)
