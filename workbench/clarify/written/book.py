"""A policy of calls as the questions about it see it: its rules as trees, sentences and terms."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.clarify.written.shown_moments import on_possible_days, without_moments_told
from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import lowered_policy
from workbench.dialect.written_agent import WrittenAgent
from workbench.engines.compiled.compile import decided_by_tool
from workbench.engines.smt.preview import PreviewUndecided, is_input, satisfiable, some_input, witness
from workbench.files.kept_texts import KeptText
from workbench.language.language import Language
from workbench.language.own_clauses import OF_RULE, OTHERWISE
from workbench.language.trees import NotInLanguage, Tree, body_of, canonical, is_tree, tree_of
from workbench.model import (
    NOWHERE,
    AgentSpec,
    Arguments,
    Decision,
    Doubt,
    RecordedCall,
    RecordValue,
    Requirement,
    Span,
    Tool,
    Value,
    WorkbenchError,
)
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.evaluate import evaluate
from workbench.policy.flat.traverse import free_names
from workbench.policy.result_cache import Recent
from workbench.policy.rule_names import NEGATED, RULES
from workbench.policy.terms import And, Compare, Comparison, Constant, Not, PolicyTerms, Rule, Term, Variable

if TYPE_CHECKING:
    from workbench.clarify.written.asked import TriedCall
    from workbench.clarify.written.attacked import Attacked
    from workbench.clarify.written.holes import Hole
    from workbench.clarify.written.rule_reading import RuleReading
    from workbench.clarify.written.tried_calls import Trials

_THEOREM = "theorem_"
type Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SaidRule:
    """A rule that says one thing of its tools: as a tree and as a term, with the sentence that it cites."""

    name: str
    tree: Tree
    rule: Rule
    requirements: tuple[str, ...]
    quote: str = ""
    span: Span = NOWHERE

    @property
    def form(self) -> str:
        """What it does: forbid, ask or permit."""
        return str(self.tree[1])

    @property
    def condition(self) -> Tree:
        """When it does so."""
        return self.tree[2]

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the calls that it is about."""
        return tuple(str(one[1]) for one in self.tree[3:])

    def with_condition(self, condition: Tree) -> Tree:
        """What it would say with another condition."""
        return (*self.tree[:2], condition, *self.tree[3:])

    def saying(self, tree: Tree) -> SaidRule:
        """The rule with another tree."""
        return replace(self, tree=tree)


