"""Write ``docs/reference/schemas``: a JSON Schema of each file of a session, and of the commands' output.

Run by ``make docs``; a test compares the files with the output of this script.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from workbench.app.json_output.results import PRINTED
from workbench.author.model.recording import StoredCall
from workbench.author.model.whole_file.stored_drafting import KeptDrafting
from workbench.files.strict_reading import NounForm
from workbench.model import Demonstration
from workbench.runs.logs.decision_record import DecisionLine
from workbench.serialization.json_form import JsonForm, Nested, whole_schema
from workbench.session.accepted_version import AcceptedVersion
from workbench.session.agent_file import AgentFile
from workbench.session.guardagent_file import GuardAgentRecord
from workbench.session.journal import JournalLine
from workbench.session.merged_draft import MergedDraft
from workbench.session.session_files import AssumptionsFile, CasesFile, SessionInfo, StrengthFile
from workbench.tui.keys_form import KeysFile

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference" / "schemas"
FORMS: dict[str, type] = {
    "session.json": SessionInfo,
    "agent.json": AgentFile,
    "assumptions.json": AssumptionsFile,
    "cases.json": CasesFile,
    "accepted.json": AcceptedVersion,
    "draft.json": MergedDraft,
    "drafting.json": KeptDrafting,
    "strength.json": StrengthFile,
    "memory.json": Demonstration,
    "calls.json": StoredCall,
    "guardagent.json": GuardAgentRecord,
    "journal.json": JournalLine,
    "keys.json": KeysFile,
    "decisions.json": DecisionLine,
}
RESULTS = {f"result-{name}.json": form for name, form in PRINTED.items()}


def schema(form: type | JsonForm[Any] | Nested) -> str:
    """The text of a form's schema."""
    content = _table_schema(form) if isinstance(form, type) else whole_schema(form)
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **content}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _table_schema(form: type) -> dict[str, Any]:
    if issubclass(form, BaseModel):
        return form.model_json_schema()
    definitions = NounForm[form].model_json_schema()["$defs"]
    table = definitions.pop(form.__name__)
    return {"$defs": definitions, **table} if definitions else table


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, form in {**FORMS, **RESULTS}.items():
        (FOLDER / name).write_text(schema(form))
