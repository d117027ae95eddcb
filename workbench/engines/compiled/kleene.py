"""Conditions on an incomplete input, run: the functions that ``three_values`` writes calls of.

An undetermined value takes the place of a value that is not known; conditions have three truth values, by
Kleene's tables. The module is self-contained: an exported file has its text. No name of a policy begins with
an underscore, so none can hide these functions.
"""

# The text has the style of an exported file, which has no annotations.
# pyright: basic
# ruff: noqa: ANN001, ANN002, ANN202, ANN204


class _Undetermined:
    """A value that the undetermined arguments with these names may change."""

    __slots__ = ("names",)

    def __init__(self, names):
        self.names = names


_UNDEFINED = (TypeError, KeyError, AttributeError)


def _kleene_argument(name):
    return _Undetermined(frozenset({name}))


def _kleene_names(value):
    """The names that an undetermined value depends on; None for a value that is known."""
    return value.names if type(value) is _Undetermined else None


def _is_open(value):
    return type(value) is _Undetermined


def _open(values):
    return _Undetermined(frozenset().union(*[value.names for value in values if _is_open(value)]))


def _kleene_of(function, *operands):
    """A function of values that are all needed."""
    for operand in operands:
        if type(operand) is _Undetermined:
            return _open(operands)
    return function(*operands)


def _kleene_not(truth):
    return truth if _is_open(truth) else not truth


def _joined(truths, deciding):
    """The disjunction of truth values if True decides it, and their conjunction if False does."""
    seen = []
    for truth in truths:
        if truth is deciding:
            return deciding
        if _is_open(truth):
            seen.append(truth)
    return _open(seen) if seen else not deciding


def _in_order(operands, deciding):
    """The truths of operands, from left to right; an undetermined one may guard one without a value."""
    seen_open = False
    for operand in operands:
        try:
            truth = operand()
        except _UNDEFINED:
            if not seen_open:
                raise
            continue
        seen_open = seen_open or _is_open(truth)
        yield truth
        if truth is deciding:
            return


def _kleene_and(*operands):
    return _joined(_in_order(operands, False), False)


def _kleene_or(*operands):
    return _joined(_in_order(operands, True), True)


def _kleene_choice(otherwise, *choices):
    """The first choice whose condition holds; if one is undetermined, the value that both ways have."""
    if not choices:
        return otherwise()
    (condition, then), *rest = choices
    truth = condition()
    if truth is True:
        return then()
    if truth is False:
        return _kleene_choice(otherwise, *rest)
    try:
        values = (then(), _kleene_choice(otherwise, *rest))
    except _UNDEFINED:
        return truth
    same = type(values[0]) is type(values[1]) and not _is_open(values[0]) and values[0] == values[1]
    return values[0] if same else _open((truth, *values))


def _kleene_any(test, members):
    return members if _is_open(members) else _joined(map(test, members), True)


def _kleene_all(test, members):
    return members if _is_open(members) else _joined(map(test, members), False)


def _kleene_count(test, members):
    return _kleene_sum(test, lambda _member: 1, members)


def _kleene_sum(test, value, members):
    """The sum of the values of the members that meet a test; all tests and values are needed."""
    if _is_open(members):
        return members
    truths = [test(member) for member in members]
    if any(map(_is_open, truths)):
        return _open(truths)
    values = [value(member) for member, truth in zip(members, truths, strict=True) if truth]
    return _open(values) if any(map(_is_open, values)) else sum(values)


def _kleene_could_change(forbidding, asking, permitting, default_allow):
    """The names of the undetermined arguments that could change the decision, by the truths of the rules.

    A rule that certainly forbids decides, and so does that certainly no rule permits. Where a call is
    certainly not denied, no argument needs to be determined: a person is asked if a rule may ask.
    """
    permitted = default_allow or _joined(permitting, True)
    not_denied = _joined((permitted, _kleene_not(_joined(forbidding, True))), False)
    return _open((not_denied, _joined(asking, True))).names if _is_open(not_denied) else frozenset()


KLEENE = {name: value for name, value in list(globals().items()) if name.startswith("_kleene_")}
"""The functions by name."""
