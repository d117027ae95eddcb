"""Attempts with what a rule reads of records, and through facts: a record by the wrong key, one bad element.

What is meant is another wording of the rule. A run on which the two differ is searched by the solver and
executed by the real evaluator, with the look-ups that tell the records.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.check.realise.realiser import Executed, Realiser
from workbench.clarify.written.acts_of_tools import ALTERING, acts_alike, effect_of_tool
from workbench.clarify.written.asked import Calls, Effect, TriedCall
from workbench.clarify.written.attacked import (
    Attacked,
    attacked_about,
    fields_spoken_of,
    made_call,
    texts_held,
    words_of,
)
from workbench.clarify.written.attempts import Attempt, Try, beside, narrower, offering, saying
from workbench.clarify.written.attempts_at_lists import Quantified, is_about_some, quantified, stricter
from workbench.clarify.written.book import Book, SaidRule, places, replaced
from workbench.clarify.written.said_of_another_tool import usual_call
from workbench.clarify.written.tried_calls import TRIED, terms_beside
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, FALSE, RUN, TRUE, Tree, free_names, joined, negated
from workbench.language.words import listed, things
from workbench.model import Json, Kind, RecordedCall, Verdict
from workbench.policy.decisive_part import settled
from workbench.policy.terms import And, Not, Term
from workbench.runs.world.record_keys import key_arguments

_NO_NOUN = frozenset(("id", "key", "number", "no", "code", "name", "uuid", "ref", "reference"))
"""Words of keys that do not say of what they are one."""
_FROM = frozenset(("from", "source", "src", "sender", "payer", "origin", "debit", "debtor", "giver", "old"))
_TO = frozenset((
    "to", "into", "target", "destination", "dest", "recipient", "receiver", "payee", "beneficiary", "credit",
    "creditor", "new",
))  # fmt: skip
_SIDES = ((_FROM, ("from", "out of")), (_TO, ("to", "into")))
"""Words of parameters for the two sides of what moves, and how sentences begin to speak of that side."""
_MOST_WORDS = 3
"""The most words between such a beginning and the noun."""


_NEAR = 60
"""The runs that are tried near one of the solver: a question is found among many, and is not waited for."""


def attempts_at_records(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with the records that a rule reads, and with the lists in them and in facts."""
    rule = attacked.unfolded
    yield from _one_element(attacked, rule)
    yield from _spelled_otherwise(attacked, rule)
    yield from _spelled_beside(attacked, rule)
    yield from _of_the_same_record(attacked)
    yield from _in_another_state(attacked, rule)
    for read in records_read(attacked.book, rule):
        if (meant := read.meant(attacked.sentence)) is not None:
            said = read.by(rule, meant)
            why = f"the {read.record.replace('_', ' ')} is not that of {read.parameter.replace('_', ' ')}"
            rewritings = [saying(rule, said), narrower(attacked.rule, said)]
            yield _shown(attacked, "wrong key", rule.with_condition(said), why, rewritings, read.record)


def _shown(
    attacked: Attacked, kind: str, said: Tree, why: str, rewritings: Sequence[Effect], about: str
) -> Attempt:
    """An attempt with a run that is allowed, and that the rule would stop if it said something else."""
    tries = (Try(calls, why) for calls in stopped_runs(attacked, said))
    return Attempt(kind, tries, offering(*rewritings), about=about)


def _of_the_same_record(attacked: Attacked) -> Iterator[Attempt]:
    """Another tool that takes the key of a record which a prohibition reads, and what else its tool takes."""
    rule, own = attacked.rule, attacked.call_type
    read, spoken = {one.name for one in attacked.fields_read}, fields_spoken_of(attacked)
    records = _records_read_by(attacked)
    if rule.form != "forbid" or not records or not read or attacked.reading.earlier:
        return
    needed = {one.name: one.type for one in own.fields if not one.type.optional}
    for name, other in attacked.book.language.types.calls.items():
        held = {one.name: one.type for one in other.fields if needed.get(one.name) == one.type}
        if name in rule.classes or name in spoken or not read <= held.keys():
            continue
        if held.keys() <= read or not acts_alike(attacked, other):
            continue  # besides the key it takes what is done to the record
        if any(records & _records_read_by(one) for one in attacked_about(attacked.book, name)):
            continue  # somebody has thought of the record there
        tree: Tree = ("call", rule.form, rule.condition, ("name", name))
        why = f"{other.tool} has the same {listed([each.replace('_', ' ') for each in held], 'and')}"
        tries = (Try(calls, why) for calls in stopped_runs(attacked, tree, other.tool))
        yield Attempt("same record", tries, offering(beside(rule, tree)), about=name)


