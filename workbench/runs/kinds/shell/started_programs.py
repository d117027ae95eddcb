"""A program with its words: the programs that it starts because of them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence

from workbench.runs.kinds.shell.code_words import awk_starts_nothing, code_word, sed_starts_nothing
from workbench.runs.kinds.shell.command_words import HOME, UNKNOWN, Word, check_not_reserved
from workbench.runs.kinds.shell.named_paths import normal_path
from workbench.runs.kinds.shell.programs import (
    AWK,
    CAREFUL,
    FIND_EXECUTES,
    FIND_VALUES,
    FIND_WRITES,
    FOLDER_OPTIONS,
    GIT_LETTERS_THAT_START,
    GIT_THAT_STARTS,
    HARMLESS,
    INFORMS,
    INTERPRETER_FLAGS,
    LAUNCHERS,
    LAUNCHERS_IN_THIS_SHELL,
    LEADING_OPTIONS,
    OPAQUE,
    OTHER_SHELLS,
    SHELLS,
    STANDARD_FOLDERS,
    STARTING_OPTION,
    STARTING_OPTIONS,
    SUB_COMMANDS_THAT_START,
    SYMBOLIC_LINK_OPTIONS,
    WITHOUT_FOLDER_OPTIONS,
    Launcher,
    LeadingOptions,
    is_interpreter,
    is_known,
    means,
)
from workbench.runs.kinds.shell.shell_tree import NotRead
from workbench.runs.kinds.shell.simple_commands import Folders, Simple, Started
from workbench.runs.kinds.shell.variables import assign

type ReadText = Callable[[str, Started], None]

_SIGNS = re.compile(r"-[A-Za-z0-9]+|--[\w-]+(=.*)?", re.DOTALL)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=.*", re.ASCII | re.DOTALL)
_INPUT = re.compile(r"-|/dev/(stdin|fd/.*)|/proc/.*")


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
    _start_named(name, arguments, started, read_text)


def _start_named(name: str, arguments: tuple[Word, ...], started: Started, read_text: ReadText) -> None:
    base = posixpath.basename(name)
    if base == "eval":
        started.start(Simple(name, (), started.folders))
        _read_words(arguments, started, read_text)
    elif base in SHELLS:
        _shell(name, arguments, started, read_text)
    elif base in LAUNCHERS:
        _launch(name, LAUNCHERS[base], arguments, started, read_text)
    elif base == "find":
        _find(name, arguments, started, read_text)
    else:
        folders = _folders(base, arguments, started.folders)
        started.start(Simple(name, arguments, folders, _texts(base, arguments)))
        _check_words(base, arguments, started)
        if not (is_known(name) or base in OPAQUE or is_interpreter(base)):
            _check_wrapped(base, arguments, started)


def _folders(base: str, arguments: Sequence[Word], folders: Folders) -> Folders:
    """The folders of a program that may change its own folder by an option."""
    options = {(word.text or "").partition("=")[0] for word in arguments}
    if base in WITHOUT_FOLDER_OPTIONS or not any(
        option in FOLDER_OPTIONS or option.startswith("-C") for option in options
    ):
        return folders
    if base != "git" or folders is None or "-C" not in options or options & FOLDER_OPTIONS - {"-C"}:
        return None
    for place, word in enumerate(arguments[:-1]):
        target = arguments[place + 1].text
        if word.text == "-C":
            paths = [None if target is None else normal_path(target, folder) for folder in folders or ()]
            folders = None if None in paths else frozenset(path for path in paths if path is not None)
    return folders


def _texts(base: str, arguments: Sequence[Word]) -> frozenset[int]:
    """The places of words that name no file: code, a pattern, printed text, a message."""
    if base in {"echo", "printf", "true", "false", ":"}:
        return frozenset(range(len(arguments)))
    places: set[int] = set()
    place = code_word(base, arguments)
    if place is not None:
        places.add(place)
    if base == "git":
        places.update(
            place + 1 for place, word in enumerate(arguments[:-1]) if word.text in {"-m", "--message"}
        )
    return frozenset(places)


def _check_words(base: str, arguments: Sequence[Word], started: Started) -> None:
    """Note what the words of a program that is not a launcher may start."""
    known_words = [word.text for word in arguments if word.text is not None]
    if base in OPAQUE or base in OTHER_SHELLS or base.startswith("ld-linux"):
        if known_words != ["--version"] and not (base == "crontab" and known_words == ["-l"]):
            started.hide(f"what {base} starts is not followed")
    elif base == "read":
        _read_builtin(arguments, started)
    elif is_interpreter(base):
        _interpreter(base, arguments, started)
    else:
        _check_code(base, arguments, started)
        _check_options(base, arguments, known_words, started)


def _check_wrapped(base: str, arguments: Sequence[Word], started: Started) -> None:
    """Note that a program of which nothing is known may start one that its words name."""
    for word in arguments:
        if word.text is None and not word.pattern:
            started.hide(f"{base} is no known program, and may start what only the run tells")
        for text in () if word.text is None else (word.text, word.text.partition("=")[2]):
            named = next(iter(text.split()), "")
            if named and is_known(program_name(named, "")):
                started.hide(f"{base} is no known program, and may start {named}")


def _check_code(base: str, arguments: Sequence[Word], started: Started) -> None:
    """Note words that are code and may start a program."""
    if base in AWK and not awk_starts_nothing(arguments):
        started.hide(f"what {base} runs is not followed")
    if base == "sed" and not sed_starts_nothing(arguments):
        started.hide("what sed runs is not followed")
    links = SYMBOLIC_LINK_OPTIONS.get(base, ())
    if links and any(
        word.text is None or any(means(word.text, option) for option in links) for word in arguments
    ):
        started.hide("a symbolic link is made, through which paths lead elsewhere than they say")
    if base in {"printf", "test", "["} and any(word.text in {None, "-v", "-R"} for word in arguments[:1]):
        started.hide(f"{base} may look at the part of an array")


def _check_options(
    base: str, arguments: Sequence[Word], known_words: Sequence[str], started: Started
) -> None:
    """Note options that may start a program."""
    if base in CAREFUL and any(
        word.text is None and not (word.is_one and base == "git" and _is_message(arguments, place))
        for place, word in enumerate(arguments)
    ):
        started.hide(f"words of {base} are only known when it runs")
    starting = any(means(word, option) for word in known_words for option in STARTING_OPTIONS.get(base, ()))
    named = base not in HARMLESS and any(
        STARTING_OPTION.fullmatch(word) and not word.startswith("--no-") for word in known_words
    )
    if starting or named:
        started.hide(f"an option of {base} may start a program")
    if base == "git":
        _git(known_words, started)
    starting_words = SUB_COMMANDS_THAT_START.get(base, frozenset[str]())
    if starting_words and any(word.text is None or word.text in starting_words for word in arguments):
        started.hide(f"what {base} starts is not followed")
    if base == "make" and any("=" in word for word in known_words):
        started.hide("what make runs is not followed")


def _is_message(arguments: Sequence[Word], place: int) -> bool:
    """Whether a word is the text that git is given as a message, whatever it is."""
    return place > 0 and arguments[place - 1].text in {"-m", "--message"}


def _git(known_words: Sequence[str], started: Started) -> None:
    if any(word.startswith("ext::") for word in known_words):
        started.hide("git runs the program of an address")
    place = sub_command_place("git", known_words)
    leading, sub = known_words[:place], (known_words[place] if place is not None else "")
    short = [
        word for word in known_words[len(leading) + 1 :] if word.startswith("-") and not word.startswith("--")
    ]
    if any(word.startswith("-c") for word in leading):
        started.hide("git is given a setting, which may start a program")
    if any(word in {"-p", "--paginate"} for word in leading):
        started.hide("git starts a pager")
    letters = GIT_LETTERS_THAT_START.get(sub, "")
    if sub in GIT_THAT_STARTS or any(letter in word for letter in letters for word in short):
        started.hide(f"what git {sub} starts is not followed")


def sub_command_place(program: str, words: Sequence[str | None]) -> int | None:
    """The place of a program's sub-command: its first word after the options and their values."""
    leading = LEADING_OPTIONS.get(program, LeadingOptions())
    place = 0
    while place < len(words):
        word = words[place]
        if word is None:
            return None
        if not word.startswith("-"):
            return place
        if word in leading.valued:
            place += 2
        elif word in leading.flags or (word.startswith("--") and word.partition("=")[0] in leading.valued):
            place += 1
        else:
            return None
    return None


