"""A sentence as a part of the policy file: a new rule or clause, or another meaning of a fact or list."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from workbench.dialect.call_file import ANY_CALL
from workbench.dialect.file_imports import with_imports
from workbench.language.language import Language
from workbench.language.python_text import HEADS, clause_text, fact_text, new_fact_text, rule_text
from workbench.language.theorem_trees import FORMS, theorem_text
from workbench.language.theorem_trees import PREFIX as THEOREM
from workbench.language.trees import CALL, RUN, NotInLanguage, Tree, free_names, node_of
from workbench.model import WorkbenchError
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.layout import statement
from workbench.policy.names import free_name
from workbench.policy.rule_names import DEFAULT, RULES

MEANINGS = ("meaning", "naming")
"""What sentences say of which later ones may speak: what a fact, list or table means, and a new condition."""
_MOST_LETTERS = 50
_WIDTH = 110
_MOST_OF_CONDITION = 40
_CONDITION = re.compile(r" (?:unless|if) (.*)", re.DOTALL)
_AROUND = re.compile(r"\(\w+\) |\bthe [^;,()]*? exists\b")
"""What a condition has besides what it says: the signs of its items, and that what it is about exists."""
_DULL = {
    *("a", "all", "an", "and", "are", "at", "by", "for", "has", "have", "hold", "holds", "is", "it", "its"),
    *("least", "none", "of", "on", "one", "or", "s", "that", "the", "there", "these", "to", "was", "were"),
    *("what", "whose", "with"),
}
"""The words of a condition that say little of what it is about."""


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
    if form == "naming":
        name, python = _named_condition(language, tree)
        put = (
            _replaced(source, name, python)
            if name in language.policy.facts
            else _before_rules(source, python)
        )
        return Kept(name, python, with_imports(put, language.types, python))
    name = _name(language, tree, source)
    python = _function(tree, name, cited, cited)
    put = after_rules(source, python) if form in HEADS else f"{source.rstrip()}\n\n\n{python}"
    return Kept(name, python, with_imports(put, language.types, python))


def _function(tree: Tree, name: str, docstring: str, comment: str) -> str:
    """A rule or contract that says what a tree does; a clause has a comment where others have a docstring."""
    if tree[1] in FORMS:
        return theorem_text(tree, name, docstring)
    return rule_text(tree, name, docstring) if tree[1] in HEADS else clause_text(tree, name, comment)


def with_default(source: str, decision: str) -> str:
    """The policy file with another decision about a call of which no rule speaks."""
    return _replaced(source, DEFAULT, _constant(DEFAULT, ("lit", "text", decision)))


def said_in(language: Language, source: str, only: Collection[str] | None = None) -> frozenset[str]:
    """The names of the rules and contracts of a policy that stand in it as a sentence is written into it.

    With ``only`` those of these names.
    """
    found: set[str] = set()
    every = source.split("\n")
    for node in statements(source):
        if not isinstance(node, ast.FunctionDef) or (only is not None and node.name not in only):
            continue
        lines = every[node.lineno - 1 : node.end_lineno]
        if "\n".join(lines).rstrip() == kept_text(language, node, lines).rstrip():
            found.add(node.name)
    return frozenset(found)


def kept_text(language: Language, node: ast.FunctionDef, lines: Sequence[str]) -> str:
    """A rule or contract as its sentence is written into a policy; empty for what is no single sentence.

    ``lines`` are those of the function.
    """
    try:
        trees = [tree for tree, _ in language.trees(node)]
    except (NotInLanguage, KeyError):
        return ""
    if len(trees) != 1 or trees[0][1] in MEANINGS:
        return ""
    cited = (ast.get_docstring(node) or "").split("\n")[0]
    return _function(trees[0], node.name, cited, comment_in(lines))


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
    """A free name for a rule or contract: by its tools, and where that is taken by its condition too."""
    forms = {"ensure": "contract", "require": "contract", **dict.fromkeys(FORMS, "theorem")}
    form = forms.get(str(tree[1]), str(tree[1]))
    calls = language.types.calls
    about = [str(one[1]) for one in tree[3:]] or sorted(free_names(tree) & calls.keys())
    tools = [calls[one].tool if one in calls else "call" for one in about]
    taken = {node.name for node in statements(source) if isinstance(node, ast.FunctionDef)}
    name = f"{form}_{_as_name('_'.join(tools[:2])) or 'call'}"
    if name in taken and (condition := _CONDITION.search(language.write(tree))):
        words = re.findall(r"[a-z0-9]+", _AROUND.sub(" ", condition[1]).lower())
        said = _as_name("_".join(one for one in words if one not in _DULL), _MOST_OF_CONDITION)
        name = f"{form}_{_as_name(tools[0])}_{said}".rstrip("_") if tools else name
    return free_name(name, taken)


def _as_name(text: str, most: int = _MOST_LETTERS) -> str:
    """A text as a part of a name, of whole words."""
    words = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return words if len(words) <= most else words[: most + 1].rpartition("_")[0] or words[:most]


def _named_condition(language: Language, tree: Tree) -> tuple[str, str]:
    """The name and the function of a fact that a sentence names, of a record or of calls."""
    _, _, noun, condition, *of = tree
    of_calls = all(one[1] in language.types.calls for one in of)
    record = None if of_calls else language.types.records[of[0][1]]
    words = cited_text(str(noun[2]))
    if record is not None:
        words = f"the {language.lexicon.words_of_record(record)} {words}"
    parameters = [f"call: {' | '.join(str(one[1]) for one in of)}"]
    if record is not None:
        keys = language.lexicon.parameters_of_record(record.name)
        parameters = [f"{key}: {'int' if sort == 'int' else 'str'}" for key, sort in keys]
        if CALL[1] in free_names(condition):  # of every call it has the time
            parameters.append(f"{CALL[1]}: {ANY_CALL}")
    name = language.lexicon.new_fact(words) or _known_fact(language, words, parameters)
    return name, new_fact_text(name, parameters, words, condition)


def _known_fact(language: Language, words: str, parameters: Sequence[str]) -> str:
    """The name of the fact with a noun, which is said again: of the same record or calls."""
    fact = next(one for one in language.policy.facts.values() if language.lexicon.says(one, words))
    taken = [f"{one.arg}: {ast.unparse(one.annotation)}" for one in fact.node.args.args if one.annotation]
    if [one for one in taken if one != f"{RUN[1]}: Run"] != list(parameters):
        raise WorkbenchError(
            f"“{words}” has a meaning already, about other calls or another record; "
            f"give it another by “That {words} means that …”, or use other words."
        )
    return fact.name


def _before_rules(source: str, python: str) -> str:
    """The file with one more fact: before the first rule or contract, where there is one."""
    return _inserted(source, (*RULES, "contract_", THEOREM), python)


def _constant(name: str, value: Tree) -> str:
    return "\n".join(statement(ast.Assign([ast.Name(name)], node_of(value)), _WIDTH)) + "\n"


def _replaced(source: str, name: str, python: str) -> str:
    """The file with another text for the function or constant of a name, or with a new constant."""
    lines = source.split("\n")
    new = python.rstrip().split("\n")
    last = 0
    for node in statements(source):
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
    return _inserted(source, ("contract_",), python)


def _inserted(source: str, before_any: tuple[str, ...], python: str) -> str:
    """The file with a function before the first whose name begins so, and before the comments above it."""
    lines = source.rstrip().split("\n")
    functions = (node for node in statements(source) if isinstance(node, ast.FunctionDef))
    found = (node.lineno - 1 for node in functions if node.name.startswith(before_any))
    at = next(found, len(lines))
    while 0 < at < len(lines) and lines[at - 1].startswith("#"):
        at -= 1
    before, after = "\n".join(lines[:at]).rstrip(), "\n".join(lines[at:]).strip()
    return "\n\n\n".join(filter(None, (before, python.strip(), after))) + "\n"
