"""The agent of the sample session: its spec, and a few methods of extraction."""

from __future__ import annotations

from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Kind, Tool
from workbench.tui.agent_state import Method, MethodOption

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
PROPOSED = (
    Argument("column", ArgumentType(Kind.STR), "", Extraction("jsonpath", {"path": "$.arguments.column"})),
)