def _read_builtin(arguments: Sequence[Word], started: Started) -> None:
    for word in arguments:
        if word.text is None or not re.fullmatch(r"-[rs]+|[A-Za-z_]\w*", word.text, re.ASCII):
            started.hide("what read does is not followed")
        elif not word.text.startswith("-"):
            assign(word.text, started)


def _interpreter(base: str, arguments: Sequence[Word], started: Started) -> None:
    words = list(arguments)
    while words and words[0].text in INTERPRETER_FLAGS:
        words.pop(0)
    if not words or words[0].text is None or _INPUT.fullmatch(words[0].text):
        started.hide(f"the code that {base} runs is not in the text")
        return
    first = words[0].text
    module = re.fullmatch(r"(python|pypy)[0-9.]*", base) and first == "-m"
    if module and (len(words) < 2 or words[1].text is None):
        started.hide(f"the code that {base} runs is not in the text")
    elif first.startswith("-") and not module and not (len(words) == 1 and first in INFORMS):
        started.hide(f"the code that {base} is given is not followed")


def _read_words(words: Sequence[Word], started: Started, read_text: ReadText) -> None:
    """Read words as a text of the shell, like eval."""
    texts = [word.text for word in words]
    if any(text is None for text in texts):
        started.hide("a text that is run is only known when it runs")
        return
    read_text(" ".join(text for text in texts if text is not None), started)


