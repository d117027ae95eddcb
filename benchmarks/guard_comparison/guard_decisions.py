"""Stored decisions of guards on calls, as JSON lines, so that an evaluation can be resumed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from guard_comparison.guards.evaluated_guard import JudgedCall, WrittenCode
from workbench.author.model.progress import Usage
from workbench.model import Decision, Json, Verdict, Violation
from workbench.runs.logs.importer import dicts_at, text_at
from workbench.runs.logs.log_stream import LogSource


@dataclass(frozen=True, slots=True)
class GuardResult:
    """One decision of one guard; ``seconds`` is wall time.

    ``fingerprint`` identifies dataset, request, policy and model: results with another one are not reused.
    """

    fingerprint: str
    dataset: str
    guard: str
    run: str
    index: int
    decision: Decision
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    failed: bool = False
    code: WrittenCode | None = None
    risk: str = ""

    @classmethod
    def of(
        cls,
        fingerprint: str,
        dataset: str,
        guard: str,
        place: tuple[str, int],
        judged: JudgedCall,
        seconds: float,
    ) -> GuardResult:
        """The result for a judged call; ``place`` is the run's id and the call's index."""
        cost = (seconds, judged.usage, judged.failed)
        return cls(fingerprint, dataset, guard, *place, judged.decision, *cost, judged.code, judged.risk)

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """The key by which a resumed evaluation finds the result."""
        return self.fingerprint, self.dataset, self.guard, self.run, self.index

    def to_json(self) -> dict[str, Json]:
        """The result as the JSON of its line."""
        return {
            "fingerprint": self.fingerprint,
            "dataset": self.dataset,
            "guard": self.guard,
            "run": self.run,
            "index": self.index,
            "verdict": self.decision.verdict.value,
            "violations": [
                {"rule": violation.rule, "message": violation.message, "items": list(violation.items)}
                for violation in self.decision.violations
            ],
            "reasons": list(self.decision.reasons),
            "seconds": round(self.seconds, 6),
            "prompt_tokens": self.usage.prompt_tokens,
            "reply_tokens": self.usage.reply_tokens,
            "money": self.usage.money,
            "failed": self.failed,
            **({"risk": self.risk} if self.risk else {}),
            **({} if self.code is None else {"code_attempts": self.code.attempts, "code_ran": self.code.ran}),
        }


def read_results(path: Path) -> dict[tuple[str, str, str, str, int], GuardResult]:
    """The results stored in a file by their keys; damaged lines and failed results are left out.

    A last line that an interruption cut off counts as damaged, so its call is decided again.
    """
    results: dict[tuple[str, str, str, str, int], GuardResult] = {}
    if not path.exists():
        return results
    for record in LogSource(path).records():
        result = _read(record.value) if isinstance(record.value, dict) else None
        if result is not None and not result.failed:
            results[result.key] = result
    return results


def result_line(result: GuardResult) -> str:
    """The line of a result, with its line end."""
    return json.dumps(result.to_json(), ensure_ascii=False) + "\n"


def _read(record: dict[str, Json]) -> GuardResult | None:
    fingerprint, dataset = text_at(record, "fingerprint"), text_at(record, "dataset")
    guard, run, index = text_at(record, "guard"), text_at(record, "run", "trace"), record.get("index")
    verdict = text_at(record, "verdict")
    if not (fingerprint and dataset and guard and run and isinstance(index, int)):
        return None
    if verdict not in set(Verdict):
        return None
    violations = tuple(
        Violation(
            text_at(violation, "rule") or "",
            text_at(violation, "message") or "",
            _texts(violation.get("items")),
        )
        for violation in dicts_at(record, "violations")
    )
    usage = Usage(
        _whole(record.get("prompt_tokens")),
        _whole(record.get("reply_tokens")),
        0.0,
        _number(record.get("money")),
    )
    decision = Decision(Verdict(verdict), violations, reasons=_texts(record.get("reasons")))
    failed = record.get("failed") is not False
    seconds = _number(record.get("seconds"))
    attempts = record.get("code_attempts")
    code = WrittenCode(attempts, record.get("code_ran") is True) if isinstance(attempts, int) else None
    cost = (seconds, usage, failed)
    risk = text_at(record, "risk") or ""
    return GuardResult(fingerprint, dataset, guard, run, index, decision, *cost, code, risk)


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _whole(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
