"""The words of questions are data: code names a table and gives values for its placeholders.

The code is read, not run, so that this also covers questions that are rarely asked.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from string import Formatter

import pytest

from workbench.author.protocol import CASE
from workbench.question_wording import OptionWording, wordings

CODE = Path(__file__).resolve().parent.parent / "workbench"
WORDING = CODE / "question_wording.py"
# The placeholders of every wording, and the further ones of an option.
EVERYWHERE = frozenset({"sentence", "quote"})
IN_OPTIONS = frozenset({"value"})
OF_QUESTIONS = re.compile(r"\b(Doubt|doubt_about|Option|Question|phrase|question_about)\(")
ENGLISH = re.compile(r"[A-Za-z]+ [A-Za-z]+")


@cache
def texts() -> Mapping[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in sorted(CODE.rglob("*.py"))}


@cache
def modules() -> Mapping[Path, ast.Module]:
    """The modules that handle questions."""
    return {path: ast.parse(text) for path, text in texts().items() if OF_QUESTIONS.search(text)}


@cache
def calls() -> Mapping[str, list[tuple[Path, ast.Call]]]:
    """Every call, by the name of the function, class or method; ``typer.Option`` is another function."""
    calls_by_name: defaultdict[str, list[tuple[Path, ast.Call]]] = defaultdict(list)
    for path, tree in modules().items():
        for node in ast.walk(tree):
            match node:
                case ast.Call(ast.Attribute(ast.Name("typer"))):
                    pass
                case ast.Call(ast.Name(name) | ast.Attribute(attr=name)):
                    calls_by_name[name].append((path, node))
                case _:
                    pass
    return calls_by_name


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((item.value for item in call.keywords if item.arg == name), None)


def constants(node: ast.AST) -> set[str]:
    """The texts in an expression."""
    values = [child.value for child in ast.walk(node) if isinstance(child, ast.Constant)]
    return {value for value in values if isinstance(value, str)}


def keys(node: ast.expr | None) -> frozenset[str]:
    """The keys of a mapping literal."""
    if node is None:
        return frozenset()
    assert isinstance(node, ast.Dict), ast.unparse(node)
    written = [key.value for key in node.keys if isinstance(key, ast.Constant)]
    assert len(written) == len(node.keys), ast.unparse(node)
    return frozenset(map(str, written))


def assigned(name: str, scope: ast.AST) -> Iterator[ast.expr]:
    """The expressions that a name is given in a scope, also as a part of a tuple."""
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=[target], value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                pass
            case _:
                continue
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values):
                pairs = list(zip(targets, values, strict=True))
            case _:
                pairs = [(target, value)]
        yield from (given for to, given in pairs if isinstance(to, ast.Name) and to.id == name)


def inner_keys(node: ast.expr | None, scope: ast.AST) -> frozenset[str]:
    """The keys of the mappings in a mapping, which a name may have got one by one."""
    match node:
        case None:
            return frozenset()
        case ast.DictComp(value=value):
            return keys(value)
        case ast.Dict(keys=outer, values=values):
            inner = (
                inner_keys(value, scope) if key is None else keys(value)
                for key, value in zip(outer, values, strict=True)
            )
            return frozenset[str]().union(*inner)
        case ast.Name(name):
            whole = [inner_keys(value, scope) for value in assigned(name, scope)]
            single = [keys(value) for value in items(name, scope)]
            assert whole, name
            return frozenset[str]().union(*whole, *single)
        case _:
            raise AssertionError(ast.unparse(node))


def items(name: str, scope: ast.AST) -> Iterator[ast.expr]:
    """What a scope puts into a mapping under single keys."""
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = list(zip(targets, values, strict=True))
            case ast.Assign(targets=[target], value=value):
                pairs = [(target, value)]
            case _:
                continue
        for to, value in pairs:
            match to:
                case ast.Subscript(value=ast.Name(own)) if own == name:
                    yield value
                case _:
                    pass


@cache
def constant_texts() -> Mapping[str, str]:
    """The texts of the constants of the modules that handle questions about policies of calls."""
    tree = ast.parse(texts()[CODE / "clarify" / "written" / "asked.py"])
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id.isupper()}
    return {
        name: str(each.value)
        for name in names
        for each in assigned(name, tree)
        if isinstance(each, ast.Constant)
    }


def tables(node: ast.expr | None, scope: ast.FunctionDef, module: ast.Module) -> frozenset[str]:
    """The tables that an expression may name; none if only a run of the program tells."""
    match node:
        case ast.Constant(str(text)):
            return frozenset([text])
        case ast.IfExp(body=first, orelse=second):
            either = tables(first, scope, module), tables(second, scope, module)
            return either[0] | either[1] if all(either) else frozenset()
        case ast.JoinedStr(values=parts):
            choices = [tables(part, scope, module) for part in parts]
            return frozenset(map("".join, product(*choices)))
        case ast.FormattedValue(value=value):
            return tables(value, scope, module)
        case ast.Name(name) if name in constant_texts():
            return frozenset([constant_texts()[name]])
        case ast.Name(name) if name in (names := [one.arg for one in scope.args.args]):
            place = names.index(name)
            callers = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
            calls_of_it = [
                (call, caller)
                for caller in callers
                for call in ast.walk(caller)
                if isinstance(call, ast.Call) and ast.unparse(call.func) == scope.name
            ]
            return frozenset[str]().union(
                *(tables(call.args[place], caller, module) for call, caller in calls_of_it)
            )
        case _:
            return frozenset()


@cache
def doubts() -> Sequence[tuple[Path, ast.Call, ast.FunctionDef, frozenset[str]]]:
    """Each doubt that the code makes, with its function and the tables that it may name."""
    found: list[tuple[Path, ast.Call, ast.FunctionDef, frozenset[str]]] = []
    for path, call in (*calls()["Doubt"], *calls()["doubt_about"]):
        module = modules()[path]
        functions = [
            node for node in ast.walk(module) if isinstance(node, ast.FunctionDef) and call in ast.walk(node)
        ]
        if functions:
            kind = keyword(call, "kind") or call.args[1]
            found.append((path, call, functions[-1], tables(kind, functions[-1], module)))
    return found


def placeholders(*templates: str) -> frozenset[str]:
    return frozenset(
        name for text in templates for _, name, *_ in Formatter().parse(text) if name is not None
    )


def of_options(options: Mapping[str, OptionWording]) -> frozenset[str]:
    return placeholders(
        *(text for option in options.values() for text in (option.label, option.effect, option.statement))
    )


@cache
def given() -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """The names that the code gives for each table: for the doubt, and for its values."""
    names_by_table: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def note(table: str, facts: frozenset[str], value_facts: frozenset[str]) -> None:
        known, known_of_values = names_by_table.get(table, (frozenset(), frozenset()))
        names_by_table[table] = known | facts, known_of_values | value_facts

    for _, call, scope, named in doubts():
        for table in named:
            note(table, keys(keyword(call, "facts")), inner_keys(keyword(call, "value_facts"), scope))
    return names_by_table


@pytest.mark.parametrize("name", ["Doubt", "doubt_about", "Option", "Question"])
def test_no_words_of_a_question_stand_in_code(name: str) -> None:
    words = [
        (path.name, text)
        for path, call in calls()[name]
        if path != WORDING
        for text in constants(call)
        if ENGLISH.search(text)
    ]
    assert words == []


def test_only_the_wording_makes_options() -> None:
    assert {path for path, _ in calls()["Option"]} == {WORDING}


def test_every_table_is_named_by_code_and_every_table_that_code_names_is_there() -> None:
    assert given().keys() == wordings().questions.keys()
    assert CASE in map(wordings().kind, wordings().questions)


@pytest.mark.parametrize("name", wordings().questions)
def test_code_gives_the_placeholders_of_a_table_and_no_other_name(name: str) -> None:
    table = wordings().questions[name]
    facts, value_facts = given()[name]
    in_text, in_options = placeholders(table.text), of_options(table.options)
    assert in_text - EVERYWHERE <= facts
    assert in_options - EVERYWHERE - IN_OPTIONS <= facts | value_facts
    used = in_text | in_options | placeholders(*table.phrases.values())
    for other in {one for *_, named in doubts() if name in named for one in named}:
        beside = wordings().questions[other]
        used |= placeholders(beside.text) | of_options(beside.options)
    assert facts | value_facts <= used


def test_shared_options_speak_of_the_sentence_only() -> None:
    assert of_options(wordings().shared_options) <= EVERYWHERE | IN_OPTIONS


def test_code_gives_the_placeholders_of_a_phrase_and_no_other_name() -> None:
    used: set[tuple[str, str]] = set()
    for path, call in calls()["phrase"]:
        table, name = call.args
        assert isinstance(table, ast.Constant), path
        phrases = wordings().questions[str(table.value)].phrases
        # A name that is no text here is one of the phrases.
        names = (constants(name) & phrases.keys()) or phrases.keys()
        names_given = {str(item.arg) for item in call.keywords}
        assert names_given == placeholders(*(phrases[name] for name in names)), ast.unparse(call)
        used |= {(str(table.value), name) for name in names}
    tables = wordings().questions
    all_phrases = {(name, text) for name, table in tables.items() for text in table.phrases}
    assert used == all_phrases
    assert not [name for _, name in all_phrases if not any(f'"{name}"' in text for text in texts().values())]


def test_a_table_says_which_part_asks() -> None:
    for path, _, _, named in doubts():
        folders = path.relative_to(CODE).parts
        part = "model" if folders[:2] == ("author", "model") else "check"
        assert {wordings().questions[table].asked_by for table in named} <= {part}, path
