"""The statements of a shell text: the order and the folders in which its commands run.

Changes of the folder in which relative paths are resolved.

Redirects: the files that are read and written.

A program with its words: the programs that it starts because of them.

The words of ``test`` and ``[``, some of which make it look at the part of an array, which computes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING

from workbench.runs.kinds.shell.command_words import (
    UNKNOWN,
    Word,
    ansi_quoted,
    check_not_reserved,
    double_quoted,
    joined,
    single_quoted,
    unquoted,
)
from workbench.runs.kinds.shell.here_documents import here_document, text_of_cat
from workbench.runs.kinds.shell.named_paths import normal_path
from workbench.runs.kinds.shell.program_tables import (
    IN_THIS_SHELL,
    SHELLS,
    STANDARD_FOLDERS,
    TABLES,
    ProgramTable,
)
from workbench.runs.kinds.shell.program_words import Meaning, ProgramWords
from workbench.runs.kinds.shell.shell_tree import NotRead, text_of, tree_of
from workbench.runs.kinds.shell.simple_commands import Folders, NamedFile, Simple, Started, either
from workbench.runs.kinds.shell.ways import FILES, HOME, Open, Way

if TYPE_CHECKING:
    from tree_sitter import Node


_ARITHMETIC = re.compile(r"\$\(\([\d\s+\-*/%()<>=&|!~^?:,]*\)\)")
_NAMED = re.compile(r"\$(\w+|[@*#?$!0-9_-])")
# The value of a variable, its default, its length, or its value without a beginning or an end.
_PLAIN_EXPANSION = re.compile(r"\$\{(\w+|[@*#?$!]|#\w+)(\}|(:?[-+]|##?|%%?))", re.ASCII)
_LITERAL = {"raw_string": single_quoted, "ansi_c_string": ansi_quoted}


def _word_of(node: Node, started: Started) -> Word:
    """The word of a node."""
    kind = node.type
    if kind in {"word", "number", "test_operator", "variable_name"}:
        return unquoted(text_of(node))
    if kind in _LITERAL:
        return _LITERAL[kind](text_of(node))
    if kind == "string":
        return _string(node, started)
    if kind == "concatenation":
        return _concatenation(node, started)
    if kind in {"extglob_pattern", "regex"}:
        if re.search(r"[$`<>()]", text_of(node).replace("\\$", "")):
            started.hide("a pattern computes")
        return replace(UNKNOWN, is_pattern=True)
    _expand(node, started)
    return UNKNOWN


def _string(node: Node, started: Started) -> Word:
    inner = [child for child in node.children if child.is_named and child.type != "string_content"]
    if not inner:
        return double_quoted(text_of(node))
    parts: list[Word] = []
    for child in node.children:
        if child.type == "string_content":
            parts.append(double_quoted(f'"{text_of(child)}"'))
        elif child.is_named:
            _expand(child, started)
            text = text_of_cat(child, started) if child.type == "command_substitution" else None
            parts.append(Word(text))
    # "$@" may be no word or several.
    several = re.search(r"\$[{]?!?[@*\w]*[@*]", text_of(node))
    whole = joined(parts) if _is_covered(node) else Word(None)
    return whole if whole.text is not None else Word(None, is_one=not several)


def _is_covered(node: Node) -> bool:
    """Whether the children of a string follow each other without a gap, which would be text too."""
    children = node.children
    return all(one.end_byte == other.start_byte for one, other in pairwise(children))


def _concatenation(node: Node, started: Started) -> Word:
    raw = text_of(node)
    parts = [_word_of(child, started) for child in node.children]
    words = [text_of(child) for child in node.children if child.type in {"word", "number"}]
    unquoted_text = "".join(words)
    if "{" in unquoted_text and ("," in raw or ".." in raw):
        return UNKNOWN
    if "[" in unquoted_text or "(" in unquoted_text:
        return replace(UNKNOWN, is_pattern=True)
    # A quoted name of a user is plain text, and only the beginning of a word is a folder.
    tilde = raw.startswith("~")
    if (tilde and "/" not in words[0]) or any("~" in word for word in words[tilde:]):
        return Word(None)
    return joined(parts)


def _expand(node: Node, started: Started) -> None:
    """Note the commands that an expansion or a substitution starts."""
    kind, text = node.type, text_of(node)
    if kind in {"command_substitution", "process_substitution"}:
        if text.startswith("`") and "\\" in text:
            raise NotRead("it has a backslash between backquotes")
        _run_inside(node.children[1:-1], started)
    elif kind == "expansion":
        _expand_braces(node, started)
    elif kind == "arithmetic_expansion":
        if not _ARITHMETIC.fullmatch(text):
            started.hide("it computes with values that may name commands")
    elif kind != "simple_expansion":
        raise NotRead(f"it has a {kind.replace('_', ' ')} where it is not followed")
    elif not _NAMED.fullmatch(text.strip()):
        raise NotRead("it has a $ that is not followed")
    else:
        _use(node, started)


def _use(node: Node, started: Started) -> None:
    """Note the variables of an expansion; a sign or a number is none of the environment."""
    for child in node.children:
        if child.type == "variable_name" and not text_of(child).isdigit():
            started.use(text_of(child))


def _expand_braces(node: Node, started: Started) -> None:
    """Note the commands in a variable's expansion and in its replacement."""
    text = text_of(node)
    if not _PLAIN_EXPANSION.match(text):
        started.hide(f"what {text[:30]} gives is not followed")
    _use(node, started)
    for child in node.children:
        if child.is_named and child.type not in {"variable_name", "special_variable_name"}:
            _word_of(child, started)


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


