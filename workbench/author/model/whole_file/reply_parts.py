"""The parts of a policy of calls as a model writes it, and the file made of a policy and a contract.

Code writes the imports, and the words of the request that a rule or clause cites. The text of a model is
parsed, never run.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from workbench.author.model.whole_file.blocks import NotUsable
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.file_imports import with_imports
from workbench.policy.checker.syntax_tree import read, split_requirements
from workbench.policy.file_parts import CONTRACT, FilePart, PartKind, file_parts
from workbench.policy.problems import PolicyError
from workbench.policy.render import format_policy
from workbench.policy.rule_names import RULES

DEFAULT = "DEFAULT"


@dataclass(frozen=True, slots=True)
class Definition:
    """A constant or function of the file: its name, and its text with the comments above it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplyParts:
    """A policy of calls in parts; ``default`` is the statement of what is decided where no rule speaks."""

    title: str = ""
    default: str = ""
    constants: tuple[Definition, ...] = ()
    facts: tuple[Definition, ...] = ()
    rules: tuple[Definition, ...] = ()
    contracts: tuple[Definition, ...] = ()

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """All constants and functions."""
        return (*self.constants, *self.facts, *self.rules, *self.contracts)

    @property
    def demanded(self) -> frozenset[str]:
        """The requirements that the contract's comments name, in the dialect or not."""
        lines = (line.strip() for one in self.contracts for line in one.text.split("\n"))
        comments = (line.removeprefix("#") for line in lines if line.startswith("#"))
        return frozenset(label for text in comments for label in split_requirements(_labelled(text))[0])


NO_CONTRACT = ReplyParts()
"""A contract without clauses."""
DENY_ALL = ReplyParts(
    "Everything is denied.",
    f'{DEFAULT} = "allow"',
    rules=(
        Definition(
            "forbid_everything",
            'def forbid_everything(call: Call) -> bool:\n    """No draft could be used."""\n    return True',
        ),
    ),
)
"""The policy that is used if no reply can be: it denies everything."""


