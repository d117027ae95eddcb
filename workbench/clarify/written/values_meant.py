"""Whether the typed value is meant where raw text is tested, the one that the user named, and every call."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.clarify.written.asked import CALL_NAME, MEANT, NAMED, TYPED, Asked, Effect, identity
from workbench.clarify.written.attacked import attacked_by
from workbench.clarify.written.attempts import OF_TEXTS
from workbench.clarify.written.book import Book, SaidRule, doubt_about, places, same
from workbench.clarify.written.holes import Hole, HolesByRule, as_typed, closings
from workbench.clarify.written.witnesses import example_of, told_of_logs
from workbench.language.trees import (
    CALL,
    RUN,
    TRUE,
    NotInLanguage,
    Tree,
    is_tree,
    joined,
    negated,
    node_of,
    tree_of,
)
from workbench.language.words import listed
from workbench.model import Arguments, Kind
from workbench.policy.rule_names import FORBID
from workbench.policy.written import TextTest
from workbench.question_wording import phrase, question_about
from workbench.runs.kinds.kinds_by_name import OWN_TEXT

VALUE = "value"
_OPPOSITES = {"==": "!=", "!=": "=="}
_NAMED = re.compile(
    r"\b(?:i|we|users?|customers?|analysts?|they|somebody|someone)\s+(?:names?|named|gives?|gave|mentions?"
    r"|mentioned|asks? for|asked for)\b|\b(?:named|given|mentioned|asked for)\s+by\b",
    re.IGNORECASE,
)
_MOST_TEXTS = 4
_MOST_CALLS = 8
"""The most known calls of programs that an answer names."""


def typed_values(book: Book, tried: HolesByRule) -> Iterator[Asked]:
    """Yield a question for each sentence that tests raw text, if what is meant instead has a sentence.

    It is about all tests of the rules that cite the sentence; a rule that cites none is asked about alone.
    """
    tests: dict[str, list[TextTest]] = {}
    for test in book.terms.file.text_tests:
        tests.setdefault(test.rule, []).append(test)
    by_sentence: dict[str, list[_Instead]] = {}
    for rule in book.rules:
        instead = _instead(book, rule, tests.get(rule.name, ()))
        if instead is not None and (instead := _shown_to_close(book, instead, tried.of(rule))) is not None:
            by_sentence.setdefault(rule.quote or rule.name, []).append(instead)
    for found in by_sentence.values():
        yield _asked(book, found, tried)


@dataclass(frozen=True, slots=True)
class _Instead:
    """A rule, its tests of raw text, what it says, and what it says where the thing is meant."""

    rule: SaidRule
    tests: tuple[TextTest, ...]
    said: str
    tree: Tree
    meaning: str
    turned: tuple[str, ...] = ()


def _instead(book: Book, rule: SaidRule, tests: Sequence[TextTest]) -> _Instead | None:
    condition, changed = rule.condition, list[TextTest]()
    for test in tests:
        raw, typed = _tree(test.text), _tree(test.typed)
        if raw is None or typed is None or _is_negated(raw) is not _is_negated(typed):
            continue
        instead = _with_typed(condition, raw, typed)
        if instead == condition:  # a rule names an element as it names its text
            instead = _with_typed(condition, _without_own_text(raw), typed)
        if instead != condition and book.sentence(rule.with_condition(instead)):
            condition = instead
            changed.append(test)
    if not changed:
        return None
    tree = rule.with_condition(condition)
    return _Instead(rule, tuple(changed), book.sentence(rule.tree), tree, book.sentence(tree))


def _shown_to_close(book: Book, instead: _Instead, tried: Sequence[Hole]) -> _Instead | None:
    """What a rule says where the thing is meant, if that stops all calls that get past its text.

    It has to stop what the text stopped, too. None if nothing is found that does.
    """
    rule, of_text = instead.rule, [hole for hole in tried if hole.kind in OF_TEXTS]
    of_text += [] if of_text else map(as_typed, attacked_by(book, rule))
    known = (hole.closing for hole in of_text if hole.closing is not None)
    said = [one.effect.said[rule.name] for one in known if one.effect.said]
    said.sort(key=lambda tree: _keeps(tree, rule))
    whole = [tree for tree in said if not _keeps(tree, rule)]
    kept = [] if any(hole.declared is not None for hole in of_text) else said[len(whole) :]
    for tree in (*whole, instead.tree, *kept):
        found = closings([(hole, Effect({rule.name: tree})) for hole in of_text])
        if all(one.stops for one in found):
            turned = tuple(dict.fromkeys(call for one in found for call in one.turned))
            return replace(instead, tree=tree, meaning=book.sentence(tree), turned=turned)
    return None


def _keeps(tree: Tree, rule: SaidRule) -> bool:
    """Whether a rule still tests the raw text, beside what is meant."""
    parts = list(tree[2][1:]) if tree[2][0] in ("and", "or") else [tree[2]]
    condition = rule.condition
    return all(part in parts for part in (condition[1:] if condition[0] == tree[2][0] else [condition]))


def _asked(book: Book, found: Sequence[_Instead], tried: HolesByRule) -> Asked:
    every = [hole for one in found for hole in tried.of(one.rule)]
    effect = Effect({one.rule.name: one.tree for one in found})
    holes = [hole for hole in every if hole.kind in OF_TEXTS]
    holes = holes or [hole for hole in every if closings([(hole, effect)])[0].stops]
    shown = ", then ".join(map(str, holes[0].shown.calls)) if holes else ""
    now, then = " ".join(one.said for one in found), " ".join(one.meaning for one in found)
    material = (part for one in found for part in (one.rule.name, *(test.text for test in one.tests)))
    doubt = doubt_about(
        [one.rule for one in found],
        TYPED,
        identity(TYPED, *material),
        (VALUE, MEANT),
        facts={"says": now, "calls": phrase("typed-value", "allowed", calls=shown) if shown else ""},
        value_facts={
            VALUE: {
                "meaning": then,
                "turned": told_of_logs(book, [call for one in found for call in one.turned]),
            },
            MEANT: {"meaning": now},
        },
    )
    return Asked(
        question_about(doubt, example_of(*holes[0].shown.calls) if holes else None),
        {VALUE: effect},
        tuple(one.rule.name for one in found),
        tuple(test for one in found for test in one.tests),
        holes[0].shown.calls if holes else (),
    )


def _with_typed(tree: Tree, raw: Tree, typed: Tree) -> Tree:
    """A tree with the typed form wherever it has the raw test, and its opposite where it has the opposite."""
    if same(tree, raw):
        return typed
    if same(tree, _opposite(raw)):
        return _opposite(typed)
    parts = [_with_typed(part, raw, typed) if is_tree(part) else part for part in tree]
    if tree[0] in ("and", "or"):
        return joined(tree[0], [*dict.fromkeys(parts[1:])])
    return negated(parts[1]) if tree[0] == "not" else tuple(parts)


def _without_own_text(tree: Tree) -> Tree:
    """A tree with each value in the place of its own text."""
    if tree[:1] == ("attr",) and tree[2] == OWN_TEXT:
        return tree[1]
    return tuple(_without_own_text(part) if is_tree(part) else part for part in tree)


def _opposite(tree: Tree) -> Tree:
    """What holds exactly where a test does not."""
    if tree[0] == "not":
        return tree[1]
    return (_OPPOSITES[tree[0]], *tree[1:]) if tree[0] in _OPPOSITES else negated(tree)


def _is_negated(tree: Tree) -> bool:
    """Whether a test says what is not so: a test and its typed form both do, or neither does."""
    return tree[0] in ("not", "!=", "not in")


def _tree(text: str) -> Tree | None:
    """The tree of an expression over the call; None if it is none."""
    try:
        return tree_of(ast.parse(text, mode="eval").body, {"call": CALL, "run": RUN})
    except (SyntaxError, NotInLanguage):
        return None


def named_values(book: Book) -> Iterator[Asked]:
    """Yield a question for each sentence about what is named, whose rules do not ask who named a value."""
    told: set[str] = set()
    asking = {rule.quote for rule in book.rules if _asks_who(book, rule)}
    for rule in book.rules:
        if book.is_pinned(rule) or rule.quote in asking | told or not _NAMED.search(rule.quote):
            continue
        if (found := _who_named(book, rule)) is not None:
            told.add(rule.quote)
            yield found


def _asks_who(book: Book, rule: SaidRule) -> bool:
    """Whether a rule, or a fact that it names, asks where a value came from or what the user said."""
    facts = book.language.policy.facts
    waiting: list[ast.AST] = [node_of(rule.condition)]
    seen: set[str] = set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Attribute) and node.attr in ("source", "said", "last_said"):
                return True
            name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if name in facts and name not in seen:
                seen.add(name)
                waiting.append(facts[name].node)
    return False


def _who_named(book: Book, rule: SaidRule) -> Asked | None:
    effects: dict[str, Effect] = {}
    meanings: dict[str, dict[str, str]] = {}
    for name in _texts_of_every_call(book, rule):
        value: Tree = ("attr", ("attr", CALL, name), "source")
        unnamed = negated(("in", ("lit", "text", "user"), value))
        tree: Tree = ("call", FORBID.rstrip("_"), unnamed, *rule.tree[3:])
        if sentence := book.sentence(tree):
            effects[name] = Effect(new=((rule.name, tree),))
            meanings[name] = {"meaning": sentence}
    if not effects:
        return None
    doubt = doubt_about(
        [rule], NAMED, identity(NAMED, rule.quote), (*effects, MEANT), default=MEANT, value_facts=meanings
    )
    return Asked(question_about(doubt), effects, (rule.name,))


def _texts_of_every_call(book: Book, rule: SaidRule) -> list[str]:
    """The texts that every call of a rule has."""
    calls = [book.language.types.calls[name] for name in rule.classes if name in book.language.types.calls]
    if not calls:
        return []
    shared = [field.name for field in calls[0].fields if field.type.kind is Kind.STR]
    return [name for name in shared if all(any(one.name == name for one in call.fields) for call in calls)][
        :_MOST_TEXTS
    ]


# --- Calls of commands


def named_calls(book: Book) -> Iterator[Asked]:
    """Yield a question for each rule that compares calls of a command with what names no use of a program.

    That is a program whose calls are named by sub-commands, or more words than a call has.
    """
    for rule in book.rules:
        compared = _ComparedCalls(book, rule)
        if compared.texts and not book.is_pinned(rule):
            yield from _programs_meant(book, rule, compared)
            yield from _longer_than_calls(book, rule, compared)


def _programs_meant(book: Book, rule: SaidRule, compared: _ComparedCalls) -> Iterator[Asked]:
    """Whether a bare name means every call of a program whose calls are named by sub-commands.

    It is not asked of a program of which the rule says something by sub-commands too.
    """
    from workbench.runs.kinds.shell.program_tables import PARTED, calls_of

    said = [str(one[2]) for _, one in places(rule.condition) if one[:2] == ("lit", "text")]
    bare = {
        one: calls_of(one)
        for one in compared.texts
        if one in PARTED and not any(text.startswith(f"{one} ") for text in said)
    }
    if not bare:
        return
    known = [call for calls in bare.values() for call in calls]
    trees: dict[str, Tree] = {}
    if all(bare.values()) and len(known) <= _MOST_CALLS:
        trees["known"] = compared.with_names({one: (one, *calls) for one, calls in bare.items()})
    trees["whole"] = compared.as_programs(frozenset(bare))
    effects = _effects(book, rule, trees)
    doubt = doubt_about(
        [rule],
        CALL_NAME,
        identity(CALL_NAME, rule.name, *bare),
        (*effects, MEANT),
        facts={
            "says": book.says(rule),
            "programs": listed([*bare], "and"),
            "calls": phrase("call-name", "such-as", calls=_quoted(known[:2], "and")) if known else "",
        },
        value_facts={value: {"meaning": _meant(book, one)} for value, one in effects.items()},
    )
    example = _command_shown(book, rule, next(iter((*known, *bare))))
    yield Asked(question_about(doubt, example), effects, (rule.name,))


def _longer_than_calls(book: Book, rule: SaidRule, compared: _ComparedCalls) -> Iterator[Asked]:
    """Which call is meant by more words than a call has."""
    from workbench.runs.kinds.shell.program_tables import call_named

    calls = {one: call_named(one) for one in compared.texts if one.strip() and call_named(one) != one}
    if not calls:
        return
    effects = _effects(book, rule, {"known": compared.with_names({one: (to,) for one, to in calls.items()})})
    doubt = doubt_about(
        [rule],
        "call-name-long",
        identity(CALL_NAME, rule.name, *calls),
        (*effects, MEANT),
        facts={
            "says": book.says(rule),
            "texts": _quoted([*calls], "or"),
            "calls": _quoted([*dict.fromkeys(calls.values())], "and"),
        },
        value_facts={value: {"meaning": _meant(book, one)} for value, one in effects.items()},
    )
    yield Asked(question_about(doubt, _command_shown(book, rule, next(iter(calls)))), effects, (rule.name,))


def _effects(book: Book, rule: SaidRule, conditions: Mapping[str, Tree]) -> Mapping[str, Effect]:
    """What answers put into a policy, of those of which the language has a sentence."""
    trees = {value: rule.with_condition(one) for value, one in conditions.items() if one != rule.condition}
    return {value: Effect({rule.name: tree}) for value, tree in trees.items() if book.sentence(tree)}


def _meant(book: Book, effect: Effect) -> str:
    return " ".join(map(book.sentence, effect.said.values()))


def _quoted(texts: Sequence[str], word: str) -> str:
    return listed([f"“{one}”" for one in texts], word)


def _command_shown(book: Book, rule: SaidRule, command: str) -> Arguments | None:
    """A call with a command, which the answers decide otherwise; None if no call is known."""
    attacked = ((one, field) for one in attacked_by(book, rule) for field in one.fields_of("command"))
    return next((example_of(one.with_value(one.base, field, command)) for one, field in attacked), None)


class _ComparedCalls:
    """The places of a rule that compare calls of commands with texts, and the rule with others there."""

    def __init__(self, book: Book, rule: SaidRule) -> None:
        types = book.language.types.calls.values()
        self._fields = {one.name for call in types for one in call.fields if one.kind == "command"}
        self._condition = rule.condition
        self.texts: dict[str, None] = {}
        self._changed(self._condition, self._with_its_texts)

    def _with_its_texts(self, tree: Tree, texts: Sequence[str]) -> Tree:
        self.texts.update(dict.fromkeys(texts))
        return tree

    def with_names(self, others: Mapping[str, Sequence[str]]) -> Tree:
        """The condition with other names of calls in the place of some."""

        def changed(tree: Tree, texts: Sequence[str]) -> Tree:
            if others.keys().isdisjoint(texts):
                return tree
            names = dict.fromkeys(name for one in texts for name in others.get(one, (one,)))
            return _with_texts(tree, [*names])

        return self._changed(self._condition, changed)

    def as_programs(self, programs: frozenset[str]) -> Tree:
        """The condition that speaks of every call of some programs."""

        def changed(tree: Tree, texts: Sequence[str]) -> Tree:
            named = [one for one in texts if one in programs]
            return _of_every_call(tree, named) if named else tree

        return self._changed(self._condition, changed)

    def _is_calls(self, tree: Tree) -> bool:
        match tree:
            case ("attr", ("attr", _, str(field)), "calls"):
                return field in self._fields
            case _:
                return False

    def _changed(
        self,
        tree: Tree,
        change: Callable[[Tree, Sequence[str]], Tree],
        elements: frozenset[Tree] = frozenset(),
    ) -> Tree:
        """A condition, with what a function makes of each place that compares calls with texts."""
        match tree:
            case ("in" | "not in", ("lit", "text", str(one)), calls) if self._is_calls(calls):
                return change(tree, [one])
            case ("==" | "!=", call, ("lit", "text", str(one))) if call in elements:
                return change(tree, [one])
            case ("<=", calls, ("set", *members)) if self._is_calls(calls):
                return change(tree, _texts(members))
            case ("in" | "not in", call, ("set", *members)) if call in elements:
                return change(tree, _texts(members))
            case ("gen", element, _, source, *_) if self._is_calls(source):
                elements |= {element}
            case _:
                pass
        return tuple(self._changed(part, change, elements) if is_tree(part) else part for part in tree)


def _texts(members: Sequence[Tree]) -> list[str]:
    return [str(one[2]) for one in members if one[:2] == ("lit", "text")]


def _with_texts(tree: Tree, texts: Sequence[str]) -> Tree:
    """A comparison with these texts in the place of its own."""
    literals = [("lit", "text", one) for one in texts]
    match tree:
        case ("in" | "not in" as word, ("lit", *_), calls):
            parts = [(word, one, calls) for one in literals]
        case ("==" | "!=" as word, call, _):
            parts = [(word, call, one) for one in literals]
        case _:
            return (*tree[:2], ("set", *literals))
    return joined("or" if word in ("in", "==") else "and", parts)


def _of_every_call(tree: Tree, programs: Sequence[str]) -> Tree:
    """A comparison that is also about every call of some programs."""
    match tree:
        case ("in" | "not in" as word, ("lit", *_) as name, ("attr", command, _)):
            return (word, name, ("attr", command, "programs"))
        case ("<=", calls, names):
            call: Tree = ("name", "each")
            held = _of_every_call(("in", call, names), programs)
            return ("call", "all", ("gen", call, held, calls, TRUE))
        case (word, call, _):
            begins: list[Tree] = [
                ("method", call, "startswith", ("lit", "text", f"{one} ")) for one in programs
            ]
            if word in ("in", "=="):
                return joined("or", [tree, *begins])
            return joined("and", [tree, *map(negated, begins)])
        case _:
            return tree
