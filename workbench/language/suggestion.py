"""Suggestions for a sentence that is not of the language: sentences that are, made of what it names.

There is no parser of English. The words name tools and conditions (``_named_conditions``); a search puts at
most ``MOST_CONDITIONS`` of them together, each on the side of the rule that the words around it say
(``roles``), and ranks them by how much of the sentence they use. What is suggested was read back by the
language as the rule that it was written of, and passed the checker.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice, zip_longest

from workbench.dialect.call_file import ANY_CALL
from workbench.dialect.check import check_calls
from workbench.language.command_rules import CommandRules, SaidRule
from workbench.language.contrary import contrary
from workbench.language.earlier_conditions import EarlierConditions
from workbench.language.enum_values import enum_texts, enum_words
from workbench.language.foreign_clauses import (
    ELLIPTIC,
    Clause,
    approved_by_somebody,
    clauses,
    said_together,
    under_heading,
    without_paragraph,
)
from workbench.language.foreign_references import with_reference
from workbench.language.foreign_words import (
    Cue,
    ForeignSentence,
    Role,
    stem,
)
from workbench.language.formula_conditions import FormulaConditions
from workbench.language.kept_sentence import with_imports
from workbench.language.language import Begun, Language
from workbench.language.nameable import ELEMENT, Nameables, stems_of
from workbench.language.naming import Condition, Naming, opposite
from workbench.language.normal_form import is_settled, normal
from workbench.language.number_conditions import NumberConditions, TimeConditions
from workbench.language.pair_conditions import PairConditions
from workbench.language.path_patterns import names_a_pattern, path_pattern
from workbench.language.productions import kind_of
from workbench.language.python_text import HEADS, rule_text
from workbench.language.reading import TooLong
from workbench.language.run_sentences import AsRule, in_order, is_of_a_sum, without_run
from workbench.language.sense.slips import slip
from workbench.language.sense.spoken import Spoken
from workbench.language.sense.unsaid import unsaid
from workbench.language.statement_rules import StatementRules
from workbench.language.theorem_trees import NEVER, NEVER_HOLDS
from workbench.language.trees import (
    CALL,
    RUN,
    TRUE,
    Tree,
    fields_of_call,
    free_names,
    is_tree,
    joined,
    with_instead,
)
from workbench.language.value_conditions import PresenceConditions, ValueConditions
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of, words_of_name
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.problems import PolicyError
from workbench.policy.rule_names import RULES

MOST_SUGGESTED = 5
MOST_CONDITIONS = 3
_MOST_GROUPS = 7
_MOST_POOL = 26
_MOST_KEPT = 40
_MOST_WRITTEN = 24
_MOST_OTHERS = 8
_MOST_DIFFERENT = 300
_MOST_IN_ORDER = 3
_MOST_LEFT_OUT = 2
"""Words that an offer may leave out for each that it uses: of less nothing is understood."""
_READING = words_named("reading")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A sentence of the language for one that is not: ``text`` reads as ``tree``.

    ``used`` are the words of the foreign sentence that name something in it, ``left_out`` those that do not.
    """

    text: str
    tree: Tree
    used: tuple[str, ...]
    left_out: tuple[str, ...]
    worth: float


@dataclass(frozen=True, slots=True)
class _Group:
    """Tools that a sentence may be about: their classes, the words that name them, and what it is worth.

    ``faint`` are words that may name them, by another word for the same.
    """

    classes: tuple[str, ...]
    used: frozenset[int]
    worth: float
    faint: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Found:
    """A rule that was put together, with the words that it uses.

    ``unsaid`` are those words that turn the sense of the clause and that it does not say. ``clause`` is where
    the clause begins and ends, if each says something of its own. ``outside`` are the words of other clauses
    then, and those of a reason.
    """

    tree: Tree
    used: frozenset[int]
    worth: float
    conditions: int = 0
    unsaid: frozenset[int] = frozenset()
    clause: tuple[int, int] | None = None
    outside: frozenset[int] = frozenset()