def _run(node: Node, started: Started) -> After:
    """Note the commands that a statement starts; return the folders after it."""
    reader = _STATEMENTS.get(node.type)
    if reader is None:
        raise NotRead(f"it has a {node.type.replace('_', ' ')}, which is not followed")
    known = started.known
    after = reader(node, started)
    if node.type not in _GIVING and not _reads_a_line(node):
        started.known = known
    return after


_GIVING = frozenset({"variable_assignment", "variable_assignments"})
"""The statements after which variables have a value, whatever else happens."""


def _reads_a_line(node: Node) -> bool:
    return node.type == "command" and text_of(node).split()[:1] == ["read"]


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
                _run(node, started)
            after = (started.folders, started.folders)
            continue
        after = _run(node, started)
        started.folders = either(*after)
    return after


def _list(node: Node, started: Started) -> After:
    left, operator, right = _three(node)
    succeeded, failed = _run(left, started)
    if operator == "&&":
        started.folders = succeeded
        then, broken = _run(right, started)
        return then, either(failed, broken)
    if operator != "||":
        raise NotRead(f"it has {operator} where it is not followed")
    started.folders = failed
    then, broken = _run(right, started)
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
                    _run(child, started)
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
    succeeded, failed = _run(node.children[1], started)
    return failed, succeeded


def _branches(node: Node, started: Started) -> After:
    """Follow if, elif, else and case: any of the parts may run."""
    before, known = started.folders, started.known
    reached = before
    for child in node.children:
        if not child.is_named:
            continue
        if child.type in {"elif_clause", "else_clause", "case_item"}:
            started.known = known
        if node.type == "case_statement" and child.type not in {"case_item", "comment"}:
            _word_of(child, started)
        elif child.type in {"elif_clause", "else_clause", "case_item"}:
            started.folders = reached
            reached = either(reached, either(*_branches(child, started)))
        elif node.type == "case_item" and child in node.children_by_field_name("value"):
            _word_of(child, started)
        elif child.type != "comment":
            started.folders = reached
            reached = either(reached, either(*_run(child, started)))
    started.folders = reached
    return reached, reached


def _loop(node: Node, started: Started) -> After:
    before = started.folders
    for child in node.children:
        if not child.is_named or child.type == "comment":
            continue
        if child.type == "do_group":
            if node.type == "for_statement":
                started.known |= {text_of(one) for one in node.children if one.type == "variable_name"}
            _sequence(child.children[1:-1], started)
        elif node.type == "for_statement":
            _loop_word(child, started)
        else:
            started.folders = either(*_run(child, started))
    if started.folders != before:
        # The second round begins in another folder.
        started.hide("it changes its folder in a loop")
        started.folders = None
    return started.folders, started.folders


def _loop_word(node: Node, started: Started) -> None:
    if node.type == "variable_name":
        started.assign(text_of(node))
    else:
        _word_of(node, started)


def _redirected(node: Node, started: Started) -> After:
    body = node.child_by_field_name("body")
    following_words: list[Word] = []
    follows: list[Node] = []
    noted = len(started.files)
    for child in node.children:
        if child == body or child.type == "comment":
            continue
        if child.type == "file_redirect":
            following_words.extend(_redirect(child, started))
        elif child.type == "herestring_redirect":
            _word_of(child.children[-1], started)
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
        after = _run(body, started)
        # The parser gives a redirect of the last command to the whole list.
        started.files.extend(replace(file, folders=either(*after)) for file in redirected)
    for node_after in follows:
        started.folders = either(*after)
        after = _run(node_after, started)
    return after


