"""Finding what is known of a record at a call of a run, and the look-up that would give it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.model import LookedUp, Record, RecordedCall
from workbench.runs.world.declared_failures import DeclaredFailures
from workbench.runs.world.facts import CallPlace, Fact, FoundRecord, RecordState
from workbench.runs.world.record_keys import asked_as, in_normal_form, look_up_arguments, parts_of_key
from workbench.runs.world.record_values import NO_TABLES, RecordValues, Schema
from workbench.runs.world.reports import NotUnderstood, Reporter, whole_call
from workbench.runs.world.world import KnownWorld, KnownWorlds

if TYPE_CHECKING:
    from workbench.runs.world.database import FolderDatabase


class RecordFinder:
    """Finds the records of an agent in the world of a call."""

    def __init__(
        self,
        records: Sequence[Record],
        zone: str,
        database: FolderDatabase | None = None,
        schema: Schema = NO_TABLES,
        errors: Sequence[str] = (),
        not_understood: NotUnderstood = whole_call,
    ) -> None:
        """Take the declared records. Raises BadZone.

        ``not_understood`` is the reason why a call may do more than what is declared of its tool.
        """
        self.values = RecordValues(records, zone, schema)
        reporters = {
            record.name: Reporter(record, self.values, errors, not_understood)
            for record in records
            if record.key
        }
        self._worlds, self._past_worlds = KnownWorlds(reporters), KnownWorlds(reporters)
        self._records = {record.name: record for record in records}
        self._database = database
        self.failures = DeclaredFailures(records, errors)

    def world(self, call: RecordedCall, history: Sequence[RecordedCall]) -> KnownWorld:
        """The world of a call; it moves on when the world of a later call is asked for."""
        return self._worlds.at(call, history)

    def past_world(self, call: RecordedCall, history: Sequence[RecordedCall]) -> KnownWorld:
        """The world of an earlier call, which leaves that of the decided call where it is."""
        return self._past_worlds.at(call, history)

    def compares_forms(self, record: str) -> bool:
        """Whether the keys of records of that kind are compared in a normal form."""
        return bool(self._records[record].normal)

    def look(self, name: str, key: str, world: KnownWorld) -> FoundRecord:
        """The fact about the record of that kind with this key."""
        record = self._records[name]
        form = in_normal_form(record, key)
        if form is None:
            why = f"the key {key[:60]} has no normal form {record.normal}"
            return FoundRecord(Fact(RecordState.NOT_DETERMINABLE, why=why))
        fact = _as_asked(record, key, world.fact(record.name, form))
        if (
            fact.state is RecordState.NOT_LOOKED_UP
            and self._database is not None
            and world.untouched(record.name, form)
        ):
            fact = self._database.fact(record, key, self.values) or fact
        if fact.state is not RecordState.NOT_LOOKED_UP:
            return FoundRecord(fact)
        return FoundRecord(fact, _remedy(record, key, again=fact.changed))


def _as_asked(record: Record, key: str, fact: Fact) -> Fact:
    """The fact about a record with a normal form of its key, as far as it is about this spelling of the key.

    That there is none is known of the spelling that was asked for: the tool may know another one.
    """
    if not record.normal or fact.state is not RecordState.ABSENT:
        return fact
    call = fact.place.call if isinstance(fact.place, CallPlace) else None
    if call is not None and asked_as(record, call.arguments) == key:
        return fact
    return Fact(RecordState.NOT_DETERMINABLE, why="it was asked for in another spelling of its key")


def _remedy(record: Record, key: str, *, again: bool) -> LookedUp | None:
    if record.look_up is None:
        return None
    arguments = look_up_arguments(record, list(parts_of_key(record, key)))
    return LookedUp(record.look_up.tool, arguments, again=again)
