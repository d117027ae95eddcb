"""Three-way merge of policy texts, definition by definition.

A definition that a person edited is never overwritten. If the draft changed it too, the person's version
stays and the conflict is reported.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.policy.checker.syntax_tree import ReadSource, read, split_requirements
from workbench.policy.file_parts import ALLOW, FilePart, PartKind, file_parts
from workbench.policy.layout import line_of
from workbench.policy.render import format_policy, import_text, imports_for
from workbench.policy.rule_names import NOTHING, decision_text


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """A part that both sides changed; each side's text, None where that side does not have it.

    ``doubtful`` is True where nothing tells whether ours is an edit or an older draft.
    """

    name: str
    ours: str | None
    theirs: str | None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text, formatted, and its conflicts, in which the text keeps our version."""

    text: str
    conflicts: tuple[MergeConflict, ...] = ()


type Parts = dict[str, str]

_IMPORTS = "the imports"
_TITLE = "the title"
_ABOVE = "the comment above"


def merge(base: str, ours: str, theirs: str, *, guessed: bool = False) -> Merged:
    """Merge policy texts: ``base`` is the common origin, ``ours`` is the person's text.

    Records, constants, rules and helpers are merged whole. In ``allow``, each argument, each clause (by its
    comment) and each rule of the decision are merged separately. A definition or argument that a function of
    the result uses stays. The result is not checked.

    With ``guessed`` the base may not be the true origin of ours. If a part of ours stays only because base
    and theirs are equal there, that is a doubtful conflict: the part may not be an edit.

    Raises ``PolicyError`` if a text does not parse.
    """
    sides = [_Side(format_policy(text)) for text in (base, ours, theirs)]
    merging = _Merging(guessed)
    definitions = merging.parts((sides[0].definitions, sides[1].definitions, sides[2].definitions))
    definitions = _with_needed(definitions, sides[1].definitions)
    allow = merging.parts((sides[0].allow, sides[1].allow, sides[2].allow), "allow: ")
    arguments = merging.parts((sides[0].arguments, sides[1].arguments, sides[2].arguments), "argument: ")
    decision = _decision(merging, *(side.decision for side in sides))
    taken = dict.fromkeys(name for call in decision for name in _argument_names(call))
    arguments |= {
        name: sides[1].arguments[name] for name in taken if name in sides[1].arguments.keys() - arguments
    }
    body = _spaced(
        _records_first({name: text for name, text in definitions.items() if name not in (_TITLE, _IMPORTS)}),
        *sides[1:],
    )
    tail = _allow_text(arguments, allow, decision)
    title = definitions.get(_TITLE, "")
    text = f"{title}\n\n{imports_for(f'{body}\n{tail}')}\n\n{body}\n\n{tail}\n"
    return Merged(format_policy(text), tuple(merging.conflicts))


def merge_calls(base: str, ours: str, theirs: str) -> Merged:
    """Merge the texts of policies of calls as ``merge`` does, function by function.

    The imports are those of both sides that the result uses. Raises ``PolicyError`` if a text does not parse.
    """
    if format_policy(ours) == format_policy(base):
        return Merged(format_policy(theirs))
    sides = [_Side(format_policy(text)) for text in (base, ours, theirs)]
    merging = _Merging(guessed=False)
    definitions = merging.parts((sides[0].definitions, sides[1].definitions, sides[2].definitions))
    definitions = _with_needed(definitions, sides[1].definitions)
    body = _spaced({name: text for name, text in definitions.items() if name != _TITLE}, *sides[1:])
    imports = _imports_used((ours, theirs), body)
    text = f"{definitions.get(_TITLE, '')}\n\n{imports}\n\n{body}\n"
    return Merged(format_policy(text), tuple(merging.conflicts))


def _imports_used(texts: Sequence[str], body: str) -> str:
    """The imports of these texts, of the names that a body uses."""
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    names_by_module: dict[str, set[str]] = {}
    for text in texts:
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                names = {alias.name for alias in node.names} & used
                names_by_module.setdefault(node.module, set()).update(names)
    lines: list[str] = []
    for module, names in names_by_module.items():
        apart = "" if module in sys.stdlib_module_names or not lines else "\n"
        lines += [f"{apart}{import_text(module, names)}"] if names else []
    return "\n".join(lines)


def _with_needed(definitions: Parts, ours: Parts) -> Parts:
    """The definitions with those of ours that a function of the result uses, in the order of ours."""
    defined = {name: text for name, text in definitions.items() if name not in (_TITLE, _IMPORTS)}
    waiting, needed = list(defined.values()), set[str]()
    while waiting:
        used = {node.id for node in ast.walk(ast.parse(waiting.pop())) if isinstance(node, ast.Name)}
        new = {name for name in used if name in ours and name not in definitions and name not in needed}
        needed |= new
        waiting += [ours[name] for name in new]
    return {name: text for name, text in ours.items() if name in needed} | definitions


def _argument_names(call: str) -> list[str]:
    """The names of the arguments that the call of a rule passes."""
    node = ast.parse(call, mode="eval").body
    return (
        [argument.id for argument in node.args if isinstance(argument, ast.Name)]
        if isinstance(node, ast.Call)
        else []
    )


def _records_first(definitions: Parts) -> Parts:
    """The definitions with the records before the first function, otherwise in their order."""
    functions = [name for name, text in definitions.items() if _is_of(text, ast.FunctionDef)]
    if not functions:
        return definitions
    before = list(definitions)[: list(definitions).index(functions[0])]
    late = [name for name in definitions if name not in before and _is_of(definitions[name], ast.ClassDef)]
    order = dict.fromkeys([*before, *late, *definitions])
    return {name: definitions[name] for name in order}


