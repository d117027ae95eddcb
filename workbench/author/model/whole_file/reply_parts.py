"""The parts of a policy file as a model writes it, and the file made of a policy and a contract.

Code writes imports, enums and the classes of records from the agent spec, so that no reply can give an
argument another type. The text of a model is parsed, never run.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.model.whole_file.blocks import NotUsable
from workbench.model import AgentSpec, ArgumentType, Kind, RecordType
from workbench.policy.file_parts import ALLOW, FilePart, PartKind, file_parts
from workbench.policy.problems import PolicyError
from workbench.policy.render import format_policy, imports_for, render_type


@dataclass(frozen=True, slots=True)
class Definition:
    """A constant, helper or rule of the file: its name, its text with the comments above it."""

    name: str
    text: str
    function: bool


@dataclass(frozen=True, slots=True)
class ReplyParts:
    """A policy file in parts: docstring, definitions, and arguments, clauses and decision of ``allow``."""

    title: str
    definitions: tuple[Definition, ...]
    arguments: tuple[str, ...]
    clauses: tuple[str, ...]
    decision: str


DENY_ALL = ReplyParts("", (), (), (), "False")
"""The policy that is used if no reply can be: it denies everything."""


def read_parts(text: str, spec: AgentSpec) -> ReplyParts:
    """The parts of a file that a model wrote; raises NotUsable if they cannot be told apart."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise NotUsable(f"The file is no Python{line}: {str(error)[:200]}.") from None
    except (RecursionError, MemoryError):
        raise NotUsable("The file is nested too deeply; write it more simply.") from None
    try:
        parts = file_parts(text)
    except PolicyError as error:  # characters that no policy may have, although Python accepts them
        raise NotUsable(f"The file cannot be read: {error}") from None
    title = ast.get_docstring(tree) or ""
    documented = ast.get_docstring(tree, clean=False) is not None
    named = [part for part in (parts[1:] if documented else parts) if _is_named(part)]
    type_names = {*enum_names(spec), *(record.name for record in records_of(spec))}
    definitions = tuple(
        Definition(part.name, part.text, part.kind is PartKind.FUNCTION)
        for part in named
        if part.name not in type_names and not part.decides
    )
    allow = next((part for part in reversed(named) if part.decides), None)
    if allow is None or not isinstance(allow.node, ast.FunctionDef):
        raise NotUsable("The file has no `def allow(...) -> bool:` with the decision.")
    clauses, returned = _decision(
        text.splitlines(), allow, ast.get_docstring(allow.node, clean=False) is not None
    )
    declared_names = {argument.name for argument in spec.arguments}
    arguments = tuple(argument.arg for argument in allow.node.args.args)
    if unknown := [name for name in arguments if name not in declared_names]:
        listed = ", ".join(sorted(declared_names))
        raise NotUsable(
            f"`allow` takes {', '.join(unknown)[:200]}, which is no argument; there are {listed}."
        )
    return ReplyParts(" ".join(title.split())[:200], definitions, arguments, clauses, returned)


def _is_named(part: FilePart) -> bool:
    """Whether a statement defines a name without importing it; raises NotUsable for any other statement."""
    if part.kind in (PartKind.EXPRESSION, PartKind.OTHER):
        raise NotUsable(
            f"Line {part.line} is neither a constant nor a function: {ast.unparse(part.node)[:120]!r}. "
            "A policy file has only constants, helpers, rules and `allow`."
        )
    return part.kind is not PartKind.IMPORT


def _decision(lines: Sequence[str], allow: FilePart, documented: bool) -> tuple[tuple[str, ...], str]:
    """The clauses of ``allow``, each with the comments before it, and the decision that it returns."""
    body = allow.body[1:] if documented else allow.body
    decision = body[-1].node if body else None
    if not isinstance(decision, ast.Return) or decision.value is None:
        raise NotUsable("`allow` ends with one `return` of the decision.")
    clauses: list[str] = []
    above = allow.body[0].last if documented else allow.node.lineno
    for part in body[:-1]:
        if part.kind is not PartKind.EXPRESSION:
            raise NotUsable(f"Line {part.line}: before the `return` of `allow` only clauses stand.")
        between = (line.strip() for line in lines[above : part.line - 1])
        comments = [line for line in between if line.startswith("#")]
        clauses.append("\n".join([*comments, ast.unparse(part.node)]))
        above = part.last
    return tuple(clauses), ast.unparse(decision.value)


# --- the file ---------------------------------------------------------------------


def written(policy: ReplyParts, contract: ReplyParts, spec: AgentSpec) -> str:
    """The file of a policy with a separately written contract, formatted but not checked.

    Equal definitions are shared. If both define the same name differently, it is renamed in the contract.
    """
    policy_definition_by_name = {definition.name: definition for definition in policy.definitions}
    names = _renamed(policy, contract)
    added = [
        replace(
            definition,
            name=names.get(definition.name, definition.name),
            text=_with_names(definition.text, names),
        )
        for definition in contract.definitions
        if definition.name in names or definition.name not in policy_definition_by_name
    ]
    clauses = [_with_names(clause, names) for clause in contract.clauses]
    definitions = [*policy.definitions, *added]
    argument_names = {*policy.arguments, *contract.arguments}
    arguments = [argument for argument in spec.arguments if argument.name in argument_names]
    enums = enum_names(spec)
    header = ", ".join(f"{argument.name}: {render_type(argument.type, enums)}" for argument in arguments)
    contract_lines = [f"    {line}" for clause in clauses for line in clause.split("\n")]
    decision = "\n".join(
        [f"def {ALLOW}({header}) -> bool:", *contract_lines, f"    return {policy.decision}"]
    )
    functions = [definition.text for definition in definitions if definition.function]
    constants = [definition.text for definition in definitions if not definition.function]
    code_text = "\n\n".join([*constants, *functions, decision])
    body = f"{types_text(spec, code_text)}\n\n{code_text}"
    title = policy.title.replace("\\", " ").replace('"', "'") or "What the agent may do."
    try:
        return format_policy(f'"""{title}"""\n\n{imports_for(body)}\n\n{body}\n')
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NotUsable(f"Policy and contract make no file together: {str(error)[:200]}.") from None


