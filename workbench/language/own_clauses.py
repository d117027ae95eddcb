"""The clauses that the workbench writes beside the rules of sentences, and keeps in step with the rules.

A sentence is kept as a rule and as a clause. That of a prohibition says what must not be possible; that of
a permission what must be possible, without what the prohibitions of the same tools forbid. The name of its
function has the name of the rule, and a clause of another form is a person's, which stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.dialect.call_types import AgentTypes
from workbench.language.kept_sentence import comment_in
from workbench.language.language import Language
from workbench.language.python_text import clause_text
from workbench.language.trees import TRUE, NotInLanguage, Tree, canonical, joined, negated
from workbench.policy.rule_names import NEGATED, PERMIT

OF_RULE = "contract_of_"
"""How the clauses of rules are named, before the name of the rule."""
OTHERWISE = "contract_otherwise_"
"""How the clauses of tools are named of which only prohibitions speak, before the class of their calls."""
_ALLOWED: Tree = ("call", "Result")


@dataclass(frozen=True, slots=True)
class OwnClause:
    """A clause that follows from the rules: its function's name and text, and how a clause begins to be it.

    ``condition`` is what it is about by itself; the others are the prohibitions that it leaves out.
    """

    name: str
    tree: Tree
    condition: Tree
    without: tuple[Tree, ...]
    about: str = ""

    def text(self, comment: str) -> str:
        """The text of its function, with the sentence that it is about."""
        return clause_text(self.tree, self.name, comment)


def own_clauses(language: Language, source: str) -> Mapping[str, OwnClause]:
    """The clauses that follow from the rules of a policy, by the names of their functions."""
    rules = dict(_rules(language, source))
    found: dict[str, OwnClause] = {}
    for name, parts in rules.items():
        clauses = [one for part in parts for one in _clauses(name, part, rules, language.types)]
        for number, one in enumerate(clauses, start=1):
            named = f"{OF_RULE}{name}" if number == 1 else f"{OF_RULE}{name}_{number}"
            found[named] = OwnClause(named, one.tree, one.condition, one.without, name)
    for class_name in language.types.calls:
        named = f"{OTHERWISE}{class_name}"
        tree: Tree = ("call", "permit", TRUE, ("name", class_name))
        one = next(_clauses(named, tree, rules, language.types), None)
        if one is not None:
            found[named] = OwnClause(named, one.tree, one.condition, one.without)
    return found


def in_step(
    language: Language, source: str, before: Mapping[str, OwnClause], new: Collection[str] = ()
) -> str:
    """The policy with the clauses that the workbench wrote as they follow from its rules.

    ``before`` are those that followed from an earlier policy: one that did not and does now is added, and one
    that does not any more goes. ``new`` names rules that were said now, each of which has its clause.
    """
    now = own_clauses(language, source)
    lines = source.split("\n")
    for node in reversed(_contracts(source)):
        clause = _written(node, language)
        known = [one for one in (before.get(node.name), now.get(node.name)) if one is not None]
        if clause is None or not any(_is_own(clause, one, (before, now)) for one in known):
            continue
        present, comment = now.get(node.name), comment_in(lines[node.lineno : node.end_lineno])
        text = [] if present is None else present.text(comment).rstrip().split("\n")
        lines[node.lineno - 1 : node.end_lineno] = text
    source = "\n".join(lines).rstrip() + "\n"
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    for own in now.values():
        is_new = own.name not in before or own.about in new
        if own.about and is_new and own.name not in functions:
            message = (ast.get_docstring(functions[own.about]) or "").split("\n")[0]
            source = f"{source.rstrip()}\n\n\n{own.text(message)}"
    return source


def _contracts(source: str) -> list[ast.FunctionDef]:
    return [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith((OF_RULE, OTHERWISE))
    ]


def _written(node: ast.FunctionDef, language: Language) -> Tree | None:
    """The only clause of a function as a tree; None if it has more or no words."""
    try:
        trees = [tree for tree, _ in language.trees(node)]
    except (NotInLanguage, KeyError):
        return None
    return trees[0] if len(trees) == 1 else None


def _is_own(written: Tree, own: OwnClause, known: Sequence[Mapping[str, OwnClause]]) -> bool:
    """Whether a written clause is the workbench's: as it follows now, or with other prohibitions left out."""
    if canonical(written) == canonical(own.tree):
        return True
    if own.tree[1] != written[1] or (not own.without and own.condition is own.tree[2]):
        return False
    parts = _parts(written[2])
    if parts is None:
        return False
    of_rules = {canonical(part) for side in known for one in side.values() for part in one.without}
    wanted = canonical(own.condition)
    condition = list(wanted[1:]) if wanted[0] == "and" else [] if wanted == TRUE else [wanted]
    rest = [canonical(part) for part in parts]
    return rest[: len(condition)] == condition and all(part in of_rules for part in rest[len(condition) :])


def _parts(clause: Tree) -> tuple[Tree, ...] | None:
    """What is joined on the left of a clause that demands that calls are allowed."""
    match clause:
        case ("call", "Result"):
            return ()
        case ("call", "Implies", left, ("call", "Result")):
            return left[1:] if left[0] == "and" else (left,)
        case _:
            return None


# --- what follows from the rules --------------------------------------------------


def _rules(language: Language, source: str) -> Iterator[tuple[str, tuple[Tree, ...]]]:
    """Yield the rules of a policy, with what each says of its tools; a rule without words has nothing."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith((*NEGATED, PERMIT)):
            try:
                yield node.name, tuple(tree for tree, _ in language.trees(node))
            except NotInLanguage:
                yield node.name, ()


def _clauses(
    name: str, tree: Tree, rules: Mapping[str, tuple[Tree, ...]], types: AgentTypes
) -> Iterator[OwnClause]:
    """Yield the clauses of what a rule says: one, or one for the tools with the same prohibitions."""
    form, condition, classes = str(tree[1]), tree[2], tree[3:]
    if form != "permit":
        refused = negated(_ALLOWED)
        body = refused if condition == TRUE else ("call", "Implies", condition, refused)
        yield OwnClause(name, ("call", "ensure", body, *classes), body, ())
        return
    every = (("name", one) for one in types.calls)
    groups: dict[tuple[Tree, ...], list[Tree]] = {}
    for one in every if classes == (("name", "Call"),) else classes:
        without = _forbidden(one, rules)
        if without is not None:
            groups.setdefault(without, []).append(one)
    for without, of_group in groups.items():
        if negated(TRUE) in without:  # nothing of it is left
            continue
        left = joined("and", [*([] if condition == TRUE else [condition]), *without])
        body = _ALLOWED if left == TRUE else ("call", "Implies", left, _ALLOWED)
        yield OwnClause(name, ("call", "ensure", body, *of_group), condition, without)


def _forbidden(of_class: Tree, rules: Mapping[str, tuple[Tree, ...]]) -> tuple[Tree, ...] | None:
    """What must not hold so that no prohibition forbids a call of a class; None where one has no words."""
    found: dict[Tree, Tree] = {}
    for name, trees in rules.items():
        if not name.startswith(NEGATED):
            continue
        if not trees:
            return None
        for tree in trees:
            if tree[3:] == (("name", "Call"),) or of_class in tree[3:]:
                part = negated(tree[2])
                found.setdefault(canonical(part), part)
    return tuple(found.values())
