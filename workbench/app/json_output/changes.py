"""The ``--json`` output of the changes between two states of a session."""

from __future__ import annotations

from workbench.app.what_changed import (
    CallChange,
    CaseChange,
    ClauseChange,
    DemonstrationChange,
    QuestionChange,
    RequirementChange,
    RuleChange,
    WhatChanged,
)
from workbench.memory.retrieval_order import RetrievalChange
from workbench.serialization.json_form import json_form

json_form(RuleChange, ("rule", "name"), "requirements", "before", "after")
json_form(
    ClauseChange,
    "clause", "requirements", "before", "after",
    "status_before", "status_after", "previewed_before", "previewed_after",
)  # fmt: skip
json_form(CaseChange, "case", "added", "removed", "passed_before", "passed_after")
CALL_CHANGE = json_form(CallChange, "run", ("call", "index"), "before", "after")
json_form(QuestionChange, "question", "text", "opened")
json_form(RequirementChange, "requirement", "before", "after")
json_form(DemonstrationChange, "demonstration", "before", "after")
json_form(RetrievalChange, "run", ("call", "index"), "before", "after")
WHAT_CHANGED = json_form(
    WhatChanged,
    "requirements", "rules", "clauses", "cases", "calls",
    "questions", "demonstrations", "retrieved",
)  # fmt: skip
