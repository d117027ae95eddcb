"""Attempts with a call that lacks what a rule looks at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from workbench.clarify.written.acts_of_tools import ADDRESSEES, SENDING
from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import LISTS, Attacked, hostile, words_of
from workbench.clarify.written.attempts import Attempt, Try, if_given, narrower, offering, saying
from workbench.clarify.written.book import places, reads, replaced, without_methods
from workbench.dialect.call_fields import CallField
from workbench.language.trees import Tree, joined
from workbench.language.words import things
from workbench.model import Json, Kind
from workbench.runs.extract.tool_effects import effect_of
from workbench.runs.values.name_words import RECIPIENTS

_UPPER, _LOWER = (">", ">="), ("<", "<=")
_BOUNDS = (*_UPPER, *_LOWER)
_LIMITS = frozenset({"limit", "max", "maximum", "top", "first", "last", "page", "size", "rows", "results"})
"""Words of fields without which a call is not limited."""
_LEFT_OUT = re.compile(
    r"\bdefault|\bby itself\b|\bwithout (?:it|one|this)\b"
    r"|\b(?:left out|omitted|missing|absent|empty|unset|not (?:given|set|specified|provided))\b",
    re.IGNORECASE,
)
"""What a description says of a call without the value."""


_MOST_READ = 500
"""The most characters of a description that are read: the pattern tries each word with each other."""
_MEANS_ALL = re.compile(
    r"\b(?:empty|none|no (?:entries|elements|items|values)|left out|omitted|not given|defaults?)\b[^.;]*"
    r"\b(?:all|every\w*|any\w*|whole|full|each|no limit|unlimited)\b"
    r"|\b(?:all|every\w*|any\w*|whole|full|unlimited)\b[^.;]*\b(?:if|when|where|for|by)\b[^.;]*"
    r"\b(?:empty|none|left out|omitted|not given|default)\b",
    re.IGNORECASE,
)


def means_all(description: str) -> bool:
    """Whether a description says that a value which is empty or missing stands for everything."""
    return _MEANS_ALL.search(description[:_MOST_READ]) is not None


_CHOSEN = frozenset((
    "id", "key", "filter", "column", "row", "record", "field", "table", "file", "path", "name", "number",
))  # fmt: skip
"""Words of what says which things a tool works on: some tools work on everything where it is missing."""
_GIVING = frozenset((
    "add", "append", "apply", "assign", "attach", "book", "buy", "charge", "commit", "create", "give",
    "grant", "insert", "invite", "label", "make", "merge", "move", "new", "open", "order", "pay", "place",
    "post", "put", "refund", "register", "request", "reserve", "save", "schedule", "set", "stage", "tag",
    "transfer", "update", "upload", "write",
))  # fmt: skip
"""What tools do with the things that a call gives them: without any they do nothing."""
_WITHOUT = r"\b(?:empty|none|left out|omitted|not given|missing)\b"
_MEANS_NONE = re.compile(
    rf"{_WITHOUT}[^.;]*\b(?:no|none|not|nothing|never|error|fails?|refused|rejected|invalid)\b"
    rf"|\b(?:no|none|nothing|error|fails?|invalid)\b[^.;]*\b(?:if|when|where)\b[^.;]*{_WITHOUT}"
    r"|\bat least (?:one|1)\b|\bnon-?empty\b",
    re.IGNORECASE,
)


def names_what_it_works_on(attacked: Attacked, one: CallField) -> bool:
    """Whether a field says on which things a tool works, so that a call without it may be about all of them.

    That is an id or another choice, or the things that the name of the tool has: ``delete_users`` of
    ``users``. Whoever something goes to, and what a call adds or pays, are no choice. A description may say
    that a call without it does nothing.
    """
    words = things(words_of(one.name))
    tool = attacked.book.tools[attacked.tool]
    does = words_of(attacked.tool)
    told = f"{one.description} {tool.description}"[:_MOST_READ]
    if _MEANS_NONE.search(told) or (_GIVING | SENDING) & {*does} or RECIPIENTS & words:
        return False
    is_of_tool = bool(words & things(does[1:]))
    return bool(words & _CHOSEN) or is_of_tool or effect_of(tool).reads


def does_something_without(attacked: Attacked, one: CallField) -> bool:
    """Whether a tool may do its work without a field that says with what or where, by all that is said.

    What a call adds or gives, whoever something goes to, and what is to be of a thing that there is are left
    out where there is none.
    """
    tool = attacked.book.tools[attacked.tool]
    told = f"{one.description} {tool.description}"[:_MOST_READ]
    does = {*words_of(attacked.tool)}
    adds = bool((_GIVING | _UPDATING | SENDING) & does or RECIPIENTS & things(words_of(one.name)))
    return not adds and _MEANS_NONE.search(told) is None


def _is_choice_of_one(attacked: Attacked, one: CallField) -> bool:
    """Whether a text or number is the id of the one thing that a tool works on, else on all of them."""
    return bool({"id", "key"} & {*words_of(one.name)}) and names_what_it_works_on(attacked, one)


def attempts_without_a_value(attacked: Attacked) -> Iterator[Attempt]:
    """Yield calls that lack what a rule looks at, or say nothing where it demands a text."""
    yield from _attempts_lacking(attacked)
    for one in attacked.fields_read:
        yield from _without_a_limit(attacked, one)
    yield from (_with_blanks(attacked, one) for one in attacked.fields_read if _closes_none(attacked, one))


def _attempts_lacking(attacked: Attacked) -> Iterator[Attempt]:
    """Yield a call that a rule stops, without the value that it looks at, where that is no harmless one.

    Nothing is asked where a fact says what holds of a call with none, or most logged calls have none.
    """
    for one in attacked.fields_read:
        if not one.type.optional or one.type.kind in LISTS or one.name in attacked.reading.lacking:
            continue
        if _closes_none(attacked, one):
            continue  # it says of which calls without one
        given = [each for each in _with_field_given(attacked, one) if attacked.stops(each)]
        by_default = taken(attacked, one)
        as_taken = [call for call in given if call.arguments[one.key] in by_default]
        if not as_taken and _stays_without(attacked, one):
            continue
        is_choice = means_all(one.description) or _is_choice_of_one(attacked, one)
        demanded = as_taken or _demands(attacked, one, given) or (given and is_choice)
        if not demanded and not (given and _closes_values(attacked, one)):
            continue
        if not as_taken and not is_choice and _leaves_what_is(attacked, one):
            continue
        for stopped in (as_taken or given)[:1]:
            held = _without(stopped, one)
            name = one.name.replace("_", " ").strip()
            why = f"it has no {name}"
            if is_choice:
                why = f"without {name} it may be about all"
            if as_taken:
                why = f"without {name} it is {as_taken[0].arguments[one.key]}"
            tries = [Try((TriedCall(attacked.tool, held),), why)]
            yield Attempt(f"no {one.name}", tries, partial(_or_missing, attacked, one))


def _without_a_limit(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A number below one where a rule bounds what is at most had: tools take it for no limit at all."""
    least = one.schema.get("minimum", one.schema.get("exclusiveMinimum", -2))
    told = _NO_LIMIT.search(one.description[:_MOST_READ])
    words = {*words_of(one.name)}
    if one.type.kind is not Kind.INT or not (words & _LIMITED or told) or not isinstance(least, int | float):
        return
    upper = _UPPER if attacked.rule.form != "permit" else _LOWER
    value, base = attacked.value_of(one), attacked.allowed
    atoms = [atom for _, atom in places(attacked.rule.condition) if len(atom) == 3 and atom[1] == value]
    if base is None or not any(atom[0] in upper and atom[2][0] == "lit" for atom in atoms):
        return
    numbers = [each for each in (0, -1) if each >= least and (told or each < 0 or words & _LIMITED)]
    name = one.name.replace("_", " ").strip()
    tries = [
        Try((attacked.with_value(base, one, each),), f"a {name} of {each} may mean none") for each in numbers
    ]
    effects = [narrower(attacked.rule, if_given(one, ("<", value, ("lit", "int", 1))))]
    yield Attempt("no limit", tries, offering(*effects), about=one.name)