def _shell(name: str, arguments: tuple[Word, ...], started: Started, read_text: ReadText) -> None:
    """Follow a shell: its text after -c, its script, or its input."""
    base = posixpath.basename(name)
    place, code = 0, False
    while place < len(arguments):
        text = arguments[place].text
        if text is None or text in {"--", "-"} or not text.startswith(("-", "+")):
            break
        if not re.fullmatch(r"-[celxuvhf]+|--(norc|noprofile|posix)", text):
            started.hide(f"{base} {text} is not followed")
        code = code or (not text.startswith("--") and "c" in text)
        place += 1
    if place < len(arguments) and arguments[place].text in {"--", "-"}:
        place += 1
    word = arguments[place] if place < len(arguments) else None
    started.start(
        Simple(
            name, arguments if not code else (*arguments[:place], *arguments[place + 1 :]), started.folders
        )
    )
    if word is None or word.text is None or (not code and _INPUT.fullmatch(word.text)):
        started.hide(f"what {base} runs is not in the text")
    elif code:
        if base != "bash" and "$'" in word.text:
            started.hide(f"{base} reads $' otherwise than bash")
        with started.apart():
            read_text(word.text, started)
    else:
        script = word.text if "/" in word.text else f"./{word.text}"
        _script(script, arguments[place + 1 :], started)


def _script(script: str, words: tuple[Word, ...], started: Started) -> None:
    """Note a script that a shell runs as a program like any other."""
    names = {program_name(script, folder) for folder in started.folders or {""}}
    if len(names) > 1 or (started.folders is None and not script.startswith(("/", HOME))):
        started.hide("a script is in a folder that is only known when it runs")
    started.start(Simple(sorted(names)[0], words, started.folders))


def _launch(
    name: str, launcher: Launcher, arguments: tuple[Word, ...], started: Started, read_text: ReadText
) -> None:
    base = posixpath.basename(name)
    leading = len(launcher.leading)
    if tuple(word.text for word in arguments[:leading]) != launcher.leading:
        started.start(Simple(name, arguments, started.folders))
        _check_words(base, arguments, started)
        if any(word.text is None or word.text in launcher.leading for word in arguments):
            started.hide(f"what {base} starts is not followed")
        return
    place = _options_end(base, launcher, arguments, leading, started)
    if place is None:
        started.start(Simple(name, arguments, started.folders))
        return
    place = _assignments_end(launcher, arguments, place, started) + launcher.skipped
    started.start(Simple(name, arguments[:place], started.folders))
    inner = (
        _words_from_xargs(arguments[:place], arguments[place:])
        if base == "xargs"
        else list(arguments[place:])
    )
    if inner:
        _start_inner(base, inner, started, read_text)


