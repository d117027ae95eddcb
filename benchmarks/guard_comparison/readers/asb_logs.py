"""Agent Security Bench: its result CSVs, and runs converted to calls."""

from __future__ import annotations

import ast
import csv
import re
import warnings
from collections.abc import Iterator
from typing import cast

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    build_run,
    facts,
    list_at,
    not_understood,
    read_each,
    run_id,
    stem,
    text_at,
)
from workbench.runs.logs.log_stream import (
    MOST_UNREADABLE,
    TOO_MANY_UNREADABLE,
    LogSource,
    Sample,
)
from workbench.runs.logs.unread import Unread
from workbench.runs.values.jsontext import MANY_VALUES, TooDeep, clean_json, has_many_values

_CALL = re.compile(
    r"I will call the (?:tool )?(?P<tool>[\w.-]+) with the params as (?P<params>.*?);?"
    r"(?=I will call the |\Z)",
    re.DOTALL,
)
_LEARNT = re.compile(
    r"The knowledge I get from (?P<tool>[\w.-]+) is: (?P<text>.*?);?(?=The knowledge I get from |\Z)",
    re.DOTALL,
)
_KINDS = ("message", "thought", "observation", None)
_COLUMNS = ("Agent Name", "Attack Tool", "messages")


class AsbCsv:
    """Reads each row as one run; ``messages`` is a Python literal."""

    name = "asb-csv"

    def matches(self, sample: Sample) -> float:
        """1.0 if the first line has the columns, else 0.0."""
        first = sample.head.split("\n", 1)[0]
        return 1.0 if all(column in first for column in _COLUMNS) else 0.0

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each row as one run, with the calls that the agent announced."""
        csv.field_size_limit(source.record_limit)
        rows = csv.reader(f"{line}\n" for _, line in source.lines())
        path = str(source.path)
        header: list[str] = []
        unreadable = 0
        while unreadable <= MOST_UNREADABLE:
            line = rows.line_num + 1
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield ImportProblem(path, line, f"the row cannot be read: {error}")
                unreadable += 1
                continue
            if not header:
                header = row
                continue
            record = dict(zip(header, row, strict=False))
            text = record.pop("messages", "")
            messages = None if has_many_values(text) else _literal(text)
            if messages is None:
                why = "the messages of the row are not a list of messages"
                yield ImportProblem(path, line, MANY_VALUES if has_many_values(text) else why)
                unreadable += 1
                continue
            calls = [call for message in messages for call in _announced(message)]
            context: dict[str, Json] = dict(record)
            yield build_run(f"{stem(source.path)}:{line}", calls, context, self.name, source, f"line {line}")
        yield ImportProblem(path, rows.line_num, TOO_MANY_UNREADABLE)


def _literal(text: str) -> list[dict[str, Json]] | None:
    try:
        with warnings.catch_warnings():
            # A bad escape in a log is of no interest to the user of the workbench.
            warnings.simplefilter("ignore")
            value = clean_json(cast("Json", ast.literal_eval(text)))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError, TooDeep):
        return None
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return None
    return [item for item in value if isinstance(item, dict)]


def _announced(message: dict[str, Json]) -> Iterator[LoggedCall]:
    """The calls of "[Action]: I will call the X with the params as Y;...[Observation]: ..."."""
    content = message.get("content")
    if message.get("role") != "assistant" or not isinstance(content, str) or "[Action]:" not in content:
        return
    action, _, observation = content.partition("[Observation]:")
    learnt = [(match["tool"], match["text"]) for match in _LEARNT.finditer(observation)]
    for match in _CALL.finditer(action):
        params = match["params"].strip()
        result = next((entry for entry in learnt if entry[0] == match["tool"]), None)
        if result is not None:
            learnt.remove(result)
        yield LoggedCall(
            tool=match["tool"],
            raw={} if params == "None" else params,
            result=result[1] if result else None,
            texts={"assistant": content},
        )


class AsbRuns:
    """Reads runs as JSONL: ``steps`` of messages and tool calls."""

    name = "asb-runs"

    def matches(self, sample: Sample) -> float:
        """The share of records with a run id and calls."""
        return sample.share(frozenset({"run_id", "steps"}))

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each record as one run; ``args`` of null means that the arguments are not recorded."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run | ImportProblem]:
            if not isinstance(record.get("steps"), list):
                raise NotThisFormat("the record has no steps")
            texts: dict[str, str] = {}
            calls: list[LoggedCall] = []
            unread = Unread()
            for place, value in enumerate(list_at(record, "steps"), 1):
                step = value if isinstance(value, dict) else {}
                role, text = text_at(step, "role"), text_at(step, "text")
                if step.get("kind") == "tool_call":
                    result = text_at(step, "observation")
                    calls.append(
                        LoggedCall(text_at(step, "tool"), step.get("args"), None, None, result, dict(texts))
                    )
                elif step.get("kind") not in _KINDS or not (role or text):
                    unread.note("step", step.get("kind") if step else value, line, place)
                    calls.append(not_understood())
                elif role and text:
                    texts[role] = text
            context = facts(record, frozenset({"steps"}))
            allowed = record.get("allowed_tools")
            if isinstance(allowed, list):
                context["allowed_tools"] = allowed
            run = run_id(record, source, line)
            yield build_run(run, calls, context, self.name, source, f"line {line}")
            yield from unread.problems(source, run)

        return read_each(source, convert)