@dataclass
class Suggestions:
    """Finds suggestions in one language; what it knows of the nouns is kept from sentence to sentence.

    ``synonyms`` are pairs of words that a person confirmed. ``folder`` is that of the agent's repository.
    """

    language: Language
    synonyms: Iterable[tuple[str, str]] = ()
    folder: str = ""
    _things: dict[tuple[str, ...], Nameables] = field(default_factory=dict[tuple[str, ...], Nameables])

    def of(self, text: str, around: str = "", most: int = MOST_SUGGESTED) -> tuple[Suggestion, ...]:
        """What a foreign sentence may mean, the likeliest first.

        ``around`` is what stands near it: its heading in the first line, and its neighbours.
        """
        text = without_paragraph(text)
        begun = self.language.begun(text)
        if begun is not None:
            return tuple(self._continued(begun, around, most))
        text = under_heading(said_together(with_reference(text, around)), around)
        if not self._tells_approvals:
            text = approved_by_somebody(text)
        sentence = ForeignSentence(text, around, self._known, self._names, self._doings)
        return tuple(self._accepted(sentence, self._ranked(sentence, around), most))

    def _continued(self, begun: Begun, around: str, most: int) -> Iterator[Suggestion]:
        """What goes on as a sentence begins: about its tools, and for or against its condition as it is."""
        classes = begun.rule[3:]
        head = self._text(("call", "forbid", TRUE, *classes)).removesuffix(".").replace(" never ", " not ", 1)
        sentence = ForeignSentence(f"{head} if {begun.rest}", around, self._known, self._names, self._doings)
        read = [(_plainly(one, classes), _plainly(opposite(one), classes)) for one in begun.read]
        found = [
            one for one in self._ranked(sentence, around)
            if one.tree[1] == "forbid" and one.tree[2] != TRUE and set(one.tree[3:]) == set(classes)
            and not any(_turns_round(normal(one.tree), *each) for each in read)
        ]  # fmt: skip
        for one in self._accepted(sentence, found, most):
            if _loses_denial(begun.rest, one):
                continue
            every = not any(word.low in _SOME for word in sentence.words)
            tree = _with_condition(begun.rule, one.tree[2], every=every)
            text = self._text(tree)
            if text:
                yield replace(one, tree=tree, text=text)

    def _ranked(self, sentence: ForeignSentence, around: str) -> Sequence[_Found]:
        """The rules that a sentence may mean, the likeliest first."""
        if not sentence.content:
            return ()
        text = sentence.text
        found: dict[Tree, _Found] = {}
        parts = [
            one for one in clauses(text[: _last(sentence)]) if one.whole or not ELLIPTIC.search(one.text)
        ]
        differ = self._differ(parts)
        without = self._not_meant(sentence)
        for clause in [one for one in parts if not (differ and one.whole)]:
            for one in self._of_clause(sentence, clause, around, without, done=differ):
                known = found.get(one.tree)
                if known is None or known.worth < one.worth:
                    found[one.tree] = one
        acts, told = self._acts(sentence)
        in_case = bool(sentence.told) and not (
            sentence.asks and not any(map(sentence.weights.get, sentence.told))  # "if I approve"
        )
        found = {
            tree: one for tree, one in found.items()
            if one.used and not told.issuperset(tree[3:]) and not (in_case and tree[2] == TRUE)
        }  # fmt: skip
        over_commands = [*self._over_commands(sentence, parts), *self._statements.of(sentence)]
        if any(told.issuperset(one.tree[3:]) for one in over_commands):
            over_commands = []
        if over_commands:
            most = max(len(one.used) for one in over_commands)
            found = {
                tree: one
                for tree, one in found.items()
                if len(one.used) > most or self._is_other_tool(one, without)
            }
            found |= {
                one.tree: _Found(one.tree, one.used, one.worth + _OF_COMMANDS, 1) for one in over_commands
            }
        if path_pattern(text) is not None:
            found = {tree: one for tree, one in found.items() if not names_a_pattern(tree)}
        over = {one.tree for one in over_commands}
        ranked = sorted(
            found.values(),
            key=lambda one: (
                bool(told) and one.tree not in over and acts.isdisjoint(one.tree[3:]),
                -one.worth,
            ),
        )
        return _with_parts(_different(ranked))

    def _over_commands(self, sentence: ForeignSentence, parts: Sequence[Clause]) -> Iterator[SaidRule]:
        """Yield the rules over commands of a sentence, or of its clauses where it is none as a whole."""
        if any(one.whole for one in parts):
            yield from self._commands.of(sentence)
            return
        numbers = {word.start: word.number for word in sentence.words}
        for clause in parts:
            own = ForeignSentence(clause.text, "", self._known, self._names, self._doings)
            place = {word.number: numbers.get(word.start + clause.start, -1) for word in own.words}
            for one in self._commands.of(own):
                yield replace(one, used=frozenset(place[number] for number in one.used) - {-1})

    def _is_other_tool(self, one: _Found, without: frozenset[str]) -> bool:
        """Whether a rule is about tools whose act is said and that take no command, address or file."""
        classes = {str(each[1]) for each in one.tree[3:]}
        return bool(without) and classes.isdisjoint(self._commands.classes | without | {ANY_CALL})

    def _acts(self, sentence: ForeignSentence) -> tuple[frozenset[Tree], frozenset[Tree]]:
        """The tools whose acts the main clause says, and those of which only another clause says them.

        "If a refund is paid, somebody must agree" is about what its condition says.
        """
        main: set[Tree] = set()
        told: dict[Tree, set[str]] = {}
        for call in self.language.types.calls.values():
            for word in stems_of(self.language.lexicon.tool_words(call))[:1]:
                every = [(sure, at) for at, sure in sentence.stems.get(word, ()) if at >= 0]
                best = max((sure for sure, _ in every), default=0.0)
                places = {at for sure, at in every if sure == best >= _LIKELY}
                if places and places <= sentence.told.keys():
                    if best >= _SURE:
                        told["name", call.name] = {sentence.told[at] for at in places}
                elif places:
                    main.add(("name", call.name))
        if sentence.asks or (sentence.norm is not None and sentence.norm.cue is Cue.REQUIRE):
            return frozenset(main), frozenset()
        return frozenset(main), frozenset(one for one, by in told.items() if main or not by & _IN_CASE)

    def _differ(self, parts: Sequence[Clause]) -> bool:
        """Whether one clause permits and another forbids: a rule of both would be neither."""
        each = [
            ForeignSentence(one.text, "", self._known, self._names, self._doings)
            for one in parts if not one.whole
        ]  # fmt: skip
        if each and any(one.whole and ELLIPTIC.search(one.text) for one in parts):
            return True
        about = [
            one for one in each
            if any(at >= 0 for words in self._doings for word in words for at, _ in one.stems.get(word, ()))
        ]  # fmt: skip
        verbs = {words[0] for words in self._doings if words}
        said = {one.norm.cue if one.norm is not None else None for one in about}
        told = any(one.norm is None and one.words[0].stem in verbs for one in about)  # "send letters, but …"
        return Cue.FORBID in said and (told or Cue.PERMIT in said)

    def of_runs(self, text: str, most: int = MOST_SUGGESTED) -> tuple[Suggestion, ...]:
        """The theorems that a sentence about whole runs may mean, and the rule that it may mean instead.

        "In a run" may say that the calls of a run count together, or only that it holds of every run.
        """
        text = without_paragraph(text)
        begun = self.language.begun(text)
        if begun is not None:
            return tuple(self._continued(begun, "", most))
        ordered = [one for each in in_order(text) for one in self._of_order(text, each)]
        found = [self.of(one, "", most) for one in without_run(text)]
        mixed = (one for each in zip_longest(*found) for one in each if one is not None)
        both = [*_agreeing([*ordered, *mixed])]
        sums = [sum_ for one in both if (sum_ := self._sum(one)) is not None] if is_of_a_sum(text) else []
        every = [*sums, *(theorem for one in both if (theorem := self._theorem(one)) is not None)]
        theorems: dict[str, Suggestion] = {}
        for one in every:
            theorems.setdefault(one.text, one)
        return (*islice(theorems.values(), most - 1), *both[:1])

    def _of_order(self, text: str, rule: AsRule) -> Iterator[Suggestion]:
        """The rules about calls of the tools that the beginning of a sentence names."""
        sentence = ForeignSentence(rule.text, "", self._known, self._names, self._doings)
        said = ForeignSentence(text, "", self._known, self._names, self._doings)
        found: dict[Tree, _Found] = {}
        for group in self._groups(ForeignSentence(rule.tools, "", self._known, self._names, self._doings)):
            for one in self._search(sentence, group):
                if found.get(one.tree, one).worth <= one.worth:
                    found[one.tree] = one
        ranked = _different(sorted(found.values(), key=lambda one: -one.worth))
        accepted: list[Suggestion] = []
        for one in self._accepted(sentence, ranked, _MOST_IN_ORDER):
            words = {*one.used, rule.joint}
            named = frozenset(word.number for word in said.words if word.text in words)
            used, left = _told(said, named, f"{one.text} run")
            accepted.append(replace(one, used=used, left_out=left))
        yield from sorted(accepted, key=lambda one: len(one.left_out))

    def _of_clause(
        self, whole: ForeignSentence, clause: Clause, around: str, without: frozenset[str], *, done: bool
    ) -> Iterator[_Found]:
        """The rules that a part of a sentence may state, with the words of the whole that they use.

        They are about none of the tools of ``without``.
        With ``done`` they are about tools alone of which the part says what they do, if it says it of any.
        """
        own = clause.text == whole.text
        beside = whole.text[: clause.start] + whole.text[clause.start + len(clause.text) :]
        near = around if clause.whole else f"{around}\n{beside}"
        sentence = (
            whole if own else ForeignSentence(clause.text, near, self._known, self._names, self._doings)
        )
        if not sentence.content:
            return
        numbers = {word.start: word.number for word in whole.words}
        place = {word.number: numbers.get(word.start + clause.start, -1) for word in sentence.words}
        total = sum(whole.weights.values())
        left = 1 - min(1.0, sum(sentence.weights.values()) / max(1.0, total))
        less = left * (_LESS_A_REASON if clause.whole else _LESS_A_CLAUSE)
        differ, done = done, done and any(self._doing(sentence, name) for name in self.language.types.calls)
        start, end = clause.start, clause.start + len(clause.text)
        outside = frozenset(
            word.number for word in whole.words if (differ or clause.whole) and not start <= word.start < end
        )
        for group in self._groups(sentence, without):
            if done and not all(self._doing(sentence, name) for name in group.classes):
                continue
            for one in self._search(sentence, group):
                used = frozenset(place[number] for number in one.used if place.get(number, -1) >= 0)
                if all(_is_said_apart(sentence, one.used, number) for number in one.unsaid):
                    span = (start, end) if differ else None
                    yield replace(one, used=used, worth=one.worth - less, clause=span, outside=outside)

    @cached_property
    def _known(self) -> Mapping[str, frozenset[str]]:
        """The stems that a person confirmed for each stem."""
        known: dict[str, set[str]] = {}
        for one, other in self.synonyms:
            known.setdefault(stem(one), set()).add(stem(other))
        return {one: frozenset(others) for one, others in known.items()}

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names of the parameters of the calls, and the words of those whose keys have other letters."""
        every = [
            (one.name, self.language.lexicon.words_of_field(call.name, one.name))
            for call in self.language.types.calls.values() for one in call.fields
        ]  # fmt: skip
        return frozenset(name for name, _ in every) | {words for _, words in every if not words.isascii()}

    @property
    def _tells_approvals(self) -> bool:
        """Whether a field tells that something was approved, which then need not be a person's yes now."""
        return stem("approved") in self._recorded

    @cached_property
    def _recorded(self) -> frozenset[str]:
        """The stems of the fields of records."""
        return frozenset(
            word
            for record in self.language.types.records.values() for one in record.fields
            for word in stems_of(self.language.lexicon.words_of_field(record.name, one.name))
        )  # fmt: skip

    @cached_property
    def _commands(self) -> CommandRules:
        return CommandRules(self.language.types.calls.values(), self.folder)

    @cached_property
    def _statements(self) -> StatementRules:
        return StatementRules(self.language.types.calls.values())

    @cached_property
    def _doings(self) -> tuple[tuple[str, ...], ...]:
        """The stems of what each tool does, the verb first."""
        return tuple(self._doing_of.values())

    @cached_property
    def _doing_of(self) -> Mapping[str, tuple[str, ...]]:
        calls = self.language.types.calls
        return {name: stems_of(self.language.lexicon.tool_words(call)) for name, call in calls.items()}

    @cached_property
    def _values(self) -> Mapping[str, frozenset[str]]:
        """The values of each field that has some, by its name."""
        found: dict[str, frozenset[str]] = {}
        for one in chain.from_iterable(self.language.lexicon.fields.values()):
            found[one.name] = found.get(one.name, frozenset()) | frozenset(enum_texts(one.sort).values())
        return {name: values for name, values in found.items() if values}

    # --- the tools ----------------------------------------------------------------

    def _groups(self, sentence: ForeignSentence, without: frozenset[str] = frozenset()) -> Sequence[_Group]:
        """The tools that the sentence may be about, the likeliest first."""
        ones = sorted(
            (self._group(sentence, name) for name in self.language.types.calls), key=lambda one: -one.worth
        )
        listed = {name for several in self._listed(sentence, ones) for one in several for name in one.classes}
        ones = [one for one in ones if one.classes[0] not in without - listed]
        acting = [one for one in ones if not self._reads(one.classes[0])]
        groups = [*ones[:2], *acting[:4]]
        if acting:
            best = acting[0].worth
            groups += self._together([one for one in acting if one.worth >= best - 0.01], 0.05)
            groups += self._together([one for one in acting if one.worth >= best - 0.3], 0.03)
            groups += self._together([one for one in acting if self._doing(sentence, one.classes[0])], 0.0)
        for record in self.language.types.records.values():
            words = stems_of(words_of_name(record.name))
            named = [place for word in words for place, _ in sentence.stems.get(word, ()) if place >= 0]
            if named and record.key:
                keys = {record.key, f"{record.name}_id"}
                calls = self.language.types.calls
                of_record = [
                    one for one in acting if keys & {each.name for each in calls[one.classes[0]].fields}
                ]
                shared = frozenset[int](named)
                groups += [
                    _Group(one.classes, one.used & shared, one.worth, one.used - shared | one.faint)
                    for one in self._together(of_record, 0.2)
                ]
        for several in self._listed(sentence, acting):
            groups += self._together(several, _IN_A_ROW)
        groups += self._with_value(sentence, acting)
        groups += self._reading(sentence, ones)
        every = {word.number for word in sentence.words if word.low in _EVERY}
        if every or not ones:
            groups.append(_Group((ANY_CALL,), frozenset(every), 0.6))
        unique: dict[frozenset[str], _Group] = {}
        for one in groups:
            unique.setdefault(frozenset(one.classes), one)
        ranked = sorted(unique.values(), key=lambda one: -one.worth)
        named = bool(ranked) and bool(ranked[0].used)
        return ranked[:_MOST_GROUPS] if named else [*ranked[:_MOST_GROUPS], *acting[:_MOST_GROUPS]]

    def _listed(self, sentence: ForeignSentence, ones: Sequence[_Group]) -> Iterator[Sequence[_Group]]:
        """Yield the tools that are named in a row: "no rollout, no targets and no experiment"."""
        best: dict[int, tuple[bool, _Group]] = {}
        for one in ones:
            for number, word in enumerate(self._doing_of[one.classes[0]]):
                for at, sure in sentence.stems.get(word, ()):
                    known = best.get(at)
                    better = known is None or (not number and not known[0])  # the likeliest stand first
                    if at >= 0 and sure >= _SURE and better:
                        best[at] = not number, one
        for row in sentence.in_rows(best):
            several = list(dict.fromkeys(best[at][1] for at in row))
            if len({*row}) == len(several):
                yield several

    def _acts_in_rows(self, sentence: ForeignSentence) -> frozenset[int]:
        """The words that say several acts in a row, as in "both releasing and discarding"."""
        verbs = {words[0] for words in self._doings if words}
        places = (
            at for word in verbs for at, sure in sentence.stems.get(word, ()) if at >= 0 and sure >= _SURE
        )
        acts = {at for at in places if not sentence.is_adjective(at) and at not in sentence.described}
        return frozenset(at for row in sentence.in_rows(acts) for at in row)

    def _reading(self, sentence: ForeignSentence, ones: Sequence[_Group]) -> Iterator[_Group]:
        """The tools that only read, of a sentence that permits to read: "looking up donors is allowed"."""
        said = self._permits_to_read(sentence)
        readers = [one for one in ones if self._reads(one.classes[0])]
        named = [one for one in readers if one.used - said] or readers
        for one in (*self._together(named, 0.0), *named) if said else ():
            yield replace(one, used=one.used | said, faint=one.faint - said, worth=one.worth + _IS_READING)

    def _permits_to_read(self, sentence: ForeignSentence) -> frozenset[int]:
        """The words of the verb where it is permitted to read, and nothing else is said to be done."""
        norm = sentence.norm
        if norm is None or norm.cue is not Cue.PERMIT:
            return frozenset()
        after = range(norm.after, norm.after + 2)
        said = [
            word.number for word in sentence.words
            if word.stem in _READING_STEMS and word.number not in sentence.told
            and (not word.number or word.number in after)
        ]  # fmt: skip
        return frozenset(
            at for first in said[:1] for at in (first, first + 1)
            if at == first or [word.low for word in sentence.words[at : at + 1]] == ["up"]
        )  # fmt: skip

    def _with_value(self, sentence: ForeignSentence, acting: Sequence[_Group]) -> Iterator[_Group]:
        """The tools with a parameter that can have a value which is named: all that change "production"."""
        calls = self.language.types.calls
        for name, values in self._values.items():
            several = [
                one for one in acting if any(each.name == name for each in calls[one.classes[0]].fields)
            ]
            named = (stems_of(words_of_name(value)) for value in values)
            if len(several) > 1 and any(
                words
                and all(
                    any(at >= 0 and sure >= _SURE for at, sure in sentence.stems.get(word, ()))
                    for word in words
                )
                for words in named
            ):
                yield from self._together(several, 0.05)

    def _together(self, several: Sequence[_Group], more: float) -> Iterator[_Group]:
        """Several tools as one group: named by the words of all, and by those that each has for itself."""
        if 1 < len(several) <= _MOST_TOGETHER:
            counts = Counter(number for one in several for number in one.used)
            used = frozenset(number for number, count in counts.items() if count in (1, len(several)))
            faint = frozenset(counts).union(*(one.faint for one in several)) - used
            worth = sum(one.worth for one in several) / len(several) + more
            yield _Group(tuple(one.classes[0] for one in several), used, worth, faint)

    def _doing(self, sentence: ForeignSentence, name: str) -> bool:
        """Whether the sentence says what the tool does, by its first word."""
        call = self.language.types.calls.get(name)
        words = () if call is None else stems_of(self.language.lexicon.tool_words(call))
        return any(
            place >= 0 and sure >= _LIKELY for one in words[:1] for place, sure in sentence.stems.get(one, ())
        )

    def _not_meant(self, sentence: ForeignSentence) -> frozenset[str]:
        """The tools of which a sentence does not say what they do, if it says of another: and to what."""
        calls = self.language.types.calls
        wanted = {at for one in sentence.at(Cue.UNLESS) for at in sentence.what_follows(one)}
        own = {at for at in range(len(sentence.words)) if at not in sentence.told and at not in wanted}
        said = [
            [
                {at for at, sure in sentence.stems.get(one, ()) if sure >= _SURE} & own
                for one in stems_of(self.language.lexicon.tool_words(call))
            ]
            for call in calls.values()
        ]
        nouns = {
            word for one in self.language.types.records.values() for word in stems_of(words_of_name(one.name))
        }
        if not any(
            all(words)
            and any(sentence.words[at].stem not in nouns and not sentence.is_adjective(at) for at in words[0])
            for words in said
        ):
            return frozenset()
        return frozenset(
            name for name, call in calls.items()
            if not any(
                at >= 0 and sure >= _LIKELY and not sentence.is_adjective(at)
                for one in stems_of(self.language.lexicon.tool_words(call))[:1]
                for at, sure in sentence.stems.get(one, ())
            )
        )  # fmt: skip

    def _reads(self, name: str) -> bool:
        return self.language.types.calls[name].tool.casefold().replace("-", "_").split("_")[0] in _READING

    def _group(self, sentence: ForeignSentence, name: str) -> _Group:
        ways = self._ways[name]
        if all(map(sentence.stems.get, ways[0])):
            ways = ways[:1]
        named = (self._named_by(sentence, words, first=not number) for number, words in enumerate(ways))
        best = max(named, key=lambda one: one.worth)
        worth = best.worth
        for word in self._vocabulary[name] - set(ways[0]):
            alone = 1 / max(1, self._tools_with[word])
            worth += max((sure for _, sure in sentence.stems.get(word, ())), default=0) * (0.1 + 0.3 * alone)
        if self._reads(name) and not any(
            place >= 0 and sure == 1.0
            for place, sure in sentence.stems.get(ways[0][0] if ways[0] else "", ())
        ):
            worth -= 0.6
        return _Group((name,), best.used, worth, best.faint)

    def _named_by(self, sentence: ForeignSentence, words: Sequence[str], *, first: bool) -> _Group:
        """How a sentence names a tool by some words, of which the first says what it does."""
        used: set[int] = set()
        faint: set[int] = set()
        worth = 0.0 if first else -0.1
        for number, word in enumerate(words):
            places = [one for one in sentence.stems.get(word, ()) if first or _is_own(*one)]
            told = not number and all(at >= 0 and sentence.is_adjective(at) for at, _ in places)
            if not places or told:  # "a published article" is no publishing
                worth -= 0.15
                continue
            after = sentence.norm.first if sentence.norm is not None else -1
            worth += max(sure for _, sure in places)
            if number == 0:
                worth += self._doing_is_said(places, after)
            said = sorted(
                (place for place, sure in places if place >= 0 and sure >= _SURE),
                key=lambda place: (place < after, place),
            )
            used.update(said[:1])
            faint.update(place for place, sure in places if place >= 0 and sure < _SURE)
        return _Group((), frozenset(used), worth, frozenset(faint))

    @cached_property
    def _ways(self) -> Mapping[str, Sequence[Sequence[str]]]:
        """The stems of the ways to say what each tool does: by its name, and as its description begins."""
        found: dict[str, Sequence[Sequence[str]]] = {}
        for name, call in self.language.types.calls.items():
            begins = _BEGINNING.match(call.description)
            told = stems_of(begins.group() if begins is not None else "")
            own = tuple(dict.fromkeys(stems_of(self.language.lexicon.tool_words(call))))
            found[name] = (own, told) if 1 < len(told) <= _MOST_SAID and set(told) - set(own) else (own,)
        return found

    @cached_property
    def _vocabulary(self) -> Mapping[str, frozenset[str]]:
        """The stems of what the description of each tool says, of its parameters and of their values."""
        words = self.language.lexicon.words_of_field
        return {
            name: frozenset(
                word
                for text in (
                    call.description,
                    *(words(name, one.name) for one in call.fields),
                    *self._values_of(self.language.lexicon.class_of_calls((name,))),
                )
                for word in stems_of(text)
            )
            for name, call in self.language.types.calls.items()
        }

    def _values_of(self, sort: str) -> Iterator[str]:
        """The values that fields of a call may have, and those of the elements of its lists."""
        fields = self.language.lexicon.fields
        for one in fields[sort]:
            if one.many and one.sort in fields and kind_of(one.sort) == "rec":
                yield from self._values_of(one.sort)
            elif kind_of(one.sort) == "enum" and one.name != "tool":
                yield from enum_words(one.sort).values()

    @cached_property
    def _tools_with(self) -> Counter[str]:
        """Of how many tools that do something the names or descriptions have a stem."""
        lexicon = self.language.lexicon
        return Counter(
            word
            for name, call in self.language.types.calls.items()
            if not self._reads(name)
            for word in {*self._vocabulary[name], *stems_of(lexicon.tool_words(call))}
        )

    def _doing_is_said(self, places: Sequence[tuple[int, float]], after: int) -> float:
        """What it is worth that what a tool does is said: after "must not", or in the heading."""
        worth = 0.1
        if 0 <= after < max(place for place, _ in places):
            worth += 0.25
        if all(place < 0 for place, _ in places) and any(sure >= _HEADING for _, sure in places):
            worth += 0.8
        return worth

    # --- the search ---------------------------------------------------------------

    def _search(self, sentence: ForeignSentence, group: _Group) -> Iterator[_Found]:
        """Yield the rules about some tools, put together from the conditions that are named."""
        if any(map(sentence.kept.__contains__, self._results(group))):
            return  # what stays locked is not what must not be locked
        if group.classes not in self._things:
            self._things[group.classes] = Nameables(self.language.lexicon, group.classes)
        ranked = sorted(
            (self._group(sentence, name) for name in self.language.types.calls), key=lambda one: -one.worth
        )
        others = [one.classes[0] for one in ranked[:_MOST_OTHERS]]
        naming = Naming(sentence, self._things[group.classes], group.used, group.faint)
        pool = self._pool(sentence, group, _named_conditions(naming, others))
        for form in self._forms_of_every(sentence):
            tree, used = self._rule(form, TRUE, group), group.used | group.faint
            left = unsaid(sentence, tree, (), (), used)
            yield _Found(tree, used, self._worth(sentence, group, ()) - 0.4, unsaid=left)
        kept: list[tuple[Condition, ...]] = [(one,) for one in pool]
        every = list(kept)
        for _ in range(MOST_CONDITIONS - 1):
            kept = self._joined(sentence, group, kept, pool)
            every += kept
        every.sort(key=lambda ones: -self._worth(sentence, group, ones))
        for ones in every[:_MOST_KEPT]:
            worth = self._worth(sentence, group, ones)
            for tree, cost in self._rules(sentence, group, ones):
                used = group.used.union(group.faint, *(one.used for one in ones))
                _, wanted = self._sides(sentence, group, ones)
                left = unsaid(sentence, tree, wanted, ones, used)
                yield _Found(tree, used, worth - cost, len(ones), left)

    def _forms_of_every(self, sentence: ForeignSentence) -> Iterator[str]:
        """The forms that a sentence may have as a rule about every call of some tools."""
        norm = sentence.norm
        if sentence.is_free:
            yield "permit"
        elif not sentence.has_limits and ((norm is not None and norm.cue is Cue.FORBID) or sentence.asks):
            yield "ask" if sentence.asks else "forbid"
        permits = norm is not None and norm.cue is Cue.PERMIT and sentence.limited_at < 0
        if permits and not sentence.asks and not sentence.has(Cue.ONLY):
            yield "permit"

    def _results(self, group: _Group) -> Iterator[str]:
        """The states that calls of the tools bring about: "on" of turn_on_lights, "locked" of lock_door."""
        calls = self.language.types.calls
        for name in group.classes:
            words = words_of_name(calls[name].tool).split() if name in calls else []
            verb = words[0].casefold() if words else ""
            yield from (verb, f"{verb.removesuffix('e')}ed", *(one for one in words if one in ("on", "off")))

    def _pool(
        self, sentence: ForeignSentence, group: _Group, conditions: Iterable[Condition]
    ) -> list[Condition]:
        best: dict[tuple[Tree, Tree], Condition] = {}
        acts = self._acts_in_rows(sentence)
        reading = self._permits_to_read(sentence)
        for each in _as_denied(sentence, conditions, group.used):
            if not reading.isdisjoint(each.used) and _is_of_reading(each.tree):
                continue  # "looking up donors" says what is done
            if each.anchor not in sentence.described and (
                (each.used <= group.used and _gives_value(each.tree))
                or (not acts.isdisjoint(each.used) and _gives_values(each.tree))
            ):
                continue  # "close" says what is done, not that something is closed
            ends = each.anchor in sentence.ended and _gives_value(each.tree)
            one = _opposed(each) if ends or each.anchor in sentence.needless else each
            known = best.get((one.tree, one.domain))
            if known is None or self._gain(sentence, group.used, one) > self._gain(
                sentence, group.used, known
            ):
                best[one.tree, one.domain] = one
        ranked = sorted(best.values(), key=lambda one: -self._gain(sentence, group.used, one))
        return ranked[:_MOST_POOL]

    def _gain(self, sentence: ForeignSentence, used: frozenset[int], one: Condition) -> float:
        new = sum(sentence.worth_of(number) for number in one.used - used)
        return new - one.cost

    def _joined(
        self,
        sentence: ForeignSentence,
        group: _Group,
        kept: Sequence[tuple[Condition, ...]],
        pool: Sequence[Condition],
    ) -> list[tuple[Condition, ...]]:
        """One more condition that uses words which those before do not."""
        found: dict[frozenset[int], tuple[Condition, ...]] = {}
        for ones in kept[:_MOST_KEPT]:
            used = group.used.union(*(one.used for one in ones))
            for one in pool:
                if any(
                    one.tree == other.tree or _presumed(one, other) or _exclusive(one, other)
                    for other in ones
                ):
                    continue
                if one.literal >= 0 and any(one.literal in other.used for other in ones):
                    continue
                if any(other.literal >= 0 and other.literal in one.used for other in ones):
                    continue
                if self._gain(sentence, used, one) < _LEAST_GAIN:
                    continue
                key = frozenset(id(each) for each in (*ones, one))
                found.setdefault(key, tuple(sorted((*ones, one), key=lambda each: each.anchor)))
        return sorted(found.values(), key=lambda ones: -self._worth(sentence, group, ones))[:_MOST_KEPT]

    def _worth(self, sentence: ForeignSentence, group: _Group, ones: Sequence[Condition]) -> float:
        used = group.used.union(*(one.used for one in ones))
        weights = sentence.weights
        total = sum(weights.values())
        covered = sum(weights.get(number, 0.1) for number in used)
        covered += 0.5 * sum(weights.get(number, 0.0) for number in group.faint - used)
        return (
            covered / max(1.0, total) * 4
            + 0.5 * group.worth
            - sum(one.cost for one in ones)
            - 0.3 * len(ones)
        )

    # --- rules --------------------------------------------------------------------

    def _rule(self, form: str, condition: Tree, group: _Group) -> Tree:
        return ("call", form, condition, *(("name", one) for one in group.classes))

    def _rules(
        self, sentence: ForeignSentence, group: _Group, ones: Sequence[Condition]
    ) -> Iterator[tuple[Tree, float]]:
        """Yield the rules that conditions make, each with what is against it."""
        if sentence.is_free:
            yield from self._freed(sentence, group, ones)
            return
        guards, goods = self._sides(sentence, group, ones)
        if _says_no_limit(sentence, goods, ones):
            return
        if sentence.asks:
            for condition, cost in _bad(sentence, guards, goods):
                yield self._rule("ask", condition, group), cost
            return
        if not goods and self._is_unfounded(sentence):
            if self._is_told(sentence, group):
                yield self._rule("permit", _whole(sentence, guards), group), 0.0
            return
        yield from self._forbidding(sentence, group, ones, guards, goods)
        if goods:
            yield from self._permitting(sentence, group, guards, goods)

    def _forbidding(
        self,
        sentence: ForeignSentence,
        group: _Group,
        ones: Sequence[Condition],
        guards: Sequence[Condition],
        goods: Sequence[Condition],
    ) -> Iterator[tuple[Tree, float]]:
        """Yield what conditions forbid, where no permission without an end is said."""
        norm = sentence.norm
        permitting = norm is not None and norm.cue is Cue.PERMIT and not sentence.has(Cue.ONLY)
        freed = any(not sentence.needless.isdisjoint((*one.used, one.anchor)) for one in ones)
        if not freed and not (permitting and _limits_nothing(sentence)):
            situation, wanted = _split(sentence, guards, goods)
            for condition, cost in _bad(sentence, situation, wanted) if situation is not guards else ():
                yield self._rule("forbid", condition, group), cost
            less = 0.1 if situation is not guards else 0.0
            for condition, cost in _bad(sentence, guards, goods):
                yield self._rule("forbid", condition, group), cost + less

    def _freed(
        self, sentence: ForeignSentence, group: _Group, ones: Sequence[Condition]
    ) -> Iterator[tuple[Tree, float]]:
        """Yield what says that nobody is asked: who is asked elsewhere, and what is then permitted."""
        for tree, cost in _asked_after_all(sentence, ones):
            yield self._rule("ask", tree, group), cost
        if self._is_closed(group) and not any(one.anchor in sentence.excepted for one in ones):
            yield self._rule("permit", _whole(sentence, ones, every=True), group), -0.05

    def _is_closed(self, group: _Group) -> bool:
        """Whether calls of some tools are allowed only where a rule says so."""
        return not self.language.policy.default_allow or self._permits(group)

    def _is_told(self, sentence: ForeignSentence, group: _Group) -> bool:
        """Whether a sentence tells what is done where nothing else may be, as in "doctors lift deferrals"."""
        if sentence.norm is not None or not self._is_closed(group):
            return False
        turns = sentence.has(Cue.NOT, Cue.FORBID, Cue.REQUIRE, Cue.UNLESS, Cue.ONLY) or sentence.comparisons
        return not turns and all(self._doing(sentence, name) for name in group.classes)

    def _permitting(
        self,
        sentence: ForeignSentence,
        group: _Group,
        guards: Sequence[Condition],
        goods: Sequence[Condition],
    ) -> Iterator[tuple[Tree, float]]:
        """Yield what conditions permit; where all is allowed, that says no "only"."""
        kind = sentence.norm.cue if sentence.norm is not None else None
        closed = self._is_closed(group)
        only = sentence.has(Cue.ONLY)
        if not (kind is Cue.PERMIT and (closed or not only)) and not (kind is None and closed):
            return
        wanted = _whole(sentence, goods, every=True)
        condition = joined("and", [_whole(sentence, guards), wanted] if guards else [wanted])
        is_told = self._is_told(sentence, group)
        cost = (0.1 if only else -0.05) if closed and kind is Cue.PERMIT else -0.4 if is_told else 0.35
        yield self._rule("permit", condition, group), cost

    def _is_unfounded(self, sentence: ForeignSentence) -> bool:
        """Whether no word refuses what is done: "is paid up to 3,000", "is to be deleted"."""
        norm = sentence.norm
        if norm is None:
            excepts = any(sentence.words[one.first].low != "without" for one in sentence.wanting)
            return not excepts and not sentence.has(Cue.ONLY)
        demanded = frozenset(range(norm.after, norm.after + 2))
        return norm.cue is Cue.REQUIRE and any(
            at in demanded and sure >= _LIKELY
            for call in self.language.types.calls.values()
            for word in stems_of(self.language.lexicon.tool_words(call))[:1]
            for at, sure in sentence.stems.get(word, ())
        )  # fmt: skip

    def _sides(
        self, sentence: ForeignSentence, group: _Group, ones: Sequence[Condition]
    ) -> tuple[list[Condition], list[Condition]]:
        """The conditions that say which calls are meant or what is bad, and those that are wanted."""
        guards = [one for one in ones if _role(sentence, one) is not Role.GOOD]
        goods = [one for one in ones if _role(sentence, one) is Role.GOOD]
        exceptions = [one for one in goods if one.anchor in sentence.excepted]
        if 0 < len(exceptions) < len(goods):
            return [*guards, *map(_opposed, exceptions)], [one for one in goods if one not in exceptions]
        if sentence.asks or sentence.has(Cue.ONLY):
            return guards, goods
        norm = sentence.norm
        permits = norm is not None and norm.cue is Cue.PERMIT and sentence.limited_at < 0
        if exceptions and (permits or (norm is None and self._doing(sentence, group.classes[0]))):
            return [*guards, *exceptions], []  # what is done or may be done is forbidden there
        return ([], list(ones)) if permits and not goods else (guards, goods)

    def _permits(self, group: _Group) -> bool:
        tools = {
            self.language.types.calls[one].tool for one in group.classes if one in self.language.types.calls
        }
        return any(
            one.name.startswith("permit_") and tools & {term.tool for term in one.terms}
            for one in self.language.policy.rules
        )

    # --- what is offered ----------------------------------------------------------

    def _accepted(
        self, sentence: ForeignSentence, ranked: Sequence[_Found], most: int
    ) -> Iterator[Suggestion]:
        """Yield those that are sentences of the language and pass the checker."""
        best: dict[tuple[int, int] | None, _Found] = {}
        offered: list[Tree] = []
        spoken = Spoken(sentence, self._doing_of, self._values, self._recorded)
        kept = (
            one for one in ranked
            if not slip(spoken, one.tree, one.used, by_command=one.worth > _OF_COMMANDS)
        )  # fmt: skip
        for one, form in _varied(self._with_joint([*islice(kept, _MOST_WRITTEN)])):
            if one.clause in best and _is_of_others(one, best[one.clause]):
                continue
            if is_settled(form) or any(_is_against(form, other) for other in offered):
                continue
            text = self._text(one.tree)
            if not text or self.problem(one.tree):
                continue
            if _says_too_little(sentence, one, text):
                continue
            yield Suggestion(text, one.tree, *_told(sentence, one.used, text), one.worth)
            offered.append(form)
            if one.worth < _OF_COMMANDS:
                best.setdefault(one.clause, one)
            if len(offered) == most:
                return

    def _with_joint(self, ranked: Sequence[_Found]) -> Iterator[_Found]:
        """Yield the rules, and after the first that refuses something of one of alike lists, one for all.

        "To anyone outside" may be said of those who get a mail, get it in copy, or get it unseen.
        """
        alike: dict[object, list[Tree]] = {}
        for one in ranked:
            alike.setdefault(self._but_for_list(one), []).append(one.tree[2])
        for one in ranked:
            yield one
            bodies = alike.pop(self._but_for_list(one), [])
            if one.tree[1] != "permit" and 1 < len(bodies) <= _MOST_LISTS:
                yield replace(one, tree=(*one.tree[:2], joined("or", bodies), *one.tree[3:]))

    def _but_for_list(self, one: _Found) -> object:
        """A rule that reads one list of its calls, without the name of the list; any other as it is."""
        sort = self.language.lexicon.class_of_calls(tuple(str(name) for _, name in one.tree[3:]))
        names = fields_of_call(one.tree[2])
        lists = [each for each in self.language.lexicon.fields[sort] if each.many and each.name in names]
        if len(names) > 1 or not lists:
            return one.tree
        said = with_instead(one.tree, ("attr", CALL, lists[0].name), CALL)
        return said, lists[0].sort, one.used

    def _theorem(self, one: Suggestion) -> Suggestion | None:
        """The theorem that no run has a call which a suggestion forbids, or asks a person about."""
        _, form, condition, *classes = one.tree
        if form not in ("forbid", "ask"):
            return None
        unapproved = [("not", ("attr", CALL, "approved"))] if form == "ask" else []
        never = joined("and", [part for part in (*unapproved, condition) if part != TRUE])
        tree = _of_all_calls(never) or ("call", NEVER, never, *classes)
        text = self._text(tree)
        return replace(one, tree=tree, text=text) if text else None

    def _sum(self, one: Suggestion) -> Suggestion | None:
        """The theorem that no run has more of something than a suggestion lets one call have."""
        match one.tree:
            case (
                "call",
                "forbid",
                (">" | ">=" as more, ("attr", ("name", "call"), name), limit),
                *classes,
            ):
                many = ("method", ("name", "run"), "earlier", *classes)
                counted = ("not", ("attr", ELEMENT, "failed"))
                total = ("call", "sum", ("gen", ELEMENT, ("attr", ELEMENT, name), many, counted))
                tree: Tree = ("call", NEVER_HOLDS, (more, total, limit))
                text = self._text(tree)
                return replace(one, tree=tree, text=text) if text else None
            case _:
                return None

    def _text(self, tree: Tree) -> str:
        try:
            return self.language.write(tree)
        except TooLong:
            return ""

    @cached_property
    def _without_rules(self) -> Sequence[tuple[str, str, frozenset[str]]]:
        """The statements of the policy but its rules: each function's name, the text, and what it names."""
        body = statements(self.language.source)
        named = [(node.name if isinstance(node, ast.FunctionDef) else "", node) for node in body]
        return [
            (
                name,
                ast.unparse(node),
                frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name)),
            )
            for name, node in named
            if not name.startswith((*RULES, "contract_"))
        ]

    def alone(self, tree: Tree) -> str:
        """A policy with the constants, the facts that a rule reads, and this rule alone."""
        python = rule_text(tree, f"{tree[1]}_suggested", "R0: It is suggested.")
        read = {each.id for each in ast.walk(ast.parse(python)) if isinstance(each, ast.Name)}
        while more := [names for name, _, names in self._without_rules if name in read and not names <= read]:
            read.update(*more)
        kept = [text for name, text, _ in self._without_rules if not name or name in read]
        return with_imports("\n\n\n".join((*kept, python)), self.language.types)

    def problem(self, tree: Tree) -> str:
        """Why the checker refuses what a sentence says as a rule; empty for a rule."""
        if tree[1] not in HEADS:
            return "it states no rule."
        try:
            check_calls(self.alone(tree), self.language.types)
        except PolicyError as error:
            return str(error)
        return ""

    def about(self, one: Suggestion, tools: Sequence[Tree]) -> Suggestion:
        """A suggestion about some of its tools; without a text if they are none."""
        tree = (*one.tree[:3], *tools)
        return replace(one, tree=tree, text=self._text(tree) if tools else "")

    def stated(self, text: str, tree: Tree) -> Suggestion:
        """A suggestion that somebody else found for a foreign sentence."""
        sentence = ForeignSentence(text, "", self._known, self._names, self._doings)
        said = self._text(tree)
        return Suggestion(said, tree, *_told(sentence, frozenset(), said), 0.0)


