"""Attempts past a bound on one amount of one call: another amount of it, and several calls together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, islice

from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import Attacked, made_object, texts_held, words_of
from workbench.clarify.written.attempts import (
    Attempt,
    Declaration,
    Try,
    beside,
    if_given,
    narrower,
    offering,
    saying,
)
from workbench.clarify.written.attempts_at_texts import AMOUNT, declared
from workbench.clarify.written.book import MIRRORED, Path, places, reads, replaced
from workbench.clarify.written.stated_amounts import (
    counts_money,
    is_amount_of_money,
    stated_amounts,
    unit_named,
)
from workbench.dialect.call_fields import CallField
from workbench.language.trees import CALL, RUN, TRUE, Tree, joined, negated, with_instead
from workbench.language.words import things
from workbench.model import FieldNote, Json, Kind
from workbench.runs.extract.tool_effects import effect_of
from workbench.runs.values.name_words import amount_named
from workbench.runs.values.zones import zone_named

_FORBIDDEN, _PERMITTED = frozenset((">", ">=")), frozenset(("<", "<="))
_EACH = re.compile(r"\b(?:an?|each|every|per|one|any|single|same) ((?:\w+ )?\w+)")
_IN_ALL = re.compile(r"\b(in all|altogether|in total|together|overall)\b")
_EARLIER: Tree = ("name", "e")
_ADDING = frozenset(("add", "extend", "increase", "lengthen", "postpone", "prolong", "raise"))
"""What tools do that add to what was before."""
_ACTS = (
    "payment", "refund", "transfer", "transaction", "purchase", "booking", "order", "withdrawal", "donation",
    "deposit", "charge", "expense", "claim", "call", "request",
)  # fmt: skip
"""What sentences call one call of a tool, beside nouns that begin as the verb of the tool does."""
_PRICE_LIMIT = re.compile(
    r"\b(?:price|rate|room|unit|fare) (?:limit|cap)\b|\bper (?:night|piece|unit|item)\b"
)
_DIFFERENCES = frozenset((
    "delta", "change", "adjustment", "offset", "difference", "diff", "shift", "correction", "movement",
    "increment", "variation", "by",
))  # fmt: skip
"""Words of numbers that are below zero where something gets less."""
_ADJUSTING = frozenset(("adjust", "correct"))
_GETS_LESS = re.compile(
    r"\b(?:negative|minus|signed|fewer|below zero|up or down|plus or|decreas\w*|lower)\b", re.I
)
_UPWARDS = re.compile(r"\b(?:increas\w*|rais\w*|rise\w*|add\w*|upwards?|higher|extend\w*|grow\w*|gain\w*)\b")
_DOWNWARDS = re.compile(r"\b(?:decreas\w*|lower\w*|reduc\w*|remov\w*|downwards?|drop\w*|shrink\w*|less)\b")
_ON_TOP = frozenset((
    "charge", "commission", "fee", "fees", "gratuity", "insurance", "shipping", "surcharge", "tax", "taxes",
    "tip", "vat",
))  # fmt: skip
"""What comes on top of an amount, so that both together are what is paid."""
_NO_AMOUNT = frozenset((
    "age", "attempts", "characters", "columns", "digits", "entries", "id", "index", "letters", "lines",
    "matches", "offset", "pages", "percents", "pixels", "results", "retries", "rows", "steps", "tokens",
    "tries", "words",
))  # fmt: skip
"""Words of numbers that say how something is done or shown, not how much of it there is."""
_OF_MONEY = re.compile(
    r"\b(?:salar|pay|paid|compensat|price|cost|spen[dt]|money|worth|wage|budget|remunerat)\w*"
)
_SETTING = frozenset(("set", "update", "change", "edit", "modify", "replace", "define", "scale", "resize"))
"""What tools do of which the last call alone counts."""
_PRICES = frozenset(("fare", "price", "rate", "cost", "fee", "wage"))
_TIMES = frozenset(
    ("count", "day", "days", "hour", "hours", "month", "months", "night", "nights", "week", "weeks")
)
"""Words of numbers by which a price is multiplied, besides numbers of pieces."""
_OF_ONE = re.compile(r"\b(?:per|each|every|apiece|single|a (?:night|day|hour|week|month|piece|unit|room))\b")
_FREE_TEXT = frozenset((
    "body", "comment", "content", "currency", "description", "message", "note", "purpose", "reason",
    "subject", "text", "title",
))  # fmt: skip


def attempts_at_amounts(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts past the bounds of a rule of one tool, of which no rule speaks yet."""
    bounding = _PERMITTED if attacked.rule.form == "permit" else _FORBIDDEN
    by_amount: dict[str, list[_Bound]] = {}
    for path, atom in places(attacked.rule.condition) if len(attacked.rule.classes) == 1 else ():
        if len(atom) != 3 or atom[0] not in bounding or atom[2][:1] != ("lit",):
            continue
        fields = attacked.call_type.fields
        bounded = [
            one for one in fields if _reads(atom[1], one) and one.type.kind in (Kind.INT, Kind.DECIMAL)
        ]
        if atom[2][1] in ("int", "dec") and atom[2][2] > 0 and bounded:
            by_amount.setdefault(bounded[0].name, []).append(_Bound(path, atom, tuple(bounded)))
    yield from _other_direction(attacked)
    yield from _several_steps_down(attacked)
    for bounds in by_amount.values():
        of_money = _kind_of(attacked, bounds[0].main, bounds[0].limit) == "money"
        yield from _other_amounts(attacked, bounds[0])
        yield from _in_elements(attacked, bounds[0])
        yield from _with_sizes(attacked, bounds[0])
        yield from _other_units(attacked, bounds[0])
        yield from _larger_units(attacked, bounds[0])
        if of_money and any(part[:2] == ("call", "sum") for _, part in places(bounds[0].atom)):
            yield from _mixed_currencies(attacked, bounds[0])
        elif of_money:
            yield from _other_currency(attacked, bounds[0])
            yield from _below_zero(attacked, bounds[0])
        yield from _times(attacked, bounds[0])
        is_amount = of_money or bool(_amount(bounds[0].main))
        does = {*words_of(attacked.tool)}
        is_summed = is_amount and not _SETTING & does and not ("create" in does and _PRICES & does)
        is_summed = is_summed or any(
            adds(attacked, bounds[0].main) for adds in (_adds_up, _is_step, _lasts, _piles_up)
        )
        if is_summed and not is_of_one_call(attacked) and not is_counted(attacked, bounds[0].main):
            yield from _several_calls(attacked, bounds)

    yield from _several_lists(attacked)
    yield from _makes_room(attacked)
    yield from _over_midnight(attacked)


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound at a place of a rule, and the amounts of the call that it is of, the first above all."""

    path: tuple[int, ...]
    atom: Tree
    amounts: tuple[CallField, ...]

    @property
    def main(self) -> CallField:
        """The amount."""
        return self.amounts[0]

    @property
    def limit(self) -> int:
        """The bound itself."""
        return int(self.atom[2][2])


def _reads(tree: Tree, one: CallField) -> bool:
    return any(part == ("attr", CALL, one.name) for _, part in places(tree))


def _amount(one: CallField) -> str:
    """Of what a field is an amount, by its name; empty for another number or text."""
    is_number = one.type.kind in (Kind.INT, Kind.DECIMAL)
    found = amount_named(words_of(one.name)) if is_number else ""
    return "" if found == "neither" else found


def _kind_of(attacked: Attacked, one: CallField, bound: int | Decimal | None = None) -> str:
    """Of what a number is an amount: by its name, its unit, or the words for the ``bound`` on it.

    A whole number with a name in the plural is one of pieces.
    """
    if one.type.kind not in (Kind.INT, Kind.DECIMAL):
        return ""
    named = amount_named(words_of(one.name))
    if named:
        return _amount(one)
    of_money = counts_money(one, attacked.book.agent.units.get(f"{attacked.call_type.name}.{one.name}", ""))
    if of_money is not None:
        return "money" if of_money else ""
    if _NO_AMOUNT & {*words_of(one.name)}:
        return ""
    if bound is not None and _is_said_of_money(attacked, bound):
        return "money"
    is_plural = re.search(r"[^s]s$", words_of(one.name)[-1]) is not None if words_of(one.name) else False
    return "pieces" if one.type.kind is Kind.INT and is_plural else ""


def _is_said_of_money(attacked: Attacked, bound: int | Decimal) -> bool:
    """Whether a sentence states a bound as one of money, or speaks of money, of which the call has more."""
    stated = (each.number for each in stated_amounts(attacked.sentence) if is_amount_of_money(each))
    if any(each in (bound, Decimal(bound) / 100) for each in stated):
        return True
    others = any(_amount(each) == "money" for each in attacked.call_type.fields)
    return others and _OF_MONEY.search(attacked.sentence) is not None


def _adds_up(attacked: Attacked, one: CallField) -> bool:
    """Whether each call of the tool adds a number to those of calls before it."""
    return one.type.kind in (Kind.INT, Kind.DECIMAL) and bool({*words_of(attacked.tool)} & _ADDING)


def _is_step(attacked: Attacked, one: CallField) -> bool:
    """Whether a number is a part of something larger: a difference, or a number of rows from a place on."""
    words = {*words_of(one.name)}
    placed = any(_PLACES & {*words_of(each.name)} for each in attacked.call_type.fields if each != one)
    return bool(words & _DIFFERENCES - _PLACES) or (placed and bool(words & _SIZES_OF_PAGES))


def _lasts(attacked: Attacked, one: CallField) -> bool:
    """Whether a number says how long something lasts that a tool does, again with each call of it."""
    if not {*words_of(one.name)} <= _LASTING or any(_amount(e) == "money" for e in attacked.call_type.fields):
        return False
    tool = attacked.book.tools[attacked.tool]
    return not {*words_of(attacked.tool)} & (_SETTING | _WAITING) and not effect_of(tool).reads


def _piles_up(attacked: Attacked, one: CallField) -> bool:
    """Whether a number says how much of something a tool gives, takes or changes, again with each call."""
    does, words = {*words_of(attacked.tool)}, {*words_of(one.name)}
    is_off = bool((does | words) & _TAKEN_OFF and words & _RATES)
    is_much = is_off or bool(words & _PILED) or _is_unit(one) or _kind_of(attacked, one) == "pieces"
    is_level = bool(words & (_LEVELS | _NO_AMOUNT | _PRICES)) and not is_off
    if not is_much or words <= _LASTING or is_level or does & (_SETTING - _CHANGED | _WAITING):
        return False
    return not effect_of(attacked.book.tools[attacked.tool]).reads


_TAKEN_OFF = frozenset(("discount", "rebate", "reduction", "markdown"))
_CHANGED = frozenset(("change",))
"""What tools do that set a number, or change it by one."""
_PILED = frozenset((
    "weight", "mass", "load", "litres", "liters", "gallons", "volume", "distance", "points", "credits",
    "packs", "boxes", "pallets", "copies", "seats", "degrees", "dose", "doses", "tablets", "watts", "kwh",
))  # fmt: skip
_LEVELS = frozenset((
    "level", "temperature", "brightness", "speed", "priority", "percent", "percentage", "rate", "score",
    "rating", "limit", "max", "maximum", "min", "timeout", "port", "width", "height", "version", "size",
    "threshold", "position", "angle", "seconds", "interval", "frequency", "celsius", "fahrenheit", "kelvin",
    "expires", "ttl", "retention",
))  # fmt: skip
"""Words of numbers that are set, and of which the last call alone counts."""
_LASTING = frozenset(("seconds", "minutes", "hours", "days", "weeks", "months", "nights", "duration"))
_WAITING = frozenset(("wait", "sleep", "pause", "delay", "schedule", "remind"))
_PLACES = frozenset(("offset", "skip", "start", "cursor", "after", "page", "token"))
_SIZES_OF_PAGES = frozenset(("size", "limit", "rows", "max", "top", "first", "results", "entries", "count"))


def is_counted(attacked: Attacked, one: CallField) -> bool:
    """Whether a rule speaks of a field of earlier calls, or of earlier calls without any number of them."""
    book, name = attacked.book, attacked.call_type.name
    words = book.terms.file.words
    told = (each for each in book.terms.arguments if each.type.kind in (Kind.INT, Kind.DECIMAL))
    if any(words.of(each.name).startswith("run.context.") for each in told):
        return True
    earlier = re.compile(rf"\brun\.earlier\([^)]*\b{name}\b")
    read = [text for text in attacked.trials.read_of(attacked.tool) if earlier.search(text)]
    numbers = [each.name for each in attacked.call_type.fields if _amount(each)]
    return any(_names(text, one.name) or not any(_names(text, number) for number in numbers) for text in read)


def _names(text: str, field: str) -> bool:
    return re.search(rf"\.{field}\b", text) is not None


def _bases(attacked: Attacked, main: CallField, limit: int) -> Iterator[TriedCall]:
    """Yield calls that the bound alone may stop: of which the rule stops a large amount."""
    for one in (attacked.allowed, attacked.stopped, attacked.plain):
        if one is not None and attacked.stops(attacked.with_value(one, main, limit * 2)):
            yield one


def _passing(attacked: Attacked, calls: Iterable[TriedCall], why: str, times: int = 1) -> list[Try]:
    """The first of some calls that is let through, perhaps several times."""
    runs = filter(attacked.lets_through, ((one,) * times for one in calls))
    return [Try(run, why) for run in islice(runs, 1)]


def _small(attacked: Attacked, bound: _Bound) -> Iterator[TriedCall]:
    """Yield calls that the bound alone may stop, without the amount, or with hardly any."""
    main = bound.main
    for one in _bases(attacked, main, bound.limit):
        held = {key: value for key, value in one.arguments.items() if key != main.key}
        lacking = replace(one, arguments=held, recorded=None)
        yield lacking if main.type.optional else attacked.with_value(one, main, min(1, bound.limit))


def is_of_one_call(attacked: Attacked) -> bool:
    """Whether a sentence bounds each call, “no payment above 500”, and not all of them together."""
    sentence = attacked.sentence
    if not sentence or _IN_ALL.search(sentence):
        return False
    verb = re.escape(words_of(attacked.tool)[0][:5]) if words_of(attacked.tool) else "call"
    keys = {word for one in attacked.call_type.fields for word in things(words_of(one.name))}
    nouns = [noun for noun in _ACTS if noun not in keys]
    acts = rf"(?:{verb}\w*|{'|'.join(nouns)})"
    # “50 of an order may be refunded” is about the order, of which there may be several refunds.
    one = (
        rf"(?:(?<!of )(?<!for )(?<!from )(?<!on )\b(?:no|an?|any|one) (?:\w+ )?{acts}"
        rf"|\b(?:no|an?|any|one) (?:\w+ )?{verb}\w*|\b(?:each|every|per|single) (?:\w+ )?{acts})\b"
    )
    return re.search(one, sentence) is not None or _PRICE_LIMIT.search(sentence) is not None


# --- several calls with a list each


def _several_lists(attacked: Attacked) -> Iterator[Attempt]:
    """Two calls with as many things as a rule lets one call have, where no sentence speaks of one call."""
    bounding = _PERMITTED if attacked.rule.form == "permit" else _FORBIDDEN
    does = words_of(attacked.tool)
    own = "|".join(re.escape(word.removesuffix("s")) for word in (*does, *_MESSAGES))
    is_of_one = re.search(rf"{_ONE_CALL}|\b(?:no|an?|any|one) (?:\w+ )?(?:{own})\b", attacked.sentence)
    is_read = effect_of(attacked.book.tools[attacked.tool]).reads
    if is_of_one or is_read or is_of_one_call(attacked) or attacked.reading.reads_run:
        return
    if {*does} & _MAKING and not _IN_ALL.search(attacked.sentence) and not _keys(attacked):
        return  # each call makes a thing of its own
    lengths: dict[Tree, CallField] = {
        ("call", "len", attacked.value_of(one)): one
        for one in attacked.fields_read
        if one.type.kind in (Kind.SET, Kind.LIST)
    }
    for path, atom in places(attacked.rule.condition):
        one = lengths.get(atom[1]) if len(atom) == 3 and atom[0] in bounding else None
        if one is None or atom[2][:2] != ("lit", "int") or not 0 < atom[2][2] <= _MOST_IN_LIST:
            continue
        most = atom[2][2] - (atom[0] in ("<", ">="))
        calls = (each for each in _with_so_many(attacked, one, most) if attacked.lets_through((each, each)))
        why = "each call is looked at alone, and both together have more"
        tries = [Try((call, call), why) for call in islice(calls, 1)]
        yield Attempt(
            "several calls", tries, partial(_counted_together, attacked, path, atom, one), about=one.name
        )


def _with_so_many(attacked: Attacked, one: CallField, most: int) -> Iterator[TriedCall]:
    """Yield calls with a list as long as a rule lets through, of which it stops one with twice as much."""
    for base in filter(None, (attacked.allowed, attacked.plain)):
        held = base.arguments.get(one.key)
        for element in held[:1] if isinstance(held, list) else ():
            twice = [_another(element, number) for number in range(most * 2)]
            if attacked.stops(TriedCall(attacked.tool, {**base.arguments, one.key: twice})):
                yield TriedCall(attacked.tool, {**base.arguments, one.key: twice[:most]})


def _another(element: Json, number: int) -> Json:
    """Another element of the same kind, where it is a text: in the same domain, of the same beginning."""
    if not isinstance(element, str) or not number:
        return element
    return f"p{number}.{element}" if "@" in element else f"{element}{number}"


def _counted_together(attacked: Attacked, path: Path, atom: Tree, one: CallField) -> Sequence[Effect]:
    """The rule with the bound on the lists of all calls together."""
    length: Tree = ("call", "len", ("attr", _EARLIER, one.name))
    many = ("method", RUN, "earlier", *attacked.rule.tree[3:])
    same: list[Tree] = [
        ("==", ("attr", _EARLIER, each.name), ("attr", CALL, each.name)) for each in _keys(attacked)
    ]
    counted = joined("and", [*same, ("not", ("attr", _EARLIER, "failed"))])
    earlier: Tree = ("call", "sum", ("gen", _EARLIER, length, many, counted))
    said = replaced(attacked.rule.condition, path, (atom[0], ("+", atom[1], earlier), atom[2]))
    return [saying(attacked.rule, said)]


def _keys(attacked: Attacked) -> Sequence[CallField]:
    """The fields that name the one thing to which a call adds its list: an event, a group."""
    needed = (one for one in attacked.call_type.fields if not one.type.optional)
    return [one for one in needed if one.type.kind is Kind.STR and words_of(one.name)[-1:] == ("id",)]


_MAKING = frozenset(("create", "make", "new", "open", "organise", "organize", "plan", "schedule"))
_MOST_IN_LIST = 40
"""The most elements of a list that a question shows."""
_MESSAGES = ("mail", "email", "message", "call", "request", "invitation", "batch", "time", "go")
_ONE_CALL = r"\b(?:once|each|every|per|single|together in one)\b"
"""Words of sentences that speak of one call, or of none of its own list."""


# --- a number below zero


def _other_direction(attacked: Attacked) -> Iterator[Attempt]:
    """A large difference in the other direction than the one that a rule bounds."""
    is_permit = attacked.rule.form == "permit"
    for one in filter(partial(_has_both_signs, attacked), attacked.fields_read):
        for _, atom in places(attacked.rule.condition):
            limit = _bound_of_difference(atom, attacked.value_of(one), is_permit=is_permit)
            one_way = _UPWARDS if limit > 0 else _DOWNWARDS
            if not limit or one_way.search(attacked.sentence):
                continue
            mirrored: Tree = (MIRRORED[atom[0]], atom[1], (*atom[2][:2], -atom[2][2]))
            said = joined("and" if is_permit else "or", [attacked.rule.condition, mirrored])
            effect = saying(attacked.rule, said)
            why = "the difference is larger still, in the other direction"
            calls = (attacked.with_value(base, one, -limit * 50) for base in _bases(attacked, one, limit))
            tries = [Try((call,), why) for call in islice(calls, 1)]
            yield Attempt("other direction", tries, offering(effect), about=one.name)


def _bound_of_difference(atom: Tree, value: Tree, *, is_permit: bool) -> int:
    """What a difference may be at most, or at least if it is below zero; zero for no such bound."""
    if len(atom) != 3 or atom[0] not in MIRRORED or atom[1] != value or atom[2][0] != "lit":
        return 0
    sort, limit = atom[2][1:]
    is_upper = atom[0] in (_PERMITTED if is_permit else _FORBIDDEN)
    return int(limit) if sort in ("int", "dec") and is_upper is (limit > 0) else 0


def _has_both_signs(attacked: Attacked, one: CallField) -> bool:
    """Whether a number may be below zero, and says then that something gets less."""
    if one.type.kind not in (Kind.INT, Kind.DECIMAL) or is_never_negative(one):
        return False
    logged = (call.arguments.get(one.key) for call in attacked.logged)
    return (
        bool(_DIFFERENCES & {*words_of(one.name)})
        or bool(_ADJUSTING & {*words_of(attacked.tool)})
        or _GETS_LESS.search(one.description) is not None
        or any(isinstance(each, int | float) and each < 0 for each in logged)
    )


# --- another amount of the call


def _other_amounts(attacked: Attacked, bound: _Bound) -> Iterator[Attempt]:
    main, limit = bound.main, bound.limit
    on_top = [one for one in attacked.call_type.fields if _comes_on_top(attacked, bound, one)]
    if len(on_top) > 1 and attacked.rule.form != "permit":
        yield _all_on_top(attacked, bound, on_top)
    for other in attacked.call_type.fields:
        read = attacked.trials.read_of(attacked.tool)
        if other in bound.amounts or any(_names(text, other.name) for text in read):
            continue
        if len(on_top) > 1 and other in on_top:
            continue
        if _is_text_of_amount(attacked, main, other, limit):
            yield from _as_text(attacked, bound, other)
            continue
        if (periods := _other_period(attacked, main, other, limit)) is not None:
            yield from _by_period(attacked, bound, other, *periods)
            continue
        if (times := _times_of_unit(main, other)) is not None:
            yield from _other_measure(attacked, bound, other, limit * times)
            continue
        if _is_choice(attacked, main, other, limit):
            yield from _other_measure(attacked, bound, other, None)
            continue
        if not _is_alike(attacked, main, other, limit):
            continue
        small = (attacked.with_value(one, main, min(1, limit)) for one in _bases(attacked, main, limit))
        why = f"{other.name.replace('_', ' ')} is an amount, too, and no rule bounds it"
        calls = (attacked.with_value(one, other, limit * 2) for one in small)
        tries = _passing(attacked, calls, why)
        yield Attempt(f"amount {other.name}", tries, partial(_bounded_too, attacked, bound.atom, main, other))


def _in_elements(attacked: Attacked, bound: _Bound) -> Iterator[Attempt]:
    """The amount in the elements of a list of the call, beside the one number that a rule bounds."""
    main, limit, each = bound.main, bound.limit, ("name", "each")
    for listed in attacked.call_type.fields:
        for other in listed.fields if listed.type.kind is Kind.LIST else ():
            value: Tree = ("attr", CALL, listed.name)
            amount: Tree = ("attr", each, other.name)
            if not _is_alike(attacked, main, other, limit) or _is_read_of_elements(attacked, value, other):
                continue
            rows = [{**made_object(listed, {other.name: many})} for many in (limit * 2, limit)]
            small = (attacked.with_value(one, main, min(1, limit)) for one in _bases(attacked, main, limit))
            found = (
                TriedCall(one.tool, {**one.arguments, listed.key: [*held]})
                for one in small
                for held in (rows[:1], rows[1:] * 2)
            )
            why = f"its {listed.name.replace('_', ' ')} have amounts, too, and no rule bounds them"
            tries = [Try((one,), why) for one in islice(filter(attacked.may_pass, found), 2)]
            counted: list[Tree] = [("is some", amount)] if other.type.optional else []
            counted += [] if is_never_negative(other) else [(">", amount, ("lit", "int", 0))]
            where = joined("and", counted) if counted else TRUE
            total: Tree = ("call", "sum", ("gen", each, amount, value, where))
            over = with_instead(bound.atom, attacked.value_of(main), total)
            if attacked.rule.form == "permit":
                said = joined("and", [attacked.rule.condition, over])
                effects = [saying(attacked.rule, said)]
            else:
                given = ("is some", attacked.value_of(main))
                rest = [part for part in _besides(attacked, bound.atom) if part != given]
                effects = [narrower(attacked.rule, joined("and", [*rest, over]))]
            about = f"{listed.name} {other.name}"
            yield Attempt("amount in elements", tries, offering(*effects), _or_none(attacked, listed), about)


def _or_none(attacked: Attacked, listed: CallField) -> str | Declaration:
    """That a call without a list has none of its elements, where it may lack it and nobody said so."""
    needed = attacked.book.tools[attacked.tool].parameters.get("required")
    is_needed = isinstance(needed, list) and listed.key in needed
    is_known = listed.type.optional or is_needed
    return "" if is_known else Declaration(attacked.tool, {listed.key: FieldNote(optional=True)})


def _is_read_of_elements(attacked: Attacked, value: Tree, one: CallField) -> bool:
    """Whether a rule of the tool reads a field of the elements of a list."""
    conditions = (rule.condition for rule in attacked.book.rules_by_class[attacked.call_type.name])
    gens = (part for each in conditions for _, part in places(each) if part[0] == "gen" and part[3] == value)
    return any(reads(gen, ("attr", gen[1], one.name)) for gen in gens)


def _comes_on_top(attacked: Attacked, bound: _Bound, one: CallField) -> bool:
    """Whether a number that no rule reads comes on top of an amount."""
    is_read = any(_names(text, one.name) for text in attacked.trials.read_of(attacked.tool))
    on_top = bool(_ON_TOP & {*words_of(one.name)}) and one not in bound.amounts and not is_read
    return on_top and _is_alike(attacked, bound.main, one, bound.limit)


def _all_on_top(attacked: Attacked, bound: _Bound, several: Sequence[CallField]) -> Attempt:
    """Several numbers that come on top of an amount, each of which a call may lack."""
    main, limit = bound.main, bound.limit
    bases = [attacked.with_value(one, main, min(1, limit)) for one in _bases(attacked, main, limit)][:1]
    tries = [
        Try((attacked.with_value(base, one, limit * 2),), f"{one.name} comes on top, and no rule bounds it")
        for base in bases
        for one in several
    ]
    needed = [one for one in several if not one.type.optional]
    optional = [one for one in several if one.type.optional][:_MOST_ON_TOP]
    sums: list[Tree] = []
    for chosen in chain.from_iterable(combinations(optional, size) for size in range(len(optional) + 1)):
        total = bound.atom[1]
        for one in (*needed, *chosen):
            total = ("+", total, ("attr", CALL, one.name))
        given: list[Tree] = [("is some", ("attr", CALL, one.name)) for one in chosen]
        if needed or chosen:
            sums.append(joined("and", [*given, (bound.atom[0], total, bound.atom[2])]))
    effects = [narrower(attacked.rule, joined("and", [*_besides(attacked, bound.atom), joined("or", sums)]))]
    names = ", ".join(one.name for one in several)
    return Attempt(f"amount {names}", tries, offering(*effects))


_MOST_ON_TOP = 3
"""The most numbers on top of which all sums are written out."""


# --- how much is in each of what is counted


_SIZES = frozenset(("size", "units", "pieces", "count", "quantity", "multiplier", "factor", "items"))
_MOST_IN_EACH = 100


def _is_size_of_each(main: CallField, other: CallField) -> bool:
    """Whether a number says how much is in each of the things that another one counts: packs, pack size."""
    own, words = things(words_of(main.name)), words_of(other.name)
    is_number = main.type.kind is Kind.INT and other.type.kind in (Kind.INT, Kind.DECIMAL)
    is_of_own = bool(own & things(words)) and len(words) > 1
    return is_number and is_of_own and bool({*words} & _SIZES or "per" in words)


def _with_sizes(attacked: Attacked, bound: _Bound) -> Iterator[Attempt]:
    read = attacked.trials.read_of(attacked.tool)
    for other in attacked.call_type.fields:
        if _is_size_of_each(bound.main, other) and not any(_names(text, other.name) for text in read):
            yield _with_size(attacked, bound, other)


def _with_size(attacked: Attacked, bound: _Bound, other: CallField) -> Attempt:
    """As many things as a rule lets one have, each of a size that hardly any has."""
    main, name = bound.main, other.name.replace("_", " ")
    logged = [call.arguments.get(other.key) for call in attacked.logged]
    most = max([_MOST_IN_EACH, *(int(each) for each in logged if isinstance(each, int | float))])
    part_ = bound.limit * 9 // 10 or 1
    calls = (
        attacked.with_value(attacked.with_value(base, main, each), other, most * 100)
        for base in _bases(attacked, main, bound.limit)
        for each in (part_, 1)
    )
    why = f"its {name} says how much is in each, and no rule bounds it"
    tries = [Try((one,), why) for one in islice(filter(attacked.may_pass, calls), 2)]
    value: Tree = ("attr", CALL, other.name)
    above: Tree = (">", value, _literal(other, Decimal(most)) or ("lit", "int", most))
    effects = [narrower(attacked.rule, if_given(other, above))]
    counted = things(words_of(main.name)) & things(re.findall(r"[a-z]+", attacked.sentence))
    if not counted and other.type.kind is Kind.INT and attacked.rule.form != "permit":
        in_all: Tree = (bound.atom[0], _product(bound.atom[1], value), bound.atom[2])
        more: Tree = (">", value, ("lit", "int", 2**_DIGITS - 1))
        dear = if_given(other, joined("or", [in_all, more]))
        said = joined("and", [*_besides(attacked, bound.atom), dear])
        effects.insert(0, narrower(attacked.rule, said))
    return Attempt(f"amount {other.name}", tries, offering(*effects), about=other.name)


# --- an amount that is a text


_AS_A_TEXT = frozenset(("decimal", "exact", "formatted", "str", "string", "text"))
_NO_NUMBERS = frozenset(("code", "currency", "format", "id", "key", "name", "type"))


def _is_text_of_amount(attacked: Attacked, main: CallField, other: CallField, limit: int) -> bool:
    """Whether a text says by its name that it is an amount of the same as a number."""
    words = {*words_of(other.name)}
    if other.type.kind is not Kind.STR or words & _NO_NUMBERS or other.kind not in ("", AMOUNT):
        return False
    is_named = amount_named(words) == "money" and bool(words & _AS_A_TEXT or "decimal" in other.description)
    is_money = _kind_of(attacked, main, limit) == "money"
    return words - _AS_A_TEXT == {*words_of(main.name)} or (is_money and is_named)


def _as_text(attacked: Attacked, bound: _Bound, other: CallField) -> Iterator[Attempt]:
    """The same amount as a text, of which a rule reads the number once it is declared to be an amount."""
    limit, value = bound.limit, ("attr", CALL, other.name)
    calls = (attacked.with_value(one, other, f"{limit * 2}.00") for one in _small(attacked, bound))
    why = f"its {other.name.replace('_', ' ')} is an amount, too, and no rule bounds it"
    tries = [Try((one,), why) for one in islice(filter(attacked.may_pass, calls), 1)]
    given: list[Tree] = [("is some", value)] if other.type.optional else []
    effects = [narrower(attacked.rule, given[0])] if given else []
    if other.kind == AMOUNT:
        forbidding = {"<=": ">", "<": ">="}.get(bound.atom[0], bound.atom[0])
        above: Tree = (forbidding, ("attr", value, "value"), ("lit", "dec", Decimal(limit)))
        effects.insert(0, narrower(attacked.rule, joined("and", [*given, above])))
    advice = "" if other.kind else declared(attacked.tool, other, AMOUNT)
    yield Attempt(f"amount {other.name}", tries, offering(*effects), advice)


# --- an amount for another time


_PERIODS = {
    **dict.fromkeys(("hour", "hourly"), Fraction(1, 24)), **dict.fromkeys(("day", "daily"), Fraction(1)),
    **dict.fromkeys(("week", "weekly"), Fraction(7)), **dict.fromkeys(("month", "monthly"), Fraction(31)),
    **dict.fromkeys(("quarter", "quarterly"), Fraction(93)),
    **dict.fromkeys(("year", "yearly", "annual", "annually", "annum"), Fraction(372)),
    **dict.fromkeys(("lifetime", "total", "overall"), Fraction(0)),
}  # fmt: skip
"""How many days the times have for which amounts are; zero for all of them.