_LIMITED = frozenset(("limit", "max", "maximum", "top", "expires", "expiry", "ttl", "retention"))
_NO_LIMIT = re.compile(
    r"(?<![\w.])(?:0|zero|-1)\b[^.;]{0,20}\b(?:never|no|none|all|unlimited|without|means?|for)\b|\bunlimited\b",
    re.I,
)
"""What descriptions say of a number that stands for no limit."""


def _closes_none(attacked: Attacked, one: CallField) -> bool:
    """Whether a rule stops calls that lack a text."""
    lacking = ("is none", attacked.value_of(one))
    return one.type.kind is Kind.STR and any(
        part == lacking
        and any(attacked.stops(TriedCall(call.tool, _without(call, one))) for call in attacked.made)
        for _, part in places(attacked.rule.condition)
    )


def _with_blanks(attacked: Attacked, one: CallField) -> Attempt:
    """Calls with nothing but blanks for a text that has to be given."""
    value, name = attacked.value_of(one), one.name.replace("_", " ").strip()
    tries = [
        Try((TriedCall(call.tool, {**call.arguments, one.key: blank}),), f"its {name} says nothing")
        for call in (*attacked.logged[:1], *_stopped_without(attacked, one)) for blank in ("", " ")
    ]  # fmt: skip
    nothing: Tree = ("==", ("method", value, "strip"), ("lit", "text", ""))
    given = joined("and", [("is some", value), nothing])
    return Attempt(f"blank {one.name}", tries, lambda: [narrower(attacked.rule, given)])