_OF_COMMANDS = 6.0
"""What a rule over the typed parts of commands is worth more than one that only fits by its words."""
_OF_OTHERS = 0.4
"""How much less than the best rule one about other tools may be worth."""
_LESS_A_REASON = 0.4
_LESS_A_CLAUSE = 1.5
"""What it costs to leave out a reason, or the other clauses: all of it where they are the whole sentence."""
_IN_CASE = frozenset(("if", "when", "whenever"))
_SURE = 0.9
_LIKELY = 0.6
_HEADING = 0.5
_BEGINNING = re.compile(r"[^.,;:(]*?(?=$|[.,;:(]| (?:to|of|from|with|for|in|on|and|that|by|or|at|as)\b)")
"""What the description of a tool says that it does, and to what."""
_MOST_SAID = 4
_MOST_LISTS = 4
"""The lists of a call of which one rule speaks."""
_MOST_ALIKE = 2
"""The rules about the same earlier calls that stand before others."""
_MOST_APART = 3
"""The place after which the best of those stands that are almost the same as another."""
_FIRST = 3
"""The rules that stand before those with fewer conditions."""
_LEAST_GAIN = 0.45
_OUTSIDE = frozenset(("outside", "other", "anywhere", "anything", "anyone", "except"))
"""The first words of what says that all else is meant, which may be an alternative of its own."""
_SOME = frozenset(("there", "some", "any"))
_DENYING = words_named("denials") | {
    "none",
    "never",
    "neither",
    "nor",
    "nothing",
    "nobody",
    "without",
    "unless",
}
_DENYING_ALL = ("none of these", "not all of these")
_TOO = frozenset(("even", "too", "also"))
_MOST_TOGETHER = 8
_IN_A_ROW = 0.4
_IS_READING = 1.4
_READING_STEMS = frozenset(map(stem, _READING))
_EVERY = words_named("every")


