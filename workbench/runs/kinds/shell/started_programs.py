"""A program with its words: the programs that it starts because of them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence

from workbench.runs.kinds.shell.command_words import HOME, UNKNOWN, Word, check_not_reserved
from workbench.runs.kinds.shell.named_paths import normal_path
from workbench.runs.kinds.shell.program_tables import TABLES, ProgramTable
from workbench.runs.kinds.shell.program_words import Meaning, ProgramWords
from workbench.runs.kinds.shell.programs import IN_THIS_SHELL, SHELLS, STANDARD_FOLDERS
from workbench.runs.kinds.shell.shell_tree import NotRead
from workbench.runs.kinds.shell.simple_commands import NamedFile, Simple, Started
from workbench.runs.kinds.shell.ways import FILES, Open, Way
from workbench.runs.kinds.shell.words_of_test import files_of_test

type ReadText = Callable[[str, Started], None]

_VERSION = re.compile(r"^(python|pip)([23](\.\d+)?)$")
_CHANGES_FOLDER = frozenset({"cd", "pushd", "popd", "command", "builtin", "eval"})


def program_name(written: str, folder: str) -> str:
    """The name of a program in rules: bare in the standard folders, else its normalised path."""
    if "/" not in written:
        return written
    path = normal_path(written, folder) or written
    if "/" not in path:
        return f"./{path}"  # in a folder that is not known, so it is none of the standard ones
    name = posixpath.basename(path)
    return name if posixpath.dirname(path) in STANDARD_FOLDERS else path


def start(words: Sequence[Word], started: Started, read_text: ReadText) -> None:
    """Note a program and the programs that it starts; the first word is the program."""
    written = words[0].text
    if not written:
        started.hide("a program is only known when it runs")
        return
    arguments = tuple(words[1:])
    name = written
    if "/" in written:
        folders = started.folders or frozenset()
        names = {program_name(written, folder) for folder in folders or {""}}
        relative = not written.startswith(("/", HOME))
        if len(names) > 1 or (relative and started.folders is None):
            started.hide("a program is in a folder that is only known when it runs")
        name = sorted(names)[0]
    table = _table_of(posixpath.basename(name))
    if table is None:
        _start_unknown(name, written, arguments, started)
    else:
        _start_known(name, table, arguments, started, read_text)


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
    started.start(
        Simple(name, arguments, started.folders, _signs(arguments), tuple(files), loose=_is_loose(arguments))
    )


def _signs(words: Sequence[Word]) -> frozenset[str]:
    """The words that begin as options do, without their values."""
    return frozenset(
        word.text.partition("=")[0]
        for word in words
        if word.text and word.text.startswith("-") and word.text != "-"
    )


def _is_loose(words: Sequence[Word]) -> bool:
    return any(word.text is None and not word.pattern for word in words)


def _start_known(
    name: str, table: ProgramTable, arguments: tuple[Word, ...], started: Started, read_text: ReadText
) -> None:
    meaning = ProgramWords(table, arguments, started).read()
    files = list(meaning.files)
    if table.name in ("test", "["):
        files.extend(files_of_test(arguments, started))
    if "/" in name:
        files.append(NamedFile(Word(name), started.folders, Way.RUN))
    own = _own_words(arguments, meaning)
    options, sub = frozenset(meaning.options), meaning.sub
    if sub is not None and own[sub:][:1] != arguments[sub:][:1]:
        sub = None
    started.start(
        Simple(
            name,
            own,
            started.folders,
            options,
            tuple(files),
            sub,
            meaning.loose,
            meaning.table,
            meaning.goals,
        )
    )
    _start_others(table.name, arguments, meaning, started, read_text)


def _start_others(
    base: str, arguments: Sequence[Word], meaning: Meaning, started: Started, read_text: ReadText
) -> None:
    """Start the programs that a program starts because of its words."""
    for text in meaning.texts:
        _read_text(base, text, started, read_text)
    for inner in meaning.programs:
        _start_inner(base, inner, meaning, started, read_text)
    for option, inner in meaning.commands:
        if not inner:
            raise NotRead(f"{base} starts a program that is not there")
        with started.apart():
            if option.endswith("dir"):
                started.folders = None
            start(inner, started, read_text)
    if base in SHELLS:
        _script(meaning, started)
    elif base == "xargs" and not meaning.programs:
        start([Word("echo"), UNKNOWN], started, read_text)
    elif base == "eval":
        _eval(arguments, started, read_text)
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


def _read_text(base: str, word: Word, started: Started, read_text: ReadText) -> None:
    """Read a word as a text of the shell."""
    if word.text is None:
        started.hide("a text that is run is only known when it runs")
        return
    if base in SHELLS and base != "bash" and "$'" in word.text:
        started.hide(f"{base} reads $' otherwise than bash")
    with started.apart():
        read_text(word.text, started)


def _eval(words: Sequence[Word], started: Started, read_text: ReadText) -> None:
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
        names = {program_name(script, folder) for folder in started.folders or {""}}
        if len(names) > 1 or (started.folders is None and not script.startswith(("/", HOME))):
            started.hide("a script is in a folder that is only known when it runs")
        started.start(Simple(sorted(names)[0], (), started.folders))


def _start_inner(
    base: str, inner: list[Word], meaning: Meaning, started: Started, read_text: ReadText
) -> None:
    """Start the program that a launcher starts."""
    if base == "time":
        check_not_reserved(inner[0])
    if base == "xargs":
        inner = _words_from_input(inner, meaning.replaced)
    with started.apart():
        start(inner, started, read_text)
    if base in IN_THIS_SHELL and inner[0].text in _CHANGES_FOLDER:
        started.hide(f"{base} may change the folder")


def _words_from_input(inner: list[Word], replaced: str) -> list[Word]:
    """The words of the program that xargs starts: its own, and those of its input."""
    if not replaced:
        return [*inner, UNKNOWN]
    return [Word(None) if word.text is None or replaced in word.text else word for word in inner]
