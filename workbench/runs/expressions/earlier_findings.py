"""What the earlier calls of a run did to what later calls name: each call of a run is looked at once.

Settings of git that may have changed: which hosts git then reaches is not known.

Links that were made: where a path through one of them leads is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import cast

from workbench.dialect.call_fields import CallField, CallType, part_name
from workbench.model import Element, RecordedCall, RecordValue, field_of
from workbench.policy.operations import Known
from workbench.policy.undetermined import IncompleteRecord, Undetermined, fields_in, record_of, unknown
from workbench.runs.expressions.call_values import CallValues
from workbench.runs.world.earlier_calls import Earlier

_CODE, _COMMAND, _PATH = "code", "command", "path"
_GIT = "git"
_LINKING = frozenset({"ln", "link"})
_COPY, _AS_LINK = "cp", frozenset({"-s", "--symbolic-link", "-l", "--link"})
_MAY_LINK = re.compile(r"ln|link|cp|\$'")
_QUOTES = re.compile(r"[\"'\\]")
_ANY = ""
"""Stands for a link of which the name is not known."""


class _EarlierFindings:
    """Finds things with their reasons in the earlier calls of a run."""

    def __init__(self, found_in: Callable[[RecordedCall], Iterable[tuple[str, str]]]) -> None:
        """Take what finds the things of one call, each with its reason."""
        self._found_in = found_in
        self._calls: Sequence[RecordedCall] = ()
        self._count = 0
        self._found: list[tuple[int, str, str]] = []

    def before(self, history: Earlier) -> Mapping[str, str]:
        """Each thing of the earlier calls, with its reason."""
        if self._calls is not history.calls:
            self._calls, self._count, self._found = history.calls, 0, []
        if self._count < len(history):
            for place, call in enumerate(history[self._count :], self._count):
                self._found.extend((place, thing, reason) for thing, reason in self._found_in(call))
            self._count = len(history)
        return {thing: reason for place, thing, reason in self._found if place < len(history)}


class ChangedRemotes:
    """Finds the earlier calls of a run that may have changed settings of git, and reads hosts with them."""

    def __init__(self, calls: CallValues, classes: Mapping[str, CallType]) -> None:
        """Take the reader of calls and the classes of the agent's calls."""
        self._calls = calls
        self._classes = classes
        self._changes = _EarlierFindings(self._changed_by)

    def seen(
        self, fields: Mapping[str, Known], call: RecordedCall, of: CallType, history: Earlier
    ) -> Mapping[str, Known]:
        """Fields of a call, in which hosts that git may reach are not known once its settings changed."""
        hosts = {part_name(one.name, "hosts"): one for one in of.fields if one.kind == _COMMAND}
        asked = [name for name in hosts if name in fields and self._starts_git(call, of, hosts[name])]
        if not asked or not (changes := self._changes.before(history)):
            return fields
        return {**fields, **dict.fromkeys(asked, unknown(next(iter(changes.values()))))}

    def _starts_git(self, call: RecordedCall, of: CallType, field: CallField) -> bool:
        name = part_name(field.name, "started")
        started = self._calls.arguments(call, of, "the call", [name], "").get(name)
        return any(field_of(program, "name") == _GIT for program in _members(started))

    def _changed_by(self, call: RecordedCall) -> Iterator[tuple[str, str]]:
        of = self._classes.get(call.tool or "")
        if of is None or not call.ran:
            return
        for one in of.fields:
            if why := self._change(call, of, one):
                yield one.name, f"call {call.index} may have changed remotes of git: {why}"

    def _change(self, call: RecordedCall, of: CallType, field: CallField) -> str:
        if field.kind == _COMMAND:
            from workbench.runs.kinds.command import CHANGE_OF_REMOTES

            return self._calls.own_part(call, of, field, CHANGE_OF_REMOTES)
        if field.kind == _CODE:
            return "it ran code"
        if field.kind != _PATH:
            return ""
        said = call.arguments or {}
        if field.key not in said and said.keys() <= {one.key for one in of.fields}:
            return ""  # the tool's own path is no choice of the call
        from workbench.runs.kinds.shell.git_remotes import is_of_settings

        name = part_name(field.name, "absolute")
        path = self._calls.arguments(call, of, f"call {call.index}", [name], "").get(name)
        is_harmless = path is None or (isinstance(path, str) and not is_of_settings(path))
        return "" if is_harmless else f"its {field.name} may be a setting"


