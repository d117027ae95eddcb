"""The places of a value before a call, as far as the run shows."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from workbench.model import AS_KEY, IN_TEXT, Json, Provenance, RecordedCall
from workbench.runs.values.found_value import Missing
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.values.value_spellings import Written, is_value, spellings, stands_in
from workbench.runs.world.declared_failures import DeclaredFailures
from workbench.runs.world.earlier_calls import Earlier

USER, APPLICATION = "user", "application"
_MAX_TEXT = 1_000_000
_SHORT = 2_000
_BLOCK = 128
"""The number of calls whose results are searched together."""
_MOST_RUNS, _MOST_VALUES = 16, 256
_SYSTEM_TEXTS = ("first_system", "system")


def places_of(
    value: str | int | float,
    call: RecordedCall,
    run: Earlier,
    texts: Sequence[str],
    failures: DeclaredFailures,
    *,
    exact: bool,
) -> Iterator[tuple[str, Provenance]]:
    """Every place of the value before a call; raises Missing if a text or a result is not known.

    ``texts`` names the texts with the user's words. Spellings of a value count as one value unless ``exact``.
    The result of a failed call is no place: it often repeats what the agent wrote. ``failures`` says which
    results report a failure although the call is not flagged. A value that is in such a
    result and in no place is neither the agent's own nor from a place, so Missing is raised.
    """
    places = list(_all_places(value, call, run, texts, failures, exact=exact))
    repeated = next((failed_call for failed_call, name, _ in places if not name), None)
    named = [(name, where) for _, name, where in places if name]
    if repeated is not None and not named:
        raise Missing(f"only the result of call {repeated.index}, which failed, has the value")
    yield from named


def _all_places(
    value: str | int | float,
    call: RecordedCall,
    run: Earlier,
    texts: Sequence[str],
    failures: DeclaredFailures,
    *,
    exact: bool,
) -> Iterator[tuple[RecordedCall, str, Provenance]]:
    """The places as in ``places_of``, with the call; the result of a failed call has an empty name."""
    user_words = next((call.texts[name] for name in texts if call.texts.get(name)), None)
    if user_words is None:
        raise Missing("the log does not have all that the user said")
    if _stands_in(value, user_words, exact=exact):
        yield call, USER, Provenance("the user's words")
    system_texts = [call.texts[name] for name in _SYSTEM_TEXTS if name in call.texts]
    leaves = dict(_leaves(dict(call.context), ""))
    if any(_stands_in(value, text, exact=exact) for text in system_texts) or any(
        _is(value, leaf, exact=exact) for held in leaves.values() for leaf in held
    ):
        yield call, APPLICATION, Provenance("the application")
    blocks = _blocks_of(run)
    for start in range(0, len(run), _BLOCK):
        block = blocks.get(start)
        if block is not None and block.known_from <= len(run):
            for number, place in block.places(value, exact=exact):
                yield _place(run[number], place, failures)
            continue
        for number in range(start, min(start + _BLOCK, len(run))):
            yield from _in_call(value, call, run, number, failures, exact=exact)


def _in_call(
    value: str | int | float,
    call: RecordedCall,
    run: Earlier,
    number: int,
    failures: DeclaredFailures,
    *,
    exact: bool,
) -> Iterator[tuple[RecordedCall, str, Provenance]]:
    whole, earlier_call = run.calls[number], run[number]
    if not earlier_call.ran or whole is call:
        return
    if earlier_call.result is None:
        _check_unknown(whole, call)
        return
    for place in _in_result(value, earlier_call.result, exact=exact):
        yield _place(earlier_call, place, failures)


def _place(
    call: RecordedCall, place: str, failures: DeclaredFailures
) -> tuple[RecordedCall, str, Provenance]:
    name = "" if failures.has_failed(call) else f"{call.tool or '?'}{place}"
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


class _Kept(threading.local):
    """The blocks of the runs that were searched last, by the identity of their calls."""

    def __init__(self) -> None:
        self.runs: OrderedDict[int, _RunBlocks] = OrderedDict()


_kept = _Kept()


@dataclass(frozen=True, slots=True)
class _RunBlocks:
    calls: Sequence[RecordedCall]
    blocks: dict[int, _Block] = field(default_factory=dict[int, "_Block"])


def _blocks_of(run: Earlier) -> Mapping[int, _Block]:
    """The blocks of a run of which all results are known, by the number of their first call.

    Every later call of a run asks for the values of each result before it.
    """
    kept = _kept.runs.pop(id(run.calls), None)
    if kept is None or kept.calls is not run.calls:
        kept = _RunBlocks(run.calls)
    _kept.runs[id(run.calls)] = kept
    if len(_kept.runs) > _MOST_RUNS:
        _kept.runs.popitem(last=False)
    for start in range(0, len(run) - _BLOCK + 1, _BLOCK):
        if start not in kept.blocks and (block := _block_at(run, start)) is not None:
            kept.blocks[start] = block
    return kept.blocks


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
