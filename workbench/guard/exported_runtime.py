"""Decisions of an exported policy: the part that follows the policy in the file.

It stands alone in the exported file, so it imports only the standard library. The policy stands in
the function ``_policy`` before it, so none of the policy's names is seen here. Whatever does not fit
cannot be evaluated; nothing that goes wrong allows.
"""

# The function `_policy` comes from the exported file, which checkers of this file cannot see.
# pyright: basic, reportUndefinedVariable=false, reportOptionalMemberAccess=false
# ruff: noqa: F821, ANN001, ANN002, ANN201, ANN202

import datetime as _datetime
import decimal as _decimal

_EXACT = _decimal.Context(prec=500, traps=[_decimal.Inexact, _decimal.InvalidOperation, _decimal.Overflow])
_PLAIN = {
    "bool": (bool, "True or False"),
    "int": (int, "a whole number"),
    "decimal": (_decimal.Decimal, "a Decimal"),
    "str": (str, "a string"),
    "enum": (str, "a string"),
    "date": (_datetime.date, "a date"),
    "time": (_datetime.time, "a time"),
    "datetime": (_datetime.datetime, "a datetime"),
}


def _shown(value):
    text = repr(value)
    return f"is {text if len(text) <= 60 else text[:57] + '...'}"


def _taken(value, kind):
    """A value as the policy sees it: numbers as JSON has them become exact, a datetime is in UTC."""
    if kind == "decimal" and type(value) is int:
        return _decimal.Decimal(value)
    if kind == "decimal" and type(value) is float:
        return _decimal.Decimal(repr(value))
    if kind == "int" and type(value) is float and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if kind == "datetime" and type(value) is _datetime.datetime and value.tzinfo is not None:
        try:
            return value.astimezone(_datetime.UTC).replace(tzinfo=None)
        except OverflowError:
            return value
    return value


def _misfit(value, type_of):
    """Why a value does not fit its declared type; an empty text if it does."""
    kind, values, optional, places = type_of
    if value is None and optional:
        return ""
    if kind == "set":
        return _set_misfit(value)
    wanted, described = _PLAIN[kind]
    if type(value) is not wanted:
        return f"{_shown(value)}, not {described}"
    if kind == "enum" and value not in values:
        listed = ", ".join(f'"{one}"' for one in values[:5]) + (", ..." if len(values) > 5 else "")
        return f"{_shown(value)}, which is not one of {listed}"
    if kind == "time" and value.tzinfo is not None:
        return "has a time zone, which a time of day cannot have"
    if kind == "datetime" and value.tzinfo is not None:
        return f"{_shown(value)}, which lies outside the calendar in UTC"
    return _decimal_misfit(value, places) if kind == "decimal" else ""


def _set_misfit(value):
    if type(value) is not frozenset:
        name = type(value).__name__
        return f"is {'an' if name[:1].lower() in 'aeiou' else 'a'} {name}, not a frozenset of strings"
    for member in value:
        if type(member) is not str:
            return f"has the member {member!r}, which is not a string"
    return ""


def _decimal_misfit(value, places):
    if not value.is_finite():
        return f"{_shown(value)}, which is no number"
    if value and value.adjusted() >= 30:
        return "has more than 30 digits before the point"
    _, digits, exponent = value.as_tuple()
    if exponent < -places and any(digits[-(-places - exponent) :]):
        return f"{_shown(value)}, which has more than {places} decimal places"
    return ""


def _because(*parts):
    """The elements behind the conditions that hold, up to the first that cannot be evaluated."""
    found = set()
    for holds, elements in parts:
        try:
            if holds():
                found |= elements()
        except (TypeError, KeyError):
            break  # a condition before it decided, so that it is never evaluated
    return found


def _answer(verdict, violations=(), reasons=(), permitted=()):
    return {
        "verdict": verdict,
        "violations": list(violations),
        "reasons": list(reasons),
        "permitted_by": list(permitted),
    }


def decide(arguments):
    """Decide on a mapping of the policy's arguments.

    The answer is a mapping with ``verdict`` (allow, deny, cannot-evaluate), ``violations`` (each with
    ``rule``, ``message`` and ``items``), ``reasons`` and ``permitted_by``.
    """
    try:
        values = {}
        reasons = []
        for name, type_of in _ARGUMENTS.items():
            if name not in arguments:
                reasons.append(f"The argument `{name}` is missing.")
                continue
            values[name] = _taken(arguments[name], type_of[0])
            if why := _misfit(values[name], type_of):
                reasons.append(f"The argument `{name}` {why}.")
        if reasons:
            return _answer("cannot-evaluate", reasons=reasons)
        with _decimal.localcontext(_EXACT):
            return _decide(values)
    except Exception as error:  # whatever goes wrong must not allow
        reason = f"The policy could not be evaluated: {type(error).__name__}."
        return _answer("cannot-evaluate", reasons=[reason])


def _decide(values):
    broken = [reason for holds, reason in _preconditions(**values) if not holds]
    if broken:
        return _answer("cannot-evaluate", reasons=broken)
    violations = []
    permitted = []
    for rule, message, names, elements in _RULES:
        given = [values[name] for name in names]
        if not rule(*given):
            continue
        if rule.__name__.startswith("forbid_"):
            items = sorted(elements(*given)) if elements else []
            violations.append({"rule": rule.__name__, "message": message, "items": items})
        else:
            permitted.append(rule.__name__)
    if not violations and not _DEFAULT_ALLOW and not permitted:
        violations.append({"rule": "default", "message": "No rule permits this.", "items": []})
    if (not violations) is not bool(_allow(**values)):
        return _answer("cannot-evaluate", reasons=["The rules and the decision of the policy disagree."])
    return _answer("deny" if violations else "allow", violations, permitted=permitted)


_ARGUMENTS, _RULES, _DEFAULT_ALLOW, _preconditions, _allow = _policy()
