"""The texts of a call that its tool runs, for all methods that read code.

A tool runs the arguments that its schema calls code. An argument that its schema does not declare may be code
too, so it counts as well. Only the prose of a log is partly code and partly not.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.model import ACT, FACTS, AgentSpec, Json, RecordedCall, Tool
from workbench.runs.extract.key_lines import KeyLineReader
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import TextRegion
from workbench.runs.values.found_value import Missing

# Properties of a tool's schema whose values the tool runs, in lower case without "_" and "-".
CODE_KEYS = frozenset(
    [
        "bash", "cell", "cells", "cmd", "code", "command", "commands", "expr", "expression", "filter",
        "formula", "init", "preamble", "prelude", "program", "python", "pythoncode", "queries", "query",
        "script", "setup", "shell", "snippet", "source", "sourcecode", "sql", "sqlquery", "src", "statement",
        "statements", "where",
    ]
)  # fmt: skip
_ARGUMENT = "arguments."


class Received:
    """Gives the texts that the tool of a call runs."""

    def __init__(self, spec: AgentSpec, options: Options) -> None:
        """Read the options ``text`` and ``field``; the default of ``text`` is for logs without calls."""
        self._texts = options.texts("text")
        named = self._texts if options.has("text") else ()
        self._named = frozenset(text.removeprefix(_ARGUMENT) for text in named if text.startswith(_ARGUMENT))
        self._declared = {tool.name: _properties(tool) for tool in spec.tools}
        key = options.text("field")
        self._field = KeyLineReader(key, options) if key else None

    def of(self, call: RecordedCall) -> list[TextRegion]:
        """The texts that the tool runs; all of them count. Raises Missing if there is none."""
        if call.tool == ACT:
            return [self._prose(call)]
        arguments = call.arguments
        if arguments is None:
            arguments = {
                name.removeprefix(_ARGUMENT): text
                for name, text in call.texts.items()
                if name.startswith(_ARGUMENT)
            }
        text_regions: list[TextRegion] = []
        code = call.texts.get("code")
        if code is not None and code not in arguments.values():
            # The layout of this log has the code next to the call.
            text_regions.append(TextRegion("code", code, 0, len(code)))
        for key, value in arguments.items():
            if self._is_run(call.tool, key):
                text_regions.extend(_texts(call, key, value))
        if not text_regions:
            if call.arguments is None:
                return [self._prose(call)]
            raise Missing("the call has no argument that the tool runs; the option text can name one")
        if self._field is not None:
            raise Missing("the option field is for the prose of a log, but a tool runs all of an argument")
        return text_regions

    def _is_run(self, tool: str | None, key: str) -> bool:
        declared = self._declared.get(tool or "")
        if declared is None or key not in declared:
            return True
        return key in self._named if self._named & declared else _plain(key) in CODE_KEYS

    def _prose(self, call: RecordedCall) -> TextRegion:
        """The text of a log without calls, or the line of it that the option ``field`` names."""
        for name in self._texts:
            text = call.texts.get(name)
            if text is not None and name != FACTS:
                region = TextRegion(name, text, 0, len(text))
                return region if self._field is None else self._field.of(region)
        raise Missing(f"the call has no text {' or '.join(self._texts)}")


def is_prose(region: TextRegion) -> bool:
    """Whether the text is an agent's prose around its code, so that only marked parts of it are code."""
    return region.name != "code" and region.name != "arguments" and not region.name.startswith(_ARGUMENT)


def _properties(tool: Tool) -> frozenset[str] | None:
    """The arguments that a tool declares; None if it declares none."""
    properties = tool.parameters.get("properties")
    return frozenset(properties) if isinstance(properties, dict) else None


def _plain(key: str) -> str:
    return key.casefold().replace("_", "").replace("-", "")


def _texts(call: RecordedCall, key: str, value: Json) -> Iterator[TextRegion]:
    """The texts of an argument. Raises Missing for a list of several: how the tool joins them is unknown."""
    if isinstance(value, str):
        yield TextRegion(f"{_ARGUMENT}{key}", value, 0, len(value))
    elif isinstance(value, list):
        whole = call.texts.get("arguments", "")
        for item in value:
            start = whole.find(item) if isinstance(item, str) else -1
            if not isinstance(item, str) or start < 0 or len(value) > 1:
                raise Missing(f"the argument {key} holds parts that may be code, which cannot be followed")
            yield TextRegion("arguments", whole, start, start + len(item))
    elif isinstance(value, dict):
        raise Missing(f"the argument {key} holds parts that may be code, which cannot be followed")
