"""The forms for the parts of the agent spec: the agent, its tools, arguments and words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from workbench.model import AgentSpec, Json, Tool, WorkbenchError
from workbench.old_screen.agent_state import SpecEdit
from workbench.old_screen.forms import Form, FormField, Misfit, Shape, Typed, words_shown, words_typed

WIDE = 60


def agent_form(spec: AgentSpec) -> Form[SpecEdit]:
    """The agent's name and what it does."""
    fields = (
        FormField("name", "Name", "a short name"),
        FormField("description", "Description", "what the agent does", Shape.TEXT),
    )

    def read(typed: Typed) -> SpecEdit:
        changed = replace(spec, name=needed(typed, "name"), description=typed["description"].strip())
        return SpecEdit(changed, "Edit the agent")

    return Form(
        "The agent", lambda _typed: fields, {"name": spec.name, "description": spec.description}, read
    )


def tool_form(spec: AgentSpec, tool: Tool | None) -> Form[SpecEdit]:
    """A tool of the agent; None adds one."""
    fields = (
        FormField("name", "Name", "as the agent calls it"),
        FormField("description", "Description", "what it does", Shape.TEXT),
        FormField("parameters", "Parameters", "the JSON schema of its arguments", Shape.TEXT),
    )
    begun = tool or Tool("")
    schema = json.dumps(begun.parameters, indent=2, ensure_ascii=False) if begun.parameters else ""
    values = {"name": begun.name, "description": begun.description, "parameters": schema}

    def read(typed: Typed) -> SpecEdit:
        name = unused(typed, "name", {one.name for one in spec.tools} - {begun.name})
        parameters = begun.parameters
        if typed["parameters"] != schema:
            parameters = json_object("parameters", typed["parameters"])
        made = Tool(name, typed["description"].strip(), parameters, begun.reads_only)
        tools = tuple(made if one is tool else one for one in spec.tools)
        changed = replace(spec, tools=tools if tool else (*tools, made))
        return SpecEdit(changed, f"{'Edit' if tool else 'Add'} the tool {name}")

    return Form(f"Tool {begun.name}" if tool else "Another tool", lambda _typed: fields, values, read)


def words_form(spec: AgentSpec, part: str, name: str) -> Form[SpecEdit]:
    """A list of words: ``part`` is ``vocabulary`` or ``schema``; an empty name adds one."""
    lists: Mapping[str, tuple[str, ...]] = spec.vocabulary if part == "vocabulary" else spec.schema
    what, of = ("vocabulary", "words") if part == "vocabulary" else ("table", "columns")
    fields = (
        FormField("name", "Name", f"of the {what}"),
        FormField("words", of.capitalize(), "separated by commas or lines", Shape.TEXT),
    )
    values = {"name": name, "words": words_shown(lists.get(name, ()), WIDE)}

    def read(typed: Typed) -> SpecEdit:
        chosen = unused(typed, "name", set(lists) - {name})
        words = words_typed(typed["words"])
        if not words:
            raise Misfit("words", f"A {what} needs {of}.")
        changed = renamed(lists, name, chosen, words)
        label = f"{'Edit' if name else 'Add'} the {what} {chosen}"
        if part == "vocabulary":
            return SpecEdit(replace(spec, vocabulary=changed), label)
        return SpecEdit(replace(spec, schema=changed), label)

    title = f"{what.capitalize()} {name}" if name else f"Another {what}"
    return Form(title, lambda _typed: fields, values, read, begin="words" if name else "name")


def synonym_form(spec: AgentSpec, word: str) -> Form[SpecEdit]:
    """A word of a request and the agent's own word for it; an empty word adds one."""
    fields = (
        FormField("word", "Word", "as requests say it"),
        FormField("means", "Means", "the agent's own word"),
    )

    def read(typed: Typed) -> SpecEdit:
        chosen = unused(typed, "word", set(spec.synonyms) - {word})
        changed = renamed(spec.synonyms, word, chosen, needed(typed, "means"))
        return SpecEdit(replace(spec, synonyms=changed), f"{'Edit' if word else 'Add'} the synonym {chosen}")

    values = {"word": word, "means": spec.synonyms.get(word, "")}
    return Form(f"Synonym {word}" if word else "Another synonym", lambda _typed: fields, values, read)


def without(spec: AgentSpec, part: str, name: str) -> SpecEdit:
    """The spec without one of its parts; raises WorkbenchError where that cannot be."""
    match part:
        case "tool":
            changed = replace(spec, tools=tuple(one for one in spec.tools if one.name != name))
        case "argument":
            changed = replace(spec, arguments=tuple(one for one in spec.arguments if one.name != name))
        case "vocabulary":
            changed = replace(spec, vocabulary=_less(spec.vocabulary, name))
        case "schema":
            changed = replace(spec, schema=_less(spec.schema, name))
        case "synonym":
            changed = replace(spec, synonyms=_less(spec.synonyms, name))
        case _:
            raise WorkbenchError("Only a tool, an argument, a list of words or a synonym can be removed.")
    return SpecEdit(changed, f"Remove the {'table' if part == 'schema' else part} {name}")


def _less[V](table: Mapping[str, V], name: str) -> dict[str, V]:
    return {key: value for key, value in table.items() if key != name}


# --- reading fields


def needed(typed: Typed, key: str) -> str:
    """What is typed into a field that must not be empty."""
    text = typed.get(key, "").strip()
    if not text:
        raise Misfit(key, "Type something here.")
    return text


def unused(typed: Typed, key: str, taken: set[str]) -> str:
    """A name that is not taken."""
    name = needed(typed, key)
    if name in taken:
        raise Misfit(key, f"There is a {name} already; choose another name.")
    return name


def renamed[V](table: Mapping[str, V], old: str, new: str, value: V) -> dict[str, V]:
    """A table with a changed entry at its old place, or a further one at the end."""
    if old not in table:
        return {**table, new: value}
    return {(new if key == old else key): (value if key == old else other) for key, other in table.items()}


def json_value(key: str, text: str) -> Json:
    """A typed JSON value; raises Misfit that says what is wrong."""
    try:
        return cast("Json", json.loads(text))
    except RecursionError as error:
        raise Misfit(key, "The JSON is nested too deeply.") from error
    except ValueError as error:
        raise Misfit(key, f"This is not JSON ({error}).") from error


def json_object(key: str, text: str) -> Mapping[str, Json]:
    """A typed JSON object; empty where nothing is typed."""
    value = json_value(key, text) if text.strip() else {}
    if not isinstance(value, dict):
        raise Misfit(key, "Type a JSON object, which begins with {.")
    return value