def _start_inner(base: str, inner: list[Word], started: Started, read_text: ReadText) -> None:
    """Start the program that a launcher starts."""
    if base == "time":
        check_not_reserved(inner[0])
    with started.apart():
        start(inner, started, read_text)
    if base in LAUNCHERS_IN_THIS_SHELL and inner[0].text in {
        "cd",
        "pushd",
        "popd",
        "command",
        "builtin",
        "eval",
    }:
        started.hide(f"{base} may change the folder")
    if base == "exec":
        started.folders = None


def _options_end(
    base: str, launcher: Launcher, arguments: Sequence[Word], place: int, started: Started
) -> int | None:
    """The place after the options; if an option is not known, None, and what it starts is hidden."""
    while place < len(arguments):
        text = arguments[place].text
        if text is None:
            break
        if text == "--":
            return place + 1
        if not text.startswith("-") or text == "-":
            if text == "-" and base == "env":
                place += 1
                continue
            break
        step = _option_step(launcher, text, base)
        if step == 0:
            if base == "command" and text in {"-v", "-V"}:
                return len(arguments)
            started.hide(f"{base} {text[:30]} is not followed")
            return None
        place += step
    return place


def _option_step(launcher: Launcher, text: str, base: str) -> int:
    """The number of words of an option with its value; 0 if the option is not known."""
    if text.startswith("--"):
        name, has_value, _ = text.partition("=")
        if has_value:
            return 1 if name in launcher.long_valued or name == "--preserve-env" else 0
        return 1 if name in launcher.long_flags else (2 if name in launcher.long_valued else 0)
    if base == "nice" and re.fullmatch(r"-\d+", text):
        return 1
    if base == "xargs" and text[1:2] in {"i", "e", "l"}:
        return 0
    for place, letter in enumerate(text[1:], 1):
        if letter in launcher.valued:
            return 1 if place + 1 < len(text) else 2
        if letter not in launcher.flags:
            return 0
    return 1


def _assignments_end(launcher: Launcher, arguments: Sequence[Word], place: int, started: Started) -> int:
    while launcher.assignments and place < len(arguments):
        match = _ASSIGNMENT.fullmatch(arguments[place].text or "")
        if match is None:
            break
        assign(match.group(1), started)
        place += 1
    return place


def _words_from_xargs(options: Sequence[Word], inner: Sequence[Word]) -> list[Word]:
    """The words of the program that xargs starts: its own, and those of the input."""
    if not inner:
        return [Word("echo"), UNKNOWN]
    replaced = ""
    for place, word in enumerate(options):
        text = word.text or ""
        if text == "-I" and place + 1 < len(options):
            replaced = options[place + 1].text or ""
        elif text.startswith("-I"):
            replaced = text[2:]
        elif text.startswith("--replace"):
            replaced = text.partition("=")[2] or "{}"
    if replaced:
        return [Word(None) if word.text is None or replaced in word.text else word for word in inner]
    return [*inner, UNKNOWN]


def _find(name: str, arguments: tuple[Word, ...], started: Started, read_text: ReadText) -> None:
    own_words: list[Word] = []
    texts: set[int] = set()
    programs: list[tuple[str, list[Word]]] = []
    place = 0
    while place < len(arguments):
        word = arguments[place]
        place += 1
        own_words.append(word)
        if word.text is None:
            started.hide("words of find are only known when it runs")
        elif word.text in FIND_EXECUTES:
            inner: list[Word] = []
            while place < len(arguments) and not (
                arguments[place].text == ";"
                or (arguments[place].text == "+" and inner and inner[-1].text is None)
            ):
                text = arguments[place].text
                inner.append(Word(None) if text is None or "{}" in text else arguments[place])
                place += 1
            place += 1
            programs.append((word.text, inner))
        elif word.text in FIND_WRITES and place < len(arguments):
            started.writes.append((arguments[place], started.folders))
        elif word.text in FIND_VALUES and place < len(arguments):
            texts.add(len(own_words))
            own_words.append(arguments[place])
            place += 1
    texts.update(place for place, word in enumerate(own_words) if (word.text or "").startswith("-"))
    started.start(Simple(name, tuple(own_words), started.folders, frozenset(texts)))
    for option, inner in programs:
        if not inner:
            raise NotRead("find starts a program that is not there")
        with started.apart():
            if option.endswith("dir"):
                started.folders = None
            start(inner, started, read_text)
