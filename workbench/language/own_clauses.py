"""The clauses that the workbench writes beside the rules of sentences, and keeps in step with the rules.

A sentence is kept as a rule and as a clause. That of a prohibition says what must not be possible; that of
a permission what must be possible, without what the prohibitions of the same tools forbid. The name of its
function has the name of the rule, and a clause of another form is a person's, which stays as it is. A clause
of a person that says of a sentence what its rule says goes with the rule. A rule that is added, by whomever,
is one more exception to what must be possible.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise

from workbench.dialect.call_types import AgentTypes
from workbench.dialect.differing_part import differing_parts
from workbench.language.kept_sentence import comment_in
from workbench.language.language import Language
from workbench.language.python_text import clause_text
from workbench.language.trees import TRUE, NotInLanguage, Tree, canonical, joined, negated
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.rule_names import NEGATED, PERMIT

OF_RULE = "contract_of_"
"""How the clauses of rules are named, before the name of the rule."""
OTHERWISE = "contract_otherwise_"
"""How the clauses of tools are named of which only prohibitions speak, before the class of their calls."""
_NAMED = (OF_RULE, OTHERWISE)
_ALLOWED: Tree = ("call", "Result")
_ROOM = 2
_EVERY: tuple[Tree, ...] = (("name", "Call"),)


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
    rules = said_rules(language, source)
    prohibited = _prohibited(rules)
    found: dict[str, OwnClause] = {}
    for name, parts in rules.items():
        clauses = [one for part in parts for one in _clauses(name, part, prohibited, language.types)]
        for number, one in enumerate(clauses, start=1):
            named = f"{OF_RULE}{name}" if number == 1 else f"{OF_RULE}{name}_{number}"
            found[named] = OwnClause(named, one.tree, one.condition, one.without, name)
    for class_name in language.types.calls:
        named = f"{OTHERWISE}{class_name}"
        tree: Tree = ("call", "permit", TRUE, ("name", class_name))
        one = next(_clauses(named, tree, prohibited, language.types), None)
        if one is not None:
            found[named] = OwnClause(named, one.tree, one.condition, one.without)
    return found


def in_step(language: Language, source: str, earlier: str, new: Collection[str] = ()) -> str:
    """The policy with the clauses that the workbench wrote as they follow from its rules.

    One that did not follow from an ``earlier`` policy and does now is added, and one that does not any more
    goes. ``new`` names rules that were said now, each of which has its clause. Only what is about the tools
    of rules that differ, and of permissions of these, is read: the clauses of others follow as they did.
    """
    old_part, part = differing_parts(earlier, source, with_permitted=True)
    before, now = own_clauses(language, old_part), own_clauses(language, part)
    lines = source.split("\n")
    cited = {node.name: _message(node) for node in _functions(part)}
    for node in reversed(_contracts(part, "contract_")):
        clause = _written(node, language)
        if clause is None:
            continue
        comment = comment_in(lines[node.lineno : node.end_lineno])
        if node.name.startswith(_NAMED):
            known = [one for one in (before.get(node.name), now.get(node.name)) if one is not None]
            if not any(_is_own(clause, one, (before, now)) for one in known):
                continue
            present = now.get(node.name)
        else:
            present = _repeated(clause, comment, before, now, cited)
            if present is None:
                continue
            present = replace(present, name=node.name)
        if present is not None and present.tree == clause:
            continue  # it stays as it stands
        text = [] if present is None else present.text(comment).rstrip().split("\n")
        lines[node.lineno - 1 : node.end_lineno] = text
    source = "\n".join(lines).rstrip() + "\n"
    functions = {node.name: node for node in _functions(source)}
    for own in now.values():
        is_new = own.name not in before or own.about in new
        if own.about and is_new and own.name not in functions:
            source = f"{source.rstrip()}\n\n\n{own.text(_message(functions[own.about]))}"
    return _closed_up(source)


def _repeated(
    clause: Tree,
    comment: str,
    before: Mapping[str, OwnClause],
    now: Mapping[str, OwnClause],
    cited: Mapping[str, str],
) -> OwnClause | None:
    """What follows from the rule of the same sentence that a person's clause has repeated.

    A clause is written anew only where its rule says something else than it did.
    """
    for name, own in now.items():
        earlier = before.get(name)
        if earlier is None or not own.about or cited.get(own.about) != comment:
            continue
        if canonical(clause) == canonical(earlier.tree) != canonical(own.tree):
            return own
    return None


def behind(language: Language, source: str) -> Iterator[tuple[OwnClause, Tree]]:
    """Yield each clause that has the name of a rule and another form than follows from it, with that form."""
    own = own_clauses(language, source)
    for node in _contracts(source):
        now, written = own.get(node.name), _written(node, language)
        if now is not None and now.about and written and not _is_own(written, now, (own,)):
            yield now, written


def following(source: str, clauses: Mapping[str, OwnClause]) -> str:
    """The policy with some clauses as they follow from its rules, by the names of their functions."""
    lines = source.split("\n")
    for node in reversed(_contracts(source)):
        if node.name in clauses:
            comment = comment_in(lines[node.lineno : node.end_lineno])
            lines[node.lineno - 1 : node.end_lineno] = clauses[node.name].text(comment).rstrip().split("\n")
    return "\n".join(lines)


def _closed_up(source: str) -> str:
    """The file without the room of what is gone: at most two empty lines between its statements."""
    lines, body = source.split("\n"), statements(source)
    for one, other in reversed([*pairwise(body)]):
        gap = lines[one.end_lineno or one.lineno : other.lineno - 1]
        if len(gap) > _ROOM and not any(line.strip() for line in gap):
            lines[one.end_lineno or one.lineno : other.lineno - 1] = [""] * _ROOM
    return "\n".join(lines)


def narrowed(language: Language, source: str, earlier: Language) -> str:
    """An edit of an earlier policy, with its own demands narrowed by the prohibitions that it adds.

    A prohibition that was changed or renamed is none that was added, and no clause follows it. Of a clause
    that is about several tools, those of which the exceptions differ get one of their own.
    """
    contracts = [node for node in reversed(_contracts(source)) if not _refuses(node)]
    if not contracts:
        return source
    before = said_rules(earlier, earlier.source)
    known = {canonical(tree) for trees in before.values() for tree in trees}
    added = [
        tree
        for name, trees in said_rules(language, source).items()
        if name.startswith(NEGATED) and name not in before
        for tree in trees
        if canonical(tree) not in known
    ]
    if not added:
        return source
    sides = (own_clauses(earlier, earlier.source), own_clauses(language, source))
    every = tuple(("name", one) for one in language.types.calls)
    lines = source.split("\n")
    for node in contracts:
        clause = _written(node, language)
        parts = None if clause is None else _parts(clause[2])
        owns = [side[node.name] for side in sides if node.name in side]
        if clause is None or parts is None or not any(_is_own(clause, own, sides) for own in owns):
            continue
        groups = _groups(parts, every if clause[3:] == _EVERY else clause[3:], added)
        if set(groups) != {parts}:
            comment = comment_in(lines[node.lineno : node.end_lineno])
            lines[node.lineno - 1 : node.end_lineno] = _demands(node.name, comment, groups)
    return "\n".join(lines).rstrip() + "\n"


def _groups(
    parts: tuple[Tree, ...], classes: tuple[Tree, ...], added: Sequence[Tree]
) -> Mapping[tuple[Tree, ...], tuple[Tree, ...]]:
    """The classes of a demand, by what it is about after the prohibitions that were added."""
    groups: dict[tuple[Tree, ...], list[Tree]] = {}
    for one in classes:
        wanted = {canonical(part): part for part in parts}
        for tree in added:
            if tree[3:] == _EVERY or one in tree[3:]:
                part = negated(tree[2])
                wanted.setdefault(canonical(part), part)
        groups.setdefault(tuple(wanted.values()), []).append(one)
    return {wanted: tuple(of_group) for wanted, of_group in groups.items()}


def _demands(name: str, comment: str, groups: Mapping[tuple[Tree, ...], tuple[Tree, ...]]) -> list[str]:
    """The lines of the clauses of one demand; none for tools of which it leaves nothing."""
    lines: list[str] = []
    left = [(wanted, classes) for wanted, classes in groups.items() if negated(TRUE) not in wanted]
    for number, (wanted, classes) in enumerate(left):
        condition = joined("and", list(wanted)) if wanted else TRUE
        body = _ALLOWED if condition == TRUE else ("call", "Implies", condition, _ALLOWED)
        named = name if number == 0 else f"{name}_for_{classes[0][1]}"
        text = clause_text(("call", "ensure", body, *classes), named, comment)
        lines += [*([""] * 2 if lines else []), *text.rstrip().split("\n")]
    return lines


def _functions(source: str) -> list[ast.FunctionDef]:
    return [node for node in statements(source) if isinstance(node, ast.FunctionDef)]


def _message(node: ast.FunctionDef) -> str:
    return (ast.get_docstring(node) or "").split("\n")[0]


def _contracts(source: str, *named: str) -> list[ast.FunctionDef]:
    """The contracts that are named as the workbench names its own, or otherwise."""
    return [node for node in _functions(source) if node.name.startswith(named or _NAMED)]


def _refuses(node: ast.FunctionDef) -> bool:
    """Whether the last clause of a function says that calls are not allowed."""
    match node.body[-1]:
        case ast.Expr(ast.Call(args=[ast.UnaryOp(ast.Not())])):
            return True
        case ast.Expr(ast.Call(args=[ast.Call(args=[_, ast.UnaryOp(ast.Not())])])):
            return True
        case _:
            return False


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


def said_rules(language: Language, source: str) -> Mapping[str, tuple[Tree, ...]]:
    """The rules of a policy, with what each says of its tools; a rule without words has nothing."""
    return _said_rules(language, source)


@lru_cache(maxsize=8)
def _said_rules(language: Language, source: str) -> Mapping[str, tuple[Tree, ...]]:
    return dict(_rules(language, source))


def _rules(language: Language, source: str) -> Iterator[tuple[str, tuple[Tree, ...]]]:
    for node in statements(source):
        if isinstance(node, ast.FunctionDef) and node.name.startswith((*NEGATED, PERMIT)):
            try:
                yield node.name, tuple(tree for tree, _ in language.trees(node))
            except NotInLanguage:
                yield node.name, ()


def _clauses(name: str, tree: Tree, prohibited: _Prohibited | None, types: AgentTypes) -> Iterator[OwnClause]:
    """Yield the clauses of what a rule says: one, or one for the tools with the same prohibitions."""
    form, condition, classes = str(tree[1]), tree[2], tree[3:]
    if form != "permit":
        refused = negated(_ALLOWED)
        body = refused if condition == TRUE else ("call", "Implies", condition, refused)
        yield OwnClause(name, ("call", "ensure", body, *classes), body, ())
        return
    every = (("name", one) for one in types.calls)
    groups: dict[tuple[Tree, ...], list[Tree]] = {}
    for one in every if classes == _EVERY else classes:
        without = _forbidden(one, prohibited)
        if without is not None:
            groups.setdefault(without, []).append(one)
    for without, of_group in groups.items():
        if {negated(TRUE), negated(condition)} & {*without}:  # nothing of it is left
            continue
        left = joined("and", [*([] if condition == TRUE else [condition]), *without])
        body = _ALLOWED if left == TRUE else ("call", "Implies", left, _ALLOWED)
        yield OwnClause(name, ("call", "ensure", body, *of_group), condition, without)


type _Prohibited = Mapping[Tree, Mapping[int, Tree]]
"""What must not hold so that prohibitions do not forbid calls, by the class and the place of each."""


def _prohibited(rules: Mapping[str, tuple[Tree, ...]]) -> _Prohibited | None:
    """What must not hold so that no prohibition forbids a call; None where one has no words."""
    prohibitions = [trees for name, trees in rules.items() if name.startswith(NEGATED)]
    if not all(prohibitions):
        return None
    found: dict[Tree, dict[int, Tree]] = {}
    for place, tree in enumerate(chain.from_iterable(prohibitions)):
        part = negated(tree[2])
        for of_class in tree[3:]:
            found.setdefault(of_class, {})[place] = part
    return found


def _forbidden(of_class: Tree, prohibited: _Prohibited | None) -> tuple[Tree, ...] | None:
    """What must not hold so that no prohibition forbids a call of a class; None where one has no words."""
    if prohibited is None:
        return None
    parts = {**prohibited.get(_EVERY[0], {}), **prohibited.get(of_class, {})}
    found: dict[Tree, Tree] = {}
    for place in sorted(parts):
        found.setdefault(canonical(parts[place]), parts[place])
    return tuple(found.values())
