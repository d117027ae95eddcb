"""Decisions of an exported policy: the part that follows the policy in the file.

It is self-contained in the exported file, after the text of ``policy.fitting``, so it imports only the
standard library. The policy is inside the function ``_policy`` before it, so none of the policy's names is
visible here. A value that does not fit cannot be evaluated; no error allows a call.
"""

# `_policy` and the functions of `policy.fitting` come from the exported file, which checkers cannot see.
# pyright: basic, reportUndefinedVariable=false, reportOptionalMemberAccess=false
# ruff: noqa: F821, ANN001, ANN002, ANN201, ANN202, ANN205

import datetime as _datetime
import decimal as _decimal
import types as _types

_EXACT = _decimal.Context(prec=500, traps=[_decimal.Inexact, _decimal.InvalidOperation, _decimal.Overflow])


class _Nouns:
    """A record is given as a dict of its fields, and received as its class; instants have no zone."""

    @staticmethod
    def fields_of(value, name):
        if type(value) is not dict:
            raise _Misfit(f"{_shown(value)}, not a record of type {name}")
        return tuple(value.items())

    @staticmethod
    def record(name, fields):
        return _RECORDS[name](**fields)

    @staticmethod
    def part(_name, fields):
        return _types.SimpleNamespace(**fields)

    @staticmethod
    def in_utc(value):
        return value if value.tzinfo is None else value.astimezone(_datetime.UTC).replace(tzinfo=None)


def _element_text(value):
    """The text that names an element: a text is itself, other elements are written for a person."""
    return value if type(value) is str else _words(value)


def _words(value):
    if isinstance(value, tuple(_RECORDS.values())):
        fields = ", ".join(f"{name}: {_words(getattr(value, name))}" for name in value.__annotations__)
        return f"{{{fields}}}" if fields else "{any}"
    if isinstance(value, tuple):
        return f"[{', '.join(_words_of_many(value))}]"
    if isinstance(value, frozenset):
        return f"{{{', '.join(map(_words, sorted(value)))}}}"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, _decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, _datetime.datetime):
        return f"{value.isoformat(' ', _exactness(value))} UTC"
    if isinstance(value, _datetime.date):
        return value.isoformat()
    if isinstance(value, _datetime.time):
        return value.isoformat(_exactness(value))
    if isinstance(value, _datetime.timedelta):
        return _words_of_duration(value)
    return repr(value)


def _words_of_many(values):
    """The texts of elements; equal texts in a row are given once, with their number."""
    counts = []
    for words in map(_words, values):
        if counts and counts[-1][0] == words:
            counts[-1][1] += 1
        else:
            counts.append([words, 1])
    return [words if count == 1 else f"{count} times {words}" for words, count in counts]