def read_parts(text: str, cited: Mapping[str, str]) -> ReplyParts:
    """The parts of a file that a model wrote; raises NotUsable if they cannot be told apart.

    ``cited`` has the words of each requirement, which are written where a rule or clause names it.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise NotUsable(f"The file is no Python{line}: {str(error)[:200]}.") from None
    except (RecursionError, MemoryError):
        raise NotUsable("The file is nested too deeply; write it more simply.") from None
    try:
        parts = file_parts(text)
        title = ast.get_docstring(tree) or ""
        documented = ast.get_docstring(tree, clean=False) is not None
        named = [part for part in (parts[1:] if documented else parts) if _is_named(part)]
        functions = [_with_words(part, cited) for part in named if part.kind is PartKind.FUNCTION]
    except PolicyError as error:  # characters that no policy may have, although Python accepts them
        raise NotUsable(f"The file cannot be read: {error}") from None
    others = [part for part in named if part.kind is not PartKind.FUNCTION]
    default = next((part.text for part in reversed(others) if part.name == DEFAULT), "")
    return ReplyParts(
        " ".join(title.split())[:200],
        default,
        tuple(Definition(part.name, part.text) for part in others if part.name != DEFAULT),
        tuple(one for one in functions if not one.name.startswith((*RULES, CONTRACT))),
        tuple(one for one in functions if one.name.startswith(RULES)),
        tuple(one for one in functions if one.name.startswith(CONTRACT)),
    )


def _is_named(part: FilePart) -> bool:
    """Whether a statement defines a name without importing it; raises NotUsable for any other statement."""
    if part.kind in (PartKind.EXPRESSION, PartKind.OTHER):
        raise NotUsable(
            f"Line {part.line} is neither a constant nor a function: {ast.unparse(part.node)[:120]!r}. "
            "A policy file has only constants and functions; its classes are those of agent.pyi."
        )
    return part.kind is not PartKind.IMPORT


# --- the words that rules and clauses cite ----------------------------------------


def _with_words(part: FilePart, cited: Mapping[str, str]) -> Definition:
    """A function whose citations have the words of the request. Raises NotUsable for an unknown label."""
    assert isinstance(part.node, ast.FunctionDef)
    if part.name.startswith(CONTRACT):
        return Definition(part.name, _commented(part.text, cited))
    if not part.name.startswith(RULES):
        return Definition(part.name, part.text)
    first = part.node.body[0]
    stated = ast.get_docstring(part.node)
    labels, _ = split_requirements(_labelled(stated or ""))
    if stated is None or not labels:
        raise NotUsable(f"The docstring of {part.name} begins with no id of a requirement, such as R3:.")
    lines = part.text.split("\n")
    start, end = first.lineno - part.first, (first.end_lineno or first.lineno) - part.first
    lines[start : end + 1] = [f'    """{citation(labels, cited)}"""']
    return Definition(part.name, "\n".join(lines))


def _labelled(text: str) -> str:
    """A docstring or comment that is nothing but labels, with the colon after them."""
    text = " ".join(text.split())
    return text if ":" in text else f"{text}:"


def _commented(text: str, cited: Mapping[str, str]) -> str:
    """The function with the words of the request in the comments that name a requirement."""
    alone = read(text).alone
    lines: list[str] = []
    follows = False
    for number, line in enumerate(text.split("\n"), 1):
        comment = line.strip().removeprefix("#").strip()
        labels, _ = split_requirements(_labelled(comment)) if number in alone else ((), "")
        if labels:
            lines.append(f"{line[: len(line) - len(line.lstrip())]}# {citation(labels, cited)}")
        elif number not in alone or not follows:
            lines.append(line)
        follows = number in alone and (bool(labels) or follows)
    return "\n".join(lines)


def citation(labels: Iterable[str], cited: Mapping[str, str]) -> str:
    """The labels with the words that they stand for. Raises NotUsable for a label that nothing has."""
    names = tuple(dict.fromkeys(labels))
    if unknown := [name for name in names if name not in cited]:
        listed = ", ".join(cited)
        raise NotUsable(f"There is no requirement {unknown[0][:20]}; there are {listed[:300]}.")
    words = " ".join(dict.fromkeys(cited[name] for name in names))
    return f"{', '.join(names)}: {words}"


def plain_words(text: str) -> str:
    """Words on one line that may stand in a docstring."""
    return " ".join(text.replace("\\", "/").replace('"', "'").split()) or "-"


# --- the file ---------------------------------------------------------------------


def written(policy: ReplyParts, contract: ReplyParts, types: AgentTypes) -> str:
    """The file of a policy with a separately written contract, formatted but not checked.

    Equal definitions are shared. If both define the same name differently, it is renamed in the contract.
    """
    stated = _told_apart(policy, contract)
    title = plain_words(policy.title) if policy.title else "What the agent may do."
    constants = [policy.default, *_texts(policy.constants, stated.constants)]
    functions = [*_texts(policy.facts, stated.facts), *_texts(policy.rules, stated.contracts)]
    body = "\n\n\n".join([part for part in ("\n".join(filter(None, constants)), *functions) if part])
    try:
        return format_policy(with_imports(f'"""{title}"""\n\n{body}\n', types))
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NotUsable(f"Policy and contract make no file together: {str(error)[:200]}.") from None


def _texts(*parts: Iterable[Definition]) -> Iterator[str]:
    yield from (definition.text for definitions in parts for definition in definitions)


def _told_apart(policy: ReplyParts, contract: ReplyParts) -> ReplyParts:
    """The constants, facts and contracts of a contract, without those that the policy has alike."""
    own = {definition.name: definition for definition in policy.definitions}
    names = _renamed(policy, contract)

    def added(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
        return tuple(
            replace(one, name=names.get(one.name, one.name), text=_with_names(one.text, names))
            for one in definitions
            if one.name in names or one.name not in own
        )

    return ReplyParts(
        constants=added(contract.constants), facts=added(contract.facts), contracts=added(contract.contracts)
    )


def _renamed(policy: ReplyParts, contract: ReplyParts) -> dict[str, str]:
    """The new names for names in the contract that mean something else in the policy."""
    own = {definition.name: definition for definition in policy.definitions}
    stated = {
        definition.name: definition
        for definition in (*contract.constants, *contract.facts, *contract.contracts)
    }
    within, within_stated = _bound(own.values()), _bound(stated.values())
    unlike = {
        name
        for name, definition in stated.items()
        if name in within or (name in own and _plain(own[name].text) != _plain(definition.text))
    }
    taken_names = own.keys() | stated.keys() | within | within_stated
    names: dict[str, str] = {}
    for name in sorted(unlike | (within_stated & own.keys() - stated.keys())):
        new = f"{name}_STATED" if name.isupper() else f"{name}_stated"
        while new in taken_names:
            new += "_STATED" if name.isupper() else "_stated"
        names[name] = new
    return names


def _bound(definitions: Iterable[Definition]) -> frozenset[str]:
    """The names of parameters, local names and elements within functions."""
    trees = [ast.parse(definition.text) for definition in definitions]
    nodes = [
        node
        for tree in trees
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
    ]
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
