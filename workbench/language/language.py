"""The language of a session: its rules, clauses and facts as sentences, and sentences as rules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from workbench.dialect.call_file import RUN as RUN_TYPE
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy
from workbench.dialect.nouns import check_facts
from workbench.dialect.told_apart import expression_for_class, for_class, tests
from workbench.files.kept_texts import KeptTexts
from workbench.language.alone import alone
from workbench.language.lexicon import Lexicon, Scope, constants_of
from workbench.language.normal_form import normal
from workbench.language.places import marker
from workbench.language.python_text import HEADS
from workbench.language.reading import Reader, TooLong
from workbench.language.tables import is_table, is_table_of, name_in, read_entries, table_text
from workbench.language.theorem_trees import NEVER, of_each_call, theorem_trees
from workbench.language.theorem_trees import PREFIX as THEOREM
from workbench.language.trees import CALL, RUN, NotInLanguage, Tree, body_of, canonical, tree_of
from workbench.language.words import tokens, words_of_name
from workbench.language.writing import Writer
from workbench.model import WorkbenchError
from workbench.policy.checker.bodies import without_docstring
from workbench.policy.checker.syntax_tree import statements, text_of
from workbench.policy.result_cache import Recent
from workbench.policy.rule_names import DEFAULT, RULES
from workbench.serialization.json_form import json_form

_CLAUSES = {"Ensures": "ensure", "Requires": "require"}


@dataclass(frozen=True, slots=True)
class Said:
    """A rule, clause or fact of a policy, or its part for some tools, and its sentence.

    ``text`` is empty if the grammar has no words for it, and ``why`` says so. ``line`` is its place.
    """

    name: str
    tree: Tree
    text: str
    line: int
    why: str = ""

    @property
    def lines(self) -> Sequence[str]:
        """The sentence with each item of its lists on a line of its own."""
        return lines_of(self.text) if self.text else ()


json_form(Said, "name", "line", ("sentence", "text"), "why")


type _Trees = tuple[tuple[Tree, int], ...]


_BEFORE_CONDITION = ("if", "unless")
_WITH_CONDITION = HEADS | {"ensure", NEVER}
_BEFORE_ATOM = frozenset((*_BEFORE_CONDITION, "and", "or", "either", "both"))


class Begun(NamedTuple):
    """The beginning of a sentence: the ``rule`` that it is if its condition is "always".

    ``rest`` are the words of the condition, and ``read`` are the single conditions that are read in it.
    """

    rule: Tree
    rest: str
    read: tuple[Tree, ...]


class WrittenSentences:
    """The sentences of trees by one lexicon; ``kept`` has those of before.

    ``trees`` is what functions say, by the constants of the file, their text and lines.
    """

    def __init__(self, kept: KeptTexts | None = None) -> None:
        self.kept = kept
        self.trees = Recent[tuple[str, str, tuple[int, ...]], _Trees](4096)
        self._texts: dict[Tree, str] = {}

    def get(self, tree: Tree) -> str | None:
        """The sentence of a tree, empty if it has none; None if it was not written yet."""
        text = self._texts.get(tree)
        if text is None and self.kept is not None:
            text = self.kept.get(repr(tree))
            if text is not None:
                self._texts[tree] = text
        return text

    def put(self, tree: Tree, text: str) -> None:
        """Keep the sentence of a tree."""
        self._texts[tree] = text
        if self.kept is not None:
            self.kept.put(repr(tree), text)


class Language:
    """Writes and reads the sentences of one policy of calls."""

    def __init__(
        self,
        types: AgentTypes,
        source: str,
        policy: CallPolicy | None = None,
        written: Callable[[str], WrittenSentences] | None = None,
    ) -> None:
        """Take the types of the agent, with the nouns of its spec, and the text of the policy.

        ``policy`` is what the text was checked as, if it was. ``written`` gives the sentences of
        a lexicon, which all policies with the same nouns share. Raises PolicyError for a text that is not in
        the dialect, and WorkbenchError for a noun of a function that the policy does not have.
        """
        self.types = types
        self.source = source
        self.policy: CallPolicy = policy or check_calls(source, types)
        check_facts(types.nouns, types.units, self.policy.facts)
        self.lexicon = Lexicon(types, self.policy)
        self._sentences = WrittenSentences() if written is None else written(self.lexicon.made_of)

    @cached_property
    def reader(self) -> Reader:
        """The reader, which keeps what it read of the last sentence."""
        return Reader(self.lexicon)

    @cached_property
    def _writer(self) -> Writer:
        return Writer(self.lexicon)

    @cached_property
    def _quoting(self) -> Writer:
        """The writer that puts nouns in quotation marks, which few sentences need."""
        return Writer(Lexicon(self.types, self.policy, quoted=True))

    def write(self, tree: Tree) -> str:
        """The sentence of a tree, which reads as this tree and no other; empty if there is none.

        A sentence that may be read otherwise is written with its nouns in quotation marks.
        """
        text = self._sentences.get(tree)
        if text is None:
            text = self._written(tree)
            self._sentences.put(tree, text)
        return text

    def _written(self, tree: Tree) -> str:
        if is_table_of(tree):
            return self._table(tree)
        for quotes in (False, True):
            text = sentence((self._quoting if quotes else self._writer).write(tree))
            if text and self._is_read_as(text, tree):
                return text
        return ""

    def _is_read_as(self, text: str, tree: Tree) -> bool:
        """Whether a text is read, as this tree and no other; one that is too long is not."""
        try:
            return [canonical(one) for one in self.read(text)] == [canonical(tree)]
        except WorkbenchError:
            return False

    def origin(self, place: str) -> str:
        """What a sentence calls a field that calls give, ``search_rooms.supplier_id``."""
        return self._writer.origin(place)

    def read(self, text: str) -> tuple[Tree, ...]:
        """The rules, clauses or meanings that a sentence may be; one, unless nothing or more is meant."""
        if is_table(text):
            return self._read_table(text)
        trees = tuple(map(of_each_call, self.reader.read(text)))
        # what is a noun already gets another meaning; it is not named anew
        return tuple(one for one in trees if one[1] == "meaning") or trees

    @alone
    def begun(self, text: str) -> Begun | None:
        """What is read of a rule up to a condition that is not; None if its beginning is none of a rule."""
        try:
            whole, reader = self.reader.read(text), self.reader
        except TooLong:
            return None
        found, after = reader.tokens, reader.furthest
        if whole or not any(one.word in _BEFORE_CONDITION for one in found[:after]):
            return None
        longest = {
            part.start: part.found.tree
            for part in sorted(reader.parts_begun(("atom",)), key=lambda part: part.found.size)
            if part.start and found[part.start - 1].word in _BEFORE_ATOM
        }
        for token in found[:after]:
            if token.word in _BEFORE_CONDITION:
                rules = reader.read(f"{text[: token.end]} always.")
                if len(rules) == 1 and rules[0][1] in _WITH_CONDITION:
                    return Begun(rules[0], text[token.end :].strip(), tuple(longest.values()))
        return None

    def _table(self, tree: Tree) -> str:
        """The sentence of a table; empty if it holds what has no words."""
        writer = self._writer
        name = words_of_name(str(tree[2][1]).lower())
        text = table_text(name, tree[3], lambda value: writer.write(value, "lit"))
        if text.count("\n") != len(tree[3]) + 1 or "\r" in text:
            return ""
        return text if self._is_read_as(text, tree) else ""

    def _read_table(self, text: str) -> tuple[Tree, ...]:
        words = name_in(text)
        known = next((one for one in self.policy.tables if words_of_name(one.lower()) == words), "")
        name = known or self.lexicon.new_constant(words)
        if not name:
            raise WorkbenchError(f"A table cannot be called “{words}”: its name is plain words, and free.")
        columns = self.lexicon.columns(known) if known else None
        entries = read_entries(text, columns, self.reader.literal)
        return (("call", "meaning", ("name", name), entries),)

    # --- parts of a policy --------------------------------------------------------

    def condition(self, python: str, tools: Collection[str]) -> str:
        """The words of a condition of a rule about the calls of some tools; empty if the grammar has none."""
        return self._in_words(python, tools, ("cond",))

    def value(self, python: str, tools: Collection[str]) -> str:
        """What a value that such a rule reads is called; empty if the grammar has no words for it."""
        text = self._in_words(python, tools, ("term", "list", "truth"))
        return text[1:-1] if text.startswith("(whether ") else text

    def _in_words(self, python: str, tools: Collection[str], categories: tuple[str, ...]) -> str:
        """The words of an expression in the first category that has some."""
        scope = Scope(calls=tuple(one.name for one in self.types.calls.values() if one.tool in tools))
        try:
            tree = tree_of(ast.parse(python, mode="eval").body, self._known)
        except (NotInLanguage, SyntaxError):
            return ""
        key: Tree = (tree, categories, scope.calls)
        text = self._sentences.get(key)
        if text is None:
            text = next(filter(None, (self._writer.write(tree, one, scope) for one in categories)), "")
            self._sentences.put(key, text)
        return text

    @cached_property
    def _known(self) -> Mapping[str, Tree]:
        """What names in an expression of the policy stand for: constants, call, run and facts of these."""
        known: dict[str, Tree] = {**self.constants, "call": CALL, "run": RUN}
        for name, fact in self.policy.facts.items():
            about = [
                CALL if one.classes else RUN for one in fact.parameters if one.classes or one.type == RUN_TYPE
            ]
            if len(about) == len(fact.parameters):
                known[name] = ("call", name, *about)
        return known

    # --- a policy -----------------------------------------------------------------

    @cached_property
    def constants(self) -> Mapping[str, Tree]:
        """The constants that sentences have in place of their names."""
        return constants_of(self.source)

    @cached_property
    def _written_constants(self) -> str:
        return repr(sorted(self.constants.items()))

    def aloud(self, only: Collection[str] | None = None) -> Iterator[Said]:
        """Yield every fact, rule and clause of the policy with its sentence, in the order of the file.

        With ``only`` those of the functions with these names.
        """
        for node in statements(self.source):
            if isinstance(node, ast.FunctionDef):
                if only is None or node.name in only:
                    yield from self._said(node)
            elif only is None and (tree := self._named(node)) is not None:
                text = self.write(tree)
                why = "" if text else "The grammar has no words for it."
                yield Said(str(tree[2][1]), tree, text, node.lineno, why)

    def _named(self, node: ast.stmt) -> Tree | None:
        """What a statement says of a list, of a table or of the default; None for any other."""
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            return None
        name = node.targets[0].id
        is_said = name in self.policy.sets and name not in self.constants
        if not (is_said or name in self.policy.tables or name == DEFAULT):
            return None
        return "call", "meaning", ("name", name), tree_of(node.value, self.constants)

    @cached_property
    def forms(self) -> frozenset[Tree]:
        """The normal forms of all that the policy says, whether or not it has a sentence."""
        found: set[Tree] = set()
        for node in statements(self.source):
            if not isinstance(node, ast.FunctionDef):
                found |= {normal(tree) for tree in (self._named(node),) if tree is not None}
                continue
            with suppress(NotInLanguage):
                found |= {normal(tree) for tree, _ in self.trees(node)}
        return frozenset(found)

    def _said(self, node: ast.FunctionDef) -> Iterator[Said]:
        try:
            trees = list(self.trees(node))
        except NotInLanguage as error:
            yield Said(node.name, (), "", node.lineno, str(error))
            return
        for tree, line in trees:
            text = self.write(tree)
            apart = [(*tree[:3], one) for one in tree[3:]] if not text and tree[1] != "meaning" else []
            for part in apart if len(apart) > 1 else [tree]:
                own = text or self.write(part)
                yield Said(node.name, part, own, line, "" if own else "The grammar has no words for it.")

    def trees(self, node: ast.FunctionDef) -> Iterator[tuple[Tree, int]]:
        """Yield what a function says, with its line: once for the tools for which it says the same."""
        key = (self._written_constants, *_key_of(node))
        trees = self._sentences.trees.get(key)
        if trees is None:
            trees = tuple((tree, line - node.lineno) for tree, line in self._read_trees(node))
            self._sentences.trees.put(key, trees)
        yield from ((tree, node.lineno + line) for tree, line in trees)

    def _read_trees(self, node: ast.FunctionDef) -> Iterator[tuple[Tree, int]]:
        form = next((one for one in RULES if node.name.startswith(one)), "")
        if form:
            yield from ((tree, node.lineno) for tree in self._rule(node, form.rstrip("_")))
        elif node.name.startswith("contract_"):
            yield from self._clauses(node)
        elif node.name.startswith(THEOREM):
            yield from ((tree, node.lineno) for tree in theorem_trees(node, self.constants))
        else:
            parameters = self.policy.facts[node.name].parameters
            names = {one.name: CALL for one in parameters if one.classes}
            names |= {one.name: RUN for one in parameters if one.type == RUN_TYPE and not one.classes}
            body = body_of(node, {**self.constants, **names})
            yield ("call", "meaning", ("name", node.name), body), node.lineno

    def tools_of(self, node: ast.FunctionDef) -> Sequence[str]:
        """The classes of the calls that a rule or clause is about."""
        return self._about(node)[1]

    def rule_of(self, node: ast.FunctionDef, condition: ast.expr, tool: str) -> Tree:
        """A prohibition of the calls of a tool under a condition with the names of a function."""
        call, _, names = self._about(node)
        body = tree_of(expression_for_class(condition, call, tool), names)
        return ("call", "forbid", body, ("name", tool))

    def _about(self, node: ast.FunctionDef) -> tuple[str, tuple[str, ...], dict[str, Tree]]:
        """The name of the call of a rule, its classes, and what the names in it stand for."""
        call, *run = node.args.args
        assert call.annotation is not None
        classes = tuple(ast.unparse(call.annotation).split(" | "))
        names: dict[str, Tree] = {**self.constants, call.arg: CALL}
        return call.arg, classes, names | {one.arg: RUN for one in run}

    def _rule(self, node: ast.FunctionDef, form: str) -> Iterator[Tree]:
        call, classes, names = self._about(node)
        if any(tests(node, call)):
            bodies = {one: body_of(for_class(node, call, one), names) for one in classes}
        else:
            bodies = dict.fromkeys(classes, body_of(node, names))
        yield from _together(form, bodies)

    def _clauses(self, node: ast.FunctionDef) -> Iterator[tuple[Tree, int]]:
        call, classes, names = self._about(node)
        locals_of = {one: dict(names) for one in classes}
        for statement in without_docstring(node.body):
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                for one, value in _for_each(statement.value, call, locals_of).items():
                    locals_of[one][statement.targets[0].id] = value
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                form = _CLAUSES[ast.unparse(statement.value.func)]
                bodies = _for_each(statement.value.args[0], call, locals_of)
                yield from ((tree, statement.lineno) for tree in _together(form, bodies))


@lru_cache(maxsize=4096)
def _key_of(node: ast.FunctionDef) -> tuple[str, tuple[int, ...]]:
    """The text of a function, and the lines of its statements within it."""
    return text_of(node), tuple(statement.lineno - node.lineno for statement in node.body)


def _for_each(expression: ast.expr, call: str, names: Mapping[str, Mapping[str, Tree]]) -> Mapping[str, Tree]:
    """The tree of an expression for each class of a call, with what names stand for there."""
    if any(tests(expression, call)):
        return {
            one: tree_of(expression_for_class(expression, call, one), known) for one, known in names.items()
        }
    trees: dict[str, Tree] = {}
    last: tuple[Mapping[str, Tree], Tree] | None = None
    for one, known in names.items():
        last = last if last is not None and last[0] == known else (known, tree_of(expression, known))
        trees[one] = last[1]
    return trees


def _together(form: str, bodies: Mapping[str, Tree]) -> Iterator[Tree]:
    """One tree for the classes with the same body."""
    alike: dict[Tree, list[str]] = {}
    for one, body in bodies.items():
        alike.setdefault(canonical(body), []).append(one)
    for classes in alike.values():
        yield ("call", form, bodies[classes[0]], *(("name", one) for one in classes))


def sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def lines_of(text: str) -> Sequence[str]:
    """A sentence with each item of its lists, or row of its table, on a line of its own."""
    if is_table(text):
        return text.split("\n")
    lines, counts, end = [""], list[int](), 0
    for token in tokens(text):
        between = text[end : token.start]
        if token.kind == "marker" and (level := _level(token.text, counts, text[:end])) is not None:
            counts = [*counts[:level], counts[level] + 1 if level < len(counts) else 1]
            lines.append(f"{'    ' * (level + 1)}{token.text}")
        elif token.text == "—" and counts:
            lines, counts = [*lines, token.text], []
        else:
            lines[-1] += between + token.text
        end = token.end
    return lines


def _level(text: str, counts: Sequence[int], before: str) -> int | None:
    """The depth of the item that a marker begins: of a new list after a colon, or of one around."""
    if before.endswith(":") and text == marker(len(counts), 0):
        return len(counts)
    levels = range(len(counts) - 1, -1, -1)
    return next((level for level in levels if text == marker(level, counts[level])), None)
