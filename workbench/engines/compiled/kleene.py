"""Conditions on an incomplete input, run: the functions that ``three_values`` writes calls of.

An undetermined value takes the place of a value that is not known; conditions have three truth values, by
Kleene's tables. The module is self-contained: an exported file has its text. No name of a policy begins with
an underscore, so none can hide these functions.
"""

# The text has the style of an exported file, which has no annotations.
# pyright: basic
# ruff: noqa: ANN001, ANN002, ANN202, ANN204


class _Undetermined:
    """A value that the undetermined arguments with these names may change.

    If it is a number, it is not less than ``low`` and not greater than ``high``; None is no bound. If it is a
    set, it certainly has these ``members``. If it is a record, ``record`` has the fields that are known.
    """

    __slots__ = ("high", "low", "members", "names", "record")

    def __init__(self, names, low=None, high=None, members=frozenset(), record=None):
        self.names = names
        self.low = low
        self.high = high
        self.members = members
        self.record = record


_UNDEFINED = (TypeError, KeyError, AttributeError)


def _kleene_argument(name, between=None):
    names = frozenset({name})
    if between is None:
        return _Undetermined(names)
    if isinstance(between, frozenset):
        return _Undetermined(names, members=between)
    if isinstance(between, tuple):
        return _Undetermined(names, *between)
    return _Undetermined(names, record=between)


def _kleene_names(value):
    """The names that an undetermined value depends on; None for a value that is known."""
    return value.names if type(value) is _Undetermined else None


def _is_open(value):
    return type(value) is _Undetermined


def _open(values):
    return _Undetermined(frozenset().union(*[value.names for value in values if _is_open(value)]))


def _bounds(*values):
    """The bounds of two numbers, one after the other; None if one has none."""
    bounds = []
    for value in values:
        if not _is_open(value):
            bounds += [value, value]
        elif value.low is None and value.high is None:
            return None
        else:
            bounds += [value.low, value.high]
    return bounds


def _number(low, high, values):
    """The number between two bounds: undetermined as these values are unless the bounds are one."""
    return low if low is not None and low == high else _Undetermined(_open(values).names, low, high)


def _sum(left, right):
    return None if left is None or right is None else left + right


def _negative(value):
    return None if value is None else -value


def _kleene_add(left, right):
    if not (_is_open(left) or _is_open(right)):
        return left + right
    bounds = _bounds(left, right)
    if bounds is None:
        return _open((left, right))
    low, high, other_low, other_high = bounds
    return _number(_sum(low, other_low), _sum(high, other_high), (left, right))


def _kleene_subtract(left, right):
    if not (_is_open(left) or _is_open(right)):
        return left - right
    bounds = _bounds(left, right)
    if bounds is None:
        return _open((left, right))
    low, high, other_low, other_high = bounds
    return _number(_sum(low, _negative(other_high)), _sum(high, _negative(other_low)), (left, right))


def _kleene_less(left, right):
    if not (_is_open(left) or _is_open(right)):
        return left < right
    bounds = _bounds(left, right)
    if bounds is not None:
        low, high, other_low, other_high = bounds
        if high is not None and other_low is not None and high < other_low:
            return True
        if low is not None and other_high is not None and low >= other_high:
            return False
    return _open((left, right))


def _kleene_equal(left, right):
    if not (_is_open(left) or _is_open(right)):
        return left == right
    less, greater = _kleene_less(left, right), _kleene_less(right, left)
    return False if less is True or greater is True else _open((left, right))


def _kleene_of(function, *operands):
    """A function of values that are all needed."""
    for operand in operands:
        if type(operand) is _Undetermined:
            return _open(operands)
    return function(*operands)


def _kleene_field(read, record):
    """A field of a record; of one that is undetermined, some may be known."""
    if not _is_open(record):
        return read(record)
    try:
        return _open((record,)) if record.record is None else read(record.record)
    except AttributeError:
        return _open((record,))


def _kleene_missing(value):
    """Whether a value is None; a record of which something is known is not."""
    if not _is_open(value):
        return value is None
    return _open((value,)) if value.record is None else False


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


def _kleene_in(item, members):
    if _is_open(members) and not _is_open(item) and item in members.members:
        return True
    return _kleene_of(lambda one, many: one in many, item, members)


def _kleene_any(test, members):
    return _quantified(test, members, True)


def _kleene_all(test, members):
    return _quantified(test, members, False)


def _quantified(test, members, deciding):
    """Whether a member settles the question; all known members of an open set do not settle the others."""
    if not _is_open(members):
        return _joined(map(test, members), deciding)
    truth = _joined(map(test, members.members), deciding)
    return truth if truth is deciding else _open([part for part in (members, truth) if _is_open(part)])


def _kleene_count(test, members):
    return _kleene_sum(test, lambda _member: 1, members)


def _kleene_sum(test, value, members):
    """The sum of the values of the members that meet a test, between bounds if some may meet it."""
    if _is_open(members):
        return members
    low, high, seen = 0, 0, []
    for member in members:
        truth = test(member)
        if truth is False:
            continue
        amount = _amount(value, member, truth)
        seen += [part for part in (truth, amount) if _is_open(part)]
        least, most = (amount.low, amount.high) if isinstance(amount, _Undetermined) else (amount, amount)
        if _is_open(truth):
            least = 0 if least is not None and least > 0 else least
            most = 0 if most is not None and most < 0 else most
        low, high = _sum(low, least), _sum(high, most)
    return _number(low, high, seen)


def _amount(value, member, truth):
    """The value of a member; undetermined if its test is, which may guard the value."""
    try:
        return value(member)
    except _UNDEFINED:
        if _is_open(truth):
            return _open((truth,))
        raise


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
