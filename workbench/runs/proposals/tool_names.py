"""Names for classes and parameters whose own names give none: of other letters, of one name, of a keyword."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from workbench.clean_text import listed, one_line
from workbench.dialect.call_types import MOST_TOOLS, class_name
from workbench.dialect.class_names import (
    RESERVED_CLASSES,
    field_name,
    is_class_name,
    is_field_name,
    words_in_capitals,
)
from workbench.dialect.schema_fields import fields_of_tool
from workbench.model import FieldNote, Tool, WorkbenchError

_SHOWN = 5


def with_names(tools: Iterable[Tool], taken: Iterable[str] = ()) -> tuple[tuple[Tool, ...], tuple[str, ...]]:
    """The tools, each with a class of its own and names for its parameters; and a sentence about new names.

    ``taken`` are classes of other things. Raises WorkbenchError for more tools than can have classes.
    """
    all_tools = tuple(tools)
    if len(all_tools) > MOST_TOOLS:
        raise WorkbenchError(
            f"There are {len(all_tools):,} tools, and at most {MOST_TOOLS:,} can have classes; "
            "give those that the policy is about."
        )
    classes = {*RESERVED_CLASSES, *taken}
    named: list[Tool] = []
    changed: list[str] = []
    for number, tool in enumerate(all_tools, start=1):
        own = class_name(tool)
        if not own or own in classes:
            own = _free(_class(tool.name) or f"Tool{number}", classes)
            changed.append(tool.name)
            tool = replace(tool, class_name=own)
        classes.add(own)
        noted = _with_field_names(tool)
        if noted is not tool:
            changed.append(tool.name)
        named.append(noted)
    return tuple(named), _sentences(list(dict.fromkeys(changed)))


def _sentences(changed: Sequence[str]) -> tuple[str, ...]:
    if not changed:
        return ()
    shown = [one_line(name, 40) for name in changed[:_SHOWN]]
    more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
    return (f"Names that a policy cannot use have others, as agent.toml says: {listed(shown)}{more}.",)


def _plain(name: str) -> str:
    """A name in plain letters: without accents, and without what has no plain letter."""
    return "".join(character for character in unicodedata.normalize("NFKD", name) if character.isascii())


def _class(name: str) -> str:
    words = words_in_capitals(_plain(name))
    return (
        words if is_class_name(words) else f"Tool{words}" if is_class_name(f"Tool{words}") and words else ""
    )


def _free(name: str, taken: set[str]) -> str:
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}{number}", number + 1
    return candidate


def _with_field_names(tool: Tool) -> Tool:
    """A tool with a name for each parameter whose key is none."""
    paths = fields_of_tool(tool, class_name(tool), set()).paths
    notes = dict(tool.fields)
    taken = {path.rpartition(".")[2] for path in paths}
    for path in paths:
        key = path.rpartition(".")[2]
        if path.endswith("[]") or field_name(key) or path in notes or not key:
            continue
        plain = re.sub(r"\W+", "_", _plain(key), flags=re.ASCII).strip("_")
        plain = plain if is_field_name(plain) else f"parameter_{plain}" if plain else "parameter"
        name = _free(plain, taken)
        taken.add(name)
        notes[path] = FieldNote(name=name)
    return replace(tool, fields=notes) if len(notes) > len(tool.fields) else tool