def _here(node: Node, started: Started, following_words: list[Word]) -> list[Node]:
    """Read a here-document; return the statements after it on its line."""
    follows: list[Node] = []
    here_document(node, started)
    for child in node.children:
        if child.type == "file_redirect":
            following_words.extend(_redirect(child, started))
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
            trailing.extend(_redirect(child, started))
        elif child.type == "herestring_redirect":
            _word_of(child.children[-1], started)
        elif child.type == "command_name":
            words.append(_word_of(child.children[0], started))
        elif child.type != "comment":
            words.append(_word_of(child, started))
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
    moved = _change_of_folder(first.text, every[1:], started.folders)
    before = started.folders
    _start(every, started)
    if moved is not None:
        return moved[0], before
    return started.folders, started.folders


def _assignment(node: Node, started: Started) -> After:
    name, *_ = node.children
    if name.type != "variable_name":
        raise NotRead("it assigns to a part of an array")
    started.assign(text_of(name))
    for child in node.children[1:]:
        if child.type == "array":
            for element in child.children[1:-1]:
                # An element such as [x]=1 has an index, which computes.
                if text_of(element).startswith("["):
                    started.hide("an index of an array computes")
                _word_of(element, started)
        elif child.is_named:
            _word_of(child, started)
    if "+=" not in {child.type for child in node.children}:
        started.known |= {text_of(name)}
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
            started.assign(text_of(child))
            started.use(text_of(child))
        else:
            words.append(_word_of(child, started))
    if len(words) == len(node.children) - 1 and node.children[0].type != "unset":
        started.use("*")  # without a name it shows all
    keyword = node.children[0].type
    _declare(keyword, words, started)
    started.start(Simple(keyword, tuple(words), started.folders))
    return started.folders, started.folders


_VARIABLE = re.compile(r"([A-Za-z_]\w*)(\+?=.*)?", re.ASCII | re.DOTALL)
_DECLARING = frozenset({"-x", "-r", "-g", "-gx", "-rx", "-xr", "-n", "-p", "--"})


def _declare(keyword: str, words: Sequence[Word], started: Started) -> None:
    """Note the words of export, declare, local, readonly or unset that are not plain assignments."""
    for word in words:
        if word.text is None:
            started.hide(f"{keyword} has a word that is only known when it runs")
        elif word.text.startswith(("-", "+")):
            # -n unexports with export, and makes a reference with declare.
            if word.text not in _DECLARING or (word.text == "-n" and keyword != "export"):
                started.hide(f"{keyword} {word.text} is not followed")
        elif (match := _VARIABLE.fullmatch(word.text)) is not None:
            started.assign(match.group(1))
        else:
            raise NotRead(f"{keyword} has a word that is no variable")


def _test(node: Node, started: Started) -> After:
    """Follow a test: ``[ ]`` only reads its words; ``[[ ]]`` computes with some."""
    opening = node.children[0].type
    if opening not in {"[", "[["}:
        raise NotRead("it computes in (( )), which is not followed")
    if opening == "[[" and _COMPUTES.search(text_of(node)):
        started.hide("a test in [[ ]] computes")
    words = [_word_of(leaf, started) for leaf in _test_words(node)]
    files = _files_of_test(words, started) if opening == "[" else []
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


def _run_inside(nodes: Sequence[Node], started: Started) -> None:
    """Note the commands that a substitution starts, in a shell of its own."""
    with started.apart():
        for node in nodes:
            if node.type == "file_redirect":
                _redirect(node, started)
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


_OPTIONS = frozenset({"-L", "-P", "-e", "-@", "-LP", "-PL", "--"})


def _change_of_folder(program: str, words: Sequence[Word], folders: Folders) -> tuple[Folders] | None:
    """The folders after a successful cd, pushd or popd; None for any other program."""
    if program in {"popd", "dirs"}:
        return (None,)
    if program not in {"cd", "pushd"}:
        return None
    remaining_words = list(words)
    while remaining_words and remaining_words[0].text in _OPTIONS:
        remaining_words.pop(0)
    if not remaining_words:
        return (frozenset({HOME}),) if program == "cd" else (None,)
    target = remaining_words[0].text
    if len(remaining_words) > 1 or target is None or folders is None or target.startswith(("-", "+")):
        return (None,)
    if not target:
        return (folders,)
    paths = [normal_path(target, folder) for folder in folders]
    if any(path is None for path in paths):
        return (None,)
    return (frozenset(path for path in paths if path is not None),)


