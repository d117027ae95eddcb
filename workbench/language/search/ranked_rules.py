"""The rules that a sentence may mean, as a whole or by its clauses, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.dialect.call_file import ANY_CALL
from workbench.language.command_rules import CommandRules, SaidRule
from workbench.language.foreign.cues import Cue
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign_clauses import ELLIPTIC, Clause, clauses
from workbench.language.path_patterns import names_a_pattern, path_pattern
from workbench.language.search.desk import Desk
from workbench.language.search.found import Found
from workbench.language.search.ranking import different, end_of_words, is_said_apart, with_parts
from workbench.language.search.rule_search import RuleSearch
from workbench.language.search.tools import ToolGroups
from workbench.language.statement_rules import StatementRules
from workbench.language.trees import TRUE, Tree

OF_COMMANDS = 6.0
"""What a rule over the typed parts of commands is worth more than one that only fits by its words."""
_LESS_A_REASON = 0.4
_LESS_A_CLAUSE = 1.5
"""What it costs to leave out a reason, or the other clauses: all of it where they are the whole sentence."""


@dataclass
class RankedRules:
    """Looks for rules in a sentence, in each of its clauses and in what it says of commands."""

    desk: Desk
    folder: str = ""

    def __post_init__(self) -> None:
        self.tools = ToolGroups(self.desk)
        self.search = RuleSearch(self.desk, self.tools)

    def of_sentence(self, sentence: ForeignSentence, around: str) -> Sequence[Found]:
        """The rules that a sentence may mean, the likeliest first."""
        if not sentence.content:
            return ()
        text = sentence.text
        found: dict[Tree, Found] = {}
        parts = [
            one
            for one in clauses(text[: end_of_words(sentence)])
            if one.whole or not ELLIPTIC.search(one.text)
        ]
        differ = self._differ(parts)
        without = self.tools.not_meant(sentence)
        for clause in [one for one in parts if not (differ and one.whole)]:
            for one in self._of_clause(sentence, clause, around, without, done=differ):
                known = found.get(one.tree)
                if known is None or known.worth < one.worth:
                    found[one.tree] = one
        acts, told = self.tools.acts_of(sentence)
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
                one.tree: Found(one.tree, one.used, one.worth + OF_COMMANDS, 1) for one in over_commands
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
        return with_parts(different(ranked))

    def _over_commands(self, sentence: ForeignSentence, parts: Sequence[Clause]) -> Iterator[SaidRule]:
        """Yield the rules over commands of a sentence, or of its clauses where it is none as a whole."""
        if any(one.whole for one in parts):
            yield from self._commands.of(sentence)
            return
        numbers = {word.start: word.number for word in sentence.words}
        for clause in parts:
            own = self.desk.sentence(clause.text)
            place = {word.number: numbers.get(word.start + clause.start, -1) for word in own.words}
            for one in self._commands.of(own):
                yield replace(one, used=frozenset(place[number] for number in one.used) - {-1})

    def _is_other_tool(self, one: Found, without: frozenset[str]) -> bool:
        """Whether a rule is about tools whose act is said and that take no command, address or file."""
        classes = {str(each[1]) for each in one.tree[3:]}
        return bool(without) and classes.isdisjoint(self._commands.classes | without | {ANY_CALL})

    def _differ(self, parts: Sequence[Clause]) -> bool:
        """Whether one clause permits and another forbids: a rule of both would be neither."""
        each = [self.desk.sentence(one.text) for one in parts if not one.whole]
        if each and any(one.whole and ELLIPTIC.search(one.text) for one in parts):
            return True
        doings = self.desk.doings
        about = [
            one for one in each
            if any(at >= 0 for words in doings for word in words for at, _ in one.stems.get(word, ()))
        ]  # fmt: skip
        verbs = {words[0] for words in doings if words}
        said = {one.norm.cue if one.norm is not None else None for one in about}
        told = any(one.norm is None and one.words[0].stem in verbs for one in about)  # "send letters, but …"
        return Cue.FORBID in said and (told or Cue.PERMIT in said)

    def _of_clause(
        self, whole: ForeignSentence, clause: Clause, around: str, without: frozenset[str], *, done: bool
    ) -> Iterator[Found]:
        """The rules that a part of a sentence may state, with the words of the whole that they use.

        They are about none of the tools of ``without``.
        With ``done`` they are about tools alone of which the part says what they do, if it says it of any.
        """
        own = clause.text == whole.text
        beside = whole.text[: clause.start] + whole.text[clause.start + len(clause.text) :]
        near = around if clause.whole else f"{around}\n{beside}"
        sentence = whole if own else self.desk.sentence(clause.text, near)
        if not sentence.content:
            return
        numbers = {word.start: word.number for word in whole.words}
        place = {word.number: numbers.get(word.start + clause.start, -1) for word in sentence.words}
        total = sum(whole.weights.values())
        left = 1 - min(1.0, sum(sentence.weights.values()) / max(1.0, total))
        less = left * (_LESS_A_REASON if clause.whole else _LESS_A_CLAUSE)
        differ, done = (
            done,
            done and any(self.desk.is_done(sentence, name) for name in self.desk.language.types.calls),
        )
        start, end = clause.start, clause.start + len(clause.text)
        outside = frozenset(
            word.number for word in whole.words if (differ or clause.whole) and not start <= word.start < end
        )
        for group in self.tools.groups_of(sentence, without):
            if done and not all(self.desk.is_done(sentence, name) for name in group.classes):
                continue
            for one in self.search.of_group(sentence, group):
                used = frozenset(place[number] for number in one.used if place.get(number, -1) >= 0)
                if all(is_said_apart(sentence, one.used, number) for number in one.unsaid):
                    span = (start, end) if differ else None
                    yield replace(one, used=used, worth=one.worth - less, clause=span, outside=outside)

    @cached_property
    def _commands(self) -> CommandRules:
        return CommandRules(self.desk.language.types.calls.values(), self.folder)

    @cached_property
    def _statements(self) -> StatementRules:
        return StatementRules(self.desk.language.types.calls.values())