def _is_own(place: int, sure: float) -> bool:
    """Whether a word is one itself, in the sentence or its heading, and none that may stand for it."""
    return sure >= (_SURE if place >= 0 else _HEADING)


def _is_said_apart(sentence: ForeignSentence, used: frozenset[int], number: int) -> bool:
    """Whether a word belongs to another alternative than all words that a rule uses: “…, or more than …”."""
    if not used or max(used) > number:
        return False
    between = sentence.text[sentence.words[max(used)].end : sentence.words[number].start]
    joints = "and|or|nor" if sentence.words[number].low in _OUTSIDE else "or|nor"
    return re.search(rf"[,;] ({joints}) ", between) is not None


def _is_of_others(one: _Found, best: _Found) -> bool:
    """Whether a rule is about other tools than the best one, and much less of the sentence says so."""
    return one.worth < best.worth - _OF_OTHERS and set(one.tree[3:]).isdisjoint(best.tree[3:])


def _is_against(form: Tree, better: Tree) -> bool:
    """Whether a rule is contrary to a better one, or leaves its condition out and refuses the rest too."""
    bare = form[2] == TRUE != better[2] and bool(set(form[3:]) & set(better[3:]))
    return bare or contrary(form, better)


def _loses_denial(text: str, one: Suggestion) -> bool:
    """Whether what a sentence goes on with denies something that a suggestion for it does not."""
    left = {word.casefold() for word in one.left_out}
    denied = [phrase for phrase in _DENYING_ALL if phrase in text.casefold()]
    return not left.isdisjoint(_DENYING) or any(phrase not in one.text.casefold() for phrase in denied)