_READS = frozenset({"<"})
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>"})
_DUPLICATES = frozenset({">&", "<&"})
_CLOSES = frozenset({">&-", "<&-"})


def _redirect(node: Node, started: Started) -> list[Word]:
    """Note the file of a redirect; return the words after it, which belong to its command."""
    operator = next((child.type for child in node.children if not child.is_named), "")
    words = [
        _word_of(child, started)
        for child in node.children
        if child.is_named and child.type != "file_descriptor"
    ]
    if operator in _CLOSES:
        return words
    if not words:
        raise NotRead("it has a redirect without a file")
    target = words[0]
    if not target.is_one:
        started.hide("the file of a redirect is only known when it runs", *FILES)
    if operator in _DUPLICATES:
        if target.text is None or not re.fullmatch(r"\d+-?|-", target.text):
            started.files.append(NamedFile(target, started.folders, Way.WRITE))
    elif operator in _READS or operator in _WRITES:
        way = Way.READ if operator in _READS else Way.WRITE
        started.files.append(NamedFile(target, started.folders, Way.NAME if _is_nothing(target) else way))
    else:
        raise NotRead(f"it has the redirect {operator}, which is not followed")
    if target.text is not None and re.match(r"/+dev/+(tcp|udp)\b", target.text):
        started.hide("a redirect opens a connection")
    return words[1:]


def _is_nothing(target: Word) -> bool:
    """Whether a redirect keeps and gives nothing: to or from the null device."""
    return target.text == "/dev/null"


_VERSION = re.compile(r"^(python|pip)([23](\.\d+)?)$")
_CHANGES_FOLDER = frozenset({"cd", "pushd", "popd", "command", "builtin", "eval"})


def _program_name(written: str, folder: str) -> str:
    """The name of a program in rules: bare in the standard folders, else its normalised path."""
    if "/" not in written:
        return written
    path = normal_path(written, folder) or written
    if "/" not in path:
        return f"./{path}"  # in a folder that is not known, so it is none of the standard ones
    name = posixpath.basename(path)
    return name if posixpath.dirname(path) in STANDARD_FOLDERS else path


def _start(words: Sequence[Word], started: Started) -> None:
    """Note a program and the programs that it starts; the first word is the program."""
    written = words[0].text
    if not written:
        started.hide("a program is only known when it runs")
        return
    arguments = tuple(words[1:])
    name = written
    if "/" in written:
        folders = started.folders or frozenset()
        names = {_program_name(written, folder) for folder in folders or {""}}
        relative = not written.startswith(("/", HOME))
        if len(names) > 1 or (relative and started.folders is None):
            started.hide("a program is in a folder that is only known when it runs")
        name = sorted(names)[0]
    table = _table_of(posixpath.basename(name))
    if table is None:
        _start_unknown(name, written, arguments, started)
    else:
        _start_known(name, table, arguments, started)


def _table_of(base: str) -> ProgramTable | None:
    """The table of a program; a version may follow the name of python and pip."""
    return TABLES.get(_VERSION.sub(r"\1", base)) if base not in TABLES else TABLES[base]


def _start_unknown(name: str, written: str, arguments: tuple[Word, ...], started: Started) -> None:
    """Note a program of which nothing is known: one of a path is code that runs, as a script is."""
    files: list[NamedFile] = []
    if "/" in name:
        files.append(NamedFile(Word(written), started.folders, Way.RUN))
    if arguments:
        started.hide(f"what {name[:40]} does with its words is in no table")
    elif not files:
        started.hide(f"what {name[:40]} does is in no table", *FILES, Open.HOSTS)
    loose = any(word.text is None and not word.pattern for word in arguments)
    started.start(Simple(name, arguments, started.folders, _signs(arguments), tuple(files), loose=loose))


def _signs(words: Sequence[Word]) -> frozenset[str]:
    """The words that begin as options do, without their values."""
    return frozenset(
        word.text.partition("=")[0]
        for word in words
        if word.text and word.text.startswith("-") and word.text != "-"
    )


def _start_known(name: str, table: ProgramTable, arguments: tuple[Word, ...], started: Started) -> None:
    meaning = ProgramWords(table, arguments, started).read()
    files = list(meaning.files)
    if table.name in ("test", "["):
        files.extend(_files_of_test(arguments, started))
    if "/" in name:
        files.append(NamedFile(Word(name), started.folders, Way.RUN))
    own = _own_words(arguments, meaning)
    options, sub = frozenset(meaning.options), meaning.sub
    if sub is not None and own[sub:][:1] != arguments[sub:][:1]:
        sub = None
    told = (options, tuple(files), sub, meaning.loose, meaning.table, meaning.goals)
    started.start(Simple(name, own, started.folders, *told))
    _start_others(table.name, arguments, meaning, started)


