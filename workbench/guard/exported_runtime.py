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
    "bool": bool,
    "int": int,
    "decimal": _decimal.Decimal,
    "str": str,
    "enum": str,
    "set": frozenset,
    "date": _datetime.date,
    "time": _datetime.time,
    "datetime": _datetime.datetime,
}
_EXACT = _decimal.Context(prec=500, traps=[_decimal.Inexact, _decimal.InvalidOperation, _decimal.Overflow])


def _misfit(value, type_of):
    """Why a value does not fit its declared type; an empty text if it does."""
    kind, values, optional, places = type_of
    if value is None:
        return "" if optional else "is None"
    if type(value) is not _KINDS[kind]:
        return f"is a {type(value).__name__}, not a {kind}"
    if kind == "enum" and value not in values:
        return f"is {value!r}, which is not one of {', '.join(values)}"
    if kind == "set" and any(type(member) is not str for member in value):
        return "has a member that is not a string"
    if kind == "time" and value.tzinfo is not None:
        return "has a time zone"
    if kind == "decimal":
        if not value.is_finite() or (value and value.adjusted() >= 30):
            return "is no number of at most 30 digits before the point"
        _, digits, exponent = value.as_tuple()
        if exponent < -places and any(digits[-(-places - exponent) :]):
            return f"has more than {places} decimal places"
    return ""


def _normal(value):
    """A datetime in UTC without its zone, as the policy compares them; anything else as it is."""
    if isinstance(value, _datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(_datetime.UTC).replace(tzinfo=None)
    return value


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
        reasons = [
            f"{name} is missing." if name not in arguments else f"{name} {_misfit(arguments[name], type_of)}."
            for name, type_of in _ARGUMENTS.items()
            if name not in arguments or _misfit(arguments[name], type_of)
        ]
        if reasons:
            return _answer("cannot-evaluate", reasons=reasons)
        values = {name: _normal(arguments[name]) for name in _ARGUMENTS}
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