def _agreeing(ranked: Sequence[Suggestion]) -> Iterator[Suggestion]:
    """Yield the suggestions of several readings of a sentence that are not against a better one."""
    offered: list[Tree] = []
    for one in ranked:
        form = normal(one.tree)
        if not any(_is_against(form, other) for other in offered):
            offered.append(form)
            yield one


def _plainly(condition: Tree, classes: Sequence[Tree]) -> Tree:
    return normal(("call", "forbid", condition, *classes))


def _turns_round(rule: Tree, read: Tree, denied: Tree) -> bool:
    """Whether a rule says the opposite of a condition that is read; both are given as rules of their own."""
    said = {*_singly(rule[2])}
    return contrary(rule, read) or (denied[2] in said and read[2] not in said)


def _singly(condition: Tree) -> Iterator[Tree]:
    if condition[0] in ("and", "or"):
        for part in condition[1:]:
            yield from _singly(part)
    else:
        yield condition


def _with_condition(rule: Tree, condition: Tree, *, every: bool) -> Tree:
    """A rule with a condition in place of "always"; with ``every`` what must be so is so of each element."""
    match rule:
        case ("not", always) if always == TRUE:
            return opposite(_of_every(condition) if every else condition)
        case ("lit" | "name", *_):
            return condition if rule == TRUE else rule
        case _:
            return tuple(
                _with_condition(part, condition, every=every) if is_tree(part) and part else part
                for part in rule
            )