def _in_another_state(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """Another tool sets first what a rule reads of a record, so that it lets a call through."""
    for read in records_read(attacked.book, rule):
        held: Tree = ("method", RUN, read.record, read.key)
        parts = [part for _, part in places(rule.condition) if part[:2] == ("attr", held)]
        setting = [*_setting(attacked, read, {str(part[2]) for part in parts})]
        if not setting:
            continue
        known = [("is some", held), negated(rule.condition)] if rule.form != "permit" else [FALSE]
        large = [
            (">", ("attr", CALL, one.name), ("lit", "int", _MUCH))
            for one in attacked.fields_read
            if one.type.kind in (Kind.INT, Kind.DECIMAL) and rule.form != "permit"
        ]
        wanted = (rule.with_condition(joined("and", [*known, *more])) for more in (large, []))
        run: Calls = next((run for each in wanted for run in stopped_runs(attacked, each)), ())
        *_, decided = run or (attacked.plain,)
        tries: list[Try] = []
        trees: list[Tree] = []
        for other, one in setting if run else ():
            told = next(_told(run, one.name), None)
            if told is None:
                continue
            key = next(each.key for each in other.fields if each.name == read.parameter)
            own = next(each.key for each in attacked.call_type.fields if each.name == read.parameter)
            usual = {**usual_call(attacked, other).arguments, key: decided.arguments.get(own), one.key: told}
            calls = (TriedCall(other.tool, usual), *run)
            if attacked.trials.allows(calls):
                tries.append(
                    Try(calls, f"{other.tool} sets its {_noun(one)} first, by which the rule lets it through")
                )
                trees.append(_for_setting(attacked, other, one))
        effects = [beside(attacked.rule, *trees)]
        yield Attempt("state first", tries, offering(*effects), about=read.record, harmless=run)


_MUCH = 99
"""What an amount is shown to be more than, where there is such a run: nobody forbids to pay nothing."""


def _setting(attacked: Attacked, read: RecordRead, names: set[str]) -> Iterator[tuple[CallType, CallField]]:
    """Yield the tools that set a field of a record by its key, of which no rule for the sentence speaks."""
    spoken = fields_spoken_of(attacked)
    own = next(one for one in attacked.call_type.fields if one.name == read.parameter)
    for name, other in attacked.book.language.types.calls.items():
        held = {one.name: one for one in other.fields}
        is_of_record = read.parameter in held and held[read.parameter].type.kind is own.type.kind
        if name in attacked.rule.classes or not is_of_record or effect_of_tool(attacked, other.tool).reads:
            continue
        does, changed_to = {*words_of(other.tool)}, _changed_to(attacked.book, read.record, other.tool)
        for one in other.fields:
            sets = bool(does & (ALTERING | {*words_of(one.name)})) or one.name in changed_to
            if sets and one.name in names and one.name not in spoken.get(name, ()):
                yield other, one
                break


def _changed_to(book: Book, record: str, tool: str) -> Collection[str]:
    """The fields of a record that calls of a tool set."""
    return next(one.changed_to.get(tool, {}) for one in book.agent.records if one.name == record)


def _told(run: Calls, name: str) -> Iterator[Json]:
    """Yield what the results of a run tell of a field."""

    def within(value: Json) -> Iterator[Json]:
        if isinstance(value, dict):
            yield from (value[name] for _ in range(name in value))
        for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from within(each)

    for call in run:
        try:
            yield from within(json.loads(call.result))
        except ValueError:
            continue


def _for_setting(attacked: Attacked, other: CallType, one: CallField) -> Tree:
    """The rule for a tool that sets a field: that it does not set it where the rule holds."""
    value, condition = ("attr", CALL, one.name), attacked.rule.condition
    given_: list[Tree] = [("is some", value)] if one.type.optional else []
    if attacked.rule.form == "permit":
        return ("call", "forbid", joined("and", given_) if given_ else TRUE, ("name", other.name))
    read = {part[2] for _, part in places(condition) if part[:2] == ("attr", CALL)}
    carried = [condition] if read <= {each.name for each in other.fields} else []
    said = joined("and", [*given_, *carried]) if given_ or carried else TRUE
    return ("call", attacked.rule.form, said, ("name", other.name))


def _noun(one: CallField) -> str:
    return one.name.replace("_", " ")


def _records_read_by(attacked: Attacked) -> set[str]:
    """The records that a rule reads."""
    found = {_record_in(part, attacked.book) for _, part in places(attacked.unfolded.condition)}
    return found - {""}


def stopped_runs(attacked: Attacked, said: Tree, tool: str = "") -> Iterator[Calls]:
    """Yield a run whose last call is allowed and that a rule would stop; of another tool than the rule's."""
    name = f"{attacked.rule.form}_{TRIED.partition('_')[2]}0"
    tool = tool or attacked.tool
    found = terms_beside(attacked.book, name, said, tool)
    if found is None:
        return
    rules = {rule.name: rule for rule in found.rules}
    new, old = rules[name].body, rules.get(attacked.rule.name)
    differs: list[Term] = [Not(new)] if attacked.rule.form == "permit" else [new]
    if old is not None:
        differs.insert(0, old.body if attacked.rule.form == "permit" else Not(old.body))
    about = attacked.trials.rules_about(tool).every
    differs += [Not(rules[one.name].body) for one in about if one.forbids and one.name != attacked.rule.name]
    own = replace(found, rules=tuple(rule for rule in found.rules if rule.name != name))

    def accepted(executed: Executed) -> bool:
        truth = settled(found, new, executed.arguments)
        is_stopped = truth is (attacked.rule.form != "permit")
        return executed.decision.verdict is Verdict.ALLOW and is_stopped

    executed = Realiser(found, attacked.book.agent, own).searched(
        And(tuple(differs)), tool, accepted, near=_NEAR
    )
    if executed is not None:
        yield tuple(TriedCall(call.tool or "", call.arguments or {}, call) for call in executed.run.calls)


# --- the id of an earlier call, in another case or with a blank


def _spelled_otherwise(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """An id that an earlier call has, in another case or with a blank: where the same id would be stopped."""
    for place, atom in [*places(rule.condition)]:
        if (pair := _pair_of_ids(attacked, rule, atom)) is None:
            continue
        earlier, theirs, own = pair
        known = [*texts_held(attacked.logged, own)]
        text = next((each for each in known if each.lower() != each.upper()), next(iter(known), "C17"))
        first = made_call(earlier, {theirs.name: text})
        if earlier.tool == attacked.tool:
            first = attacked.having(theirs, text)
        same = attacked.having(own, text)
        stops = attacked.rule.form != "permit"
        runs = ((first,) * number for number in range(1, _MOST_COUNTED + 1))
        before = next(
            (
                run
                for run in runs
                if attacked.trials.truth(attacked.rule.rule, (*run, same), len(run)) is stops
            ),
            (),
        )
        if not text.strip() or not before:
            continue
        tries = [
            Try((*before, attacked.having(own, each)), f"{why} of the call before it {how}")
            for each, why, how in _other_spellings(text)
        ]
        folded: Tree = (atom[0], *map(_folded, atom[1:]))
        said = rule.with_condition(replaced(rule.condition, place, folded))
        effects = [Effect({attacked.rule.name: said})]
        yield Attempt("spelling", tries, offering(*effects), about=f"{own.name} of earlier calls")
        return


_MOST_COUNTED = 5
"""The most calls before one that are made to come to a limit on their number."""


def _other_spellings(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield an id in another case and with a blank, and how it differs: in two parts of a sentence."""
    other = text.lower() if text.lower() != text else text.upper()
    for each, how in ((other, "in case alone"), (f"{text} ", "by a blank alone")):
        if each != text:
            yield each, f"“{each}” differs from “{text}”", how


def _folded(value: Tree) -> Tree:
    return ("method", ("method", value, "strip"), "lower")


def _spelled_beside(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """An id of another field or of the context, spelled otherwise: where the same one is stopped."""
    for place, atom in [*places(rule.condition)]:
        if atom[0] not in ("==", "!=", "in", "not in") or len(atom) != 3:
            continue
        for own_side, other in (atom[1:], atom[:0:-1]):
            own = _text(attacked.call_type, str(own_side[-1])) if own_side[:2] == ("attr", CALL) else None
            is_list = atom[0] in ("in", "not in")
            beside = None if own is None else _beside(attacked, other, is_list=is_list)
            if own is None or beside is None or not attacked.stops(beside(_with_id(attacked, own, _SOME_ID))):
                continue
            tries = [
                Try((beside(_with_id(attacked, own, each)),), f"{why} of {_name_of(other)} {how}")
                for each, why, how in _other_spellings(_SOME_ID)
            ]
            folded: Tree = (atom[0], _folded(own_side), _folded(other))
            if is_list:
                each: Tree = ("name", "each")
                same: Tree = ("==", _folded(each), _folded(own_side))
                folded = ("call", "any", ("gen", each, same, other, TRUE))
                folded = ("not", folded) if atom[0] == "not in" else folded
            said = rule.with_condition(replaced(rule.condition, place, folded))
            about = f"{own.name} beside {_name_of(other)}"
            yield Attempt("spelling", tries, offering(Effect({attacked.rule.name: said})), about=about)
            return


_SOME_ID = "C17"
_CONTEXT: Tree = ("attr", RUN, "context")


def _with_id(attacked: Attacked, own: CallField, text: str) -> TriedCall:
    return attacked.having(own, text)


def _name_of(side: Tree) -> str:
    return str(side[-1]).replace("_", " ").strip()


def _beside(attacked: Attacked, side: Tree, *, is_list: bool) -> Callable[[TriedCall], TriedCall] | None:
    """What gives a call an id in what a rule compares with its own: in another field, or in the context."""
    value: Json = [_SOME_ID] if is_list else _SOME_ID
    if side[:2] == ("attr", CALL):
        field = _text(attacked.call_type, side[2])
        if field is None or is_list:
            return None
        return lambda call: attacked.with_value(call, field, _SOME_ID)
    field = attacked.book.agent.context.get(str(side[2])) if side[:2] == ("attr", _CONTEXT) else None
    if field is None:
        return None
    context: Json = value
    for key in reversed((field.path or str(side[2])).split(".")):
        context = {key: context}
    known = context if isinstance(context, dict) else {}

    def in_context(call: TriedCall) -> TriedCall:
        recorded = RecordedCall("tried", 0, call.tool, call.arguments, context=known, known_from=1)
        return replace(call, recorded=recorded)

    return in_context


def _pair_of_ids(
    attacked: Attacked, rule: SaidRule, atom: Tree
) -> tuple[CallType, CallField, CallField] | None:
    """The call before, and the texts of both that a rule compares; None for another comparison."""
    if atom[0] != "==" or len(atom) != 3:
        return None
    calls = attacked.book.language.types.calls
    for theirs, own in (atom[1:], atom[:0:-1]):
        if theirs[0] != "attr" or own[:2] != ("attr", CALL):
            continue
        for _, part in places(rule.condition):
            is_of_earlier = (
                part[0] == "gen" and part[1] == theirs[1] and part[3][:3] == ("method", RUN, "earlier")
            )
            name = part[3][3][1] if is_of_earlier and len(part[3]) > 3 else ""
            before = calls.get(name)
            if before is None:
                continue
            first, second = _text(before, theirs[2]), _text(attacked.call_type, own[2])
            if first is not None and second is not None:
                return before, first, second
    return None


def _text(of: CallType, name: str) -> CallField | None:
    """A parameter with a text of no kind."""
    found = (one for one in of.fields if one.name == name)
    return next((one for one in found if one.type.kind is Kind.STR and not one.kind), None)


# --- one bad element of a list that is no list of the call


def _one_element(attacked: Attacked, rule: SaidRule) -> Iterator[Attempt]:
    """A list of a record with an element that is let through and one that is not."""
    for each in quantified(rule):
        record = _record_of(each, attacked.book)
        if not record or (each.word == "all") is not each.closes or _is_search(each):
            continue
        noun = words_of(str(each.elements[-1]))[-1].removesuffix("s")
        if not is_about_some(attacked.sentence, noun, rule.form):
            said = stricter(rule, each, or_empty=_is_list(attacked.book, record, each))
            why = f"one of its {str(each.elements[-1]).replace('_', ' ')} is enough"
            rewritings = [Effect({rule.name: one}) for one in said]
            yield _shown(attacked, "one element of several", said[0], why, rewritings, noun)


def _is_search(each: Quantified) -> bool:
    """Whether a rule asks if something else is among elements: an article of the call, another line."""
    return each.word == "any" and not free_names(each.asked) <= {each.variable[1]}


def _record_of(each: Quantified, book: Book) -> str:
    """The record of which elements are a field; empty for other elements, such as earlier calls."""
    return _record_in(each.elements[1], book) if each.elements[0] == "attr" else ""


def _record_in(tree: Tree, book: Book) -> str:
    is_read = tree[0] == "method" and tree[1] == RUN and tree[2] in book.language.types.records
    return str(tree[2]) if is_read else ""


def _is_list(book: Book, record: str, each: Quantified) -> bool:
    """Whether elements are those of a list, which has a number of them; a set has none."""
    fields = book.language.types.records[record].fields
    return any(one.name == each.elements[-1] and one.type.kind is Kind.LIST for one in fields)


# --- the wrong key


@dataclass(frozen=True, slots=True)
class RecordRead:
    """A record that a rule reads by one parameter of its calls, and others that could be its key."""

    book: Book
    record: str
    parameter: str
    key: Tree
    others: tuple[CallField, ...]

    @property
    def _nouns(self) -> set[str]:
        return _nouns(self.book, self.record)

    def tells(self, name: str) -> bool:
        """Whether the name of a parameter says that it is the key of the record."""
        return bool(things(words_of(name)) & self._nouns)

    def is_told(self, sentence: str, name: str) -> bool:
        """Whether a sentence says which of several things of a kind it is, as the parameter does."""
        roles = things(words_of(name)) - self._nouns - _NO_NOUN
        plain = roles - self._things - {"to", "from"}
        if any(re.search(rf"\b{re.escape(role)}(?:s|'s)?\b", sentence) for role in plain):
            return True
        noun = "|".join(map(re.escape, self._nouns))
        return any(
            roles & side
            and re.search(rf"\b(?:{'|'.join(begins)})(?: [\w-]+){{0,{_MOST_WORDS}}}? (?:{noun})", sentence)
            for side, begins in _SIDES
        )

    @property
    def _things(self) -> set[str]:
        """The words for things of their own: what tools and records are called after."""
        tools = {word for tool in self.book.agent.tools for word in words_of(tool.name)[1:]}
        return things(tools).union(*(_nouns(self.book, one.name) for one in self.book.agent.records))

    def meant(self, sentence: str) -> Tree | None:
        """The key that is meant; None if it is the one by which the rule reads, or if nothing says it."""
        if self.is_told(sentence, self.parameter):
            return None
        told = [one for one in self.others if self.is_told(sentence, one.name)]
        own = [one for one in self.others if self.tells(one.name)]
        found = [one for one in told if one in own] or ([] if self.tells(self.parameter) else told)
        if not self.tells(self.parameter):
            found = found or own
        if len(found) == 1:
            return ("attr", CALL, found[0].name)
        return None if found or self.tells(self.parameter) else self._through()

    def is_unclear(self, sentence: str) -> bool:
        """Whether another parameter is as much a key of the record, and the sentence does not say which."""
        alike = self.tells(self.parameter) and any(self.tells(one.name) for one in self.others)
        return alike and not self.is_told(sentence, self.parameter) and self.meant(sentence) is None

    def _through(self) -> Tree | None:
        """The key that another record has, of which the parameter is the key."""
        types = self.book.language.types
        for record in self.book.agent.records:
            is_key = bool(things(words_of(self.parameter)) & _nouns(self.book, record.name))
            if record.name == self.record or not record.key or record.key_parts or not is_key:
                continue
            for one in types.records[record.name].fields:
                if self.tells(one.name) and one.type.kind in (Kind.STR, Kind.INT) and not one.type.optional:
                    return ("attr", ("method", RUN, record.name, ("attr", CALL, self.parameter)), one.name)
        return None

    def by(self, rule: SaidRule, key: Tree) -> Tree:
        """The condition of a rule which reads the record by another key."""
        condition = rule.condition
        for path, part in [*places(condition)]:
            if part[:3] == ("method", RUN, self.record) and self.key in part[3:]:
                keys = (key if one == self.key else one for one in part[3:])
                condition = replaced(condition, path, (*part[:3], *keys))
        if key[1] == CALL:
            return condition
        if rule.form == "permit":
            return joined("and", [("is some", key[1]), condition])
        return joined("or", [("is none", key[1]), condition])


def records_read(book: Book, rule: SaidRule) -> Iterator[RecordRead]:
    """Yield the records that a rule reads by a parameter of its calls, each once."""
    calls = [book.language.types.calls[name] for name in rule.classes if name in book.language.types.calls]
    told: set[tuple[str, str]] = set()
    for _, part in places(rule.condition) if calls else ():
        record = _record_in(part, book)
        for key in part[3:] if record else ():
            one = next((one for one in calls[0].fields if key == ("attr", CALL, one.name)), None)
            if one is None or (record, one.name) in told:
                continue
            told.add((record, one.name))
            others = [
                other
                for other in calls[0].fields
                if other != one
                and other.type == one.type
                and ("attr", CALL, other.name) not in part[3:]
                and all(any(field.name == other.name for field in call.fields) for call in calls)
            ]
            yield RecordRead(book, record, one.name, key, tuple(others))


def _nouns(book: Book, name: str) -> set[str]:
    """The words for a thing: of its name, and of the arguments that say its key."""
    record = next(one for one in book.agent.records if one.name == name)
    keys = [word for names in key_arguments(record) for each in names for word in words_of(each)]
    return things([*words_of(name), *keys]) - _NO_NOUN
