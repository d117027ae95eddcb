"""Write ``docs/reference/schemas``: a JSON Schema of each file of a session, and of what commands print.

Run by ``make docs``; a test compares the files with what this would write.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from workbench.app.change_form import CHANGE
from workbench.app.json_forms import CASES, PROOF
from workbench.app.report import REPORT
from workbench.author.model.recording import StoredCall
from workbench.check.strength import STRENGTH
from workbench.policy.json_form import JsonForm
from workbench.runs.logs.decision_record import DecisionLine
from workbench.runs.replay.explanation import EXPLANATION
from workbench.runs.replay.record import STEP
from workbench.session.agent_file import AgentFile
from workbench.session.drafted import DraftFile
from workbench.session.journal import JournalLine
from workbench.session.session_files import AssumptionsFile, CasesFile, DemonstrationForm, SessionFile
from workbench.session.strength_file import StrengthFile
from workbench.tui.keys_file import KeysFile

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference" / "schemas"
FORMS: dict[str, type[BaseModel]] = {
    "session.json": SessionFile,
    "agent.json": AgentFile,
    "assumptions.json": AssumptionsFile,
    "cases.json": CasesFile,
    "draft.json": DraftFile,
    "strength.json": StrengthFile,
    "memory.json": DemonstrationForm,
    "calls.json": StoredCall,
    "journal.json": JournalLine,
    "keys.json": KeysFile,
    "decisions.json": DecisionLine,
}
# What the commands of these names print with --json.
RESULTS: dict[str, JsonForm[Any]] = {
    "result-check.json": REPORT,
    "result-diff.json": CHANGE,
    "result-explain.json": EXPLANATION,
    "result-replay.json": STEP,
    "result-strength.json": STRENGTH,
    "result-test.json": CASES,
    "result-verify.json": PROOF,
}


def schema(form: type[BaseModel] | JsonForm[Any]) -> str:
    """The text of a form's schema."""
    made = form.schema() if isinstance(form, JsonForm) else form.model_json_schema()
    found = {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, form in {**FORMS, **RESULTS}.items():
        (FOLDER / name).write_text(schema(form))