def _of_every(condition: Tree) -> Tree:
    match condition:
        case ("call", "any", ("gen", *_, domain, _) as each) if free_names(domain) == frozenset((CALL[1],)):
            return ("call", "all", each)
        case ("and" | "or" as word, *parts):
            return (word, *map(_of_every, parts))
        case _:
            return condition


def _last(sentence: ForeignSentence) -> int:
    """Where the words that are looked at end."""
    return sentence.words[-1].end


def _different(ranked: Sequence[_Found]) -> list[_Found]:
    """The best rules, each of them once however it is put: more are not brought into normal form."""
    found: dict[Tree, _Found] = {}
    for one in ranked:
        found.setdefault(normal(one.tree), one)
        if len(found) >= _MOST_DIFFERENT:
            break
    return list(found.values())


def _varied(ranked: Iterable[_Found]) -> Iterator[tuple[_Found, Tree]]:
    """Yield the rules with their normal forms; what is almost the same as a better one comes last.

    That is what differs only where a record does not exist, in which of the earlier calls of a tool count,
    or in the tools that it is about.
    """
    later: list[tuple[_Found, Tree]] = []
    counts: Counter[object] = Counter()
    for number, one in enumerate(ranked):
        form = normal(one.tree)
        gist = _gist(form[2])
        broad = _of_any_calls(gist)
        most: dict[object, int] = {
            (form[1], broad, *form[3:]): _MOST_ALIKE, (form[1], gist, *form[3:]): 1, gist: _MOST_ALIKE + 1,
        }  # fmt: skip
        if any(counts[key] >= many for key, many in most.items()):
            later.append((one, form))
        else:
            counts.update(most.keys())
            yield one, form
        if number == _MOST_APART and later:
            yield later.pop(0)
    yield from later


