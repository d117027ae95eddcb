"""Decisions of an exported policy: the part that follows the policy's own text in the file.

It stands alone in the exported file, so it imports only the standard library, and reads what
the exporter wrote before it: ``_ARGUMENTS``, ``_RULES``, ``_DEFAULT_ALLOW``, ``_preconditions_hold``
and ``allow``. Whatever does not fit cannot be evaluated; nothing that goes wrong allows.
"""

# The names it does not define come from the exported file, which checkers of this file cannot see.
# pyright: basic, reportUndefinedVariable=false
# ruff: noqa: F821, ANN001, ANN201, ANN202

import datetime as _datetime
import decimal as _decimal

_KINDS = {
    "bool": (bool, "True or False"),
    "int": (int, "a whole number"),
    "decimal": (_decimal.Decimal, "a Decimal"),
    "str": (str, "a string"),
    "enum": (str, "a string"),
    "set": (frozenset, "a frozenset of strings"),
    "date": (_datetime.date, "a date"),
    "time": (_datetime.time, "a time"),
    "datetime": (_datetime.datetime, "a datetime"),
}
_EXACT = _decimal.Context(prec=500, traps=[_decimal.Inexact, _decimal.InvalidOperation, _decimal.Overflow])


def _taken(value, kind):
    """A value as the policy sees it: numbers as JSON has them become exact, a datetime is in UTC."""
    if kind == "decimal" and type(value) is int:
        return _decimal.Decimal(value)
    if kind == "decimal" and type(value) is float:
        return _decimal.Decimal(repr(value))
    if kind == "int" and type(value) is float and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if kind == "datetime" and type(value) is _datetime.datetime and value.tzinfo is not None:
        return value.astimezone(_datetime.UTC).replace(tzinfo=None)
    return value


def _misfit(value, type_of):
    """Why a value does not fit its declared type; an empty text if it does."""
    kind, values, optional, places = type_of
    wanted, described = _KINDS[kind]
    if value is None:
        return "" if optional else f"is None, not {described}"
    if type(value) is not wanted:
        return f"is {value!r:.60}, not {described}"
    if kind == "enum" and value not in values:
        return f"is {value!r:.60}, which is not one of {', '.join(values)}"
    if kind == "set" and any(type(member) is not str for member in value):
        return "has a member that is not a string"
    if kind == "time" and value.tzinfo is not None:
        return "has a time zone, which a time of day cannot have"
    if kind == "decimal":
        if not value.is_finite():
            return f"is {value!r}, which is no number"
        if value and value.adjusted() >= 30:
            return "has more than 30 digits before the point"
        _, digits, exponent = value.as_tuple()
        if exponent < -places and any(digits[-(-places - exponent) :]):
            return f"is {value!r:.60}, which has more than {places} decimal places"
    return ""


def _items(rule, names, values):
    """The elements of set arguments that alone make a rule fire, sorted."""
    found = set()
    for name in names:
        if isinstance(values[name], frozenset):
            for element in values[name]:
                single = {**values, name: frozenset({element})}
                if rule(*[single[one] for one in names]):
                    found.add(element)
    return sorted(found)


def _answer(verdict, violations=(), reasons=()):
    return {"verdict": verdict, "violations": list(violations), "reasons": list(reasons)}


def decide(arguments):
    """Decide: a mapping with ``verdict`` (allow, deny, cannot-evaluate), ``violations``, ``reasons``."""
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
    if not _preconditions_hold(**values):
        return _answer("cannot-evaluate", reasons=["A precondition of the policy does not hold."])
    violations = []
    permitted = False
    for rule, message, names in _RULES:
        if not rule(*[values[name] for name in names]):
            continue
        if rule.__name__.startswith("forbid_"):
            items = _items(rule, names, values)
            violations.append({"rule": rule.__name__, "message": message, "items": items})
        else:
            permitted = True
    if not violations and not _DEFAULT_ALLOW and not permitted:
        violations.append({"rule": "default", "message": "No rule permits this.", "items": []})
    if (not violations) is not bool(allow(**values)):
        return _answer("cannot-evaluate", reasons=["The rules and the decision of the policy disagree."])
    return _answer("deny" if violations else "allow", violations)
