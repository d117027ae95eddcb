"""Write ``docs/reference/schemas``: a JSON Schema of each file of a session, and of what commands print.

Run by ``make docs``; a test compares the files with what this would write.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from workbench.app import result_forms
from workbench.app.json_forms import ARGUMENT, CASE, CASES, DEMONSTRATION, PROOF, QUESTION
from workbench.app.report import REPORT
from workbench.author.model.recording import StoredCall
from workbench.check.strength import STRENGTH
from workbench.evaluate.evaluation_form import EVALUATED
from workbench.policy.json_form import JsonForm, Nested, whole_schema
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
# What the commands of these names print with --json, and with an option or below a command: its name follows.
# What is printed once for each of many is a form; a list is one of many.
RESULTS: dict[str, JsonForm[Any] | Nested] = {
    "result-answer.json": result_forms.SESSION_CHANGE,
    "result-answer-preview.json": result_forms.CHOICE_PREVIEW,
    "result-ask.json": result_forms.UNDERSTANDING,
    "result-ask-explain.json": result_forms.EXPLAINED_QUESTION,
    "result-assumptions.json": Nested(result_forms.ASSUMED, many=True),
    "result-case.json": result_forms.KEPT_CASE,
    "result-case-remove.json": CASE,
    "result-cases.json": Nested(CASE, many=True),
    "result-check.json": REPORT,
    "result-denials.json": result_forms.DENIED,
    "result-denials-judge.json": result_forms.JUDGED,
    "result-diff.json": result_forms.CHANGE,
    "result-doctor.json": Nested(result_forms.DIAGNOSIS, many=True),
    "result-evaluate.json": EVALUATED,
    "result-evidence.json": result_forms.EVIDENCE_REPORT,
    "result-explain.json": EXPLANATION,
    "result-memory.json": result_forms.MEMORY_CHANGE,
    "result-memory-effect.json": Nested(result_forms.RETRIEVAL_CHANGE, many=True),
    "result-memory-list.json": Nested(DEMONSTRATION, many=True),
    "result-memory-rank.json": Nested(result_forms.RETRIEVED, many=True),
    "result-propose.json": ARGUMENT,
    "result-replay.json": STEP,
    "result-replay-folder.json": result_forms.SCALE,
    "result-strategies.json": result_forms.STRATEGIES,
    "result-strength.json": STRENGTH,
    "result-strength-accept.json": result_forms.ACCEPTED,
    "result-strength-case.json": QUESTION,
    "result-strength-clause.json": result_forms.PINNED,
    "result-test.json": CASES,
    "result-verify.json": PROOF,
}


def schema(form: type[BaseModel] | JsonForm[Any] | Nested) -> str:
    """The text of a form's schema."""
    made = form.model_json_schema() if isinstance(form, type) else whole_schema(form)
    found = {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, form in {**FORMS, **RESULTS}.items():
        (FOLDER / name).write_text(schema(form))