def _gist(condition: Tree) -> Tree:
    """A condition in normal form without that records exist, where it says more."""
    match condition:
        case ("and" | "or" as word, *parts):
            presumed = "is some" if word == "and" else "is none"
            said = [part for part in parts if part[0] != presumed or part[1][0] != "method"] or parts
            return joined(word, sorted(map(_gist, said), key=repr))
        case _:
            return condition


def _of_any_calls(condition: Tree) -> Tree:
    """A condition in which earlier calls of some tools stand without what is asked of them."""
    match condition:
        case ("gen", _, _, ("method", ("name", "run"), "earlier", *tools), _):
            return ("method", RUN, "earlier", *tools)
        case _:
            return tuple(_of_any_calls(part) if is_tree(part) and part else part for part in condition)


def _with_parts(ranked: Sequence[_Found]) -> Sequence[_Found]:
    """The rules with the best of fewer conditions soon after the first: a sentence may say several."""
    if not ranked:
        return ranked
    parts: list[_Found] = []
    for count in range(ranked[0].conditions - 1, 0, -1):
        part = next((one for one in ranked if one.conditions == count), None)
        if part is not None and part not in ranked[:_FIRST]:
            parts.append(part)
    return [*ranked[:_FIRST], *parts, *(one for one in ranked[_FIRST:] if one not in parts)]


def _asked_after_all(sentence: ForeignSentence, ones: Sequence[Condition]) -> Iterator[tuple[Tree, float]]:
    """Yield when a person is asked though nobody is elsewhere: in an exception, and outside of a limit."""
    exceptions = [one for one in ones if one.anchor in sentence.excepted]
    limits = [one for one in ones if one not in exceptions]
    if exceptions:
        yield from _bad(sentence, exceptions, [])
    if limits:
        yield from _bad(sentence, [], limits)


def _says_no_limit(sentence: ForeignSentence, goods: Sequence[Condition], ones: Sequence[Condition]) -> bool:
    """Whether it is not said up to what limit something is allowed, or who alone may do it."""
    if sentence.limited_at >= 0 and not goods:
        return True
    return bool(goods) and sentence.alone >= 0 and not any(sentence.alone in one.used for one in ones)


def _limits_nothing(sentence: ForeignSentence) -> bool:
    """Whether a permission has no end: what is allowed at one place is not forbidden elsewhere."""
    if sentence.needless or any(word.low in _TOO for word in sentence.words):
        return True  # "even if", "too": something is allowed besides
    start = sentence.norm.first if sentence.norm is not None else -1
    if start >= 0 and any(one.cue is Cue.FORBID and one.first > start for one in sentence.at(Cue.FORBID)):
        return True  # what need not be refused may be refused elsewhere, or not
    ends = [one for one in sentence.comparisons if one.cue is not Cue.MORE or one.first < start]
    counted = sentence.numbers and (ends or not sentence.comparisons)
    return (
        not counted
        and not any(word.low == "once" for word in sentence.words)
        and not ends
        and not sentence.wanting
        and not sentence.has(Cue.IF, Cue.AHEAD, Cue.SINCE, Cue.USER)
    )


