"""The agent of the sample session: its spec, and a few methods of extraction."""

from __future__ import annotations

from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extraction,
    Kind,
    LookUpTool,
    Proposal,
    Record,
    RecordField,
    Tool,
)
from workbench.old_screen.agent_state import Method, MethodOption

ROLES = ("physician", "nursing", "general administration")
COLUMNS = ("allergy.drugname", "diagnosis.icd9code", "cost.cost")
SPEC = AgentSpec(
    "ehr-agent",
    "Answers questions of hospital staff.",
    (
        Tool(
            "GetValue",
            "Reads a column.",
            {"type": "object", "properties": {"column": {"type": "string"}}, "required": ["column"]},
        ),
    ),
    (
        Argument(
            "role",
            ArgumentType(Kind.ENUM, ROLES),
            "who asks",
            Extraction("vocabulary", {"field": "User identity"}),
        ),
        Argument(
            "columns", ArgumentType(Kind.SET, COLUMNS), "", Extraction("regex", {"pattern": '"(\\w+)"'})
        ),
        Argument(
            "rows", ArgumentType(Kind.INT), "how many rows", Extraction("regex", {"pattern": "limit=(\\d+)"})
        ),
    ),
    {"role": ROLES},
    {"allergy": ("drugname",), "diagnosis": ("icd9code",), "cost": ("cost",)},
    {"general admission": "general administration"},
)
_FIELD = MethodOption("field", "text", "only the value of its line FIELD: value")
METHODS = (
    Method(
        "jsonpath", "the value at a path", (MethodOption("path", "text", "such as $.arguments.x", (), True),)
    ),
    Method(
        "regex",
        "what a pattern matches in a text",
        (
            MethodOption("pattern", "text", "a regular expression", (), True),
            MethodOption("ignore_case", "flag", "whether case does not matter"),
            _FIELD,
        ),
    ),
    Method(
        "vocabulary",
        "words of a closed list",
        (
            MethodOption("words", "texts", "the words"),
            MethodOption("synonyms", "words", "a line for each word: word: other, other"),
            MethodOption("cutoff", "number", "likeness, 0 to 100"),
            _FIELD,
        ),
    ),
)
COMMON = (MethodOption("tools", "texts", "the tools that have this argument"),)
_COLUMN = Argument(
    "column", ArgumentType(Kind.STR), "", Extraction("jsonpath", {"path": "$.arguments.column"})
)
_PATIENT = Record(
    "patient",
    (RecordField("ward", ArgumentType(Kind.STR)), RecordField("age", ArgumentType(Kind.INT))),
    "patient_id",
    look_up=LookUpTool("get_patient", {"patient_id": "key"}),
)
_OPTIONS = {"record": "patient", "key": "$.arguments.patient_id"}
PROPOSED = (
    Proposal(
        "patient",
        (_PATIENT,),
        (
            Argument(
                "patient",
                ArgumentType(Kind.RECORD, optional=True, record=_PATIENT.type),
                "the patient that the call is about",
                Extraction("record", _OPTIONS),
            ),
        ),
        ("12 results have this shape: get_patient (12).",),
        ("add_note takes patient_id and changes things: it is taken to change the patient; is that so?",),
    ),
    Proposal("column", (), (_COLUMN,)),
)
