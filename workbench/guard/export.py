"""A policy as one Python file without dependencies, for enforcement without the workbench.

The file has the policy's own text inside a function, its contract as comments, and then a short ``decide``
that checks the types of arguments exactly as ``CompiledPolicy.decide`` does. A header names the session and
what was proved; a hash covers every other line of the file.

A file that declares how calls are read carries the modules of the workbench that read them: extraction has
one definition, and the file carries its text.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import datetime
import hashlib
import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from importlib import resources
from typing import cast

from workbench.clean_text import one_line
from workbench.dialect.run_values import CheckedExpressions
from workbench.engines.compiled.compile import broken_precondition
from workbench.engines.compiled.three_values import KleeneText, of_precondition, of_rule, three_valued
from workbench.guard.call_reading import CallReading
from workbench.guard.carried_modules import carried_text
from workbench.guard.exported_reading import expressions_of, kinds_of, methods_of
from workbench.model import AgentSpec, ArgumentType, Proof, ProofStatus, WorkbenchError
from workbench.policy.terms import (
    And,
    Choice,
    Clause,
    Elements,
    ImpliesTerm,
    Member,
    Not,
    Or,
    Parameter,
    PolicyTerms,
    Quantified,
    Quantifier,
    Rule,
    SetVariable,
    Term,
)
from workbench.policy.types import has_elements
from workbench.policy.validate import described_type
from workbench.policy.written import ArgumentWords

TITLE = "# A policy exported by the policy workbench. Change the session and export again."
HASH = "# sha256: "
START = "# ---- the policy; a line that begins with #| is its contract, which does not run ----"
END = "# ---- the end of the policy ----"
RUNTIME, KLEENE, COMPILED = "exported_runtime.py", "kleene.py", "workbench.engines.compiled"
FITTING, POLICY = "fitting.py", "workbench.policy"


def export_policy(
    terms: PolicyTerms, header: Mapping[str, str], reading: CallReading | None = None, *, alone: bool = True
) -> str:
    """The text of the exported file; ``header`` holds single-line facts (session, proof).

    With ``reading`` the file has a ``guard``; if it is used ``alone``, it also carries the modules that read
    calls.
    """
    facts = "".join(f"# {name}: {one_line(value)}\n" for name, value in header.items())
    words = ArgumentWords(terms.sources if reading is None else reading.arguments)
    body = "\n".join((START, _enclosed(terms.source).rstrip("\n"), END, _described(terms, words)))
    shared = _names_of_types_and_fields(terms)
    opening = f"    global {', '.join(shared)}\n" if shared else ""
    runtime = "\n\n\n".join(_self_contained())
    hashed_text = f"{facts}\n\ndef _policy():\n{opening}{body}\n\n\n{runtime}\n"
    if reading is not None:
        hashed_text += _reading_part(reading, alone=alone)
    return f"{TITLE}\n{HASH}{file_hash(hashed_text)}\n{hashed_text}"


def _self_contained() -> tuple[str, ...]:
    """The texts of the modules with which a policy decides in the file."""
    return text_of(KLEENE, COMPILED), text_of(FITTING, POLICY), text_of(RUNTIME)


def _names_of_types_and_fields(terms: PolicyTerms) -> list[str]:
    """Names that the policy gives both to a type and to a field of a record, as in ``date: date``.

    The policy is inside a function; in a class there, Python would look such a type up as the field. So the
    exported file defines these names globally. Raises WorkbenchError if the file already has such a name.
    """
    fields = {name for record in terms.records.values() for name, _ in record.fields}
    shared = sorted(fields & _bound(terms.source) & _types_of_fields(terms.source))
    texts = (*_self_contained(), text_of("exported_guard.py"))
    own_names = set(vars(builtins)).union(*map(_bound, texts))
    if clash := [name for name in shared if name in own_names]:
        raise WorkbenchError(
            f"policy.py: {clash[0]} is a type and the field of a record, and a name that the exported file "
            "needs. Give the type another name, then export again."
        )
    return shared


def _types_of_fields(source: str) -> set[str]:
    """The names in the types of the fields of a policy's records."""
    classes = (statement for statement in ast.parse(source).body if isinstance(statement, ast.ClassDef))
    types = (
        statement.annotation
        for record in classes
        for statement in record.body
        if isinstance(statement, ast.AnnAssign)
    )
    return {part.id for type_ in types for part in ast.walk(type_) if isinstance(part, ast.Name)}