def _told(
    sentence: ForeignSentence, used: frozenset[int], text: str, outside: frozenset[int] = frozenset()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a foreign sentence that a suggestion says, by its own words or by others, and the rest.

    A word that negates is said only where what it negates is denied. Words ``outside`` do not count.
    """
    own = set(map(stem, words_of(text)))
    said: list[str] = []
    left: list[str] = []
    counted = {word.number for word in sentence.content} | sentence.negations
    counted |= {at for at in sentence.approvers if sentence.words[at].text[:1].isupper()}
    for word in sentence.words:
        if word.number in counted - outside:
            is_said = word.number in used or (word.number not in sentence.negations and word.stem in own)
            (said if is_said else left).append(word.text)
    return tuple(said), tuple(left)


def _says_too_little(sentence: ForeignSentence, found: _Found, text: str) -> bool:
    """Whether a rule leaves out most of its sentence, or of its clause, and no quoted word is in it.

    What permits all calls of a tool has to say at least as much as it leaves out: the rest may limit it.
    """
    used, left_out = _told(sentence, found.used, text, found.outside)
    most = 1 if found.tree[1:3] == ("permit", TRUE) else _MOST_LEFT_OUT
    quoted = any(sentence.words[number].literal is not None for number in found.used)
    return not quoted and len(left_out) > most * len(used)


def _as_denied(
    sentence: ForeignSentence, conditions: Iterable[Condition], tools: frozenset[int]
) -> Iterator[Condition]:
    """The conditions without those that a sentence negates and that say the thing itself.

    What negates a thing is used by a condition that denies it; "no entry" is not an entry of which something
    is denied.
    """
    for one in conditions:
        found = [sentence.negation(number) for number in {*one.used, one.anchor} - tools if number >= 0]
        negations = [each for each in found if each is not None and each.first in sentence.negations]
        if not negations or (_is_nothing(one.tree) and all(each.first in one.used for each in negations)):
            yield one
        elif one.tree[0] not in _PLAIN:
            words = {number for each in negations for number in range(each.first, each.after)}
            no = {number for number in words if one.domain and sentence.words[number].low == "no"}
            yield replace(one, used=one.used | (words - no))


def _is_nothing(tree: Tree) -> bool:
    """Whether a condition says that there is none: "no places left"."""
    return tree[0] == "==" and tree[1][0] == "attr" and tree[2][0] == "lit" and tree[2][2] == 0


_PLAIN = frozenset(("in", "==", "method", "<", "<=", ">", ">="))
"""The forms of conditions that say no denial."""


def _gives_value(tree: Tree) -> bool:
    """Whether a condition says that something has a value."""
    return tree[0] in ("==", "!=") and tree[2][0] == "lit"


def _is_of_reading(tree: Tree) -> bool:
    """Whether a condition says that something was read, or done, before."""
    if tree[0] == "not":
        return _is_of_reading(tree[1])
    return tree[:2] in (("call", "looked_up"), ("call", "any")) and (
        tree[1] == "looked_up" or tree[2][3][:3] == ("method", RUN, "earlier")
    )


def _gives_values(tree: Tree) -> bool:
    """Whether a condition says which of some values something has."""
    return _gives_value(tree) or (tree[0] in ("in", "not in") and tree[2][0] == "set")


def _opposed(one: Condition) -> Condition:
    """A condition that does not hold."""
    return replace(one, tree=opposite(one.tree))


def _presumed(one: Condition, other: Condition) -> bool:
    """Whether one condition only says that what the other reads is there."""
    pairs = ((one, other), (other, one))
    return any(first.tree[0] == "is some" and first.tree[1] in second.needs for first, second in pairs)


def _exclusive(one: Condition, other: Condition) -> bool:
    """Whether two conditions give one thing different values."""
    valued = all(each.tree[0] in ("==", "in") and each.tree[2][0] in ("lit", "set") for each in (one, other))
    operators = {one.tree[0], other.tree[0]}
    return (valued or operators == {"==", "!="}) and one.tree[1] == other.tree[1]


def _split(
    sentence: ForeignSentence, guards: Sequence[Condition], goods: Sequence[Condition]
) -> tuple[Sequence[Condition], Sequence[Condition]]:
    """The situation and what is wanted in it, of a sentence that joins both without "must", "may" or "if".

    "Only team leads pay more than 150" wants its first thing where the others are so; "Late deliveries are
    worth at most 20" wants its limit.
    """
    if sentence.norm is not None or guards or len(goods) < 2 or sentence.has(Cue.IF, Cue.UNLESS):
        return guards, goods
    if any(one.first == 0 for one in sentence.at(Cue.ONLY)):
        return goods[1:], goods[:1]
    limit = goods[-1]
    if _word(sentence, goods) == "or":
        return guards, goods
    if limit.literal >= 0 and any(one.first <= limit.literal for one in sentence.comparisons):
        return goods[:-1], [limit]
    return guards, goods


def _role(sentence: ForeignSentence, one: Condition) -> Role:
    if not 0 <= one.anchor < len(sentence.roles) or sentence.says_which(one.anchor):
        return Role.GUARD
    return sentence.roles[one.anchor]


def _needed(ones: Iterable[Condition]) -> list[Tree]:
    """What must be there before conditions are read."""
    return [("is some", tree) for tree in dict.fromkeys(tree for one in ones for tree in one.needs)]


def _word(sentence: ForeignSentence, ones: Sequence[Condition]) -> str:
    """Whether conditions of one side are joined by "or"."""
    if len(ones) < 2:
        return "and"
    first, last = ones[0].anchor, ones[-1].anchor
    return "or" if any(first < one.first < last for one in sentence.at(Cue.OR)) and not any(
        word.low == "and" for word in sentence.words[first:last]
    ) else "and"  # fmt: skip


def _whole(sentence: ForeignSentence, ones: Sequence[Condition], *, every: bool = False) -> Tree:
    """What conditions say together; those about elements hold for every element, or for some."""
    outer = [one for one in ones if not one.domain]
    if len(outer) == len(ones) > 1 and _word(sentence, ones) == "or":
        each = [_needed([one]) for one in ones]
        shared = [one for one in each[0] if all(one in other for other in each)]
        either = [
            joined("and", [*(part for part in needs if part not in shared), one.tree])
            for needs, one in zip(each, ones, strict=True)
        ]
        return joined("and", [*shared, joined("or", either)])
    parts: list[Tree] = [*_needed([Condition(TRUE, frozenset(), 0, 0, tuple(
        tree for one in ones for tree in one.needs if ELEMENT[1] not in free_names(tree)))])]  # fmt: skip
    trees: list[Tree] = [one.tree for one in outer]
    for domain in dict.fromkeys(one.domain for one in ones if one.domain):
        inner = [one for one in ones if one.domain == domain]
        needs = [one for one in _needed(inner) if ELEMENT[1] in free_names(one)]
        body = joined("and", [*needs, joined(_word(sentence, inner), [one.tree for one in inner])])
        named = {at for one in inner for at in one.used}
        each = every and (any(map(sentence.says_every, named)) or not any(map(sentence.says_some, named)))
        trees.append(("call", "all" if each else "any", ("gen", ELEMENT, body, domain, TRUE)))
    return joined(
        "and", [*parts, joined(_word(sentence, outer) if len(trees) == len(outer) else "and", trees)]
    )


def _bad(
    sentence: ForeignSentence, guards: Sequence[Condition], goods: Sequence[Condition]
) -> Iterator[tuple[Tree, float]]:
    """Yield what is refused: the guards without what is wanted."""
    if not goods:
        yield _whole(sentence, guards), 0.0
        yield from _or_missing(sentence, guards)
        return
    if not _wanted_together(sentence, goods):
        return
    shared = {one.domain for one in guards if one.domain} & {one.domain for one in goods if one.domain}
    if shared:
        (domain, *_) = shared
        yield _within(sentence, domain, guards, goods), 0.0
        return
    before = [_whole(sentence, guards)] if guards else []
    present = _conjuncts(before[0]) if before else ()
    wanted = joined(
        "and", [one for one in _conjuncts(_whole(sentence, goods, every=True)) if one not in present]
    )
    yield joined("and", [*before, opposite(wanted)]), 0.0
    needs = [one for one in _needed(goods) if ELEMENT[1] not in free_names(one)]
    known = [one for one in needs if not before or one not in _conjuncts(before[0])]
    if needs:
        bare = [
            Condition(
                one.tree,
                one.used,
                one.anchor,
                one.cost,
                tuple(tree for tree in one.needs if ELEMENT[1] in free_names(tree)),
                one.domain,
            )
            for one in goods
        ]
        yield joined("and", [*before, *known, opposite(_whole(sentence, bare, every=True))]), 0.12


def _wanted_together(sentence: ForeignSentence, goods: Sequence[Condition]) -> bool:
    """Whether all is wanted: of two things that nothing joins, one says when the other is wanted."""
    if len({_thing(one.tree) for one in goods}) < 2:
        return True
    between = sentence.words[goods[0].anchor : goods[-1].anchor]
    return any(word.low in ("and", "or", "nor") for word in between)


def _thing(condition: Tree) -> Tree:
    """What a condition compares, or the condition itself."""
    match condition:
        case ("and" | "or" | "not", first, *_):
            return _thing(first)
        case ("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in", left, _):
            return left
        case _:
            return condition


def _or_missing(sentence: ForeignSentence, guards: Sequence[Condition]) -> Iterator[tuple[Tree, float]]:
    """Yield what is refused if a field that may be missing counts as bad: "missing or older than a year"."""
    for one in guards:
        gaps = [tree for tree in one.needs if tree[0] == "attr" and ELEMENT[1] not in free_names(tree)]
        if len(gaps) == 1 and not one.domain and one.tree not in (("is some", gaps[0]), gaps[0]):
            bare = replace(one, needs=tuple(tree for tree in one.needs if tree != gaps[0]))
            either: Tree = ("or", opposite(("is some", gaps[0])), one.tree)
            parts = [replace(bare, tree=either) if each is one else each for each in guards]
            yield _whole(sentence, parts), 0.2


def _conjuncts(tree: Tree) -> Sequence[Tree]:
    return tree[1:] if tree[0] == "and" else (tree,)


def _within(
    sentence: ForeignSentence, domain: Tree, guards: Sequence[Condition], goods: Sequence[Condition]
) -> Tree:
    """An element that is one of those meant, and is not as is wanted."""
    inner = [one for one in guards if one.domain == domain]
    wanted = [one for one in goods if one.domain == domain]
    needs = [one for one in _needed([*inner, *wanted]) if ELEMENT[1] in free_names(one)]
    body = joined(
        "and", [*needs, *(one.tree for one in inner), opposite(joined("and", [one.tree for one in wanted]))]
    )
    some: Tree = ("call", "any", ("gen", ELEMENT, body, domain, TRUE))
    others = [one for one in guards if one.domain != domain]
    outside = [one for one in _needed([*inner, *wanted]) if ELEMENT[1] not in free_names(one)]
    return joined("and", [*outside, *([_whole(sentence, others)] if others else []), some])


def _named_conditions(naming: Naming, others: Sequence[str]) -> Iterator[Condition]:
    """Yield every condition that is named; ``others`` are the classes that may be named as earlier calls."""
    yield from NumberConditions(naming).every()
    yield from TimeConditions(naming).every()
    yield from ValueConditions(naming).every()
    yield from PresenceConditions(naming).every()
    yield from PairConditions(naming).every()
    yield from FormulaConditions(naming).every()
    yield from EarlierConditions(naming).every(others)


def _of_all_calls(condition: Tree) -> Tree | None:
    """What never holds of a sum over a whole run: of one over the earlier calls and the decided one."""
    match condition:
        case (
            operator,
            ("+", ("attr", call, name), ("call", "sum", ("gen", element, value, many, counted))),
            limit,
        ) if call == CALL and value == ("attr", element, name) and counted == ("attr", element, "succeeded"):
            total: Tree = ("call", "sum", ("gen", element, value, many, ("not", ("attr", element, "failed"))))
            return ("call", NEVER_HOLDS, (operator, total, limit))
        case _:
            return None
