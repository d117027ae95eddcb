"""Settings of git that earlier calls of a run may have changed: which hosts git then reaches is not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.dialect.call_fields import CallField, CallType, part_name
from workbench.model import RecordedCall, RecordValue, field_of
from workbench.policy.operations import Known
from workbench.policy.undetermined import Undetermined, unknown
from workbench.runs.expressions.call_values import CallValues
from workbench.runs.expressions.earlier_findings import EarlierFindings
from workbench.runs.world.earlier_calls import Earlier

_CODE, _COMMAND, _PATH = "code", "command", "path"
_GIT = "git"


class ChangedRemotes:
    """Finds the earlier calls of a run that may have changed settings of git, and reads hosts with them."""

    def __init__(self, calls: CallValues, classes: Mapping[str, CallType]) -> None:
        """Take the reader of calls and the classes of the agent's calls."""
        self._calls = calls
        self._classes = classes
        self._changes = EarlierFindings(self._changed_by)

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
        known = started.members if isinstance(started, Undetermined) else started
        return isinstance(known, tuple | frozenset) and any(
            isinstance(program, RecordValue) and field_of(program, "name") == _GIT for program in known
        )

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
        from workbench.runs.kinds.shell.git_remotes import is_of_settings

        name = part_name(field.name, "absolute")
        path = self._calls.arguments(call, of, f"call {call.index}", [name], "").get(name)
        is_harmless = path is None or (isinstance(path, str) and not is_of_settings(path))
        return "" if is_harmless else f"its {field.name} may be a setting"