def _bound(source: str) -> set[str]:
    """The names that the statements of a module bind."""
    bound_names: set[str] = set()
    for statement in ast.parse(source).body:
        match statement:
            case ast.ImportFrom(names=names) | ast.Import(names=names):
                bound_names.update(name.asname or name.name for name in names)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound_names.add(name)
            case ast.Assign(targets=targets):
                bound_names.update(target.id for target in targets if isinstance(target, ast.Name))
            case _:
                pass
    return bound_names


def _reading_part(reading: CallReading, *, alone: bool) -> str:
    expressions = expressions_of(reading)
    carried = f"{carried_text(methods_of(reading), kinds_of(reading, expressions))}\n\n\n" if alone else ""
    return (
        f"\n\ndef _reading(noun):\n{_nouns_text(reading, words=True)}\n\n"
        f"{_written_expressions(expressions)}\n\n{carried}"
        f"{text_of('exported_guard.py')}\n"
    )


def _written_expressions(expressions: CheckedExpressions | None) -> str:
    if expressions is None:
        return "_expressions = None\n"
    return f"def _expressions(noun):\n{_nouns_text(expressions, words=False)}"


def file_hash(text: str, title: str = TITLE) -> str:
    """The hash of an exported file over all its lines, the title too, except the line of the hash."""
    return hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()


def proof_summary(proof: Proof) -> str:
    """One line for the header: a contract counts as proved only if every clause is proved.

    The line names every clause that is not proved, with its verdict.
    """
    clauses = len(proof.clauses)
    engines = ", ".join(sorted({clause.engine.value for clause in proof.clauses}))
    if proof.status is ProofStatus.PROVED:
        return f"proved: all {clauses} clauses, by {engines}"
    if not clauses:
        return "not proved: the policy has no contract"
    unproved_parts = [_named(proof, status) for status in ProofStatus if status is not ProofStatus.PROVED]
    proved = sum(clause.status is ProofStatus.PROVED for clause in proof.clauses)
    lead = "REFUTED" if proof.status is ProofStatus.REFUTED else "not proved"
    return "; ".join(
        [f"{lead}: {proved} of {clauses} clauses proved", *(part for part in unproved_parts if part)]
    )


def _named(proof: Proof, status: ProofStatus) -> str:
    clauses = [clause for clause in proof.clauses if clause.status is status]
    names = ", ".join(clause.clause for clause in clauses)
    whys = {clause.why for clause in clauses} - {""}
    why = f" ({whys.pop()})" if status is ProofStatus.UNKNOWN and len(whys) == 1 else ""
    return f"{status.value}: {names}{why}" if names else ""


def _described(terms: PolicyTerms, words: ArgumentWords) -> str:
    """The tables of arguments, rules and preconditions that ``decide`` reads."""
    names = ", ".join(item.name for item in terms.arguments)
    arguments = "".join(f"        {item.name!r}: {_type(item.type)},\n" for item in terms.arguments)
    items = _ItemsFunctions(terms)
    rules = "".join(
        f"        ({rule.name}, {rule.message!r}, {tuple(item.name for item in rule.parameters)!r}, "
        f"{items.of_rules[rule.name]}),\n"
        for rule in terms.rules
    )
    records = ", ".join(f"{name!r}: {name}" for name in terms.records)
    said = {item.name: words.of(item.name) for item in terms.arguments if words.of(item.name) != item.name}
    preconditions = "".join(
        f"            ({_condition(precondition)}, {broken_precondition(precondition, words)!r}),\n"
        for precondition in terms.preconditions
    )
    return (
        f"{_three_valued(terms, words)}    _arguments = {{\n{arguments}    }}\n"
        f"    _rules = (\n{rules}    )\n\n"
        f"    def _preconditions({names}):\n        return (\n{preconditions}        )\n\n"
        f"    return _arguments, _rules, {terms.default_allow!r}, _preconditions, allow, {{{records}}}, "
        f"_tests, _precondition_tests, {said!r}"
    )


def _three_valued(terms: PolicyTerms, words: ArgumentWords) -> str:
    """The conditions of rules and preconditions on incomplete inputs, with the tables of them."""
    functions = "".join(f"    {name} = {function}\n" for name, function in three_valued(terms).items())
    tests = "".join(f"        {of_rule(rule.name)},\n" for rule in terms.rules)
    preconditions = "".join(
        f"        ({broken_precondition(clause, words)!r}, {of_precondition(clause.id)}),\n"
        for clause in terms.preconditions
    )
    return f"{functions}    _tests = (\n{tests}    )\n    _precondition_tests = (\n{preconditions}    )\n"


def _type(kind: ArgumentType) -> str:
    return repr(described_type(kind))