def _stopped_without(attacked: Attacked, one: CallField) -> Sequence[TriedCall]:
    """Calls that a rule stops where they lack a value."""
    stopped = (call for call in attacked.made if attacked.stops(TriedCall(call.tool, _without(call, one))))
    return [*islice(stopped, 2)]


def _without(call: TriedCall, one: CallField) -> Mapping[str, Json]:
    return {key: value for key, value in call.arguments.items() if key != one.key}


def _stays_without(attacked: Attacked, one: CallField) -> bool:
    """Whether a call without a value leaves what the value would change: a choice or number of a thing."""
    is_state = one.type.kind in (Kind.ENUM, Kind.INT, Kind.DECIMAL) and not _LIMITS & {*words_of(one.name)}
    return is_state and bool(_CHANGING & {*words_of(attacked.tool)}) and not means_all(one.description)


_CHANGING = frozenset(("update", "modify", "patch", "edit", "change"))
"""What tools do that leave of a thing what a call does not name."""


def _with_field_given(attacked: Attacked, one: CallField) -> Iterator[TriedCall]:
    """Yield calls with a value of a field, the value that a call without one takes above all."""
    for call in (*attacked.logged, *attacked.made):
        if call.arguments.get(one.key) is not None:
            yield from (
                TriedCall(call.tool, {**call.arguments, one.key: each}) for each in taken(attacked, one)
            )
            yield call


def taken(attacked: Attacked, one: CallField) -> Sequence[Json]:
    """The values of which the agent file says that a call takes them which has none."""
    known = default_of(attacked, attacked.tool, one)
    found: list[Json] = [*known] if isinstance(known, list) else [] if known is None else [known]
    if _LEFT_OUT.search(one.description):
        words = {*re.findall(r"[\w.@/-]+", one.description.casefold())}
        found += [each for each in attacked.texts if each.strip().casefold() in words]
    return found


def default_of(attacked: Attacked, tool: str, one: CallField) -> Json:
    """What the schema of a tool says that a call without a field takes; None if it says nothing."""
    found = attacked.book.tools[tool]
    return _member(_member(_member({**found.parameters}, "properties"), one.key), "default")