@dataclass
class Book:
    """A policy of calls, its terms, and the sentences of the request that its rules cite.

    ``known`` are inputs that somebody found before, such as those of the cases. ``answered`` are questions
    that have an answer: each is asked as long as it can be, so that the answer is judged. Those of
    ``in_force`` changed rules, which stand: what is found besides is another question. ``chosen`` are the
    constants that answers put into rules. ``kept`` has which rules of this policy decide nothing, if that was
    found before. ``calls`` are logged ones: what a rule is to go on letting through, or stopping. What is
    found of the rules does not depend on what is answered: a book with other answers shares it.
    """

    language: Language
    agent: AgentSpec
    terms: PolicyTerms
    requirements: Sequence[Requirement]
    known: Sequence[Arguments] = ()
    answered: frozenset[str] = frozenset()
    in_force: frozenset[str] = frozenset()
    chosen: frozenset[tuple[str, Tree]] = frozenset()
    kept: KeptText | None = None
    calls: Sequence[RecordedCall] = ()
    trials: Trials | None = None
    allowed: dict[str, TriedCall | None] = field(default_factory=dict[str, "TriedCall | None"])
    fillings: dict[str, Sequence[TriedCall]] = field(default_factory=dict[str, "Sequence[TriedCall]"])
    usual: dict[str, TriedCall] = field(default_factory=dict[str, "TriedCall"])
    readings: dict[str, RuleReading] = field(default_factory=dict[str, "RuleReading"])
    attacked: dict[str, Sequence[Attacked]] = field(default_factory=dict[str, "Sequence[Attacked]"])
    holes: dict[str, Sequence[Hole]] = field(default_factory=dict[str, "Sequence[Hole]"])
    spoken_of: dict[tuple[str, ...], Mapping[str, Collection[str]]] = field(
        default_factory=dict[tuple[str, ...], "Mapping[str, Collection[str]]"]
    )
    kinds: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    declaring: dict[tuple[object, ...], Book | None] = field(
        default_factory=dict[tuple[object, ...], "Book | None"]
    )
    _of_tool: dict[str, str] = field(default_factory=dict[str, str])
    _quiet_inputs: dict[Value, Arguments | None] = field(default_factory=dict[Value, Arguments | None])
    _alone_of_tools: dict[Value, set[str]] = field(default_factory=dict[Value, set[str]])

    @cached_property
    def rules(self) -> tuple[SaidRule, ...]:
        """The rules that have words and say the same of all their tools."""
        return tuple(self._rules())

    def _rules(self) -> Iterator[SaidRule]:
        rules = {rule.name: rule for rule in self.terms.rules}
        known = {one.id: one for one in self.requirements if one.quote}
        for node in statements(self.language.source):
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith(RULES):
                continue
            rule = rules.get(node.name)
            try:
                trees = [tree for tree, _ in self.language.trees(node)]
            except NotInLanguage:
                continue
            if rule is None or len(trees) != 1:
                continue
            cited = next((known[name] for name in rule.requirements if name in known), None)
            quote, span = ("", NOWHERE) if cited is None else (cited.text, cited.span)
            yield SaidRule(node.name, trees[0], rule, rule.requirements, quote, span)

    @cached_property
    def rules_by_class(self) -> Mapping[str, Sequence[SaidRule]]:
        """The rules about the calls of each class."""
        return _grouped((name, rule) for rule in self.rules for name in dict.fromkeys(rule.classes))

    @cached_property
    def rules_by_requirement(self) -> Mapping[str, Sequence[SaidRule]]:
        """The rules that cite each requirement, and by its own name each that cites none."""
        return _grouped((name, rule) for rule in self.rules for name in rule.requirements or (rule.name,))

    def sentence(self, tree: Tree) -> str:
        """The sentence of a rule; empty if the language has none."""
        return self.language.write(tree)

    def says(self, rule: SaidRule) -> str:
        """What a rule says: its sentence, or its own words where the language has none, or a long one."""
        sentence, own = self.sentence(rule.tree), rule.quote or rule.rule.message
        return (own if len(sentence) > _LONG else sentence) or sentence or rule.rule.message or rule.name

    def meaning(self, called: Tree) -> Tree | None:
        """What a fact says of what it is given; None for what is no fact, or for one without words."""
        fact = self.language.policy.facts.get(str(called[1]))
        if fact is None:
            return None
        names = {one.arg: given for one, given in zip(fact.node.args.args, called[2:], strict=False)}
        try:
            return body_of(fact.node, {**self.language.constants, **names})
        except NotInLanguage:
            return None

    def holds(self, term: Term) -> bool | None:
        """Whether a condition holds on some input; None if the solver does not know."""
        return satisfiable(self.terms, term)

    def applies(self, rule: SaidRule, arguments: Arguments) -> bool:
        """Whether a rule is known to hold on an input."""
        return evaluate(self.terms, rule.rule.body, arguments) is True

    @cached_property
    def facts_and_agent(self) -> str:
        """All that what a rule says depends on besides its own text.

        Imports are none of it: a name means the same in every file that has it.
        """
        named = (ast.Import, ast.ImportFrom)
        gone = {
            line
            for node in statements(self.facts)
            if isinstance(node, named)
            for line in range(node.lineno - 1, node.end_lineno or 0)
        }
        facts = "\n".join(line for at, line in enumerate(self.facts.split("\n")) if at not in gone)
        return f"{WrittenAgent(self.agent).as_read}\n{facts}"

    @cached_property
    def lists(self) -> Mapping[str, Tree]:
        """The lists of values that have a name in the policy, as sets."""
        found: dict[str, Tree] = {}
        for node in statements(self.language.source):
            match node:
                case (
                    ast.Assign(
                        targets=[ast.Name(name)], value=ast.Call(func=ast.Name("frozenset"), args=[held])
                    )
                    | ast.AnnAssign(
                        target=ast.Name(name), value=ast.Call(func=ast.Name("frozenset"), args=[held])
                    )
                ) if isinstance(held, ast.Set):
                    found[name] = tree_of(held)
                case _:
                    continue
        return found

    @cached_property
    def facts(self) -> str:
        """The file of the policy with its constants and facts alone."""
        return self._without(lambda name: name.startswith((*RULES, _THEOREM)) or name in self._of_clauses)

    def of_tool(self, tool: str) -> str:
        """The file of the policy with the rules alone that may speak of calls of a tool.

        It decides these calls as the whole one does. What is assumed of inputs stays with its clauses.
        """
        if tool not in self._of_tool:
            of_tools = ((rule.name, self.terms.file.part(rule).tools) for rule in self.terms.rules)
            others = {name for name, tools in of_tools if tools and tool not in tools}
            others |= set[str]() if self.terms.preconditions else self._of_clauses
            self._of_tool[tool] = self._without(lambda name: name.startswith(_THEOREM) or name in others)
        return self._of_tool[tool]

    @cached_property
    def _of_clauses(self) -> set[str]:
        return {clause.function for clause in self.language.policy.clauses}

    def _without(self, is_gone: Callable[[str], bool]) -> str:
        """The file of the policy without some of its functions."""
        source, gone = self.language.source, set[int]()
        for node in statements(source):
            if isinstance(node, ast.FunctionDef) and is_gone(node.name):
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                gone.update(range(first - 1, node.end_lineno or 0))
        return "\n".join(line for at, line in enumerate(source.split("\n")) if at not in gone).rstrip()

    def about_alone(self, classes: Collection[str], agent: AgentSpec) -> Book | None:
        """The policy with the rules about some classes alone, for an agent that says more; None for none.

        It is made once for both.
        """
        key = (*sorted(classes), WrittenAgent(agent).written)
        if key not in self.declaring:
            names = {rule.name for name in classes for rule in self.rules_by_class.get(name, ())}
            rules = [
                ast.unparse(node)
                for node in statements(self.language.source)
                if isinstance(node, ast.FunctionDef) and node.name in names
            ]
            source = "\n\n\n".join((self.facts, *rules)) + "\n"
            try:
                lowered = lowered_policy(source, agent)
                language = Language(agent_types(agent), source, lowered.calls)
                self.declaring[key] = Book(
                    language, agent, lowered.terms, self.requirements, calls=self.calls
                )
            except WorkbenchError:
                self.declaring[key] = None
        return self.declaring[key]

    def decides_alone(self, rule: Rule) -> bool:
        """Whether a prohibition alone decides a known input, put into one of its tool that nothing forbids.

        An input that shows it is run; of other rules the solver says whether there is one.
        """
        tools = self.terms.file.part(rule).tools
        return any(rule.name in self._alone(tool) for tool in tools or self._known_by_tool)

    @cached_property
    def _known_by_tool(self) -> Mapping[Value, Sequence[Arguments]]:
        found: dict[Value, list[Arguments]] = {}
        for arguments in self.known:
            found.setdefault(arguments.get("tool"), []).append(arguments)
        return found

    def _alone(self, tool: Value) -> Collection[str]:
        """The prohibitions that alone decide a known input of a tool."""
        if tool not in self._alone_of_tools:
            found = self._alone_of_tools[tool] = set()
            for arguments in self._known_by_tool.get(tool, ()):
                fired = _fired(self._decided(arguments))
                quiet = self._quiet(tool) if len(fired) == 1 and not fired <= found else None
                if quiet is not None:
                    whole = {
                        name: _within(value, arguments.get(name, value)) for name, value in quiet.items()
                    }
                    if _fired(self._decided(whole)) == fired and is_input(self.terms, whole):
                        found |= fired
        return self._alone_of_tools[tool]

    @cached_property
    def _decided(self) -> Callable[[Arguments], Decision]:
        return decided_by_tool(self.terms)

    def _quiet(self, tool: Value) -> Arguments | None:
        """An input of a tool on which no prohibition holds; None if none is found."""
        if tool not in self._quiet_inputs:
            of_tools = ((rule, self.terms.file.part(rule).tools) for rule in self.terms.rules)
            about = (rule for rule, tools in of_tools if not tools or tool in tools)
            forbidding = (rule for rule in about if rule.name.startswith(NEGATED))
            is_tool = [
                Compare(Comparison.EQ, Variable(one.name, one.type), Constant(tool))
                for one in self.terms.arguments
                if one.name == "tool" and isinstance(tool, str)
            ]
            none_of = And((*is_tool, *(Not(rule.body) for rule in forbidding)))
            self._quiet_inputs[tool] = some_input(self.terms, none_of) if is_tool else None
        return self._quiet_inputs[tool]

    @cached_property
    def pinned(self) -> frozenset[str]:
        """The requirements of which a person wrote a clause."""
        own = (OF_RULE, OTHERWISE)
        clauses = (one for one in self.language.policy.clauses if not one.function.startswith(own))
        return frozenset(name for clause in clauses for name in clause.requirements)

    def is_pinned(self, rule: SaidRule) -> bool:
        """Whether a person wrote a clause about the sentence of a rule."""
        return bool(self.pinned & set(rule.requirements))

    def example(self, term: Term) -> Arguments | None:
        """What matters of an input on which a condition holds; None if none is found."""
        try:
            found = witness(self.terms, term)
        except PreviewUndecided:
            return None
        if found is None:
            return None
        words, read = self.terms.file.words, {*free_names(term), "tool"}
        dated = {**found, **on_possible_days(words.of_tool(found), words.expressions)}
        whole = dated if evaluate(self.terms, term, dated) is True else found
        shown = {name: value for name, value in whole.items() if name in read}
        return words.shown(without_moments_told(shown, words.expressions))

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The tools of the agent by their names."""
        return {one.name: one for one in self.agent.tools}

    def tool_of(self, class_name: str) -> str:
        """The tool of a class of calls."""
        call = self.language.types.calls.get(class_name)
        return "" if call is None else call.tool


def _grouped(named: Iterable[tuple[str, SaidRule]]) -> Mapping[str, Sequence[SaidRule]]:
    found: dict[str, list[SaidRule]] = {}
    for name, rule in named:
        found.setdefault(name, []).append(rule)
    return found


_LONG = 400
"""The characters of a sentence that a question still quotes; a longer one is read in the policy."""
type Facts = Mapping[str, str]
_NO_FACTS: Facts = {}
_OF_NO_VALUE: Mapping[str, Facts] = {}


def doubt_about(
    rules: Sequence[SaidRule],
    kind: str,
    id_: str,
    values: tuple[str, ...],
    *,
    default: str = "",
    facts: Facts = _NO_FACTS,
    value_facts: Mapping[str, Facts] = _OF_NO_VALUE,
) -> Doubt:
    """The doubt about some rules, at the sentence of the first one."""
    return Doubt(
        id=id_,
        kind=kind,
        quote=rules[0].quote,
        span=rules[0].span,
        values=values,
        default=default,
        requirements=tuple(dict.fromkeys(name for rule in rules for name in rule.requirements)),
        facts=facts,
        value_facts=value_facts,
    )


def _fired(decision: Decision) -> set[str]:
    return {violation.rule for violation in decision.violations}


def _within(whole: Value, part: Value) -> Value:
    """A value, with the fields that its record lacks from another."""
    if not isinstance(whole, RecordValue) or not isinstance(part, RecordValue):
        return part
    known = dict(part.fields)
    return RecordValue(part.type, tuple((name, known.get(name, value)) for name, value in whole.fields))


_places: Recent[int, tuple[Tree, Sequence[tuple[Path, Tree]]]] = Recent(4096)
"""The parts of trees, by the identities of these, which stay."""


def places(tree: Tree) -> Sequence[tuple[Path, Tree]]:
    """Each part of a tree with its place, outermost first."""
    known = _places.get(id(tree))
    if known is None:
        known = tree, [*_each_place(tree, ())]
        _places.put(id(tree), known)
    return known[1]


def _each_place(tree: Tree, path: Path) -> Iterator[tuple[Path, Tree]]:
    yield path, tree
    for number, part in enumerate(tree):
        if is_tree(part):
            yield from _each_place(part, (*path, number))


def at(tree: Tree, path: Path) -> Tree:
    """The part of a tree at a place."""
    for number in path:
        tree = tree[number]
    return tree


def without_methods(tree: Tree) -> Tree:
    """What is compared, without the methods by which case and blanks are left out of account."""
    while tree[0] == "method":
        tree = tree[1]
    return tree


MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
"""The comparisons by order, each with the one of the sides in the other order."""


def replaced(tree: Tree, path: Path, part: Tree) -> Tree:
    """The tree with another part at a place."""
    if not path:
        return part
    first, *rest = path
    return (*tree[:first], replaced(tree[first], tuple(rest), part), *tree[first + 1 :])


def reads(tree: Tree, value: Tree) -> bool:
    """Whether a value is a part of a tree."""
    return any(part == value for _, part in places(tree))


def same(one: Tree, other: Tree) -> bool:
    """Whether two trees say the same by their form."""
    return canonical(one) == canonical(other)
