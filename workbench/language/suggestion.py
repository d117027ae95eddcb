"""Suggestions for a sentence that is not of the language: sentences that are, made of what it names.

There is no parser of English. The words name tools (``search.tools``) and conditions; a search puts at most
``MOST_CONDITIONS`` of these together (``search.rule_search``), each on the side of the rule that the words
around it say (``search.rules``), and ranks them by how much of the sentence they use. What is suggested was
read back by the language as the rule that it was written of, and passed the checker.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, zip_longest

from workbench.dialect.check import check_calls
from workbench.language.default_sentence import default_meant
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign_clauses import (
    approved_by_somebody,
    said_together,
    under_heading,
    without_paragraph,
)
from workbench.language.foreign_references import with_others, with_reference
from workbench.language.kept_sentence import with_imports
from workbench.language.language import Begun, Language
from workbench.language.nameable import ELEMENT
from workbench.language.naming import opposite
from workbench.language.normal_form import is_settled, normal
from workbench.language.python_text import HEADS, rule_text
from workbench.language.run_sentences import AsRule, in_order, is_of_a_sum, without_run
from workbench.language.search.desk import Desk
from workbench.language.search.found import Found
from workbench.language.search.ranked_rules import OF_COMMANDS, RankedRules
from workbench.language.search.ranking import (
    different,
    is_against,
    is_of_others,
    plainly,
    says_too_little,
    told_words,
    turns_round,
    varied,
    with_condition,
)
from workbench.language.sense.slips import slip
from workbench.language.sense.spoken import Spoken
from workbench.language.theorem_trees import NEVER, NEVER_HOLDS
from workbench.language.trees import CALL, TRUE, Tree, fields_of_call, joined, with_instead
from workbench.language.vocabulary import words_named
from workbench.language.words import on_one_line
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.problems import PolicyError
from workbench.policy.rule_names import RULES

MOST_SUGGESTED = 5
_MOST_WRITTEN = 24
_MOST_IN_ORDER = 3
_MOST_LISTS = 4
"""The lists of a call of which one rule speaks."""
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


@dataclass
class Suggestions:
    """Finds suggestions in one language; what it knows of the nouns is kept from sentence to sentence.

    ``synonyms`` are pairs of words that a person confirmed. ``folder`` is that of the agent's repository.
    """

    language: Language
    synonyms: Iterable[tuple[str, str]] = ()
    folder: str = ""

    def __post_init__(self) -> None:
        self._desk = Desk(self.language, self.synonyms)
        self._ranked = RankedRules(self._desk, self.folder)

    def of(self, text: str, around: str = "", most: int = MOST_SUGGESTED) -> tuple[Suggestion, ...]:
        """What a foreign sentence may mean, the likeliest first.

        ``around`` is what stands near it: its heading in the first line, and its neighbours.
        """
        text = on_one_line(without_paragraph(text))
        if default := default_meant(text):
            return tuple(Suggestion(default, tree, (text,), (), 1.0) for tree in self.language.read(default))
        begun = self.language.begun(text)
        if begun is not None:
            return tuple(self._continued(begun, around, most))
        text = said_together(with_reference(text, around))
        text = under_heading(with_others(text, around), around)
        if not self._desk.tells_approvals:
            text = approved_by_somebody(text)
        sentence = self._desk.sentence(text, around)
        return tuple(self._accepted(sentence, self._ranked.of_sentence(sentence, around), most))

    def _continued(self, begun: Begun, around: str, most: int) -> Iterator[Suggestion]:
        """What goes on as a sentence begins: about its tools, and for or against its condition as it is."""
        classes = begun.rule[3:]
        head = (
            self._desk.text_of(("call", "forbid", TRUE, *classes))
            .removesuffix(".")
            .replace(" never ", " not ", 1)
        )
        sentence = self._desk.sentence(f"{head} if {begun.rest}", around)
        read = [(plainly(one, classes), plainly(opposite(one), classes)) for one in begun.read]
        found = [
            one for one in self._ranked.of_sentence(sentence, around)
            if one.tree[1] == "forbid" and one.tree[2] != TRUE and set(one.tree[3:]) == set(classes)
            and not any(turns_round(normal(one.tree), *each) for each in read)
        ]  # fmt: skip
        for one in self._accepted(sentence, found, most):
            if _loses_denial(begun.rest, one):
                continue
            every = not any(word.low in _SOME for word in sentence.words)
            tree = with_condition(begun.rule, one.tree[2], every=every)
            text = self._desk.text_of(tree)
            if text:
                yield replace(one, tree=tree, text=text)

    def of_runs(self, text: str, most: int = MOST_SUGGESTED) -> tuple[Suggestion, ...]:
        """The theorems that a sentence about whole runs may mean, and the rule that it may mean instead.

        "In a run" may say that the calls of a run count together, or only that it holds of every run.
        """
        text = on_one_line(without_paragraph(text))
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
        sentence = self._desk.sentence(rule.text)
        said = self._desk.sentence(text)
        found: dict[Tree, Found] = {}
        for group in self._ranked.tools.groups_of(self._desk.sentence(rule.tools)):
            for one in self._ranked.search.of_group(sentence, group):
                if found.get(one.tree, one).worth <= one.worth:
                    found[one.tree] = one
        ranked = different(sorted(found.values(), key=lambda one: -one.worth))
        accepted: list[Suggestion] = []
        for one in self._accepted(sentence, ranked, _MOST_IN_ORDER):
            words = {*one.used, rule.joint}
            named = frozenset(word.number for word in said.words if word.text in words)
            used, left = told_words(said, named, f"{one.text} run")
            accepted.append(replace(one, used=used, left_out=left))
        yield from sorted(accepted, key=lambda one: len(one.left_out))

    def _accepted(
        self, sentence: ForeignSentence, ranked: Sequence[Found], most: int
    ) -> Iterator[Suggestion]:
        """Yield those that are sentences of the language and pass the checker."""
        best: dict[tuple[int, int] | None, Found] = {}
        offered: list[Tree] = []
        spoken = Spoken(sentence, self._desk.doing_of, self._desk.values, self._desk.recorded)
        kept = (
            one for one in ranked
            if not slip(spoken, one.tree, one.used, by_command=one.worth > OF_COMMANDS)
        )  # fmt: skip
        for one, form in varied(self._with_joint([*islice(kept, _MOST_WRITTEN)])):
            if one.clause in best and is_of_others(one, best[one.clause]):
                continue
            if is_settled(form) or any(is_against(form, other) for other in offered):
                continue
            text = self._desk.text_of(one.tree)
            if not text or self.problem(one.tree):
                continue
            if says_too_little(sentence, one, text):
                continue
            yield Suggestion(text, one.tree, *told_words(sentence, one.used, text), one.worth)
            offered.append(form)
            if one.worth < OF_COMMANDS:
                best.setdefault(one.clause, one)
            if len(offered) == most:
                return

    def _with_joint(self, ranked: Sequence[Found]) -> Iterator[Found]:
        """Yield the rules, and after the first that refuses something of one of alike lists, one for all.

        "To anyone outside" may be said of those who get a mail, get it in copy, or get it unseen. What is
        permitted by all lists stands before what one list permits, whatever is in the others.
        """
        alike: dict[object, list[Tree]] = {}
        for one in ranked:
            alike.setdefault(self._but_for_list(one), []).append(one.tree[2])
        for one in ranked:
            permits = one.tree[1] == "permit"
            bodies = alike.pop(self._but_for_list(one), [])
            of_all = joined("and" if permits else "or", bodies) if 1 < len(bodies) <= _MOST_LISTS else TRUE
            joint = [] if of_all == TRUE else [replace(one, tree=(*one.tree[:2], of_all, *one.tree[3:]))]
            yield from (*joint, one) if permits else (one, *joint)

    def _but_for_list(self, one: Found) -> object:
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
        text = self._desk.text_of(tree)
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
                text = self._desk.text_of(tree)
                return replace(one, tree=tree, text=text) if text else None
            case _:
                return None

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
        return replace(one, tree=tree, text=self._desk.text_of(tree) if tools else "")

    def stated(self, text: str, tree: Tree) -> Suggestion:
        """A suggestion that somebody else found for a foreign sentence."""
        sentence = self._desk.sentence(text)
        said = self._desk.text_of(tree)
        return Suggestion(said, tree, *told_words(sentence, frozenset(), said), 0.0)


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
        if not any(is_against(form, other) for other in offered):
            offered.append(form)
            yield one


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