def _condition(clause: Clause) -> str:
    """The condition of a clause, with ``Implies`` written as Python."""
    tree = ast.parse(f"(\n{clause.source}\n)", mode="eval").body
    return ast.unparse(_Implications().visit(tree))


class _Implications(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "Implies":
            return ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), node.args[0]), node.args[1]])
        return node


def text_of(name: str, package: str = "workbench.guard") -> str:
    """The text of a self-contained module."""
    return resources.files(package).joinpath(name).read_text("utf-8").strip()


# --- the text of a policy as the body of a function
#
# Inside a function the policy's names are local, so they cannot collide with names of the code around it. The
# contract is kept as comments that begin with ``#|`` in the first column: it does not run, and a reader
# of the file sees what was proved.

_INDENT = "    "
_CONTRACT = "#|"
_CALLS = ("Requires", "Ensures")
_MODULE = "nagini_contracts.contracts"


def _enclosed(source: str) -> str:
    """The lines of a checked policy, indented, with its contract as comments."""
    lines = source.split("\n")
    contract = _contract_lines(source)
    inner = _inside_strings(source)
    enclosed_lines: list[str] = []
    for number, line in enumerate(lines, 1):
        if number in contract:
            enclosed_lines.append(_CONTRACT + line)
        else:
            enclosed_lines.append(line if number in inner or not line else _INDENT + line)
    return "\n".join(enclosed_lines)