A longest month is counted, of which a year has twelve: so nothing is above a bound that keeps to it.
"""
_OF_TIME = re.compile(rf"\b(?:(?:an?|per|each|every) )?({'|'.join(_PERIODS)})\b")


def _other_period(
    attacked: Attacked, main: CallField, other: CallField, limit: int
) -> tuple[Fraction, Fraction] | None:
    """The days of the times for which a call has an amount and a like one, where these differ."""
    if not _is_alike(attacked, main, other, limit):
        return None
    own, theirs = (
        [_PERIODS[word] for word in words_of(one.name) if word in _PERIODS] for one in (main, other)
    )
    own = own or [_PERIODS[word] for word in _OF_TIME.findall(attacked.sentence)][:1]
    return (own[0], theirs[0]) if own and theirs and own[0] != theirs[0] else None


def _by_period(
    attacked: Attacked, bound: _Bound, other: CallField, days: Fraction, of_other: Fraction
) -> Iterator[Attempt]:
    """A like amount for another time: its bound is as much longer, or depends on how long all lasts."""
    if days and of_other:
        times = of_other / days
        limit = Decimal(bound.limit) * times.numerator / times.denominator
        yield from _other_measure(attacked, bound, other, limit, is_more=False)
    elif bound.main.type.optional:
        main, value = bound.main, ("attr", CALL, other.name)
        calls = (attacked.with_value(one, other, bound.limit * 50) for one in _small(attacked, bound))
        why = (
            f"it has no {main.name.replace('_', ' ')}, and no rule bounds its {other.name.replace('_', ' ')}"
        )
        tries = [Try((one,), why) for one in islice(filter(attacked.may_pass, calls), 1)]
        said: list[Tree] = [("is some", value)] if other.type.optional else []
        said.append(("is none", attacked.value_of(main)))
        effects = [narrower(attacked.rule, joined("and", [*said, *_longer(attacked, bound, other)]))]
        effects.append(narrower(attacked.rule, joined("and", said)))
        yield Attempt(f"amount {other.name}", tries, offering(*effects))


def _longer(attacked: Attacked, bound: _Bound, other: CallField) -> list[Tree]:
    """That an amount is more than a bound for each of the days of a call; nothing if it names none."""
    for one in attacked.call_type.fields:
        if one.type.kind is Kind.INT and words_of(one.name)[-1:] == ("days",):
            days: Tree = ("attr", CALL, one.name)
            limit = _literal(other, Decimal(bound.limit))
            most: Tree = ("*", limit or bound.atom[2], days)
            missing: list[Tree] = [("is none", days)] if one.type.optional else []
            return [joined("or", [*missing, (">", ("attr", CALL, other.name), most)])]
    return []


def _other_measure(
    attacked: Attacked, bound: _Bound, other: CallField, limit: Decimal | None, *, is_more: bool = True
) -> Iterator[Attempt]:
    """The same amount said by another field: in another unit, of which the ``limit`` is known, or measure.

    ``is_more`` is whether a call may say a part of it by each of them.
    """
    main, name = bound.main, other.name.replace("_", " ")
    much = max(1, int(2 * (bound.limit if limit is None else limit)))
    calls = (attacked.with_value(one, other, much) for one in _small(attacked, bound))
    kind = "for another time" if not is_more else f"in another {'measure' if limit is None else 'unit'}"
    why = f"{name} says the same {kind}, and no rule bounds it"
    tries = _passing(attacked, calls, why)
    value: Tree = ("attr", CALL, other.name)
    given: list[Tree] = [("is some", value)] if other.type.optional else []
    effects = [narrower(attacked.rule, given[0])] if given else []
    if limit is not None and (number := _literal(other, limit)) is not None:
        forbidding = {"<=": ">", "<": ">="}.get(bound.atom[0], bound.atom[0])
        size = limit / bound.limit
        whole: Tree = value
        is_whole = size > 1 and size == int(size)
        if is_more and not main.type.optional and is_whole:  # both together say how much
            whole = ("+", ("*", attacked.value_of(main), ("lit", "int", int(size))), value)
            part = bound.limit * 9 // 10
            parts = [attacked.with_value(each.calls[0], main, part) for each in tries]
            tries += [Try((attacked.with_value(one, other, much // 5),), why) for one in parts]
        above: Tree = (forbidding, whole, number)
        effects = [narrower(attacked.rule, joined("and", [*given, above])), *effects]
    yield Attempt(f"amount {other.name}", tries, offering(*effects))


def _other_currency(attacked: Attacked, bound: _Bound) -> Iterator[Attempt]:
    """An amount in another currency than the one in which a sentence has its bound."""
    codes = [code for code, said in _CURRENCIES.items() if said.search(attacked.sentence)]
    codes = codes or [*islice(_usual_currency(attacked), 1)]
    fields = [one for one in attacked.call_type.fields if "currency" in words_of(one.name)]
    if len(codes) != 1 or not fields or any(one.name in attacked.reading.parts for one in fields):
        return
    one = fields[0]
    known = [*dict.fromkeys([*texts_held(attacked.logged, one), *(one.type.values or ())])]
    own = next((each for each in known if each.casefold() == codes[0].casefold()), codes[0])
    others = [each for each in known if each != own] if one.type.values else [*known, "KWD"]
    others.sort(key=lambda each: each.upper() not in _DEAR)
    bases = [
        attacked.with_value(base, bound.main, bound.limit * 9 // 10)
        for base in _bases(attacked, bound.main, bound.limit)
    ]
    why = f"the bound is one in {codes[0]}, and nothing looks at its currency"
    tries = [
        Try((attacked.with_value(base, one, each),), why)
        for base in bases[:1]
        for each in others
        if each != own
    ]
    harmless = (attacked.with_value(bases[0], one, own),) if bases else ()
    value: Tree = ("attr", CALL, one.name)
    as_code: Tree = value if one.type.values else ("method", value, "lower")
    other: Tree = ("!=", as_code, ("lit", "text", own if one.type.values else own.lower()))
    given: list[Tree] = [("is some", value)] if one.type.optional else []
    beside_ = () if attacked.rule.form == "permit" else _besides(attacked, bound.atom)
    effects = [narrower(attacked.rule, joined("and", [*beside_, *given, other]))]
    wider: list[Effect] = []
    logged = [each for each in known if each.upper() in _KNOWN_CURRENCIES]
    if others and all(each.upper() in _KNOWN_CURRENCIES for each in others) and (one.type.values or logged):
        above = {"<=": ">", "<": ">="}.get(bound.atom[0], bound.atom[0])
        dear: Tree = (above, ("*", bound.atom[1], ("lit", "int", _DEAREST)), bound.atom[2])
        wider = effects
        if not one.type.values:  # of what was never paid in nothing is known
            small = [each.lower() for each in dict.fromkeys((own, *logged))]
            strange: Tree = ("not in", as_code, ("set", *(("lit", "text", each) for each in small)))
            dear = joined("or", [strange, dear])
        effects = [narrower(attacked.rule, joined("and", [*beside_, *given, other, dear]))]
    yield Attempt(
        "currency",
        tries[:1],
        offering(*effects),
        about=one.name,
        harmless=harmless,
        wider=offering(*wider),
    )


def _mixed_currencies(attacked: Attacked, bound: _Bound) -> Iterator[Attempt]:
    """Amounts in two currencies that a rule adds up as if they were in one."""
    for one in attacked.call_type.fields:
        if "currency" not in words_of(one.name) or one.name in attacked.reading.parts:
            continue
        known = [*dict.fromkeys([*texts_held(attacked.logged, one), *(one.type.values or ("EUR", "KWD"))])]
        own = next((code for code in known if _is_said(attacked, code)), known[0])
        others = sorted((code for code in known if code != own), key=lambda code: code.upper() not in _DEAR)
        part = bound.limit * 9 // 20 or 1
        bases = [
            attacked.with_value(base, bound.main, part) for base in _bases(attacked, bound.main, bound.limit)
        ]
        in_own = [attacked.with_value(base, one, own) for base in bases[:1]]
        tries = [
            Try(
                (first, attacked.with_value(first, one, code)),
                "amounts in two currencies are added up as one sum",
            )
            for first in in_own
            for code in others[:1]
        ]
        value, earlier = ("attr", CALL, one.name), ("attr", _EARLIER, one.name)
        many = ("method", RUN, "earlier", *attacked.rule.tree[3:])
        mixed: Tree = ("call", "any", ("gen", _EARLIER, ("!=", earlier, value), many, TRUE))
        harmless = tuple(each for first in in_own for each in (first, first))
        effects = [narrower(attacked.rule, mixed)]
        yield Attempt("currency", tries, offering(*effects), about=one.name, harmless=harmless)


def _is_said(attacked: Attacked, code: str) -> bool:
    said = _CURRENCIES.get(code.upper())
    return said is not None and said.search(attacked.sentence) is not None


_DEAR = frozenset(("BHD", "JOD", "KWD", "OMR"))
"""Currencies of which one is worth more than one of those that most sentences count in."""
_DEAREST = 4
"""How many EUR, USD, GBP or CHF one of no currency of the next list is worth."""
_KNOWN_CURRENCIES = frozenset((
    "AUD", "BHD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "INR", "JOD", "JPY",
    "KRW", "KWD", "MXN", "NOK", "NZD", "OMR", "PLN", "SEK", "SGD", "THB", "TRY", "USD", "ZAR",
))  # fmt: skip


def _told_currencies(attacked: Attacked) -> Sequence[str]:
    """The one currency of which the descriptions of tools speak, if there is one."""
    told = " ".join(
        text
        for tool in attacked.book.agent.tools
        for text in (tool.description, *(one.description for one in _fields_of(attacked, tool.name)))
    ).casefold()
    found = [code for code, said in _CURRENCIES.items() if said.search(told)]
    return found if len(found) == 1 else []


def _fields_of(attacked: Attacked, tool: str) -> Iterator[CallField]:
    types = attacked.book.language.types.calls.values()
    return (one for call in types if call.tool == tool for one in call.fields)


def _usual_currency(attacked: Attacked) -> Iterator[str]:
    """Yield the currency in which a tool most often pays, or which it names first, if a rule says none."""
    for one in attacked.call_type.fields:
        if "currency" in words_of(one.name):
            logged = Counter(texts_held(attacked.logged, one)).most_common(1)
            known = [code for code, _ in logged] or [*one.type.values][:1] or _told_currencies(attacked)
            yield from (code.upper() for code in known if code.upper() in _KNOWN_CURRENCIES)


def _other_units(attacked: Attacked, bound: _Bound) -> Iterator[Attempt]:
    """An amount in another unit of the same measure than the one of which a rule stops too much."""
    condition = attacked.rule.condition
    if condition[0] != "and" or attacked.rule.form == "permit" or bound.atom not in condition[1:]:
        return
    for one in attacked.call_type.fields:
        value: Tree = ("attr", CALL, one.name)
        named = [
            part for part in condition[1:]
            if part[:2] == ("==", value) and part[2][:2] == ("lit", "text") and unit_named(part[2][2])
        ]  # fmt: skip
        for unit in [*dict.fromkeys([*texts_held(attacked.logged, one), *(one.type.values or ())])]:
            times = _times_between(named[0][2][2], unit) if named else None
            limit = None if times is None else _literal(bound.main, Decimal(bound.limit) / times)
            if times is None or limit is None:
                continue
            rest = [part for part in condition[1:] if part not in (bound.atom, *named)]
            above: Tree = (bound.atom[0], bound.atom[1], limit)
            closed = joined("and", [*rest, ("==", value, ("lit", "text", unit)), above])
            much = int(limit[2] * 2) or 1
            calls = (
                attacked.with_value(attacked.with_value(base, one, unit), bound.main, much)
                for base in _bases(attacked, bound.main, bound.limit)
            )
            tries = [
                Try((call,), f"the rule stops it in {named[0][2][2]} alone") for call in islice(calls, 1)
            ]
            yield Attempt("unit", tries, offering(narrower(attacked.rule, closed)), about=unit)


def _larger_units(attacked: Attacked, bound: _Bound) -> Iterator[Attempt]:
    """An amount in a larger unit than the one that a bound means, where no rule looks at its unit."""
    read = attacked.trials.read_of(attacked.tool)
    for one in attacked.call_type.fields:
        is_unit = bool({*words_of(one.name)} & _OF_UNITS) and one.type.kind in (Kind.STR, Kind.ENUM)
        if not is_unit or any(_names(text, one.name) for text in read):
            continue
        logged = [each for each, _ in Counter(texts_held(attacked.logged, one)).most_common()]
        known = [*dict.fromkeys([*logged, *(one.type.values or ())])]
        said = {*re.findall(r"[a-z]+", attacked.sentence)}
        own = next((each for each in known if each.casefold() in said), next(iter(known), ""))
        is_known = bool(logged) or own.casefold() in said
        value: Tree = ("attr", CALL, one.name)
        for other in known:
            times = _times_between(own, other)
            limit = (
                None if times is None or times <= 1 else _literal(bound.main, Decimal(bound.limit) / times)
            )
            if limit is None or (not is_known and limit[2] < _LEAST):
                continue
            much = max(1, int(limit[2] * 2))
            bases = _bases(attacked, bound.main, bound.limit)
            calls = (
                attacked.with_value(attacked.with_value(base, one, other), bound.main, much) for base in bases
            )
            why = f"it is in {other}, and the bound on it means {own}"
            tries = [Try((call,), why) for call in islice(filter(attacked.may_pass, calls), 1)]
            forbidding = {"<=": ">", "<": ">="}.get(bound.atom[0], bound.atom[0])
            above: Tree = (forbidding, bound.atom[1], limit)
            is_it: Tree = ("==", value, ("lit", "text", other))
            effects = [narrower(attacked.rule, if_given(one, joined("and", [is_it, above])))]
            yield Attempt("unit", tries, offering(*effects), about=f"{one.name} {other}")


_LEAST = Decimal("0.1")
"""What a bound is at least in another unit, where nothing tells in which unit it is meant."""
_OF_UNITS = frozenset(("unit", "units", "uom", "measure"))


def _times_between(own: str, other: str) -> Decimal | None:
    """How many units of one name one of another is; None where they are of no one measure, or the same."""
    unit, further = unit_named(own), unit_named(other)
    if unit is None or further is None or unit[0] != further[0] or unit == further:
        return None
    times = further[1] / unit[1]
    return Decimal(times.numerator) / Decimal(times.denominator)


_CURRENCIES = {
    code: re.compile(said)
    for code, said in (
        ("EUR", r"\beur(?:os?)?\b|€"), ("USD", r"\busd\b|\bdollars?\b|\$"), ("GBP", r"\bgbp\b|\bpounds?\b|£"),
        ("CHF", r"\bchf\b|\bfrancs?\b"),
    )
}  # fmt: skip


def _below_zero(attacked: Attacked, bound: _Bound) -> Iterator[Attempt]:
    """An amount below zero, of a tool that moves money: it goes the other way, or makes room for more."""
    main, limit = bound.main, bound.limit
    moves = _MOVING_MONEY & {*words_of(attacked.tool)}
    if not moves or is_never_negative(main) or attacked.turns_most_logged(_not_negative(attacked, main)):
        return
    why = "it is below zero: the money goes the other way, or makes room for more"
    calls = (attacked.with_value(one, main, -limit * 2) for one in _bases(attacked, main, limit))
    tries = [Try((call,), why) for call in islice(calls, 1)]
    yield Attempt("below zero", tries, offering(_not_negative(attacked, main)), about=main.name)


def _makes_room(attacked: Attacked) -> Iterator[Attempt]:
    """A call with an amount below zero before a larger one, where a rule adds up what earlier calls have."""
    for _, one, limit in _sums(attacked):
        if not is_never_negative(one):
            bases = (attacked.with_value(base, one, -limit * 5) for base in _bases(attacked, one, limit))
            runs = ((each, attacked.with_value(each, one, limit * 5)) for each in bases)
            tries = [Try(run, "what is below zero makes room for more") for run in runs]
            yield Attempt("below zero", tries, offering(_not_negative(attacked, one)), about=one.name)


def _sums(attacked: Attacked) -> Iterator[tuple[Tree, CallField, int]]:
    """Yield the bounds on sums over earlier calls, each with an amount that is added up, and the bound."""
    bounding = _PERMITTED if attacked.rule.form == "permit" else _FORBIDDEN
    for _, atom in places(attacked.unfolded.condition):
        is_sum = any(part[:2] == ("call", "sum") for _, part in places(atom))
        if len(atom) != 3 or atom[0] not in bounding or not is_sum or atom[2][:1] != ("lit",):
            continue
        added = {part[2] for _, part in places(atom) if part[0] == "attr" and part[1] != CALL}
        if atom[2][1] in ("int", "dec") and atom[2][2] > 0:
            for one in attacked.call_type.fields:
                if one.name in added and one.type.kind in (Kind.INT, Kind.DECIMAL):
                    yield atom, one, int(atom[2][2])


def _over_midnight(attacked: Attacked) -> Iterator[Attempt]:
    """Two calls a few minutes apart on two days, where a rule adds up what those of a day have."""
    zone = zone_named(attacked.book.agent.zone or "UTC")
    own: Tree = ("attr", ("attr", CALL, "time"), "date")
    for atom, one, limit in _sums(attacked):
        days = [part for _, part in places(atom) if part[0] == "==" and len(part) == 3 and own in part]
        if len(days) != 1 or re.search(r"calendar|\bdate\b", attacked.sentence):
            continue
        bases = [attacked.with_value(base, one, limit * 9 // 10) for base in _bases(attacked, one, limit)]
        midnight = datetime(2026, 1, 6, tzinfo=zone)
        times = [(midnight + timedelta(minutes=step)).isoformat() for step in (-2, 2)]
        tries = [
            Try(tuple(replace(base, time=each) for each in times), "they are on two days, minutes apart")
            for base in bases[:1]
        ]
        day = days[0]
        earlier = (day[2] if day[1] == own else day[1])[1]
        within: Tree = ("<", ("-", ("attr", CALL, "time"), earlier), ("lit", "dur", timedelta(days=1)))
        said = with_instead(attacked.unfolded.condition, day, within)
        yield Attempt("over midnight", tries, offering(saying(attacked.rule, said)), about=one.name)


_MOVING_MONEY = frozenset((
    "pay", "send", "transfer", "refund", "wire", "remit", "donate", "charge", "withdraw", "settle",
    "reimburse", "compensate", "payout", "credit", "disburse",
))  # fmt: skip


def _not_negative(attacked: Attacked, main: CallField) -> Effect:
    """The rule, which stops an amount below zero too."""
    below: Tree = ("<", ("attr", CALL, main.name), ("lit", "int", 0))
    return narrower(attacked.rule, if_given(main, below))


def _literal(one: CallField, number: Decimal) -> Tree | None:
    """A number as a rule compares a field with it; None where the field has no such number."""
    if one.type.kind is Kind.INT:
        return ("lit", "int", int(number)) if number == int(number) else None
    return ("lit", "dec", number)


def _times_of_unit(main: CallField, other: CallField) -> Decimal | None:
    """How many units of another number one of an amount is, where their names differ in the unit alone."""
    (*stem, word), (*other_stem, other_word) = words_of(main.name) or ("",), words_of(other.name) or ("",)
    unit, other_unit = unit_named(word), unit_named(other_word)
    if other.type.kind not in (Kind.INT, Kind.DECIMAL) or stem != other_stem:
        return None
    if unit is None or other_unit is None or unit[0] != other_unit[0] or unit == other_unit:
        return None  # two currencies have no fixed rate
    times = unit[1] / other_unit[1]
    return Decimal(times.numerator) / Decimal(times.denominator)


def _is_choice(attacked: Attacked, main: CallField, other: CallField, limit: int) -> bool:
    """Whether a call says how much either by one number or by the other, of which it needs neither."""
    if not main.type.optional or not other.type.optional or other.type.kind not in (Kind.INT, Kind.DECIMAL):
        return False
    words = {*words_of(other.name)}
    if (_NO_AMOUNT | _ENDS | _PRICES | _ON_TOP) & words or _PRICES & {*words_of(main.name)}:
        return False
    own = _kind_of(attacked, main, limit) or _MEASURES & {*words_of(main.name)} or _is_unit(main)
    kind = _kind_of(attacked, other)
    differs = not kind or kind != _kind_of(attacked, main, limit)
    return bool(own) and differs and bool(kind or _MEASURES & words or (_is_unit(main) and _is_unit(other)))


def _is_unit(one: CallField) -> bool:
    """Whether the name of a number is that of a unit alone."""
    words = words_of(one.name)
    return len(words) == 1 and (unit_named(words[0]) is not None or words[0] in _DEGREES)


_DEGREES = frozenset(("celsius", "fahrenheit", "kelvin"))


_MEASURES = frozenset((
    "amount", "lots", "notional", "pieces", "qty", "quantity", "shares", "size", "sum", "total", "units",
    "value", "volume", "weight", "worth",
))  # fmt: skip
"""Words of numbers that say how much there is of something."""


def _is_alike(attacked: Attacked, main: CallField, other: CallField, limit: int) -> bool:
    """Whether another number is an amount of the same, in the same unit by its name, or what a rate is of."""
    if other.type.kind not in (Kind.INT, Kind.DECIMAL):
        return False
    kind, own, words = _kind_of(attacked, main, limit), words_of(main.name), words_of(other.name)
    if kind and _kind_of(attacked, other) == kind:
        return True
    if kind == "money" and other.type.kind is Kind.DECIMAL and not amount_named(words):
        return True
    if _RATES & {*own} and _kind_of(attacked, other) == "money":
        return True
    same_unit = bool(own and words) and len(own) + len(words) > 2 and own[-1] == words[-1]
    return same_unit and not (_NO_AMOUNT | _ENDS) & {*own, *words}


_RATES = frozenset(("percent", "percentage", "pct", "rate"))
_ENDS = frozenset(("start", "end", "first", "last", "from", "to", "min", "minimum", "number", "count"))
"""Words of numbers that are the ends of a range, or number something."""


_DIGITS = 10
"""The binary digits of the largest number by which a price is multiplied."""


def _product(price: Tree, many: Tree) -> Tree:
    """A price times a number of so many digits, each of which adds a multiple of it.

    No rule multiplies two numbers of a call; so it is exact without that.
    """
    total: Tree = ()
    for digit in range(_DIGITS):
        place = ("//", many, ("lit", "int", 2**digit)) if digit else many
        part: Tree = ("*", price, ("lit", "int", 2**digit)) if digit else price
        is_set: Tree = ("==", ("%", place, ("lit", "int", 2)), ("lit", "int", 1))
        added: Tree = ("if", is_set, part, ("lit", "int", 0))
        total = ("+", total, added) if total else added
    return total


_OF_EACH = re.compile(r"\b(?:of (?:one|each|a single)|per|each|apiece|a piece|unit) ?\w*")
_REPEATS = frozenset((
    "repeat", "repeats", "repetitions", "occurrences", "recurrences", "instalments", "installments", "times",
    "iterations", "multiplier",
))  # fmt: skip
_HOW_OFTEN = re.compile(r"\bhow (?:often|many times)\b|\bnumber of (?:times|payments|repetitions|instal)")


def _is_repeated(one: CallField) -> bool:
    """Whether a number says how many times something is done with an amount."""
    return bool(_REPEATS & {*words_of(one.name)}) or _HOW_OFTEN.search(one.description.casefold()) is not None


def _times(attacked: Attacked, bound: _Bound) -> Iterator[Attempt]:
    """A price below its bound, many times."""
    main, limit = bound.main, bound.limit
    is_price = bool(_PRICES & {*words_of(main.name)} or _OF_EACH.search(main.description.casefold()))
    if is_price and _OF_ONE.search(attacked.sentence):
        return
    read = attacked.trials.read_of(attacked.tool)
    for other in attacked.call_type.fields:
        is_times = is_price and (_TIMES & {*words_of(other.name)} or _kind_of(attacked, other) == "pieces")
        is_times = is_times or _is_repeated(other)
        if other.type.kind is not Kind.INT or not is_times or any(_names(text, other.name) for text in read):
            continue
        name = other.name.replace("_", " ")
        often = f"as often as the {name} says" if _is_repeated(other) else f"for each of the {name}"
        why = f"the {main.name.replace('_', ' ')} is below the bound, and is meant {often}"
        calls = (
            attacked.with_value(attacked.with_value(one, main, limit * 9 // 10 or limit), other, 50)
            for one in _bases(attacked, main, limit)
        )
        tries = [
            Try((one,), why) for one in islice(filter(lambda one: attacked.lets_through((one,)), calls), 1)
        ]
        many: Tree = ("attr", CALL, other.name)
        product: Tree = (bound.atom[0], ("*", bound.atom[1], many), bound.atom[2])
        said = replaced(attacked.rule.condition, bound.path, product)
        effects = [saying(attacked.rule, said)]
        given: list[Tree] = [("is some", many)] if other.type.optional else []
        if attacked.rule.form != "permit":
            dear: Tree = (bound.atom[0], _product(bound.atom[1], many), bound.atom[2])
            more: Tree = (">", many, ("lit", "int", 2**_DIGITS - 1))
            said = joined("and", [*_besides(attacked, bound.atom), *given, joined("or", [dear, more])])
            effects.append(narrower(attacked.rule, said))
        yield Attempt(f"amount {other.name}", tries, offering(*effects), about=other.name)


def _bounded_too(attacked: Attacked, atom: Tree, main: CallField, other: CallField) -> Sequence[Effect]:
    """The rule with the same bound on another amount; on both together where one comes on top."""
    rule, value = attacked.rule, ("attr", CALL, other.name)
    given: list[Tree] = [("is some", value)] if other.type.optional else []
    if given and _RATES & {*words_of(main.name)}:  # the bound of a rate is none of an amount
        return [narrower(rule, given[0])]
    own = attacked.value_of(main)
    together = with_instead(atom, own, ("+", own, value))
    if {*words_of(other.name)} & _ON_TOP and rule.form != "permit":
        both = with_instead(rule.condition, atom, together)
        parts = both[1:] if both[0] == "and" else (both,)
        return [narrower(rule, joined("and", [*given, *(part for part in parts if part not in given)]))]
    if rule.form == "permit":
        limits = [(atom[0], value, atom[2]), together]
        bounds = [joined("and", limits), limits[0]] if not main.type.optional else limits[:1]
        limited = [joined("or", [*map(negated, given), bound]) for bound in bounds]
        conditions = [joined("and", [rule.condition, each]) for each in limited]
        return [saying(rule, each) for each in conditions]
    alone = with_instead(rule.condition, own, value)
    both = with_instead(rule.condition, atom, joined("or", [with_instead(atom, own, value), together]))
    found = [alone] if main.type.optional else [both, alone]
    parts = [each[1:] if each[0] == "and" else (each,) for each in found]
    wanted = [[part for part in each if part not in given] for each in parts]
    return [beside(rule, rule.with_condition(joined("and", [*given, *said]))) for said in wanted]


# --- several calls


def _besides(attacked: Attacked, atom: Tree) -> Sequence[Tree]:
    """What a rule asks besides a bound."""
    condition = attacked.rule.condition
    return [part for part in condition[1:] if part != atom] if condition[0] == "and" else []


def _several_steps_down(attacked: Attacked) -> Iterator[Attempt]:
    """Two calls with a difference below zero that a rule lets one call have."""
    wanted = ("<", "<=") if attacked.rule.form != "permit" else (">", ">=")
    for path, atom in places(attacked.rule.condition) if len(attacked.rule.classes) == 1 else ():
        is_bound = len(atom) == 3 and atom[0] in wanted and atom[2][:1] == ("lit",)
        if not is_bound or atom[2][1] not in ("int", "dec"):
            continue
        one = next((one for one in attacked.call_type.fields if atom[1] == attacked.value_of(one)), None)
        limit = int(atom[2][2])
        if one is None or limit >= 0 or not (_is_step(attacked, one) or _adds_up(attacked, one)):
            continue
        if is_of_one_call(attacked) or is_counted(attacked, one):
            continue
        part = -(-limit * 9 // 10 or 1)
        calls = (attacked.with_value(each, one, part) for each in _bases(attacked, one, limit))
        tries = _passing(attacked, calls, "both together come to more", times=2)
        total = ("+", atom[1], _of_earlier(attacked, atom[1], one, [], _grouped(attacked), below="<"))
        said = replaced(attacked.rule.condition, path, (atom[0], total, atom[2]))
        yield Attempt("several calls", tries, offering(saying(attacked.rule, said)), about=one.name)


def _several_calls(attacked: Attacked, bounds: Sequence[_Bound]) -> Iterator[Attempt]:
    first = bounds[0]
    part, is_part = first.limit * 9 // 10, first.atom[0] in (">", "<=")
    if is_part and part * 2 <= first.limit:
        part = first.limit
    if part <= 0:
        return
    calls = (attacked.with_value(one, first.main, part) for one in _bases(attacked, first.main, first.limit))
    why = "each call is looked at alone, and both together come to more"
    tries = _passing(attacked, calls, why, times=2)
    yield Attempt("several calls", tries, partial(_together, attacked, bounds), about=first.main.name)


def _together(attacked: Attacked, bounds: Sequence[_Bound]) -> Sequence[Effect]:
    """The rule with the bound on all calls together that it is about, of the same account above all."""
    return [
        saying(attacked.rule, said)
        for scoped in (True, False)
        for said in dict.fromkeys(_summed(attacked, one, scoped=scoped) for one in bounds)
    ]


def _summed(attacked: Attacked, bound: _Bound, *, scoped: bool) -> Tree:
    """The condition of a rule with a bound on all calls, of its other conditions if it is ``scoped``."""
    scope = _scope(attacked, bound.atom) if scoped else []
    groups = [one for one in _grouped(attacked) if not any(_names_field(part, one) for part in scope)]
    total = ("+", bound.atom[1], _of_earlier(attacked, bound.atom[1], bound.main, scope, groups))
    return replaced(attacked.rule.condition, bound.path, (bound.atom[0], total, bound.atom[2]))


def _names_field(tree: Tree, one: CallField) -> bool:
    return any(part == ("attr", _EARLIER, one.name) for _, part in places(tree))


def _scope(attacked: Attacked, atom: Tree) -> list[Tree]:
    """What else the rule asks of its call, asked of an earlier one."""
    numbers = [one for one in attacked.call_type.fields if _amount(one)]
    return [
        with_instead(part, CALL, _EARLIER)
        for part in _besides(attacked, atom)
        if not any(inner == RUN for _, inner in places(part))
        and not any(_reads(part, one) for one in numbers)
    ]


def _grouped(attacked: Attacked) -> Sequence[CallField]:
    """The fields of whose values a sentence speaks one by one: “an account gets at most …”; else the first.

    None where the sentence speaks of all together.
    """
    named = {word for words in _EACH.findall(attacked.sentence) for word in words.split()}
    texts = [
        one
        for one in attacked.call_type.fields
        if one.type.kind in (Kind.STR, Kind.ENUM) and not one.type.optional
    ]
    spoken = [one for one in texts if {*words_of(one.name)} & named]
    if spoken or _IN_ALL.search(attacked.sentence):
        return spoken
    return [one for one in texts if not _FREE_TEXT & {*words_of(one.name)}][:1]


def _of_earlier(
    attacked: Attacked,
    left: Tree,
    main: CallField,
    scope: Sequence[Tree],
    groups: Sequence[CallField],
    below: str = ">",
) -> Tree:
    """The sum of earlier calls: of the same account, and above zero.

    So no earlier call makes room for the next, and whatever was stopped alone is stopped.
    """
    part = with_instead(left, CALL, _EARLIER) if not any(inner == RUN for _, inner in places(left)) else None
    part = part or ("attr", _EARLIER, main.name)
    given: list[Tree] = [("is some", ("attr", _EARLIER, main.name))] if main.type.optional else []
    given += [("==", ("attr", _EARLIER, one.name), ("attr", CALL, one.name)) for one in groups]
    if not is_never_negative(main):
        given.append((below, part, ("lit", "int", 0)))
    counted = joined("and", [*dict.fromkeys((*given, *scope)), ("not", ("attr", _EARLIER, "failed"))])
    many = ("method", RUN, "earlier", *attacked.rule.tree[3:])
    return ("call", "sum", ("gen", _EARLIER, part, many, counted))


def is_never_negative(one: CallField) -> bool:
    """Whether the schema of a field permits no number below zero."""
    bounds = (one.schema.get(name) for name in ("minimum", "exclusiveMinimum"))
    return any(isinstance(each, int | float) and each >= 0 for each in bounds)
