"""Logs of decisions on single tool calls: a guard's decision log, and permdiff's traces.

A line of a decision log has ``format``, ``run``, ``call``, ``tool``, ``arguments`` (an object or its
JSON text; unknown if missing), ``context`` (the known facts of the user and the run), ``call_id``,
``time``, ``look_ups`` (made to decide the call, each with ``tool``, ``arguments`` and ``result``, or ``why``
there is none) and ``runs``, which is false for a call that was refused. A later line with ``run``, ``call``
and ``result`` but no ``tool`` gives the result of a call, and whether it ``failed``. A line with a
``message`` (``role`` and ``text``) is a message before the calls of the following lines. A line with
``ended`` describes the end of the run. Calls with the same ``action`` were made at once. Lines of one
``run`` with another ``instance`` are another run. Without ``instance``, a call number that comes again
begins another run.

A line of permdiff's traces is a run of its own: ``id``, ``timestamp``, ``tool`` (an object with a
``name``), ``arguments`` and ``context``; ``principal``, ``agent`` and ``resource`` are facts of the context.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.clean_text import counted
from workbench.guard.run_messages import MessagesSoFar, ToldWords
from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.calls.live_call import add_opening, add_texts, look_up_of
from workbench.runs.logs.importer import (
    InterleavedSessions,
    LoggedCall,
    NotThisFormat,
    build_run,
    dict_at,
    dicts_at,
    list_at,
    stem,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.values.jsontext import as_text

NAME = "tool-calls"
DECISION = "workbench-decision/1"
_BESIDE = ("principal", "agent", "resource")


class _Names:
    """The runs of a log by the names and instances of their lines."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._used: set[str] = set()
        self._calls: dict[str, set[int]] = {}

    def name(self, record: Mapping[str, Json]) -> str | None:
        """The name of the run that a line is about, followed by ``#2`` for the second run of that name."""
        run = text_at(record, "run", "trace")
        if run is None:
            return None
        instance = text_at(record, "instance") or ""
        run_name = self._names.get((run, instance))
        ours = not instance and "tool" in record and record.get("format") == DECISION
        number = record.get("call") if ours else None
        if run_name is None or (isinstance(number, int) and number in self._calls[run_name]):
            run_name = self._names[run, instance] = self._new(run)
        if isinstance(number, int):
            self._calls[run_name].add(number)
        return run_name

    def _new(self, run: str) -> str:
        name, count = run, 2
        while name in self._used:
            name, count = f"{run}#{count}", count + 1
        self._used.add(name)
        self._calls[name] = set()
        return name