def _inside_strings(text: str) -> frozenset[int]:
    """The numbers of the lines that begin inside a string, where every space counts."""
    line_numbers: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING:
                line_numbers.update(range(token.start[0] + 1, token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError):
        return frozenset()
    return frozenset(line_numbers)


def _contract_lines(source: str) -> frozenset[int]:
    """The lines of the contract and its import. Raises WorkbenchError if they contain anything else."""
    contract: set[int] = set()
    other_lines: set[int] = set()
    tree = ast.parse(source)
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == _MODULE:
            contract |= _lines(statement)
        elif isinstance(statement, ast.FunctionDef):
            body = {node for node in statement.body if _is_contract(node)}
            contract.update(*(_lines(node) for node in body))
            other_lines.update(range(statement.lineno, statement.body[0].lineno))
            other_lines.update(*(_lines(node) for node in statement.body if node not in body))
        else:
            other_lines |= _lines(statement)
    if shared := sorted(contract & other_lines):
        raise WorkbenchError(
            f"policy.py:{shared[0]}: the contract shares a line with something else. "
            "Put each statement on lines of its own, then export again."
        )
    return frozenset(contract)


def _lines(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _is_contract(node: ast.stmt) -> bool:
    """Whether a statement is a clause of the contract."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _CALLS


# --- how calls are read, and the checked expressions of a policy of calls, as Python text in an exported file
#
# The file builds the expressions and evaluates them: it needs neither their checker nor the schemas of the
# agent's tools.

_NAMESPACE = "noun"
_WORDS = "description"
"""The field of a noun that evaluation does not read."""
_LONGEST_INSIDE = 30
"""The characters of a noun that is written inside another one; so no text is nested deeply."""


def _nouns_text(value: CheckedExpressions | CallReading, *, words: bool) -> str:
    """The body of a function of ``noun`` that returns the value; equal nouns are built once.

    ``words`` keeps the descriptions. Raises WorkbenchError if a value has no text.
    """
    writer = _Writer(words=words)
    whole = writer.text(value)
    return "".join(f"    {name} = {text}\n" for text, name in writer.names.items()) + f"    return {whole}\n"


class _Writer:
    """Writes nouns, and gives a name to each that is long; ``names`` are by the text, in their order."""

    def __init__(self, *, words: bool) -> None:
        self.names: dict[str, str] = {}
        self._words = words

    def text(self, value: object) -> str:
        """A value as an expression of Python over ``noun`` and the names so far."""
        match value:
            case StrEnum():
                return f"{_NAMESPACE}.{type(value).__name__}.{value.name}"
            case None | bool() | int() | str():
                return repr(value)
            case float():
                return f"float({str(value)!r})"
            case Decimal():
                return f"{_NAMESPACE}.Decimal({str(value)!r})"
            case datetime.date() | datetime.time() | datetime.timedelta():
                return repr(value).replace("datetime.", f"{_NAMESPACE}.datetime.")
            case tuple():
                parts = [self.text(part) for part in cast("tuple[object, ...]", value)]
                return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
            case list():
                return f"[{', '.join(self.text(part) for part in cast('list[object]', value))}]"
            case Mapping():
                members = cast("Mapping[object, object]", value).items()
                return f"{{{', '.join(f'{self.text(key)}: {self.text(held)}' for key, held in members)}}}"
            case _ if dataclasses.is_dataclass(value):
                return self._noun(value)
            case _:
                raise WorkbenchError(f"The agent spec holds {value!r:.60}, which no exported file can carry.")

    def _noun(self, value: object) -> str:
        parts = [f"{name}={self.text(held)}" for name, held in self._stated(value)]
        text = f"{_NAMESPACE}.{type(value).__name__}({', '.join(parts)})"
        if len(text) <= _LONGEST_INSIDE:
            return text
        return self.names.setdefault(text, f"n{len(self.names) + 1}")

    def _stated(self, value: object) -> Iterator[tuple[str, object]]:
        """The fields of a noun that differ from their defaults."""
        for one in dataclasses.fields(cast("AgentSpec", value)):
            held = cast("object", getattr(value, one.name))
            default: object = one.default
            if one.default_factory is not dataclasses.MISSING:
                default = one.default_factory()
            is_default = held == default and type(held) is type(default)
            if (self._words or one.name != _WORDS) and not is_default:
                yield one.name, held


# --- the elements of sets and lists behind a denial, as functions of Python for the exported file
#
# They compute what ``workbench.engines.compiled.compile`` does: a true ``any`` names the elements for
# which its test holds, a false ``all`` the elements for which it does not.

_NONE = "set()"


class _ItemsFunctions:
    """The functions of a policy that return elements, one for each rule."""

    def __init__(self, terms: PolicyTerms) -> None:
        """Write the functions of all rules."""
        self._kleene = KleeneText(terms)
        self.of_rules = {rule.name: self._of_rule(rule) for rule in terms.rules}

    def _of_rule(self, rule: Rule) -> str:
        """A function of the rule's parameters, or ``None`` if there are never any elements."""
        many = any(has_elements(parameter.type) for parameter in rule.parameters)
        elements = self.behind(rule.body, True) if many else ""
        return _function(rule.parameters, elements) if elements else "None"

    def behind(self, term: Term, truth: bool) -> str:
        """The set of elements behind a term that has this truth value; empty if there can be none."""
        match term:
            case Not(operand):
                return self.behind(operand, not truth)
            case And(operands) | Or(operands):
                if isinstance(term, And) is truth:
                    return _union(self.behind(operand, truth) for operand in operands)
                return self._of_some(operands, truth)
            case ImpliesTerm(condition, consequence):
                return self.behind(Or((Not(condition), consequence)), truth)
            case Choice(condition, then, otherwise):
                return self._of_choice(condition, then, otherwise, truth)
            case Quantified():
                return self._of_quantified(term, truth)
            case Member(item, SetVariable() | Elements()) if truth:
                return f"_element({self._kleene.of(item)})"
            case _:
                return ""

    def _of_some(self, operands: tuple[Term, ...], truth: bool) -> str:
        parts = [(self._holds(operand, truth), self.behind(operand, truth)) for operand in operands]
        if not any(elements for _, elements in parts):
            return ""
        pairs = (f"(lambda: {holds}, lambda: {elements or _NONE})" for holds, elements in parts)
        return f"_because({', '.join(pairs)})"

    def _of_choice(self, condition: Term, then: Term, otherwise: Term, truth: bool) -> str:
        yes = _union((self.behind(condition, True), self.behind(then, truth)))
        no = _union((self.behind(condition, False), self.behind(otherwise, truth)))
        if not yes and not no:
            return ""
        return f"({yes or _NONE} if {self._holds(condition, True)} else {no or _NONE})"

    def _of_quantified(self, term: Quantified, truth: bool) -> str:
        if (term.quantifier is Quantifier.ANY) is not truth:
            return ""
        name = term.variable.name
        among = f"_members({self._kleene.members(term.collection)})"
        test = self._holds(term.body, truth)
        if isinstance(term.collection, SetVariable | Elements):
            return f"{{{name} for {name} in {among} if {test}}}"
        inner = self.behind(term.body, truth)
        return f"set().union(*[{inner} for {name} in {among} if {test}])" if inner else ""

    def _holds(self, term: Term, truth: bool) -> str:
        return f"({self._kleene.of(term)} is {truth})"


def _function(parameters: tuple[Parameter, ...], elements: str) -> str:
    return f"lambda {', '.join(parameter.name for parameter in parameters)}: {elements}"


def _union(sets: Iterable[str]) -> str:
    parts = [elements for elements in sets if elements]
    return f"({' | '.join(parts)})" if len(parts) > 1 else "".join(parts)