class MadeLinks:
    """Finds the links that the earlier calls of a run made, and reads paths with them."""

    def __init__(self, calls: CallValues, classes: Mapping[str, CallType]) -> None:
        """Take the reader of calls and the classes of the agent's calls."""
        self._calls = calls
        self._classes = classes
        self._commands = {
            tool: names
            for tool, of in classes.items()
            if (names := [one.name for one in of.fields if one.kind == _COMMAND])
        }
        self._links = _EarlierFindings(self._made_by)

    def seen(
        self, fields: Mapping[str, Known], call: RecordedCall, of: CallType, history: Earlier
    ) -> Mapping[str, Known]:
        """Fields of a call, in which nothing is known of a path through a link but its text."""
        if not self._commands or not (links := self._links.before(history)):
            return fields
        if ".." in str(call.arguments):
            # What is above a folder that is reached by a link is above the folder to which it leads.
            links = {_ANY: next(iter(links.values()))}
        why = {one.name: self._why(one, call, of, links) for one in of.fields if one.kind == _PATH}
        return {
            name: unknown(because)
            if "." in name and (because := why.get(name.partition(".")[0], ""))
            else _without(value, links)
            for name, value in fields.items()
        }

    def _why(self, field: CallField, call: RecordedCall, of: CallType, links: Mapping[str, str]) -> str:
        """The reason why it is not known where the path of a field leads; empty if it is."""
        name = part_name(field.name, "inside")
        inside = self._calls.arguments(call, of, "the call", [name], "").get(name)
        return _reason(inside, links)

    def _made_by(self, call: RecordedCall) -> Iterator[tuple[str, str]]:
        """Each link that a call made, with the reason why it is not known where it leads."""
        of = self._classes.get(call.tool or "")
        texts = _QUOTES.sub("", str(call.arguments))
        if of is None or not call.ran or of.tool not in self._commands or not _MAY_LINK.search(texts):
            return
        for field in self._commands[of.tool]:
            names = [part_name(field, part) for part in ("started", "writes")]
            parts = self._calls.arguments(call, of, f"call {call.index}", names, "")
            started, written = (_members(parts.get(name)) for name in names)
            for link in _links(started, {_absolute(path) for path in written}):
                which = link or "a name that is not known"
                yield link, f"call {call.index} made the link {which}, and where it leads is not known"


def _links(started: Iterable[RecordValue], written: set[str]) -> Iterator[str]:
    """The names of the links that programs make; the empty one if there may be others."""
    for program in started:
        options = _members(fields_in(program).get("options"))
        is_copy = field_of(program, "name") == _COPY and bool(_AS_LINK & set(options))
        if field_of(program, "name") in _LINKING or is_copy:
            paths = fields_in(program).get("paths")
            yield from {_absolute(path) for path in _members(paths)} & written
            if isinstance(paths, Undetermined):
                yield _ANY


def _members(value: Known | None) -> Sequence[RecordValue]:
    """The members of a list or set that are known."""
    known = value.members if isinstance(value, Undetermined) else value
    return cast("Sequence[RecordValue]", tuple(known) if isinstance(known, frozenset | tuple) else ())


def _absolute(path: RecordValue) -> str:
    """The place of a path; the empty one if it is not known."""
    place = fields_in(path).get("absolute")
    return place if isinstance(place, str) else _ANY


def _reason(inside: Known | None, links: Mapping[str, str]) -> str:
    """The reason why it is not known where a path leads that is inside of these folders; else empty."""
    if not isinstance(inside, frozenset | Undetermined):
        return ""
    folders = inside.members if isinstance(inside, Undetermined) else inside
    through = next((link for link in links if link in folders or link == _ANY), None)
    fitting = inside.fitting if isinstance(inside, Undetermined) else None
    if through is None and fitting is not None:
        through = next(filter(fitting.fits, links), None)
    return "" if through is None else links[through]


def _without(value: Known, links: Mapping[str, str]) -> Known:
    """A value in which nothing is known of a path through a link but its text."""
    if isinstance(value, tuple):
        return tuple(cast("Element", _without(element, links)) for element in value)
    if isinstance(value, Undetermined) and isinstance(value.between, frozenset):
        members = frozenset(cast("Element", _without(element, links)) for element in value.between)
        return Undetermined(value.names, members)
    if not isinstance(value, RecordValue):
        return value
    fields = dict(fields_in(value))
    if "absolute" in fields and (why := _reason(fields["inside"], links)):
        is_several = isinstance(value, IncompleteRecord) and value.is_several
        seen = {name: held if name == "text" else unknown(why) for name, held in fields.items()}
        return record_of(value.type, seen, is_several=is_several)
    paths = {name.partition(".")[0] for name in fields if name.endswith(".absolute")}
    through = {name: _reason(fields.get(part_name(name, "inside")), links) for name in paths}
    seen = {
        name: unknown(why)
        if "." in name and (why := through.get(name.partition(".")[0], ""))
        else _without(held, links)
        for name, held in fields.items()
    }
    return value if seen == fields else record_of(value.type, seen)