class ToolCallLog:
    """Reads JSONL of decisions on tool calls."""

    name = NAME

    def matches(self, sample: Sample) -> float:
        """The share of records that are calls of this form."""
        return sample.mean(_is_ours)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read one run for each value of ``run``; a line without ``run`` is a run of its own."""
        path, name = str(source.path), stem(source.path)
        runs = InterleavedSessions(NAME, source)
        named = _Names()
        places: dict[tuple[str, int], LoggedCall] = {}
        told: dict[str, ToldWords] = {}
        conversations: dict[str, MessagesSoFar] = {}
        for record in source.first_records():
            if record.error is not None or not isinstance(record.value, dict):
                reason = record.error or "the record is not a JSON object"
                yield ImportProblem(path, record.line, reason)
                continue
            value = record.value
            run = named.name(value)
            if _take_message(value, run, conversations) or _ended(value):
                continue
            try:
                call = _call(value)
                if call is None:
                    _give_result(value, run, places, len(runs.calls(run or "")))
                    continue
            except NotThisFormat as error:
                yield ImportProblem(path, record.line, str(error))
                continue
            if run is None:
                add_opening(call)
                yield _single(call, f"{name}:{record.line}", source, record.line)
                yield from _odd_look_ups(value, record.line, path)
                continue
            add_opening(call, told.setdefault(run, ToldWords()))
            _add_messages(call, conversations.get(run))
            number = _number(value)
            if number is not None:
                places[run, number] = call
            yield from _odd_look_ups(value, record.line, path)
            for closed in runs.add(run, call, {}, record.line):
                for place in [place for place in places if place[0] == closed.id]:
                    del places[place]
                told.pop(closed.id, None)
                conversations.pop(closed.id, None)
                yield closed
        yield from runs.finish()


def _odd_look_ups(record: Mapping[str, Json], line: int, path: str) -> Iterator[ImportProblem]:
    odd = sum(
        not isinstance(entry, dict) or text_at(entry, "tool") is None for entry in list_at(record, "look_ups")
    )
    if odd:
        yield ImportProblem(path, line, f"{counted(odd, 'look-up')} of the call cannot be read", odd)


def _is_ours(record: Mapping[str, Json]) -> bool:
    tool = record.get("tool")
    foreign = isinstance(tool, dict) and "name" in tool and "principal" in record and "timestamp" in record
    return foreign or record.get("format") == DECISION


def _call(record: Mapping[str, Json]) -> LoggedCall | None:
    """The call of a line; None for a line that only gives a result."""
    tool = record.get("tool")
    if isinstance(tool, dict):
        tool = tool.get("name")
    if tool is None and "result" in record and _number(record) is not None:
        return None
    if not isinstance(tool, str):
        raise NotThisFormat("the record does not name a tool")
    context = dict_at(record, "context")
    facts_beside = {key: record[key] for key in _BESIDE if key in record}
    if facts_beside:
        context = {**facts_beside, **context}
    call = LoggedCall(
        tool=tool or None,
        raw=record.get("arguments"),
        call_id=text_at(record, "call_id", "id"),
        time=text_at(record, "time", "timestamp"),
        result=as_text(record.get("result")),
        context=context,
        ran=record.get("runs") is not False,
        message=str(record["action"]) if isinstance(record.get("action"), int) else None,
        look_ups=tuple(look_up_of(entry) for entry in dicts_at(record, "look_ups")),
        known_from=UNANSWERED if "result" not in record and _number(record) is not None else 0,
        approved=_approved(record),
        granted=tuple(item for item in list_at(record, "granted") if isinstance(item, str)),
        instance=text_at(record, "instance") or "",
    )
    add_texts(call)
    return call


def _approved(record: Mapping[str, Json]) -> bool | None:
    """Whether a person approved the call; a line that says nothing about approvals does not tell."""
    by = record.get("approved_by")
    return bool(by) if isinstance(by, str) else None


def _number(record: Mapping[str, Json]) -> int | None:
    """The number of the call in its run; ``step`` is another spelling of ``call``."""
    number = record.get("call", record.get("step"))
    return number if isinstance(number, int) else None


def _give_result(
    record: Mapping[str, Json], run: str | None, places: Mapping[tuple[str, int], LoggedCall], calls: int
) -> None:
    """Give the result of a line to its call, after ``calls`` calls of the run.

    Raises NotThisFormat if there is no such call, or if it has a result.
    """
    number = _number(record)
    call = places.get((run, number)) if run is not None and number is not None else None
    if call is None:
        raise NotThisFormat("the result belongs to no call of this log")
    if call.known_from != UNANSWERED:
        raise NotThisFormat("the call has a result already, so that this one does not count")
    call.result = as_text(record.get("result"))
    call.failed = record.get("failed") is True
    call.known_from = calls


def _add_messages(call: LoggedCall, messages: MessagesSoFar | None) -> None:
    """Add the messages before a call to its texts."""
    if messages is not None:
        messages.interrupt()
        call.texts.update(messages.texts())


def _take_message(
    record: Mapping[str, Json], run: str | None, conversations: dict[str, MessagesSoFar]
) -> bool:
    """Whether a line is a message of a run; if so, add it to the run's messages as the guard did."""
    message = record.get("message")
    if run is None or not isinstance(message, dict) or "tool" in record:
        return False
    messages = conversations.setdefault(run, MessagesSoFar())
    role, text = message.get("role"), message.get("text")
    if isinstance(role, str):
        messages.forget("assistant")  # it belongs to the calls of its own message only
        messages.add(role, text if isinstance(text, str) else None)
    return True


def _ended(record: Mapping[str, Json]) -> bool:
    """Whether a line describes the end of a run, which was unknown at its calls."""
    return isinstance(record.get("ended"), dict) and "tool" not in record


def _single(call: LoggedCall, run: str, source: LogSource, line: int) -> Run:
    return build_run(run, (call,), {}, NAME, source, f"line {line}")
