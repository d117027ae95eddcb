"""The clauses of a person that repeat a test of a rule, and follow it where the rule says it otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from workbench.language.language import Language
from workbench.language.own_clauses import OF_RULE, OTHERWISE, said_rules
from workbench.language.trees import CALL, RUN, NotInLanguage, Tree, canonical, text_of, tree_of
from workbench.policy.checker.syntax_tree import statements

_JOINING = ("and", "or", "not")


def restated(language: Language, source: str, said: Mapping[str, Tree]) -> str:
    """A policy with what its rules say otherwise also in the clauses of a person that repeat it.

    ``language`` is that of the policy before, ``said`` what its rules say instead, by their names. A clause
    repeats a rule if it cites a sentence that the rule cites, and has the part of it that differs.
    """
    rules = said_rules(language, language.source)
    cited = {rule.name: rule.requirements for rule in language.policy.rules}
    clauses: dict[str, set[str]] = {}
    for clause in language.policy.clauses:
        if not clause.function.startswith((OF_RULE, OTHERWISE)):
            clauses.setdefault(clause.function, set()).update(clause.requirements)
    for node in reversed(statements(source)):
        if not isinstance(node, ast.FunctionDef) or node.name not in clauses:
            continue
        requirements = clauses[node.name]
        instead = {
            canonical(old): new
            for name, tree in said.items()
            if len(rules.get(name, ())) == 1 and not requirements.isdisjoint(cited[name])
            for old, new in _differing(rules[name][0][2], tree[2])
        }
        own = zip((one.arg for one in node.args.args), (CALL, RUN), strict=False)
        found = [*_having(node, instead, {**language.constants, **dict(own)})] if instead else []
        for part, tree in reversed(found):
            source = _put(source, part, text_of(tree))
    return source


def _differing(before: Tree, after: Tree) -> Iterator[tuple[Tree, Tree]]:
    """Yield the smallest condition that differs in two with what is said instead, if one differs."""
    if canonical(before) == canonical(after):
        return
    head, old, new = before[0], [*before[1:]], [*after[1:]]
    if head == after[0] in _JOINING:
        for end in (0, -1):
            while old and new and canonical(old[end]) == canonical(new[end]):
                old.pop(end)
                new.pop(end)
        if (old and new and len(old) < len(before) - 1) or len(old) == len(new) == 1:
            part, instead = (one[0] if len(one) == 1 else (head, *one) for one in (old, new))
            yield from _differing(part, instead)
            return
    yield before, after


def _having(
    node: ast.AST, instead: Mapping[Tree, Tree], constants: Mapping[str, Tree]
) -> Iterator[tuple[ast.expr, Tree]]:
    """Yield the expressions that are to be said otherwise, in their order, with what is to be said."""
    if isinstance(node, ast.expr):
        try:
            tree = instead.get(canonical(tree_of(node, constants)))
        except (NotInLanguage, KeyError):
            tree = None
        if tree is not None:
            yield node, tree
            return
    for child in ast.iter_child_nodes(node):
        yield from _having(child, instead, constants)


def _put(source: str, part: ast.expr, text: str) -> str:
    """A file with another text in the place of an expression, in parentheses unless it is one call."""
    if not isinstance(ast.parse(text, mode="eval").body, ast.Call | ast.Attribute):
        text = f"({text})"
    lines = source.split("\n")
    first, last = part.lineno - 1, (part.end_lineno or part.lineno) - 1
    head, tail = lines[first].encode()[: part.col_offset], lines[last].encode()[part.end_col_offset or 0 :]
    lines[first : last + 1] = f"{head.decode()}{text}{tail.decode()}".split("\n")
    return "\n".join(lines)