def _start_others(base: str, arguments: Sequence[Word], meaning: Meaning, started: Started) -> None:
    """Start the programs that a program starts because of its words."""
    for text in meaning.texts:
        _run_text(base, text, started)
    for inner in meaning.programs:
        _start_inner(base, inner, meaning, started)
    for option, inner in meaning.commands:
        if not inner:
            raise NotRead(f"{base} starts a program that is not there")
        with started.apart():
            if option.endswith("dir"):
                started.folders = None
            _start(inner, started)
    if base in SHELLS:
        _script(meaning, started)
    elif base == "xargs" and not meaning.programs:
        _start([Word("echo"), UNKNOWN], started)
    elif base == "eval":
        _eval(arguments, started)
    elif base == "exec":
        started.folders = None


def _own_words(arguments: tuple[Word, ...], meaning: Meaning) -> tuple[Word, ...]:
    """The words without those of the programs that they start."""
    last = len(arguments) - sum(len(words) for words in meaning.programs)
    texts = {id(text) for text in meaning.texts}
    return tuple(
        word
        for place, word in enumerate(arguments[:last])
        if place not in meaning.inner and id(word) not in texts
    )


def _run_text(base: str, word: Word, started: Started) -> None:
    """Read a word as a text of the shell."""
    if word.text is None:
        started.hide("a text that is run is only known when it runs")
        return
    if base in SHELLS and base != "bash" and "$'" in word.text:
        started.hide(f"{base} reads $' otherwise than bash")
    with started.apart():
        read_text(word.text, started)


def _eval(words: Sequence[Word], started: Started) -> None:
    texts = [word.text for word in words if word.text is not None]
    if len(texts) < len(words):
        started.hide("a text that is run is only known when it runs")
        return
    read_text(" ".join(texts), started)


def _script(meaning: Meaning, started: Started) -> None:
    """Note a script that a shell runs as a program like any other."""
    for file in meaning.files:
        if file.way is not Way.RUN or file.word.text is None:
            continue
        written = file.word.text
        script = written if "/" in written else f"./{written}"
        names = {_program_name(script, folder) for folder in started.folders or {""}}
        if len(names) > 1 or (started.folders is None and not script.startswith(("/", HOME))):
            started.hide("a script is in a folder that is only known when it runs")
        started.start(Simple(sorted(names)[0], (), started.folders))


def _start_inner(base: str, inner: list[Word], meaning: Meaning, started: Started) -> None:
    """Start the program that a launcher starts."""
    if base == "time":
        check_not_reserved(inner[0])
    if base == "xargs":
        inner = _words_from_input(inner, meaning.replaced)
    with started.apart():
        _start(inner, started)
    if base in IN_THIS_SHELL and inner[0].text in _CHANGES_FOLDER:
        started.hide(f"{base} may change the folder")


def _words_from_input(inner: list[Word], replaced: str) -> list[Word]:
    """The words of the program that xargs starts: its own, and those of its input."""
    if not replaced:
        return [*inner, UNKNOWN]
    return [Word(None) if word.text is None or replaced in word.text else word for word in inner]


_OF_FILES = frozenset(f"-{letter}" for letter in "abcdefghkprstuwxGLNOS")
_OF_TEXTS = frozenset({"-n", "-z"})
_BETWEEN = frozenset(
    {"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"}
)
_FILES_BETWEEN = frozenset({"-nt", "-ot", "-ef"})


def _files_of_test(words: Sequence[Word], started: Started) -> list[NamedFile]:
    """The files that a test looks at; what it leaves open is noted as hidden."""
    files: list[NamedFile] = []
    texts = [word.text for word in words]
    for place, word in enumerate(words):
        before = texts[place - 1] if place else ""
        after = texts[place + 1] if place + 1 < len(texts) else ""
        if word.text in ("-v", "-R"):
            started.hide("a test looks at the part of an array")
        beside = before in _OF_FILES | _OF_TEXTS | _BETWEEN or after in _BETWEEN
        names_no_option = word.pattern and not any(fnmatchcase(one, word.pattern) for one in ("-v", "-R"))
        if word.text is None and not (names_no_option or (word.is_one and beside)):
            started.hide("a test may look at the part of an array")
        if before in _OF_FILES or before in _FILES_BETWEEN or after in _FILES_BETWEEN:
            files.append(NamedFile(word, started.folders, Way.NAME))
    return files
