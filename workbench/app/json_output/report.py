"""The ``--json`` output of ``workbench check``."""

from __future__ import annotations

from workbench.app.json_output.nouns import ANSWERED, CASES, THEOREM
from workbench.app.owed import Owed
from workbench.app.report import Report
from workbench.runs.replay.summary import SUMMARY
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form


def _session(report: Report) -> str:
    return str(report.session)


OWED = JsonForm[Owed](Owed, fields("kind", "name", "statement", "in_force", "reason", "mend"))
_QUESTIONS = JsonForm[Report](Report, fields("open", ("answered", Nested(ANSWERED, "answered", many=True))))
_REPLAY = JsonForm[Report](Report, fields(Nested(SUMMARY, "replay"), ("problems", "unreadable")))
REPORT = json_form(
    Report,
    ("session", _session),
    ("questions", Nested(_QUESTIONS)),
    ("owed", Nested(OWED, "owed", many=True)),
    "problems",
    ("cases", Nested(CASES, "cases")),
    "proof",
    ("theorems", Nested(THEOREM, "theorems", many=True)),
    ("replay", Nested(_REPLAY)),
    "guarded",
)
