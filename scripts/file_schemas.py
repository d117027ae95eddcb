"""Write ``docs/reference/schemas``: a JSON Schema of each file of a session, for editors.

Run by ``make docs``; a test compares the files with what this would write.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from workbench.author.model.recording import CallLine
from workbench.runs.logs.decision_record import DecisionLine
from workbench.session.agent_file import AgentFile
from workbench.session.drafted import DraftFile
from workbench.session.journal import JournalLine
from workbench.session.records import AssumptionsFile, CasesFile, DemonstrationForm, SessionFile
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
    "calls.json": CallLine,
    "journal.json": JournalLine,
    "keys.json": KeysFile,
    "decisions.json": DecisionLine,
}


def schema(form: type[BaseModel]) -> str:
    """The text of a form's schema."""
    found = {"$schema": "https://json-schema.org/draft/2020-12/schema", **form.model_json_schema()}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, form in FORMS.items():
        (FOLDER / name).write_text(schema(form))