def _renamed(policy: ReplyParts, contract: ReplyParts) -> dict[str, str]:
    """The new names for names in the contract that mean something else in the policy."""
    policy_definition_by_name = {definition.name: definition for definition in policy.definitions}
    stated = {definition.name: definition for definition in contract.definitions}
    within = _bound(definition.text for definition in policy.definitions if definition.function)
    within_stated = _bound(
        [*(definition.text for definition in contract.definitions if definition.function), *contract.clauses]
    )
    unlike = {
        name
        for name, definition in stated.items()
        if name in within
        or (
            name in policy_definition_by_name
            and _plain(policy_definition_by_name[name].text) != _plain(definition.text)
        )
    }
    taken_names = policy_definition_by_name.keys() | stated.keys() | within | within_stated
    names: dict[str, str] = {}
    for name in sorted(unlike | (within_stated & policy_definition_by_name.keys() - stated.keys())):
        new = f"{name}_STATED" if name.isupper() else f"{name}_stated"
        while new in taken_names:
            new += "_STATED" if name.isupper() else "_stated"
        names[name] = new
    return names


def _bound(texts: Iterable[str]) -> frozenset[str]:
    """The names of parameters, local names and elements within functions and clauses."""
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    return frozenset(
        node.arg if isinstance(node, ast.arg) else node.id
        for node in nodes
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    )


def _plain(text: str) -> str:
    return ast.dump(ast.parse(text))


def _with_names(text: str, names: Mapping[str, str]) -> str:
    """The text with names replaced, except in attributes and strings."""
    if not names:
        return text
    lines = text.split("\n")
    before = ""
    places: list[tuple[int, int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and token.string in names and before != ".":
            places.append((token.start[0] - 1, token.start[1], token.string))
        before = token.string
    for row, column, name in reversed(places):
        line = lines[row]
        lines[row] = f"{line[:column]}{names[name]}{line[column + len(name) :]}"
    return "\n".join(lines)


# --- types ------------------------------------------------------------------------


def enum_names(spec: AgentSpec) -> dict[str, tuple[str, ...]]:
    """The values of each enum among the arguments, by its type name: the camel case of its first argument."""
    named: dict[str, tuple[str, ...]] = {}
    record_names = {record.name for record in records_of(spec)}
    for argument in spec.arguments:
        if argument.type.kind is Kind.ENUM and argument.type.values not in named.values():
            name = "".join(part[:1].upper() + part[1:] for part in argument.name.split("_"))
            while name in record_names or name in named:
                name += "Value"
            named[name] = argument.type.values
    return named


def records_of(spec: AgentSpec) -> tuple[RecordType, ...]:
    """The record types of the arguments; a record's inner records come before it."""
    record_by_name: dict[str, RecordType] = {}
    for argument in spec.arguments:
        for record in _within(argument.type):
            record_by_name.setdefault(record.name, record)
    return tuple(record_by_name.values())


def _within(type_: ArgumentType) -> Iterator[RecordType]:
    for part in (type_.element, *(kind for _, kind in (type_.record.fields if type_.record else ()))):
        if part is not None:
            yield from _within(part)
    if type_.record is not None:
        yield type_.record


def types_text(spec: AgentSpec, text: str | None = None) -> str:
    """The enums and classes of records; with ``text``, only the types and fields that the text names."""
    named, read = (None, None) if text is None else _names(text)
    enums = enum_names(spec)
    classes: list[str] = []
    for record in reversed(records_of(spec)):
        if named is not None and record.name not in named:
            continue
        fields = [
            f"    {name}: {render_type(kind, enums)}"
            for name, kind in record.fields
            if read is None or name in read
        ] or [f"    {name}: {render_type(kind, enums)}" for name, kind in record.fields[:1]]
        classes.append("\n".join(["@dataclass(frozen=True)", f"class {record.name}:", *fields]))
        if named is not None:  # the type of a field may be another record
            named |= {word for line in fields for word in _words(line.split(":", 1)[1])}
    mentioning_text = " ".join([text or "", *classes])
    lines = [
        f"{name} = Literal[{', '.join(map(repr, values))}]"
        for name, values in enums.items()
        if named is None or name in _words(mentioning_text)
    ]
    return "\n\n".join(["\n".join(lines), *reversed(classes)]).strip()


def _names(text: str) -> tuple[set[str], set[str]]:
    """The names in a text, and the names of the fields that it reads."""
    nodes = list(ast.walk(ast.parse(text)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names, {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _words(text: str) -> Collection[str]:
    return set("".join(letter if letter.isalnum() or letter == "_" else " " for letter in text).split())


def signature(spec: AgentSpec) -> str:
    """Every argument with its type, one per line, as the parameter of a rule."""
    enums = enum_names(spec)
    return "\n".join(
        f"{argument.name}: {render_type(argument.type, enums)}"
        + (f"  # {argument.description}" if argument.description else "")
        for argument in spec.arguments
    )


def own_parts(text: str) -> str:
    """The records and arguments of an agent file's text, without its tools, which the prompt already has."""
    lines = text.split("\n")
    own_lines: list[str] = []
    is_own_part = False
    for line in lines:
        if line.startswith("["):
            is_own_part = line.startswith(("[records", "[arguments"))
        if is_own_part:
            own_lines.append(line)
    return "\n".join(own_lines).strip()
