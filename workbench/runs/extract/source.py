"""Method ``source``: where a value of the call came from, as far as the run shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from workbench.model import UNANSWERED, AgentSpec, Argument, Json, Kind, Provenance, Step
from workbench.runs.extract.jsonpath import Paths, parse_path
from workbench.runs.extract.options import Options
from workbench.runs.extract.result_parts import ResultParts, result_parts
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.values.json_paths import Pattern
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.values.spellings import Written, is_value, spellings, stands_in
from workbench.runs.values.step_paths import matches
from workbench.runs.world.earlier import Earlier

USER, APPLICATION = "user", "application"
_IN_TEXT, _AS_KEY = ":text", ":key"
_MAX_TEXT = 1_000_000
_SHORT = 2_000
_SYSTEM_TEXTS = ("first_system", "system")


def source(argument: Argument, _spec: AgentSpec, options: Options) -> Method:
    """The places in which the values at ``path`` stood before the call, a set of texts.

    ``user``: in the user's words (``text``). ``application``: in the context, or in what the application told
    the agent. ``TOOL.field.field``: as the whole of this field of a result of the tool, lists left out;
    ``TOOL.field:text``: within the text there; ``TOOL:key``: as a key. A result that is no JSON is one field
    without a name. ``names`` calls places by a name of the session: ``{register = ["get_supplier.iban"]}``.
    Of several values it is the places that all of them have; with ``without``, it is the values instead that
    stand in none of these places. With ``pattern`` the values are what it matches in the text at the path.
    Spellings of a value are one value unless ``exact``. A value that stands nowhere has no source: the agent
    made it, or the call has none. ``also`` are more paths of the call, whose values are looked for too.
    """
    if argument.type.kind is not Kind.SET:
        raise options.error("the places of a value are an argument of the type set")
    paths, texts, exact = Paths(options), options.texts("text"), options.flag("exact")
    if not paths.given:
        raise options.error("path is needed")
    more = tuple(parse_path(path, options) for path in options.texts("also"))
    names = {place: name for name, places in options.words("names").items() for place in places}
    parts, trusted = result_parts(options), frozenset(options.texts("without"))

    def extract(step: Step, earlier: Sequence[Step]) -> FoundValue:
        try:
            values = [one for path in (paths.of(step), *more) for one in _values(step, path, parts)]
        except Absent:
            values = []
        if not values:
            return FoundValue([], (Provenance("source (the call has no such value)"),))
        run = earlier if isinstance(earlier, Earlier) else Earlier(earlier, len(earlier))
        own = tuple(place for _, place in values)
        places = [
            {names.get(place, place): where for place, where in _places(value, step, run, texts, exact=exact)}
            for value, _ in values
        ]
        if trusted:
            strange = [
                value for (value, _), found in zip(values, places, strict=True) if trusted.isdisjoint(found)
            ]
            return FoundValue([str(value) for value in strange], own)
        common = {
            place: where
            for place, where in (places[0] if places else {}).items()
            if all(place in found for found in places)
        }
        items = {place: (where, *own) for place, where in common.items()}
        return FoundValue([*common], (*own, *common.values()), items)

    return extract


def _values(
    step: Step, path: Pattern, parts: ResultParts | None
) -> list[tuple[str | int | float, Provenance]]:
    found: list[tuple[str | int | float, Provenance]] = []
    try:
        held = matches(step, path, every=True)
    except Absent:
        return found
    for value, place in held:
        if parts is not None:
            if not isinstance(value, str):
                raise Missing(f"{shown(value)} is no text in which the pattern could match")
            found += [(one, place) for one in sorted(parts(value)) if spellings(one)]
            continue
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, str | int | float) or not is_value(one) or not spellings(one):
                raise Missing(f"{shown(one)} is no text or number that could have a source")
            found.append((one, place))
    return found


def _places(
    value: str | int | float, step: Step, run: Earlier, texts: Sequence[str], *, exact: bool
) -> Iterator[tuple[str, Provenance]]:
    """Every place in which the value stood; raises Missing where something that may hold it is not known."""
    said = next((step.texts[name] for name in texts if step.texts.get(name)), None)
    if said is None:
        raise Missing("the log does not have all that the user said")
    if _stands_in(value, said, exact=exact):
        yield USER, Provenance("source (the user's words)")
    told = [step.texts[name] for name in _SYSTEM_TEXTS if name in step.texts]
    leaves = dict(_leaves(dict(step.context), ""))
    if any(_stands_in(value, one, exact=exact) for one in told) or any(
        _is(value, leaf, exact=exact) for held in leaves.values() for leaf in held
    ):
        yield APPLICATION, Provenance("source (the application)")
    for number, one in enumerate(run):
        whole = run.steps[number]
        if not one.ran or whole is step:
            continue
        if one.result is None:
            _check_unknown(whole, step)
            continue
        tool = one.tool or "?"
        for place in _in_result(value, one.result, exact=exact):
            yield f"{tool}{place}", Provenance(f"source (result of call {one.index})")


def _check_unknown(one: Step, step: Step) -> None:
    """Raise Missing for a result that the agent may have seen and the log does not have."""
    at_once = one.action is not None and one.action == step.action
    came_later = one.result is not None and one.known_from != UNANSWERED
    if not at_once and not came_later:
        raise Missing(f"the result of call {one.index}, which may hold the value, is not recorded")


def _in_result(value: str | int | float, result: str, *, exact: bool) -> Iterator[str]:
    if len(result) > _MAX_TEXT:
        raise Missing(f"an earlier result is longer than {_MAX_TEXT} characters")
    fields, written = (_short_result if len(result) <= _SHORT else _long_result)(result)
    # Numbers are compared as they are where only what is exactly equal counts.
    if not (exact and not isinstance(value, str)) and not written.may_hold(value):
        return
    for place, leaves in fields.items():
        if any(_is(value, leaf, exact=exact) for leaf in leaves):
            yield place
        elif any(isinstance(leaf, str) and _stands_in(value, leaf, exact=exact) for leaf in leaves):
            yield f"{place}{_IN_TEXT}"


def _read(result: str) -> tuple[Mapping[str, Sequence[Json]], Written]:
    """What stands at each field of a result, by its path without the places in lists; and all of it."""
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
    found: dict[str, list[Json]] = {}
    waiting: list[tuple[Json, str]] = [(value, place)]
    while waiting:
        one, where = waiting.pop()
        if isinstance(one, dict):
            found.setdefault(f"{where}{_AS_KEY}", []).extend(one)
            waiting += [(held, f"{where}.{key}") for key, held in one.items()]
        elif isinstance(one, list):
            waiting += [(held, where) for held in one]
        elif is_value(one):
            found.setdefault(where, []).append(one)
    return found


def _is(value: str | int | float, leaf: Json, *, exact: bool) -> bool:
    if exact:
        return value == leaf and isinstance(value, str) == isinstance(leaf, str)
    return isinstance(leaf, str | int | float) and not spellings(value).isdisjoint(spellings(leaf))


def _stands_in(value: str | int | float, text: str, *, exact: bool) -> bool:
    return stands_in(value, text) and (not exact or str(value) in text)
