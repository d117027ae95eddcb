"""The statements of a shell text: the order and the folders in which its commands run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.runs.kinds.shell.command_words import Word, check_not_reserved
from workbench.runs.kinds.shell.expansions import word_of
from workbench.runs.kinds.shell.folders import change_of_folder
from workbench.runs.kinds.shell.here_documents import here_document
from workbench.runs.kinds.shell.redirects import redirect
from workbench.runs.kinds.shell.shell_tree import NotRead, text_of, tree_of
from workbench.runs.kinds.shell.simple_commands import Folders, Simple, Started, either
from workbench.runs.kinds.shell.started_programs import start
from workbench.runs.kinds.shell.variables import assign, declare
from workbench.runs.kinds.shell.words_of_test import files_of_test

if TYPE_CHECKING:
    from tree_sitter import Node

# The folders after the success of a statement, and after its failure.
type After = tuple[Folders, Folders]

_ENDS = frozenset({";", "&", "\n"})
_DEEPEST = 8
# Inside [[ ]] these operators compute with the value of their operand, which may name commands.
_COMPUTES = re.compile(r"-(eq|ne|lt|le|gt|ge|v|R)\b")


def read_text(text: str, started: Started) -> None:
    """Read a text as bash does, and note the commands that it starts."""
    if started.depth >= _DEEPEST:
        raise NotRead("it has shells in shells too deeply")
    started.depth += 1
    _sequence(tree_of(text).children, started)
    started.depth -= 1


def run(node: Node, started: Started) -> After:
    """Note the commands that a statement starts; return the folders after it."""
    reader = _STATEMENTS.get(node.type)
    if reader is None:
        raise NotRead(f"it has a {node.type.replace('_', ' ')}, which is not followed")
    return reader(node, started)


def _sequence(nodes: Sequence[Node], started: Started) -> After:
    """Follow statements one after the other; a statement before & runs in a shell of its own."""
    after: After = (started.folders, started.folders)
    for place, node in enumerate(nodes):
        if not node.is_named:
            if node.type not in _ENDS:
                raise NotRead(f"it has {node.type} where it is not followed")
            continue
        if node.type == "comment":
            continue
        following = nodes[place + 1].type if place + 1 < len(nodes) else ""
        if following == "&":
            with started.apart():
                run(node, started)
            after = (started.folders, started.folders)
            continue
        after = run(node, started)
        started.folders = either(*after)
    return after


def _list(node: Node, started: Started) -> After:
    left, operator, right = _three(node)
    succeeded, failed = run(left, started)
    if operator == "&&":
        started.folders = succeeded
        then, broken = run(right, started)
        return then, either(failed, broken)
    if operator != "||":
        raise NotRead(f"it has {operator} where it is not followed")
    started.folders = failed
    then, broken = run(right, started)
    return either(succeeded, then), broken


def _three(node: Node) -> tuple[Node, str, Node]:
    children = [child for child in node.children if child.type not in {"comment", "\n"}]
    if len(children) != 3 or children[1].is_named:
        raise NotRead("it has a list that is not followed")
    return children[0], children[1].type, children[2]


def _pipeline(node: Node, started: Started) -> After:
    for child in node.children:
        if child.is_named:
            if child.type != "comment":
                with started.apart():
                    run(child, started)
        elif child.type not in {"|", "|&", "\n"}:
            raise NotRead(f"it has {child.type} where it is not followed")
    return started.folders, started.folders


def _group(node: Node, started: Started) -> After:
    inner = node.children[1:-1]
    if node.type == "subshell":
        with started.apart():
            _sequence(inner, started)
        return started.folders, started.folders
    if node.children[0].type != "{":
        raise NotRead("it computes in (( )), which is not followed")
    return _sequence(inner, started)


def _negated(node: Node, started: Started) -> After:
    succeeded, failed = run(node.children[1], started)
    return failed, succeeded


def _branches(node: Node, started: Started) -> After:
    """Follow if, elif, else and case: any of the parts may run."""
    before = started.folders
    reached = before
    words = _CASE_WORDS.get(node.type, 0)
    for child in node.children:
        if not child.is_named:
            continue
        if words and child.type not in {"case_item", "comment"}:
            word_of(child, started, run_inside)
        elif child.type in {"elif_clause", "else_clause", "case_item"}:
            started.folders = reached
            reached = either(reached, either(*_branches(child, started)))
        elif node.type == "case_item" and child in node.children_by_field_name("value"):
            word_of(child, started, run_inside)
        elif child.type != "comment":
            started.folders = reached
            reached = either(reached, either(*run(child, started)))
    started.folders = reached
    return reached, reached


_CASE_WORDS = {"case_statement": 1}


def _loop(node: Node, started: Started) -> After:
    before = started.folders
    for child in node.children:
        if not child.is_named or child.type == "comment":
            continue
        if child.type == "do_group":
            _sequence(child.children[1:-1], started)
        elif node.type == "for_statement":
            _loop_word(child, started)
        else:
            started.folders = either(*run(child, started))
    if started.folders != before:
        # The second round begins in another folder.
        started.hide("it changes its folder in a loop")
        started.folders = None
    return started.folders, started.folders


def _loop_word(node: Node, started: Started) -> None:
    if node.type == "variable_name":
        assign(text_of(node), started)
    else:
        word_of(node, started, run_inside)


def _redirected(node: Node, started: Started) -> After:
    body = node.child_by_field_name("body")
    following_words: list[Word] = []
    follows: list[Node] = []
    noted = len(started.files)
    for child in node.children:
        if child == body or child.type == "comment":
            continue
        if child.type == "file_redirect":
            following_words.extend(redirect(child, started, run_inside))
        elif child.type == "herestring_redirect":
            word_of(child.children[-1], started, run_inside)
        elif child.type == "heredoc_redirect":
            follows.extend(_here(child, started, following_words))
        else:
            raise NotRead(f"it has a {child.type} where it is not followed")
    if body is None:
        after = (
            _simple([], following_words, started) if following_words else (started.folders, started.folders)
        )
    elif body.type == "command":
        after = _command(body, started, following_words)
    elif following_words:
        raise NotRead("words follow a redirect of a group")
    else:
        redirected = started.files[noted:]
        after = run(body, started)
        # The parser gives a redirect of the last command to the whole list.
        started.files.extend(replace(file, folders=either(*after)) for file in redirected)
    for node_after in follows:
        started.folders = either(*after)
        after = run(node_after, started)
    return after


def _here(node: Node, started: Started, following_words: list[Word]) -> list[Node]:
    """Read a here-document; return the statements after it on its line."""
    follows: list[Node] = []
    here_document(node, started)
    for child in node.children:
        if child.type == "file_redirect":
            following_words.extend(redirect(child, started, run_inside))
        elif child.is_named and not child.type.startswith("heredoc_"):
            if child.type not in _STATEMENTS:
                raise NotRead("words follow a here-document on its line")
            follows.append(child)
        elif not child.is_named and child.type not in {"<<", "<<-", "&&", "||", "|", "|&", ";", "\n"}:
            raise NotRead(f"it has {child.type} where it is not followed")
    return follows


def _command(node: Node, started: Started, following_words: Sequence[Word] = ()) -> After:
    words: list[Word] = []
    trailing: list[Word] = []
    assigned = False
    for child in node.children:
        if child.type == "variable_assignment":
            _assignment(child, started)
            assigned = True
        elif child.type == "file_redirect":
            trailing.extend(redirect(child, started, run_inside))
        elif child.type == "herestring_redirect":
            word_of(child.children[-1], started, run_inside)
        elif child.type == "command_name":
            words.append(word_of(child.children[0], started, run_inside))
        elif child.type != "comment":
            words.append(word_of(child, started, run_inside))
    if trailing:
        # The parser assigns the words after a redirect to it, if it is before the program.
        raise NotRead("words follow a redirect before the program")
    if not words and (assigned or not following_words):
        raise NotRead("it has a command without a program")
    return _simple(words, following_words, started)


def _simple(words: Sequence[Word], following_words: Sequence[Word], started: Started) -> After:
    every = [*words, *following_words]
    first = every[0]
    if first.text is None:
        started.hide("a program is only known when it runs")
        return started.folders, started.folders
    check_not_reserved(first)
    moved = change_of_folder(first.text, every[1:], started.folders)
    before = started.folders
    start(every, started, read_text)
    if moved is not None:
        return moved[0], before
    return started.folders, started.folders


def _assignment(node: Node, started: Started) -> After:
    name, *_ = node.children
    if name.type != "variable_name":
        raise NotRead("it assigns to a part of an array")
    assign(text_of(name), started)
    for child in node.children[1:]:
        if child.type == "array":
            for element in child.children[1:-1]:
                # An element such as [x]=1 has an index, which computes.
                if text_of(element).startswith("["):
                    started.hide("an index of an array computes")
                word_of(element, started, run_inside)
        elif child.is_named:
            word_of(child, started, run_inside)
    return started.folders, started.folders


def _assignments(node: Node, started: Started) -> After:
    for child in node.children:
        _assignment(child, started)
    return started.folders, started.folders


def _declaration(node: Node, started: Started) -> After:
    words: list[Word] = []
    for child in node.children[1:]:
        if child.type == "variable_assignment":
            _assignment(child, started)
        elif child.type == "variable_name":
            assign(text_of(child), started)
        else:
            words.append(word_of(child, started, run_inside))
    keyword = node.children[0].type
    declare(keyword, words, started)
    started.start(Simple(keyword, tuple(words), started.folders))
    return started.folders, started.folders


def _test(node: Node, started: Started) -> After:
    """Follow a test: ``[ ]`` only reads its words; ``[[ ]]`` computes with some."""
    opening = node.children[0].type
    if opening not in {"[", "[["}:
        raise NotRead("it computes in (( )), which is not followed")
    if opening == "[[" and _COMPUTES.search(text_of(node)):
        started.hide("a test in [[ ]] computes")
    words = [word_of(leaf, started, run_inside) for leaf in _test_words(node)]
    files = files_of_test(words, started) if opening == "[" else []
    if any(word.text is not None and word.text in {"-v", "-R"} for word in words):
        started.hide("a test looks at the part of an array")
    if opening == "[":
        started.start(Simple("[", tuple(words), started.folders, files=tuple(files)))
    return started.folders, started.folders


def _test_words(node: Node) -> list[Node]:
    nodes: list[Node] = []
    for child in node.children:
        if child.type in {"unary_expression", "binary_expression", "parenthesized_expression"}:
            nodes.extend(_test_words(child))
        elif child.is_named:
            nodes.append(child)
    return nodes


def run_inside(nodes: Sequence[Node], started: Started) -> None:
    """Note the commands that a substitution starts, in a shell of its own."""
    with started.apart():
        for node in nodes:
            if node.type == "file_redirect":
                redirect(node, started, run_inside)
        _sequence([node for node in nodes if node.type != "file_redirect"], started)


_STATEMENTS: dict[str, Callable[[Node, Started], After]] = {
    "command": _command,
    "list": _list,
    "pipeline": _pipeline,
    "subshell": _group,
    "compound_statement": _group,
    "negated_command": _negated,
    "if_statement": _branches,
    "case_statement": _branches,
    "while_statement": _loop,
    "for_statement": _loop,
    "redirected_statement": _redirected,
    "variable_assignment": _assignment,
    "variable_assignments": _assignments,
    "declaration_command": _declaration,
    "unset_command": _declaration,
    "test_command": _test,
}
