"""The record types of a policy file: frozen dataclasses with fields only."""

from __future__ import annotations

import ast

from workbench.model import ArgumentType, Kind, RecordType
from workbench.policy.checker.bodies import without_docstring
from workbench.policy.checker.constants import annotation, name_is_free, need_import
from workbench.policy.checker.scope import File

_DECORATOR = "@dataclass(frozen=True)"
_FIELD = "Write `name: type`, without a value."
TAKEN = "none"
"""The name that a field cannot have: in a file of cases ``{ none = true }`` means None."""


def read_record(node: ast.ClassDef, file: File) -> None:
    """Read one record type at the top of the file."""
    if not name_is_free(node, node.name, file) or not _is_plain(node, file):
        return
    fields: list[tuple[str, ArgumentType]] = []
    sound = True
    for statement in without_docstring(node.body):
        name_and_type = _field(statement, {name for name, _ in fields}, file)
        if name_and_type is None:
            sound = False
        else:
            fields.append(name_and_type)
    if not fields and sound:
        file.say(node, f"The record `{node.name}` has no fields.", _FIELD)
    elif sound:
        file.records[node.name] = RecordType(node.name, tuple(fields))


def _is_plain(node: ast.ClassDef, file: File) -> bool:
    decorator = node.decorator_list[0] if len(node.decorator_list) == 1 else None
    if decorator is None or ast.unparse(decorator) != _DECORATOR[1:]:
        file.say(node, f"The class `{node.name}` is not a record.", f"Write `{_DECORATOR}` above it.")
        return False
    need_import(decorator, "dataclass", file)
    if node.bases or node.keywords or node.type_params:
        file.say(node, f"The record `{node.name}` is on another class.", f"Write `class {node.name}:`.")
        return False
    return True


def _field(node: ast.stmt, taken_names: set[str], file: File) -> tuple[str, ArgumentType] | None:
    target = node.target if isinstance(node, ast.AnnAssign) else None
    if not isinstance(node, ast.AnnAssign) or not isinstance(target, ast.Name) or not node.simple:
        file.say(node, "A record holds only fields.", _FIELD)
        return None
    name = target.id
    if node.value is not None:
        file.say(node, f"The field `{name}` has a value.", _FIELD)
    elif name.startswith("_") or name == TAKEN:
        file.say(node, f"A field cannot be called `{name}`.", "Begin names with a letter; `none` is taken.")
    elif name in taken_names:
        file.say(node, f"The field `{name}` appears twice.", "Rename one.")
    else:
        return _typed(node, name, file)
    return None


def _typed(node: ast.AnnAssign, name: str, file: File) -> tuple[str, ArgumentType] | None:
    kind = annotation(node.annotation, file)
    if kind is not None and kind.kind is Kind.RECORD:
        message = f"The field `{name}` is a record, which a record cannot hold."
        file.say(node, message, "Make it an argument of its own, or a list of records.")
        return None
    return None if kind is None else (name, kind)
