"""A sentence as a part of the policy file: a new rule or clause, or another meaning of a fact or list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from workbench.dialect.file_imports import with_imports
from workbench.language.language import Language
from workbench.language.python_text import HEADS, clause_text, fact_text, rule_text
from workbench.language.theorem_trees import FORMS, theorem_text
from workbench.language.trees import NotInLanguage, Tree, node_of
from workbench.policy.layout import statement
from workbench.policy.rule_names import DEFAULT

_MOST_LETTERS = 50
_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Kept:
    """The policy with a sentence in it: the name and the text of its part."""

    name: str
    python: str
    policy: str


def with_sentence(language: Language, tree: Tree, text: str, source: str | None = None) -> Kept:
    """The policy file with what a sentence says, which is cited where it stands.

    ``source`` is the file that the sentence is put into, without it the one that the language is of.
    """
    source, form = language.source if source is None else source, str(tree[1])
    cited = cited_text(text)
    if form == "meaning":
        name = str(tree[2][1])
        fact = language.policy.facts.get(name)
        python = _constant(name, tree[3]) if fact is None else fact_text(tree, fact)
        return Kept(name, python, with_imports(_replaced(source, name, python), language.types, python))
    name = _name(language, tree, source)
    if form in FORMS:
        python = theorem_text(tree, name, cited)
        policy = with_imports(f"{source.rstrip()}\n\n\n{python}", language.types, python)
        return Kept(name, python, policy)
    if form in HEADS:
        python = rule_text(tree, name, cited)
        return Kept(name, python, with_imports(after_rules(source, python), language.types, python))
    python = clause_text(tree, name, cited)
    return Kept(name, python, with_imports(f"{source.rstrip()}\n\n\n{python}", language.types, python))


def with_default(source: str, decision: str) -> str:
    """The policy file with another decision about a call of which no rule speaks."""
    return _replaced(source, DEFAULT, _constant(DEFAULT, ("lit", "text", decision)))


def said_in(language: Language, source: str) -> frozenset[str]:
    """The names of the rules and contracts of a policy that stand in it as a sentence is written into it."""
    found: set[str] = set()
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        try:
            trees = [tree for tree, _ in language.trees(node)]
        except (NotInLanguage, KeyError):
            continue
        if len(trees) != 1 or trees[0][1] == "meaning":
            continue
        lines = source.split("\n")[node.lineno - 1 : node.end_lineno]
        if str(trees[0][1]) in FORMS:
            written = theorem_text(trees[0], node.name, (ast.get_docstring(node) or "").split("\n")[0])
        elif str(trees[0][1]) in HEADS:
            written = rule_text(trees[0], node.name, (ast.get_docstring(node) or "").split("\n")[0])
        else:
            written = clause_text(trees[0], node.name, comment_in(lines))
        if "\n".join(lines).rstrip() == written.rstrip():
            found.add(node.name)
    return frozenset(found)


def comment_in(lines: Iterable[str]) -> str:
    """The first comment that stands on lines of its own, without its sign."""
    return next(
        (line.strip().removeprefix("#").strip() for line in lines if line.lstrip().startswith("#")), ""
    )


def cited_text(text: str) -> str:
    """A text as a docstring or comment may have it: on one line, each character visible."""
    plain = "".join(one if one.isprintable() or one.isspace() else " " for one in text)
    return " ".join(plain.replace("\\", "/").replace('"', "'").split())


def _name(language: Language, tree: Tree, source: str) -> str:
    """A free name for a rule or contract, by its tools."""
    forms = {"ensure": "contract", "require": "contract", **dict.fromkeys(FORMS, "theorem")}
    form = forms.get(str(tree[1]), str(tree[1]))
    tools = [
        language.types.calls[one[1]].tool if one[1] in language.types.calls else "call" for one in tree[3:]
    ]
    words = re.sub(r"[^a-z0-9]+", "_", "_".join(tools[:2]).lower())[:_MOST_LETTERS].strip("_") or "call"
    taken = {node.name for node in _body(source) if isinstance(node, ast.FunctionDef)}
    number, name = 1, f"{form}_{words}"
    while name in taken:
        number += 1
        name = f"{form}_{words}_{number}"
    return name


@lru_cache(maxsize=2)
def _body(source: str) -> tuple[ast.stmt, ...]:
    """The statements of a file, which are only read."""
    return tuple(ast.parse(source).body)


def _constant(name: str, value: Tree) -> str:
    return "\n".join(statement(ast.Assign([ast.Name(name)], node_of(value)), _WIDTH)) + "\n"


def _replaced(source: str, name: str, python: str) -> str:
    """The file with another text for the function or constant of a name, or with a new constant."""
    lines = source.split("\n")
    new = python.rstrip().split("\n")
    last = 0
    for node in ast.parse(source).body:
        is_function = isinstance(node, ast.FunctionDef) and node.name == name
        is_constant = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
        if is_function or is_constant:
            lines[node.lineno - 1 : node.end_lineno] = new
            return "\n".join(lines)
        if isinstance(node, ast.Assign | ast.Import | ast.ImportFrom):
            last = node.end_lineno or node.lineno
    lines[last:last] = new
    return "\n".join(lines)


def after_rules(source: str, python: str) -> str:
    """The file with the text of one more rule: before the contract, where there is one."""
    lines = source.rstrip().split("\n")
    contracts = [
        node.lineno
        for node in _body(source)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("contract_")
    ]
    at = contracts[0] - 1 if contracts else len(lines)
    while contracts and lines[at - 1].startswith("#"):
        at -= 1
    before, after = "\n".join(lines[:at]).rstrip(), "\n".join(lines[at:]).strip()
    return "\n\n\n".join(filter(None, (before, python.strip(), after))) + "\n"