def _is_of(text: str, kind: type[ast.stmt]) -> bool:
    return any(isinstance(node, kind) for node in ast.parse(text).body)


def _spaced(definitions: Parts, ours: _Side, theirs: _Side) -> str:
    """Definitions, each after a blank line unless it directly follows the previous one in its own text."""
    lines: list[str] = []
    for name, text in definitions.items():
        side = ours if name in ours.definitions else theirs
        lines += [text] if name in side.close else ["", text]
    return "\n".join(lines)


class _Side:
    """One of the three texts, split into named parts with their comments."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self.definitions: Parts = {}
        self.arguments: Parts = {}
        self.allow: Parts = {}
        self.decision: tuple[str, ...] = ()
        self.close: set[str] = set()
        """The definitions that follow the one before without a blank line."""
        for part in file_parts(text):
            if part.decides and isinstance(part.node, ast.FunctionDef):
                self._allow(read(text), part, part.node)
            elif not isinstance(part.node, ast.ImportFrom):
                self.definitions[_key(part)] = part.text
                if self._lines[part.first - 2].strip():
                    self.close.add(_key(part))

    def _allow(self, source: ReadSource, allow: FilePart, node: ast.FunctionDef) -> None:
        above = self._lines[allow.first - 1 : allow.line - 1]
        self.arguments = {argument.arg: ast.unparse(argument) for argument in node.args.args}
        self.allow[_ABOVE] = "\n".join(above)
        for part in allow.body:
            if isinstance(part.node, ast.Return):
                self.decision = _calls(part.node.value)
                continue
            self.allow[_clause_key(source, part.node, self.allow)] = part.text


def _key(part: FilePart) -> str:
    if part.kind is PartKind.EXPRESSION:
        return _TITLE
    return ast.unparse(part.node) if part.kind in (PartKind.IMPORT, PartKind.OTHER) else part.name


def _clause_key(text: ReadSource, node: ast.stmt, taken_names: Mapping[str, str]) -> str:
    """The key of a clause: its requirement ids, else its comment, else its text."""
    comment = text.comment_above(node.lineno)
    requirements, remaining_text = split_requirements(comment)
    name = ", ".join(requirements) or remaining_text or ast.unparse(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        name = "docstring"
    number, candidate = 1, name
    while candidate in taken_names:
        number += 1
        candidate = f"{name} ({number})"
    return candidate


def _calls(node: ast.expr | None) -> tuple[str, ...]:
    """The rules that a decision names, each as its call; the whole decision if it is a constant."""
    if node is None or isinstance(node, ast.Constant):
        return (ast.unparse(node) if node is not None else "None",)
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    last = node.values[-1] if isinstance(node, ast.BoolOp) else None
    closed = (NOTHING,) if isinstance(last, ast.Constant) and last.value is False else ()
    return (*(line_of(call) for call in calls), *closed)


class _Merging:
    """Merges parts three ways and collects the conflicts."""

    def __init__(self, guessed: bool) -> None:
        self.conflicts: list[MergeConflict] = []
        self._guessed = guessed

    def parts(self, sides: tuple[Parts, Parts, Parts], label: str = "") -> Parts:
        base, ours, theirs = sides
        merged: Parts = {}
        for name in _order(list(ours), list(theirs)):
            text = self.merged_part(label + name, base.get(name), ours.get(name), theirs.get(name))
            if text is not None:
                merged[name] = text
        return merged

    def merged_part(self, name: str, base: str | None, ours: str | None, theirs: str | None) -> str | None:
        """The merged text of one part; None if the part is removed."""
        if ours == theirs or (theirs == base and not self._guessed):
            return ours
        if ours == base:
            return theirs
        self.conflicts.append(MergeConflict(name, ours, theirs, self._guessed))
        return ours


def _order(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """The order of theirs, with each part that only ours has placed after its predecessor in ours."""
    order = list(theirs)
    for index, name in enumerate(ours):
        if name not in order:
            before = [earlier_name for earlier_name in ours[:index] if earlier_name in order]
            order.insert(order.index(before[-1]) + 1 if before else 0, name)
    return order


def _decision(
    merging: _Merging, base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]
) -> tuple[str, ...]:
    """The rules that the merged decision names, with the additions and removals of both sides."""
    named = ({_rule_name(call): call for call in calls} for calls in (base, ours, theirs))
    kept = {conflict.name for conflict in merging.conflicts if conflict.theirs is None}
    sides = (next(named), next(named), next(named))
    parts = merging.parts(sides, "decision: ")
    # A rule that a person edited stays although the draft dropped it: it still decides.
    parts |= {name: call for name, call in sides[1].items() if name in kept}
    calls = [call for call in parts.values() if call.endswith(")") or call == NOTHING]
    return tuple(calls) or tuple(parts.values()) or (NOTHING,)


def _rule_name(call: str) -> str:
    return call.split("(")[0]


def _allow_text(arguments: Parts, parts: Parts, decision: tuple[str, ...]) -> str:
    above = [text for text in (parts.get(_ABOVE, ""),) if text]
    body = [text for name, text in parts.items() if name != _ABOVE]
    signature = f"def {ALLOW}({', '.join(arguments.values())}) -> bool:"
    return "\n".join([*above, signature, *body, f"    return {decision_text(decision)}"])