def _member(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None


def _demands(attacked: Attacked, one: CallField, stopped: Sequence[TriedCall]) -> bool:
    """Whether a rule demands something of a field: a bound, a text that is not empty, one of some.

    A field that is not to be above a bound, such as a further amount, may be left out if most logged
    calls do so.
    """
    atoms = [
        atom
        for _, atom in places(attacked.rule.condition)
        if len(atom) == 3 and reads(atom[1], attacked.value_of(one))
    ]
    if any(atom[1:] == (attacked.value_of(one), ("lit", "text", "")) for atom in atoms):
        return True
    upper = _UPPER if attacked.rule.form != "permit" else _LOWER
    if any(_is_against_none(attacked, atom, attacked.value_of(one)) for atom in atoms):
        return not attacked.turns_most_logged(_or_missing(attacked, one)[0])
    bounds = [atom[0] for atom in atoms if atom[0] in _BOUNDS and atom[2][0] != "set"]
    added = [atom for atom in atoms if atom[0] in upper and atom[1][:1] == ("+",)]
    if bounds and len(added) == len(bounds):
        return False  # it comes on top of what has a bound without it
    if bounds:
        is_no_limit = all(bound in upper for bound in bounds) and not _LIMITS & {*words_of(one.name)}
        if is_no_limit and one.type.kind is Kind.STR:  # no text is a short one
            return False
        return not (is_no_limit and attacked.turns_most_logged(_or_missing(attacked, one)[0]))
    if one.type.kind is Kind.BOOL:
        values = [call.arguments[one.key] for call in stopped]
        return False in values and True not in values
    if one.type.kind not in (Kind.STR, Kind.ENUM) or _is_one_more_recipient(attacked, one):
        return False
    kind = attacked.kind(one)
    values = {hostile(kind), "other", *(one.type.values or ())}
    return any(
        _lets_some_through(attacked, one, call) for call in stopped if call.arguments[one.key] in values
    )


def _closes_values(attacked: Attacked, one: CallField) -> bool:
    """Whether a prohibition names values of a text that hardly any logged call lacks."""
    is_text = one.type.kind in (Kind.STR, Kind.ENUM) and not _is_one_more_recipient(attacked, one)
    value = attacked.value_of(one)
    atoms = (atom for _, atom in places(attacked.rule.condition) if atom[0] in ("==", "in"))
    return (
        is_text
        and attacked.rule.form != "permit"
        and any(without_methods(atom[1]) == value for atom in atoms)
        and not attacked.turns_most_logged(_or_missing(attacked, one)[0])
    )


_UPDATING = frozenset(
    ("update", "modify", "edit", "patch", "change", "adjust", "amend", "set", "configure", "alter")
)
"""What tools do with a thing of which they leave as it is what a call does not name."""


def _leaves_what_is(attacked: Attacked, one: CallField) -> bool:
    """Whether a call without a value changes nothing of what a prohibition closes some values of."""
    if attacked.rule.form == "permit" or not _UPDATING & {*words_of(attacked.tool)}:
        return False
    value, condition = attacked.value_of(one), attacked.rule.condition
    atoms = [atom for _, atom in places(condition) if len(atom) == 3 and atom[1] == value]
    is_empty = any(atom[2] == ("lit", "text", "") for atom in atoms)
    return bool(atoms) and not is_empty and all(atom[0] in ("==", "in", *_UPPER) for atom in atoms)


def _is_against_none(attacked: Attacked, atom: Tree, value: Tree) -> bool:
    """Whether a rule closes a text that stands for no value, or permits whatever is not of some texts."""
    if atom[0] not in ("==", "!=", "in", "not in") or atom[1] != value:
        return False
    closed = atom[2][1:] if atom[2][0] == "set" else (atom[2],)
    if any(each[:2] == ("lit", "text") and each[2].strip().lower() in _NO_VALUE for each in closed):
        return (atom[0] in ("!=", "not in")) is (attacked.rule.form == "permit")
    is_negative = atom[0] in ("!=", "not in") and attacked.rule.form == "permit"
    return is_negative and _EXCEPTING.search(attacked.sentence) is None


_NO_VALUE = frozenset(("unknown", "none", "n/a", "na", "null", "unspecified", "undefined", "", "-", "tbd"))
"""Texts that people write where there is no value."""
_EXCEPTING = re.compile(r"\b(?:but|except\w*|unless|not|no|never|other|else|outside|anything|any\w*)\b")
"""Words of sentences that close some values, and say nothing of a call with none."""


def _is_one_more_recipient(attacked: Attacked, one: CallField) -> bool:
    """Whether a field has further persons to whom something goes: a call without them goes to others.

    One of a tool that sends nothing by itself goes to nobody.
    """
    if not (RECIPIENTS | ADDRESSEES) & things(words_of(one.name)):
        return False
    return not SENDING & {*words_of(attacked.tool)} or any(
        RECIPIENTS & things(words_of(each.name)) and not each.type.optional
        for each in attacked.call_type.fields
    )


def _lets_some_through(attacked: Attacked, one: CallField, stopped: TriedCall) -> bool:
    """Whether a rule lets a call through with another value of a field, so that it stops by that alone."""
    others = (each.arguments.get(one.key) for each in attacked.made)
    calls = (TriedCall(stopped.tool, {**stopped.arguments, one.key: value}) for value in others if value)
    return any(attacked.passes(call) for call in calls)


def _or_missing(attacked: Attacked, one: CallField) -> Sequence[Effect]:
    """The rule, which stops a call without the value where it looks at it."""
    rule, value = attacked.rule, attacked.value_of(one)
    given, lacking, said = ("is some", value), ("is none", value), rule.condition
    for path, part in [*places(rule.condition)]:
        if part[0] == "and" and given in part[1:]:
            about = [each for each in part[1:] if each != given and reads(each, value)]
            others = [each for each in part[1:] if each != given and each not in about]
            said = replaced(
                said, path, joined("and", [*others, joined("or", [lacking, joined("and", about)])])
            )
            break
    else:
        for path, part in places(rule.condition):
            if len(part) == 3 and part[1] == value:
                said = replaced(said, path, joined("or", [lacking, part]))
                break
    changed = [saying(rule, said)] if said != rule.condition else []
    return [*changed, narrower(rule, lacking)]
