"""The page about the notation in which a model writes, the same for all calls.

What the dialect has in tables is put into the page from these tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from workbench.dialect.field_notes import NOTED_TYPES
from workbench.dialect.kind_parts import element_classes, kind_parts
from workbench.dialect.text_readings import METHODS
from workbench.policy.rule_names import RULES
from workbench.runs.extract.described import BY_NAME

_LEFT_OUT = frozenset({"above", "under"})


@cache
def notation() -> str:
    """The page, with its tables."""
    text = Path(__file__).with_name("notation.md").read_text("utf-8").strip()
    tables = {
        "rules": "`, `".join(f"{name}*" for name in RULES),
        "types": ", ".join(NOTED_TYPES),
        "kinds": "\n".join(_kinds()),
        "elements": "\n".join(f"* `{name}`: {fields}" for name, fields in element_classes()),
        "readings": "\n".join(_readings()),
    }
    for name, table in tables.items():
        text = text.replace(f"{{{{{name}}}}}", table)
    return text


def _kinds() -> Iterator[str]:
    """A row for each kind."""
    parts: dict[str, list[str]] = {}
    for part in kind_parts():
        type_ = part.type.replace("|", "or")
        parts.setdefault(part.kind, []).append(f"{', '.join(part.names)} (`{type_}`)")
    yield from (f"| `{kind}` | {'; '.join(listed)} |" for kind, listed in parts.items())


def _readings() -> Iterator[str]:
    """A row for each method that reads one text."""
    for name in METHODS:
        method = BY_NAME[name]
        options = [option for option in method.options if option.name not in _LEFT_OUT]
        listed = "; ".join(f"`{option.name}`: {option.meaning}".replace("|", "or") for option in options)
        needs = f" (needs {method.needs})" if method.needs else ""
        yield f"| `{name}` | {method.meaning}{needs} | {listed} |"