def _words_of_duration(value):
    sign = "minus " if value < _datetime.timedelta(0) else ""
    value = abs(value)
    hours, minutes = divmod(value.seconds // 60, 60)
    units = {"day": value.days, "hour": hours, "minute": minutes, "second": value.seconds % 60}
    units["microsecond"] = value.microseconds
    parts = [f"{count} {unit}{'' if count == 1 else 's'}" for unit, count in units.items() if count]
    return sign + (" ".join(parts) or "0 seconds")


def _exactness(value):
    return "auto" if value.second or value.microsecond else "minutes"


def _quoted(text):
    characters = [
        f"\\{character}"
        if character in '"\\'
        else character
        if character.isprintable()
        else repr(character)[1:-1]
        for character in text
    ]
    return f'"{"".join(characters)}"'


def _members(collection):
    """The elements of a collection; none if it is not determined."""
    return () if _is_open(collection) else collection


def _element(item):
    """A set of one value; empty if it is not determined."""
    return set() if _is_open(item) else {item}


def _because(*parts):
    """The elements behind the conditions that are known to hold, up to the first that has no meaning."""
    all_elements = set()
    for holds, elements in parts:
        try:
            if holds():
                all_elements |= elements()
        except (TypeError, KeyError, AttributeError):
            break  # a condition before it decided, so it is never evaluated
    return all_elements


def _answer(verdict, violations=(), reasons=(), permitted=()):
    return {
        "verdict": verdict,
        "violations": list(violations),
        "reasons": list(reasons),
        "permitted_by": list(permitted),
    }


def decide(arguments):
    """Decide on a mapping of the policy's arguments; a record is a dict of its fields, a list is a tuple.

    The answer is a mapping with ``verdict`` (allow, ask, deny, cannot-evaluate), ``violations`` (each with
    ``rule``, ``message`` and ``items``), ``reasons`` and ``permitted_by``.
    """
    return _judged(arguments, {})[0]


def _judged(arguments, why, between=None):
    """The answer, and the determined arguments as the policy receives them.

    Instead of the arguments None is returned if the policy speaks of no such input.
    ``why`` has the reasons why arguments are not determined, ``between`` what is known of them.
    """
    try:
        values = {}
        reasons = {}
        for name in _ARGUMENTS:
            if name not in arguments:
                said = _SAID.get(name, name)
                reasons[name] = (
                    f"{said}: {why[name]}" if name in why else f"The argument `{said}` is missing."
                )
                continue
            try:
                values[name] = _FITS[name](arguments[name])
            except _Misfit as misfit:
                reasons[name] = f"The argument `{_SAID.get(name, name)}` {misfit}."
        if any(_ARGUMENTS[name][0] == "enum" and arguments.get(name) is not None for name in reasons):
            return _answer("cannot-evaluate", reasons=reasons.values()), None
        with _decimal.localcontext(_EXACT):
            answer = _decide_incomplete(values, reasons, between or {}) if reasons else _decide(values)
        return answer, values if reasons or answer["verdict"] != "cannot-evaluate" else None
    except Exception as error:  # no error may allow a call
        reason = f"The policy could not be evaluated: {type(error).__name__}."
        return _answer("cannot-evaluate", reasons=[reason]), None


def _decide(values):
    broken = [reason for holds, reason in _preconditions(**values) if not holds]
    if broken:
        return _answer("cannot-evaluate", reasons=broken)
    answer = _fired([rule for rule in _RULES if rule[0](*[values[name] for name in rule[2]])], values)
    if (answer["verdict"] == "allow") is not bool(_allow(**values)):
        return _answer("cannot-evaluate", reasons=["The rules and the decision of the policy disagree."])
    return answer


def _known(name, between):
    """What is known of an argument without a value: of a record, the fields that fit their types."""
    if type(between) is not dict:
        return between
    return _known_fields(_ARGUMENTS[name], _Nouns)(between) if _ARGUMENTS[name][0] == "record" else None


def _decide_incomplete(values, reasons, between):
    """The answer to an input that lacks arguments, if all its completions have that answer."""
    every = {
        name: values[name] if name in values else _kleene_argument(name, _known(name, between.get(name)))
        for name in _ARGUMENTS
    }
    truths = [
        (rule, test(*[every[name] for name in rule[2]])) for rule, test in zip(_RULES, _TESTS, strict=True)
    ]
    preconditions = [(reason, test(*every.values())) for reason, test in _PRECONDITION_TESTS]
    broken = [reason for reason, truth in preconditions if truth is False]
    if broken:
        return _answer("cannot-evaluate", reasons=broken)
    forbidding, asking, permitting = (
        [truth for rule, truth in truths if rule[0].__name__.startswith(kind)]
        for kind in ("forbid_", "ask_", "permit_")
    )
    could_change = set(_kleene_could_change(forbidding, asking, permitting, _DEFAULT_ALLOW))
    for _, truth in preconditions:
        could_change |= _kleene_names(truth) or set()
    if could_change:
        return _answer("cannot-evaluate", reasons=[reasons[name] for name in reasons if name in could_change])
    answer = _fired([rule for rule, truth in truths if truth is True], values)
    open_asking = [names for names in map(_kleene_names, asking) if names is not None]
    if answer["verdict"] == "deny" or not open_asking:
        return answer
    may_fire = [
        rule
        for rule, truth in truths
        if truth is True or (rule[0].__name__.startswith("ask_") and truth is not False)
    ]
    names = frozenset().union(*open_asking)
    return {**_fired(may_fire, values), "reasons": [reasons[name] for name in reasons if name in names]}


def _fired(rules, values):
    """The answer if these rules fire; a rule names no elements where an undetermined argument decides."""
    violations = []
    permitted = []
    denied = False
    for rule, message, names, elements in rules:
        if rule.__name__.startswith("permit_"):
            permitted.append(rule.__name__)
            continue
        items = []
        if elements:
            try:
                found = elements(
                    *[values[name] if name in values else _kleene_argument(name) for name in names]
                )
                items = sorted(map(_element_text, found))
            except KeyError:
                items = []
        violations.append({"rule": rule.__name__, "message": message, "items": items})
        denied = denied or not rule.__name__.startswith("ask_")
    if not denied and not _DEFAULT_ALLOW and not permitted:
        violations.append({"rule": "default", "message": "No rule permits this.", "items": []})
        denied = True
    return _answer("deny" if denied else "ask" if violations else "allow", violations, permitted=permitted)


_ARGUMENTS, _RULES, _DEFAULT_ALLOW, _preconditions, _allow, _RECORDS, _TESTS, _PRECONDITION_TESTS, _SAID = (
    _policy()
)
_FITS = {name: _fit(type_of, _Nouns) for name, type_of in _ARGUMENTS.items()}
