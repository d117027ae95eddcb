"""The places of a value before a call, as far as the run shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.model import AS_KEY, IN_TEXT, Json, Provenance, RecordedCall
from workbench.runs.values.found_value import Missing
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.values.value_spellings import Written, is_value, spellings, stands_in
from workbench.runs.world.declared_failures import DeclaredFailures
from workbench.runs.world.earlier_calls import Earlier, LatestRuns

USER, APPLICATION = "user", "application"
_MAX_TEXT = 1_000_000
_SHORT = 2_000
_BLOCK = 128
"""The number of calls whose results are searched together."""
_MOST_VALUES = 256
_SYSTEM_TEXTS = ("first_system", "system")

type _Place = tuple[RecordedCall, str, Provenance]
"""The call that has a place, the name of the place and where it is."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A value whose places before a call are asked for.

    Spellings of a value count as one value unless ``exact``. ``failures`` says which results report a failure
    although the call is not flagged.
    """

    value: str | int | float
    call: RecordedCall
    failures: DeclaredFailures
    exact: bool

    def places(self, run: Earlier, texts: Sequence[str]) -> Iterator[tuple[str, Provenance]]:
        """Every place of the value before the call; raises Missing if a text or a result is not known.

        ``texts`` names the texts with the user's words. The result of a failed call is no place: it often
        repeats what the agent wrote. A value that is in such a result and in no place is neither the agent's
        own nor from a place, so Missing is raised.
        """
        places = [*self._told(texts), *self._in_results(run)]
        repeated = next((failed_call for failed_call, name, _ in places if not name), None)
        named = [(name, where) for _, name, where in places if name]
        if repeated is not None and not named:
            raise Missing(f"only the result of call {repeated.index}, which failed, has the value")
        yield from named

    def _told(self, texts: Sequence[str]) -> Iterator[_Place]:
        """The places in what the user and the application said."""
        call = self.call
        user_words = next((call.texts[name] for name in texts if call.texts.get(name)), None)
        if user_words is None:
            raise Missing("the log does not have all that the user said")
        if _stands_in(self.value, user_words, exact=self.exact):
            yield call, USER, Provenance("the user's words")
        leaves = (leaf for held in _leaves(dict(call.context), "").values() for leaf in held)
        if any(
            _stands_in(self.value, call.texts[name], exact=self.exact)
            for name in _SYSTEM_TEXTS
            if name in call.texts
        ) or any(_is(self.value, leaf, exact=self.exact) for leaf in leaves):
            yield call, APPLICATION, Provenance("the application")

    def _in_results(self, run: Earlier) -> Iterator[_Place]:
        """The places in results; the result of a failed call has an empty name."""
        blocks = _blocks_of(run)
        for start in range(0, len(run), _BLOCK):
            block = blocks.get(start)
            if block is not None and block.known_from <= len(run):
                for number, place in block.places(self.value, exact=self.exact):
                    yield self._place(run[number], place)
                continue
            for number in range(start, min(start + _BLOCK, len(run))):
                yield from self._in_call(run, number)

    def _in_call(self, run: Earlier, number: int) -> Iterator[_Place]:
        whole, earlier_call = run.calls[number], run[number]
        if not earlier_call.ran or whole is self.call:
            return
        if earlier_call.result is None:
            _check_unknown(whole, self.call)
            return
        for place in _in_result(self.value, earlier_call.result, exact=self.exact):
            yield self._place(earlier_call, place)

    def _place(self, call: RecordedCall, place: str) -> _Place:
        name = "" if self.failures.has_failed(call) else f"{call.tool or '?'}{place}"
        return call, name, Provenance(f"the result of call {call.index}")


class _Block:
    """Some calls of a run whose results are all known: these stay as they are.

    ``known_from`` is the number of calls that the run had when the last of the results was known. A call
    before that knows less: an earlier moment of the run may be asked about after a later one.
    """

    def __init__(self, results: Mapping[int, str], known_from: int) -> None:
        """Take the results by the numbers of their calls, and since when all of them are known."""
        self.known_from = known_from
        self._results = results
        self._written = Written(
            leaf for result in results.values() for leaves in leaves_of(result).values() for leaf in leaves
        )
        self._places: dict[tuple[str | int | float, type, bool], tuple[tuple[int, str], ...]] = {}

    def places(self, value: str | int | float, *, exact: bool) -> tuple[tuple[int, str], ...]:
        """The places of a value, each with the number of its call. Calls of a run often share values."""
        # With ``exact``, numbers are compared directly, so only equal numbers count.
        if not (exact and not isinstance(value, str)) and not self._written.may_hold(value):
            return ()
        key = value, type(value), exact
        if key not in self._places:
            if len(self._places) >= _MOST_VALUES:
                self._places.clear()
            self._places[key] = tuple(
                (number, place)
                for number, result in self._results.items()
                for place in _in_result(value, result, exact=exact)
            )
        return self._places[key]


_runs: LatestRuns[dict[int, _Block]] = LatestRuns(lambda _calls: {})


def _blocks_of(run: Earlier) -> Mapping[int, _Block]:
    """The blocks of a run of which all results are known, by the number of their first call.

    Every later call of a run asks for the values of each result before it.
    """
    blocks = _runs.of(run.calls, lambda _blocks: True)
    for start in range(0, len(run) - _BLOCK + 1, _BLOCK):
        if start not in blocks and (block := _block_at(run, start)) is not None:
            blocks[start] = block
    return blocks


def _block_at(run: Earlier, start: int) -> _Block | None:
    """The block of calls that begins here; None if a result of it is not known yet, or is too long."""
    calls = {number: run[number] for number in range(start, start + _BLOCK) if run[number].ran}
    known = {number: call.result for number, call in calls.items() if call.result is not None}
    if len(known) < len(calls) or max(map(len, known.values()), default=0) > _MAX_TEXT:
        return None
    return _Block(known, max(start + _BLOCK, *(call.known_from for call in calls.values()), 0))


def leaves_of(result: str) -> Mapping[str, Sequence[Json]]:
    """The values at each field of a result, by the place that a source names it."""
    return (_short_result if len(result) <= _SHORT else _long_result)(result)[0]


def _check_unknown(earlier_call: RecordedCall, call: RecordedCall) -> None:
    """Raise Missing for a result that the agent may have seen but that was not recorded by then.

    At decision time a guard cannot distinguish a running call from one that never gets a result.
    """
    at_once = earlier_call.step is not None and earlier_call.step == call.step
    if not at_once:
        raise Missing(f"the result of call {earlier_call.index}, which may hold the value, is not recorded")


def _in_result(value: str | int | float, result: str, *, exact: bool) -> Iterator[str]:
    if len(result) > _MAX_TEXT:
        raise Missing(f"an earlier result is longer than {_MAX_TEXT} characters")
    fields, written = (_short_result if len(result) <= _SHORT else _long_result)(result)
    # With ``exact``, numbers are compared directly, so only equal numbers count.
    if not (exact and not isinstance(value, str)) and not written.may_hold(value):
        return
    for place, leaves in fields.items():
        if any(_is(value, leaf, exact=exact) for leaf in leaves):
            yield place
        elif any(isinstance(leaf, str) and _stands_in(value, leaf, exact=exact) for leaf in leaves):
            yield f"{place}{IN_TEXT}"


def _read(result: str) -> tuple[Mapping[str, Sequence[Json]], Written]:
    """The values at each field of a result, by its path without list indices, and all of them together."""
    try:
        parsed: Json = parse_json(result, unique_keys=True)
    except BadJson:
        return {"": (result,)}, Written([result])
    fields = _leaves(parsed, "")
    return fields, Written(leaf for leaves in fields.values() for leaf in leaves)


# Every later call of a run asks for each result before it, and a run may have many thousands of calls.
_short_result = lru_cache(maxsize=32_768)(_read)
_long_result = lru_cache(maxsize=256)(_read)


def _leaves(value: Json, place: str) -> dict[str, list[Json]]:
    values_by_place: dict[str, list[Json]] = {}
    waiting: list[tuple[Json, str]] = [(value, place)]
    while waiting:
        current, where = waiting.pop()
        if isinstance(current, dict):
            values_by_place.setdefault(f"{where}{AS_KEY}", []).extend(current)
            waiting += [(held, f"{where}{_step(key)}") for key, held in current.items()]
        elif isinstance(current, list):
            waiting += [(held, where) for held in current]
        elif is_value(current):
            values_by_place.setdefault(where, []).append(current)
    return values_by_place


def _step(key: str) -> str:
    """The name of a field as a step of a path; quoted if it contains ``.`` or ``:``."""
    return f"[{json.dumps(key)}]" if "." in key or ":" in key else f".{key}"


def _is(value: str | int | float, leaf: Json, *, exact: bool) -> bool:
    if exact:
        return value == leaf and isinstance(value, str) == isinstance(leaf, str)
    return isinstance(leaf, str | int | float) and not spellings(value).isdisjoint(spellings(leaf))


def _stands_in(value: str | int | float, text: str, *, exact: bool) -> bool:
    return stands_in(value, text) and (not exact or str(value) in text)
