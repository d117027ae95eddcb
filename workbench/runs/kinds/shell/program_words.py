"""The one interpreter of the tables of programs: what the words of a program are for it.

Words that are code for a program: the scripts of sed, awk and jq.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.runs.kinds.shell.command_words import Word
from workbench.runs.kinds.shell.git_remotes import changing, declared_hosts
from workbench.runs.kinds.shell.named_paths import (
    candidates,
    host_of_address,
    host_of_remote,
    host_of_url,
    normal_path,
)
from workbench.runs.kinds.shell.program_tables import TABLES, Flag, May, ProgramOption, ProgramTable, Role
from workbench.runs.kinds.shell.simple_commands import Folders, NamedFile, Started
from workbench.runs.kinds.shell.ways import FILES, HOME, Open, Way

_OPENS = {
    May.NAME: (Open.NAMES,),
    May.READ: (Open.READS,),
    May.WRITE: (Open.WRITES,),
    May.CONNECT: (Open.HOSTS,),
    May.LINK: FILES,
    May.START: tuple(Open),
}
_WAYS: Mapping[str, tuple[Way, ...]] = {
    "READ": (Way.READ,),
    "WRITE": (Way.WRITE,),
    "CHANGE": (Way.READ, Way.WRITE),
    "NAME": (Way.NAME,),
    "RUN": (Way.RUN, Way.READ),
}
# Modules of Python itself that run a file or a module, or only read and write the files among their words.
_PLAIN_MODULES = frozenset({
    "ast", "compileall", "dis", "inspect", "json", "json.tool", "py_compile", "tokenize", "venv",
    "cProfile", "doctest", "profile", "trace", "unittest",
    "calendar", "platform", "site", "sysconfig", "this", "uuid",
})  # fmt: skip
# Modules of Python that are gone from newer versions, but run with an older one.
_OLDER_MODULES = frozenset(
    ("asyncore", "cgi", "distutils", "lib2to3", "nntplib", "pipes", "smtpd", "telnetlib")
)
# What plain modules write: the values of options, or their operands from this one on.
_WRITTEN_OPTIONS = {
    "cProfile": ("-o", "--outfile"),
    "profile": ("-o", "--outfile"),
    "trace": ("-C", "--coverdir", "-f", "--file"),
}
_WRITTEN_OPERANDS = {"compileall": 0, "json": 1, "json.tool": 1, "py_compile": 0, "venv": 0}
_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?|\d+~\d+)"
_COMMAND = (
    r"(?:[pdqQ=nNDPhHgGx]|s(?P<sign>[/|#,:!@%_])(?:(?!(?P=sign))[^\\\n]|\\.)*(?P=sign)"
    r"(?:(?!(?P=sign))[^\\\n]|\\.)*(?P=sign)[gpiI0-9]*)"
)
_SED = re.compile(rf"\s*(?:{_ADDRESS}(?:,\s*(?:\+?{_ADDRESS}))?)?\s*!?\s*{_COMMAND}\s*")
_AWK_OPENS = re.compile(
    r"system|getline|[|>@`]|\binclude\b|\bload\b|close|fflush|ARG[VC]|SYMTAB|FUNCTAB|PROCINFO"
)
_OF_ENVIRONMENT = re.compile(r"\bENVIRON\b|\$ENV\b|\benv\b")
_JQ_OPENS = re.compile(r"\b(import|include|modulemeta|get_search_list|input_filename)\b")


def _sed_starts_nothing(script: str) -> bool:
    """Whether every command of the sed script is known to start no program and touch no other file."""
    position = 0
    while position < len(script):
        command = _SED.match(script, position)
        if command is None or command.end() == position:
            return False
        position = command.end()
        if position < len(script):
            if script[position] not in ";\n":
                return False
            position += 1
    return True


def _awk_starts_nothing(program: str) -> bool:
    """Whether a program of awk has no sign of starting another or of touching another file."""
    return not _AWK_OPENS.search(program)


def _jq_opens_nothing(filter_: str) -> bool:
    """Whether a filter of jq has no sign of opening another file."""
    return not _JQ_OPENS.search(filter_)


# Settings of ssh that start nothing, open no file and lead to no other host.
_SSH_SETTING = re.compile(
    r"\s*(AddressFamily|BatchMode|Ciphers|Compression|Connect(ionAttempts|Timeout)|Host(KeyAlgorithms|KeyAlias)"
    r"|IdentitiesOnly|KexAlgorithms|LogLevel|MACs|NumberOfPasswordPrompts|Port|(Kbd|Challenge)\w+Authentication"
    r"|(GSSAPI|Password|Pubkey)Authentication|PreferredAuthentications|PubkeyAcceptedAlgorithms|RequestTTY"
    r"|ServerAlive(CountMax|Interval)|StrictHostKeyChecking|TCPKeepAlive|User)[= ]\s*[\w@.,+-]+",
    re.IGNORECASE | re.ASCII,
)
_PLAIN_SSH = re.compile(r"ssh( -[46Cqv]| -p ?\d+)*", re.ASCII)
_CODE: dict[str, Callable[[str], bool]] = {
    "SED": _sed_starts_nothing,
    "AWK": _awk_starts_nothing,
    "JQ": _jq_opens_nothing,
    "SETTING": lambda text: _SSH_SETTING.fullmatch(text) is not None,
    "RSH": lambda text: _PLAIN_SSH.fullmatch(text) is not None,
}
_PATCHES = frozenset({"-p", "-u", "--patch", "-U", "--unified"})
_PRINTING = _PATCHES | {"-c", "--cc", "--remerge-diff"}
_NO_REVISION = re.compile(r"[./][^:^~@{]*|[^:^~@{]+/")
"""Paths that git takes for no revision, since no name of one begins or ends so."""
_OWN_SIGN = re.compile(r"[*?\[{(\\]")
_OWN_PATTERN = re.compile(r"\*\*?|\*(?:\.(?:\w+|\{\w+(?:,\w+)*\}))+")
"""The patterns of programs that name no folder and no beginning of a name: ``**`` and ``*.{ts,tsx}``."""
_NO_FILE = re.compile(r"@|(?:[A-Z]+_)?HEAD")
"""What git takes for a revision; any other word may be the name of a file."""
_FILE_OF_REVISION = re.compile(
    r"(?::(?:[0-3]:)?(?![/!^(:])|[^:{}]+(?:\{[^{}]*\}[^:{}]*)*:)(?P<path>.*)", re.DOTALL
)
"""A file or folder of a revision or the index, ``HEAD:a``; ``:/fix`` and ``HEAD^{/fix: a}`` are commits."""
_NUMBER = re.compile(r"-\d+")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=.*", re.ASCII | re.DOTALL)
# No sign in it is one that an address writes otherwise, or that stands for several.
_FILE_URL = re.compile(r"file:(?://)?(/(?!/)[^%{}\[\]?#\\]*)", re.IGNORECASE)
_INPUT = re.compile(r"-|/dev/(stdin|fd/.*)|/proc/.*|\+.*")  # a shell reads an option in +x
_OPERANDS_OF_DD = ("if", "of", "bs", "ibs", "obs", "count", "skip", "seek", "conv", "status")
type _Operand = tuple[Word, Word | None]
_SIGNS = frozenset("*?")
_TREE_OF_ALL = frozenset({Way.READ, Way.WRITE})


@dataclass(slots=True)
class Meaning:
    """What the words of a program are: its files, its options, the programs and texts that it starts."""

    options: set[str] = field(default_factory=set[str])
    files: list[NamedFile] = field(default_factory=list[NamedFile])
    programs: list[list[Word]] = field(default_factory=list[list[Word]])
    texts: list[Word] = field(default_factory=list[Word])
    commands: list[tuple[str, list[Word]]] = field(default_factory=list[tuple[str, list[Word]]])
    sub: int | None = None
    goals: frozenset[str] = frozenset()
    loose: bool = False
    hosts: int = 0
    table: ProgramTable | None = None
    inner: set[int] = field(default_factory=set[int])
    replaced: str = ""


@dataclass(frozen=True, slots=True)
class _Held:
    """A word with its role, in the folders that an option before it names."""

    word: Word
    role: str
    within: Word | None = None
    option: str = ""


class ProgramWords:
    """Reads the words of one program by its table."""

    def __init__(
        self, table: ProgramTable, words: Sequence[Word], started: Started, before: ProgramWords | None = None
    ) -> None:
        """Take the table and the words after the program; ``before`` read those before its sub-command."""
        self._table = table
        self._words = words
        self._started = started
        self._folders: Folders = before._folders if before else started.folders
        self._aliases: Mapping[str, str] = table.aliases
        self._within: Word | None = None
        self._operands: list[_Operand] = []
        self._dashes: int | None = None
        self._ended = self._tree = False
        self._held: list[_Held] = []
        self._effects: list[tuple[str, str]] = []
        self._meaning = Meaning(table=table)
        if before:
            self._meaning.options |= before._meaning.options
            self._meaning.files += before._meaning.files
            self._meaning.loose = before._meaning.loose

    def read(self) -> Meaning:
        """What the words are; what they leave open is noted as hidden."""
        place = self._letters() if Flag.LETTERS in self._table.flags else 0
        while place < len(self._words):
            word = self._words[place]
            if self._is_operand(word) and self._has_table_of(word):
                return self._sub_command(place)
            place += self._step(word, place)
        self._tell()
        return self._meaning

    def _has_table_of(self, word: Word) -> bool:
        """Whether a first operand is a sub-command, by a table of its own where others are none."""
        if Flag.COMMANDS in self._table.flags:
            return True
        return not self._operands and f"{self._table.name} {word.text}" in TABLES

    def _is_operand(self, word: Word) -> bool:
        text = word.text
        is_input = text == "-" and text not in self._table.options
        return self._ended or is_input or (text is not None and not text.startswith("-"))

    # --- options ------------------------------------------------------------------

    def _step(self, word: Word, place: int) -> int:
        """Read one word; return how many words it takes with its value."""
        text = word.text
        if text is None and not (word.pattern or word.is_operand or self._ended):
            self._open(f"a word of {self._table.name} is only known when it runs")
            self._meaning.loose = bool(self._table.may)
        elif not self._ended and text == "--" and Flag.DASHES in self._table.flags:
            self._ended, self._dashes = True, len(self._operands)
            return 1
        elif text is not None and not self._is_operand(word):
            return self._option(text, place)
        elif word.pattern[:1] in _SIGNS and not self._ended:
            self._pattern(word.pattern)
        if not self._operands and not self._meaning.loose:
            self._meaning.sub = place
        self._operands.append((word, self._within))
        self._ended = self._ended or Flag.PERMUTES not in self._table.flags
        return 1

    def _pattern(self, pattern: str) -> None:
        """Note what the program may do if a file has the name of an option and the pattern matches it."""
        table, form = self._table, self._table.operands
        tail = re.split(r"[*?]", pattern)[-1]
        options = table.options_that_end(tail)
        told = {role for option in options for role in option.roles} <= {"TEXT"}
        told = told and not any(option.effects for option in options)
        # An option may take the next word for its value, which no other operand may then be missing for.
        in_place = len(form) == 1 and form[0].endswith("...")
        told = told and Flag.ABBREVIATES in table.flags
        # A file `-I.ts` that `ls *.ts` matches changes what is printed; rules about options stay decided.
        if not told or table.has_option_that_ends(tail):
            self._meaning.loose = self._meaning.loose or bool(table.may)
        if not (told and in_place):
            self._open(f"a pattern may match the name of a file that {table.name} takes for an option")
        for what in table.none:
            self._by_itself(what, tree=False)

    def _option(self, text: str, place: int) -> int:
        self._meaning.options.add(text.partition("=")[0])
        if Flag.NUMBER in self._table.flags and _NUMBER.fullmatch(text):
            return 1
        is_whole = len(text) > 2 and text in self._table.options
        if is_whole or Flag.WORDS in self._table.flags or text.startswith("--"):
            name, has_value, value = text.partition("=")
            option = self._table.option(text if text in self._table.options else name)
            if option is None or (has_value and name == text) or (has_value and not option.roles):
                return self._unknown(text)
            return self._take(option, name, Word(value) if has_value else None, place)
        for at, letter in enumerate(text[1:], 1):
            option = self._table.option(f"-{letter}")
            if option is None:
                return self._unknown(text)
            if option.roles:
                return self._take(
                    option, f"-{letter}", Word(text[at + 1 :]) if text[at + 1 :] else None, place
                )
            self._take(option, f"-{letter}", None, place)
        return 1

    def _unknown(self, text: str) -> int:
        self._open(f"the option {text[:30]} of {self._table.name} is in no table")
        self._meaning.loose = True
        return 1

    def _take(self, option: ProgramOption, name: str, glued: Word | None, place: int) -> int:
        """Note an option with its values; return how many words it takes."""
        self._meaning.options.update((*option.names, name))
        self._effects.extend((effect, value) for effect, value in option.effects)
        taken = 0
        for number, role in enumerate(option.roles):
            if number == 0 and (glued is not None or option.optional):
                if glued is not None or role == "REPLACED":
                    self._hold(glued or Word("{}"), role, name)
                continue
            if role == "COMMAND":
                return 1 + self._command(name, place + 1)
            taken += 1
            if place + taken >= len(self._words):
                return taken
            value = self._words[place + taken]
            if not value.is_one:
                self._open(f"a word of {self._table.name} is only known when it runs")
                self._meaning.loose = True
            self._hold(value, role, name)
        if any(effect == "end" for effect, _ in option.effects):
            self._ended = True
        return 1 + taken

    def _hold(self, word: Word, role: str, option: str = "") -> None:
        if role == "WITHIN":
            self._within = word
            self._file(word, self._folders, "NAME")
        elif role == "REPLACED":
            self._meaning.replaced = word.text or ""
        self._held.append(_Held(word, role, None, option))

    def _command(self, option: str, place: int) -> int:
        """The program of find -exec, up to ``;`` or ``{} +``; returns how many words it takes."""
        inner: list[Word] = []
        start = place
        while place < len(self._words):
            text = self._words[place].text
            if text == ";" or (text == "+" and inner and inner[-1].is_operand):
                break
            word = self._words[place]
            inner.append(Word(None, is_operand=text == "{}") if text is None or "{}" in text else word)
            place += 1
        self._meaning.inner.update(range(start, place + 1))
        self._meaning.commands.append((option, inner))
        return place - start + 1

    def _letters(self) -> int:
        """The first word of tar without a dash: letters, whose values follow in their order."""
        first = self._words[0].text if self._words else None
        if first is None or first.startswith("-") or not first.isalnum():
            return 0
        place = 0
        for letter in first:
            option = self._table.option(f"-{letter}")
            if option is None:
                self._unknown(first)
                return 1
            place += self._take(option, f"-{letter}", None, place) - 1
        return place + 1

    # --- sub-commands -------------------------------------------------------------

    def _sub_command(self, place: int) -> Meaning:
        """Read the rest of the words by the table of the sub-command."""
        name, rest = f"{self._table.name} {self._words[place].text}", self._words[place + 1 :]
        table = TABLES.get(name)
        sub = None if self._meaning.loose else place
        self._tell_options()
        if table is None:
            self._started.hide(f"what {name[:40]} does is in no table")
            self._meaning.sub = sub
            return self._meaning
        meaning = ProgramWords(table, rest, self._started, self).read()
        meaning.sub = sub
        return meaning

    def _tell_options(self) -> None:
        """Note what the options are for; those that name a folder come first."""
        for held in self._held:
            if held.role == "FOLDER":
                self._file(held.word, self._folders, "NAME")
                self._folders = _moved(held.word, self._folders)
        for effect, value in self._effects:
            if effect == "hide":
                self._started.hide(f"{self._table.name}: {value}")
            elif effect == "elsewhere":
                self._started.hide(f"{self._table.name} may reach another host", Open.HOSTS)
        for held in self._held:
            self._note(held, tree=False)

    # --- what the words are -------------------------------------------------------

    def _tell(self) -> None:
        table = self._table
        effects = dict(self._effects)
        self._aliases = {
            **table.aliases,
            **{name: value for name, value in effects.items() if name in table.aliases},
        }
        self._tell_options()
        self._look_for_words_in_files()
        tree = self._tree = Flag.TREE in table.flags or "tree" in effects
        own = [value for effect, value in self._effects if effect == "do"]
        is_told = "undo" in effects or len(self._operands) >= table.given
        by_itself = [] if is_told else list(table.itself)
        if self._names_files_of_revisions() or "brief" in effects:
            # A file of a revision, such as HEAD:a, is named.
            by_itself = [what for what in by_itself if not what.startswith("HISTORY")]
        operands = tuple(effects["operands"].split()) if "operands" in effects else table.operands
        first, after = self._operands, list[_Operand]()
        if table.after and self._dashes is not None:
            first, after = first[: self._dashes], first[self._dashes :]
        if after and not first and operands[:1] == ("TEXT",):
            first, after = after, first  # the pattern of git grep
        if after:
            by_itself = [what for what in by_itself if what.startswith("HISTORY")]
            self._match(after, table.after, tree=tree)
        if not after or first:
            self._match(first, operands, tree=tree)
        pattern = Flag.SEARCHES in table.flags and operands[0] == "TEXT"
        if len(self._operands) <= pattern:
            none = (effects["none"],) if "none" in effects else table.none
            by_itself.extend(none)
        for what in (*by_itself, *own):
            self._by_itself(what, tree=tree)
        if table.names_hosts and not self._meaning.hosts:
            self._no_host()

    def _names_files_of_revisions(self) -> bool:
        is_limited = self._dashes is not None and self._dashes < len(self._operands)
        texts = [word.text or "" for word, _ in self._operands]
        return bool(texts) and not is_limited and all(map(_FILE_OF_REVISION.fullmatch, texts))

    def _no_host(self) -> None:
        """Note a program of the network that is told no host; git takes one of the remotes then."""
        if self._operands or not self._is_declared(None):
            self._started.hide(f"{self._table.name} names no host", Open.HOSTS)

    def _is_declared(self, remote: str | None) -> bool:
        """Note the hosts of a declared remote of the repository, or of all; whether they are certain."""
        is_of_folder = self._table.takes_remotes and "--bare" not in self._meaning.options
        hosts = declared_hosts(self._started.remotes, self._folders, remote) if is_of_folder else ()
        self._meaning.hosts += len(hosts)
        self._started.hosts.update(hosts)
        self._started.declared_hosts.update(hosts)
        return bool(hosts)

    def _look_for_words_in_files(self) -> None:
        """Note operands ``@name``: compilers and others read more words from this file."""
        reads_words = May.START in self._table.may and not self._table.name.startswith("git ")
        if reads_words and any((word.text or "").startswith("@") for word, _ in self._operands):
            self._started.hide(f"words of {self._table.name} are in a file")

    def _by_itself(self, what: str, *, tree: bool) -> None:
        role, _, path = what.partition(" ")
        word = Word(None, pattern=path) if "*" in path else Word(path)
        self._note(_Held(word, role, self._within), tree=tree or path == ".")

    def _match(self, operands: list[_Operand], form: tuple[str, ...], *, tree: bool) -> None:
        """Give each operand its role."""
        if form and form[0] == "ASSIGN...":
            form = form[1:]
            while operands and _ASSIGNMENT.fullmatch(operands[0][0].text or ""):
                self._assign(operands[0][0])
                operands = operands[1:]
            if not operands and self._operands and "ENVIRONMENT" in self._table.none:
                self._environment()
        if form and form[-1] == "PROGRAM":
            skipped = len(form) - 1
            for (word, within), role in zip(operands[:skipped], form, strict=False):
                self._note(_Held(word, role, within), tree=tree)
            if words := [word for word, _ in operands[skipped:]]:
                self._meaning.programs.append(words)
            return
        for (word, within), each in zip(operands, self._possible_roles(operands, form), strict=True):
            for role in sorted(each):
                self._note(_Held(word, role, within), tree=tree)

    def _possible_roles(self, operands: list[_Operand], form: tuple[str, ...]) -> list[set[str]]:
        """The roles that each operand may have; a word of the run may stand for one or several."""
        roles: list[set[str]] = [set() for _ in operands]
        several = any(not word.is_one for word, _ in operands)
        for copies in (1, 2, 3) if several else (1,):
            places = [
                place for place, (word, _) in enumerate(operands) for _ in range(1 if word.is_one else copies)
            ]
            given = _roles(len(places), form)
            if given is None and copies == 1:
                self._open(f"{self._table.name} has more or fewer operands than its table")
                for each in roles:
                    each.update(role.rstrip(".?") for role in form)
            for place, role in zip(places, given or (), strict=False):
                roles[place].add(role)
        return roles

    def _open(self, why: str) -> None:
        """Note that the words may make the program do anything that it may."""
        if what := [one for may in self._table.may for one in _OPENS[may]]:
            self._started.hide(why, *what)

    def _note(self, held: _Held, *, tree: bool) -> None:
        """Note what a word is for."""
        role = self._aliases.get(held.role, held.role)
        # What an archive has goes into the folder that an option names, and the archive itself is not there.
        within = None if held.role == "ARCHIVE" else held.within
        folders = self._folders if within is None else _moved(within, self._folders)
        if role in _WAYS:
            if role == "READ" and held.word.text == "-":
                return
            self._file(held.word, folders, role, tree=tree)
        elif role in _CODE:
            if _OF_ENVIRONMENT.search(held.word.text or ""):
                self._environment()
            if held.word.text is None or not _CODE[role](held.word.text):
                self._started.hide(f"what {self._table.name} runs is not followed")
        elif role in _EFFECTS:
            _EFFECTS[role](self)
        elif role in _OF_WORDS:
            _OF_WORDS[role](self, held.word)
        elif role in _OF_FILES:
            _OF_FILES[role](self, held.word, folders)

    def _file(self, word: Word, folders: Folders, role: str, *, tree: bool = False) -> None:
        if word.text == "":
            return
        if self._table.name.startswith("git "):
            word = _read_by_program(word)
        if role == "RUN" and (word.text is None or _INPUT.fullmatch(word.text)):
            self._started.hide(f"the code that {self._table.name} runs is not in the text")
            return
        ways = _WAYS[role]
        self._meaning.files.extend(
            NamedFile(word, folders, way, tree=tree and way in _TREE_OF_ALL) for way in ways
        )

    def _any(self, word: Word, folders: Folders) -> None:
        """A word of code that nobody looks at: each text in it that may name a file."""
        if word.text is None:
            self._file(_read_by_program(word), folders, "NAME")
        for text in set(candidates(word.text or "")):
            self._file(Word(text), folders, "NAME")

    def _matched(self, word: Word, folders: Folders) -> None:
        """A file, or a pattern by which the program itself finds files."""
        self._look_for_pattern(word)
        self._any(word, folders)

    def _reformatted(self, word: Word, folders: Folders) -> None:
        """A file that the program changes, or a pattern by which it finds such files itself."""
        self._look_for_pattern(word)
        self._file(word, folders, "CHANGE", tree=True)

    def _look_for_pattern(self, word: Word) -> None:
        """Note a pattern that may lead to another folder, or to a file by another name."""
        names = (word.text or "").split("/")
        if any(_OWN_SIGN.search(name) and not _OWN_PATTERN.fullmatch(name) for name in names):
            self._open(f"which files {self._table.name} finds by its own pattern is not certain")

    def _printed(self, word: Word, folders: Folders) -> None:
        """A text that is printed; for a pattern, the names of the files that it means."""
        if word.pattern:
            self._file(word, folders, "NAME")
        elif word.is_pattern:
            self._started.hide(
                f"which names {self._table.name} prints is only known when it runs", Open.NAMES
            )

    def _data(self, word: Word, folders: Folders) -> None:
        if word.text is None:
            self._started.hide(f"a word of {self._table.name} may name a file", Open.READS)
        elif word.text.startswith("@"):
            self._file(Word(word.text[1:]), folders, "READ")

    def _form(self, word: Word, folders: Folders) -> None:
        value = None if word.text is None else word.text.partition("=")[2]
        if value is None or ";" in value or "," in value:
            self._started.hide(f"a word of {self._table.name} may name a file", Open.READS)
        elif value.startswith(("@", "<")):
            self._file(Word(value[1:]), folders, "READ")

    def _cookie(self, word: Word, folders: Folders) -> None:
        if word.text is None:
            self._started.hide(f"a word of {self._table.name} may name a file", Open.READS)
        elif "=" not in word.text:
            self._file(word, folders, "READ")

    def _upload(self, word: Word, folders: Folders) -> None:
        """A file that curl sends; the signs {} and [] in its name stand for several."""
        if word.text is None or re.search(r"[{}\[\]]", word.text):
            self._started.hide(f"a file that {self._table.name} sends is not certain", Open.READS)
        else:
            self._file(word, folders, "READ")

    def _output(self, word: Word, folders: Folders) -> None:
        """A file that curl writes; # in its name stands for a part of the address."""
        if word.text is None or "#" in word.text:
            self._started.hide(f"a file that {self._table.name} writes is not certain", Open.WRITES)
        elif "--create-dirs" in self._meaning.options:
            self._parents(word, folders)
        else:
            self._file(word, folders, "WRITE")

    def _written(self, word: Word, folders: Folders) -> None:
        """What curl prints at the end, which may name a file to write to."""
        if word.text is None or "%output" in word.text or word.text.startswith("@"):
            self._started.hide(f"a file that {self._table.name} writes is not certain", Open.WRITES)
        self._data(word, folders)

    def _found(self, word: Word, folders: Folders) -> None:
        """Files that rg searches though they are hidden or ignored; after ! those that it passes over."""
        if word.text is None or re.search(r"[{}\[\]\\]", word.text):
            self._started.hide(f"which files {self._table.name} searches is not certain", Open.READS)
        elif not word.text.startswith("!"):
            self._file(Word(None, pattern=f"**/{word.text.lstrip('/')}"), folders, "READ")

    def _module(self, word: Word) -> None:
        """A module of python that is, or is a part of, a program, too.

        Modules of Python itself may run code that their words hold, read folders, or reach hosts.
        """
        name = word.text or ""
        first = name.partition(".")[0]
        if first in sys.stdlib_module_names | _OLDER_MODULES and name not in _PLAIN_MODULES:
            self._started.hide(f"what the module {name} of Python does with its words is not followed")
        self._written_by_module(name)
        self._also(first, self._operands)

    def _written_by_module(self, name: str) -> None:
        """What a module of Python itself writes, as far as its words name it."""
        options, first, place, before = _WRITTEN_OPTIONS.get(name, ()), _WRITTEN_OPERANDS.get(name), 0, ""
        for word, _ in self._operands:
            text = word.text or ""
            is_option = text.startswith("-") and text != "-"
            is_operand = not is_option and before != "--indent"
            if before in options or (is_operand and first is not None and place >= first):
                self._file(word, self._folders, "CHANGE", tree=True)
            elif is_option and text not in options and _may_be_one(text, options):
                self._started.hide(f"which file the module {name} writes is not certain", Open.WRITES)
            place += is_operand
            before = text if is_option else ""

    def _warning(self, word: Word) -> None:
        """A warning of gcc, or options for a program that it starts (``-Wl,-o,file``)."""
        if word.text is None or "," in word.text:
            self._started.hide(f"what {self._table.name} hands on to other programs is not followed")

    def _script(self, word: Word, folders: Folders) -> None:
        """A script of python, which may be an installed program, such as ``.venv/bin/pip``."""
        self._file(word, folders, "RUN")
        # Some file systems do not tell case apart.
        self._also((word.text or "").rpartition("/")[2].lower(), self._operands[1:])

    def _also(self, program: str, operands: Sequence[_Operand]) -> None:
        if program in TABLES:
            self._meaning.programs.append([Word(program), *(operand for operand, _ in operands)])

    def _package(self, word: Word, folders: Folders) -> None:
        """What go runs: files, a folder, or a package by its address, whose code may come from its host."""
        first = (word.text or "@").partition("/")[0]
        is_address = "." in first.strip(".") and not (word.text or "").endswith(".go")
        if is_address or "@" in (word.text or "@"):
            self._started.hide(f"what {self._table.name} runs may come from another host")
        self._any(word, folders)

    def _format(self, word: Word) -> None:
        """What git prints of a commit; for a signature a program of a setting runs."""
        if word.text is None or "%G" in word.text:
            self._started.hide(f"{self._table.name} may look at signatures by a program of a setting")

    def _url(self, word: Word, folders: Folders) -> None:
        host = None if word.text is None else host_of_url(word.text)
        if re.match(r"(?!https?:|ftps?:)[a-z][a-z0-9+.-]*://", word.text or "", re.IGNORECASE):
            host = None  # what such an address makes a program send is not certain
        file = _FILE_URL.fullmatch(word.text or "")
        if file is not None:
            self._meaning.hosts += 1
            self._file(Word(file[1]), folders, "READ")
        elif host is None:
            self._started.hide(f"a host of {self._table.name} is not certain", Open.HOSTS, Open.READS)
        else:
            self._host_named(host)

    def _into(self, word: Word, folders: Folders) -> None:
        """What the other operands are copied to: a file, or a folder that gets files of their names."""
        self._file(word, folders, "WRITE", tree=self._tree)
        for operand, _ in self._operands:
            if operand is word:
                continue
            name = (operand.text or operand.pattern).rstrip("/").rpartition("/")[2]
            is_content = name in ("", ".", "..") or (
                self._tree and "--no-target-directory" in self._meaning.options
            )
            names = {"**" if is_content else name}
            if "--parents" in self._meaning.options:
                names |= {"**"} if operand.text is None else {operand.text, *_above(operand.text)}
            for each in names:
                inside = None if word.text is None else f"{word.text or '.'}/{each}"
                target = Word(None, pattern=inside) if inside and "*" in inside else Word(inside)
                self._file(target, folders, "WRITE", tree=self._tree)

    def _parents(self, word: Word, folders: Folders) -> None:
        """A folder that is made or removed, with those above it that are not sure to stay."""
        self._file(word, folders, "WRITE", tree=self._tree)
        for each in _above(word.text or ""):
            places = [(normal_path(each, folder), folder) for folder in folders or ()]
            stays = [at in ("/", HOME) or f"{folder}/".startswith(f"{at}/") for at, folder in places]
            if not stays or not all(stays):
                self._file(Word(each), folders, "WRITE")

    def _packed(self, word: Word, folders: Folders) -> None:
        """A file of gzip, which is changed into another with the end ``.gz`` or without it."""
        self._file(word, folders, "CHANGE", tree=self._tree)
        if word.text is None:
            pattern = word.pattern and f"{word.pattern.rpartition('/')[0]}/**".removeprefix("/")
            self._file(Word(None, pattern=pattern), folders, "WRITE")
        for end in (".gz", ".tgz", ".Z", ".z", "-gz", "-z", "_z", ".taz"):
            if word.text is not None and word.text.endswith(end):
                self._file(Word(word.text.removesuffix(end)), folders, "WRITE")
                self._file(Word(f"{word.text.removesuffix(end)}.tar"), folders, "WRITE")
        if word.text is not None:
            self._file(Word(f"{word.text}.gz"), folders, "WRITE")

    def _zipped(self, word: Word, folders: Folders) -> None:
        """An archive of zip, whose name gets an end if it has none."""
        self._file(word, folders, "CHANGE")
        if word.text is not None and "." not in word.text.rpartition("/")[2]:
            self._file(Word(f"{word.text}.zip"), folders, "CHANGE")

    def _saved(self) -> None:
        """Files that have the last names of the addresses."""
        for word, within in self._operands:
            name = re.split(r"[?#]", (word.text or "").rstrip("/"))[0].rpartition("/")[2].removesuffix(".git")
            folders = self._folders if within is None else _moved(within, self._folders)
            plain = re.fullmatch(r"\w[\w.-]*", name, re.ASCII)
            self._file(Word(name) if plain else Word(None, pattern="**"), folders, "WRITE", tree=True)

    def _host(self, word: Word) -> None:
        self._host_named(None if word.text is None else host_of_remote(word.text))

    def _login(self, word: Word) -> None:
        """A host to which ssh leads."""
        text = word.text or ""
        self._host_of_ssh(host_of_url(text) if text.startswith("ssh://") else host_of_remote(text))

    def _host_of_ssh(self, host: str | None) -> None:
        """A host by its whole name: another may be a name that settings give to any host."""
        is_whole = host is not None and ("." in host or ":" in host or host == "localhost")
        self._host_named(host if is_whole else None)

    def _host_named(self, host: str | None) -> None:
        if host is None:
            self._started.hide(f"a host of {self._table.name} is not certain", Open.HOSTS)
        else:
            self._meaning.hosts += 1
            self._started.hosts.add(host)

    def _remotely(self) -> None:
        """What ssh runs on its host; after that it still reads an option."""
        if any(word.text is None or word.text.startswith("-") for word, _ in self._operands[1:2]):
            self._started.hide(f"a word of {self._table.name} after its host may be an option")
        self._started.hide(f"what {self._table.name} runs on its host is not followed", Open.PROGRAMS)

    def _remote(self, word: Word, folders: Folders) -> None:
        """A repository: by its address, or a remote by its name."""
        if word.text and self._is_declared(word.text):
            return
        self._address(word, folders)
        if "--set-upstream" in self._meaning.options:
            self._remotes()

    def _address(self, word: Word, folders: Folders) -> None:
        """A repository: an address, a folder, or a name that a setting gives an address."""
        text = word.text
        host = None if text is None else host_of_address(text)
        if text is not None and "::" in text:
            self._started.hide(f"{self._table.name} runs the program of an address")
        elif host:
            self._host_named(host)
        elif text is not None and (file := _FILE_URL.fullmatch(text)):
            self._meaning.hosts += 1
            self._file(Word(file[1]), folders, "READ", tree=True)
        else:
            if text is not None and text.startswith(("/", "./", "../")):
                self._meaning.hosts += 1
            else:
                self._started.hide(
                    f"the host of a repository of {self._table.name} is not in its words", Open.HOSTS
                )
            # A folder or a file of this name is read if no remote has it, from the top of the repository.
            self._file(word, folders, "READ", tree=True)
            self._check_top(folders)

    def _remotes(self) -> None:
        self._started.remote_changes.add(changing(self._table.name))

    def _netpath(self, word: Word, folders: Folders, role: Role = "READ") -> None:
        text = word.text
        if text is None:
            self._started.hide(f"a host of {self._table.name} is not certain", Open.HOSTS)
            self._file(word, folders, role)
        elif "://" in text:
            self._host_named(host_of_address(text))
        elif ":" in text.partition("/")[0]:
            self._host_of_ssh(host_of_address(text))
        else:
            self._file(word, folders, role, tree=True)

    def _netcopy(self, word: Word, folders: Folders) -> None:
        self._netpath(word, folders, "WRITE")
        if word.text is not None and ":" not in word.text.partition("/")[0]:
            self._file(Word(None, pattern=f"{word.text}/**"), folders, "WRITE")

    def _revision(self, word: Word, folders: Folders, role: str = "NAME") -> None:
        """A revision of git, a file of one (``HEAD:a``), or a file, which is read if it is printed."""
        text = word.text
        if text is None:
            self._file(word, folders, "READ", tree=True)
        elif file := _FILE_OF_REVISION.fullmatch(text):
            self._file(Word(file["path"] or "."), folders, "READ", tree=not file["path"])
        elif text.startswith((":(", ":!", ":^")) or re.search(r"[*?\[]", text):
            self._pathspec(word, folders)
        elif not _NO_FILE.fullmatch(text) and (not re.search(r"[~^@{}]|\.\.", text) or "/" in text):
            is_printed = self._table.name == "git show" or self._meaning.options & _PRINTING
            self._file(Word(text), folders, "READ" if is_printed else role, tree=True)

    def _lines(self, word: Word, folders: Folders) -> None:
        """Lines of a file whose changes git log prints: ``1,5:a`` or ``:function:a``."""
        text = word.text
        self._file(word if text is None else Word(text.rpartition(":")[2]), folders, "READ")

    def _compared(self, word: Word, folders: Folders) -> None:
        """What git diff compares with or git grep searches: what files once held, for a revision."""
        is_summary = any(effect == "brief" for effect, _ in self._effects)
        is_printed = not is_summary or self._meaning.options & _PATCHES
        if is_printed and not _NO_REVISION.fullmatch(word.text or ""):
            self._started.history = True
        self._revision(word, folders, "READ")

    def _switched(self, word: Word, folders: Folders) -> None:
        """A revision to which git changes the repository, or of which it takes files."""
        if self._dashes is None or self._dashes == len(self._operands):
            self._repository(Word("."), folders)
        self._revision(word, folders)

    def _removed(self, word: Word, folders: Folders) -> None:
        """A pathspec of what git deletes."""
        self._pathspec(word, folders, "WRITE")

    def _pathspec(self, word: Word, folders: Folders, role: str = "READ") -> None:
        text = word.text
        if text is not None and (text.startswith(":") or re.search(r"[*?\[]", text)):
            self._started.hide(
                f"which files a pattern of {self._table.name} means is not certain", Open.READS, Open.WRITES
            )
        self._file(word, folders, role, tree=True)

    def _node(self, word: Word, folders: Folders) -> None:
        """A test of pytest: a file, and what is in it after ``::``."""
        self._file(Word(word.text.partition("::")[0]) if word.text else word, folders, "RUN")

    def _source(self, word: Word, folders: Folders) -> None:
        """A file that is compiled. What the input includes is in no file that was there before."""
        self._file(word, folders, "RUN" if word.text and _INPUT.fullmatch(word.text) else "READ")

    def _blocks(self, word: Word, folders: Folders) -> None:
        """An operand of dd."""
        name, _, value = (word.text or "").partition("=")
        if word.text is None or name not in _OPERANDS_OF_DD:
            self._open(f"a word of {self._table.name} is not certain")
        elif name in ("if", "of"):
            self._file(Word(value), folders, "READ" if name == "if" else "WRITE")

    def _assign(self, word: Word) -> None:
        match = _ASSIGNMENT.fullmatch(word.text or "")
        if match is None:
            self._open(f"a word of {self._table.name} is not certain")
        else:
            self._started.assign(match.group(1))

    def _variable(self, word: Word) -> None:
        if word.text is None or not re.fullmatch(r"[A-Za-z_]\w*", word.text, re.ASCII):
            self._started.hide(f"what {self._table.name} does is not followed")
        else:
            self._started.assign(word.text)
            self._started.known |= {word.text}

    def _repository(self, word: Word, folders: Folders) -> None:
        """All of the repository: what is below the folder of the call, which is taken for the top of it."""
        self._changed(word, folders)
        self._check_top(folders)

    def _check_top(self, folders: Folders) -> None:
        if folders != self._started.begins:
            self._started.hide(f"{self._table.name} is run in another folder than the call", Open.TREES)

    def _changed(self, word: Word, folders: Folders) -> None:
        self._meaning.files.append(NamedFile(word, folders, Way.NAME, tree=True))

    def _shell(self, word: Word) -> None:
        if word.text is not None and word.text.startswith(("-", "+")):
            self._started.hide(f"{self._table.name} reads an option where its text is")
        self._meaning.texts.append(word)

    def _program(self, word: Word) -> None:
        self._meaning.programs.append([word])

    def _list(self, word: Word, folders: Folders) -> None:
        self._file(word, folders, "READ")
        self._started.hide(
            f"{self._table.name} is given files by a list", Open.READS, Open.WRITES, Open.NAMES
        )

    def _suffix(self, word: Word, folders: Folders) -> None:
        """The end of the names of copies that a program keeps of what it changes."""
        has_code = not any(effect == "operands" for effect, _ in self._effects)
        for operand, _ in self._operands[has_code:]:
            if word.text is None or operand.text is None or re.search(r"[*/]", word.text):
                self._started.hide(f"a copy that {self._table.name} keeps is not certain", Open.WRITES)
            else:
                self._file(Word(operand.text + word.text), folders, "WRITE")

    def _goal(self, word: Word) -> None:
        """A goal of make, or a variable that it gets."""
        if word.text is None or "=" in word.text:
            self._started.hide(f"what {self._table.name} runs is not followed")
        else:
            self._meaning.goals |= {word.text}

    def _elsewhere(self) -> None:
        self._started.hide(f"{self._table.name} reaches hosts that settings name", Open.HOSTS)

    def _history(self) -> None:
        self._started.history = True

    def _environment(self) -> None:
        self._started.use("*")

    def _shown(self, word: Word) -> None:
        """The name of a variable that is shown."""
        self._started.use(word.text or "*")

    def _processes(self, word: Word) -> None:
        """Letters by which ps shows processes, of which one shows their environment, too."""
        if "e" in (word.text or "e"):
            self._environment()

    def _hide(self) -> None:
        self._started.hide(f"what {self._table.name} starts is not followed")


def _may_be_one(text: str, options: Sequence[str]) -> bool:
    """Whether a word is one of some options with its value in it, or a long one that is shortened."""
    name = text.partition("=")[0]
    return text.startswith(tuple(options)) or (
        name.startswith("--") and any(one.startswith(name) for one in options)
    )


def _read_by_program(word: Word) -> Word:
    """A pattern that no file fits, which the program gets and reads itself: its signs stand for any."""
    return replace(word, pattern=re.sub(r"[*?]+", "**", word.pattern))


def _above(path: str) -> Sequence[str]:
    """The folders above a path that it names."""
    return [path[: slash.start()] for slash in re.finditer("(?<=[^/])/+", path)]


def _moved(word: Word, folders: Folders) -> Folders:
    """The folders after a change into the folder of a word."""
    if word.text is None or folders is None:
        return None
    paths = [normal_path(word.text, folder) for folder in folders]
    return None if None in paths else frozenset(path for path in paths if path is not None)


def _roles(count: int, form: tuple[str, ...]) -> list[str] | None:
    """The roles of so many operands; None if the form does not have so many."""
    repeated = next((place for place, role in enumerate(form) if role.endswith("...")), None)
    if repeated is None:
        needed = sum(not role.endswith("?") for role in form)
        return [role.rstrip("?") for role in form[:count]] if needed <= count <= len(form) else None
    before, after = form[:repeated], form[repeated + 1 :]
    many = count - len(before) - len(after)
    if many < 0:
        return [role.rstrip(".?") for role in form[:count]] if count == 0 else None
    plain = [*before, *[form[repeated].rstrip(".")] * many, *after]
    return [role.rstrip("?") for role in plain]


_EFFECTS: Mapping[str, Callable[[ProgramWords], None]] = {
    role: getattr(ProgramWords, f"_{role.lower()}")
    for role in ("ELSEWHERE", "ENVIRONMENT", "HISTORY", "HIDE", "REMOTELY", "REMOTES", "SAVED")
}
_OF_WORDS: Mapping[str, Callable[[ProgramWords, Word], None]] = {
    role: getattr(ProgramWords, f"_{role.lower()}")
    for role in (
        "HOST", "LOGIN", "ASSIGN", "VARIABLE", "SHELL", "PROGRAM", "GOAL", "FORMAT", "MODULE", "WARNING",
        "SHOWN", "PROCESSES",
    )
}  # fmt: skip
_OF_FILES: Mapping[str, Callable[[ProgramWords, Word, Folders], None]] = {
    role: getattr(ProgramWords, f"_{role.lower()}")
    for role in (
        "ANY", "PRINTED", "DATA", "FORM", "COOKIE", "URL", "REMOTE", "ADDRESS",
        "NETPATH", "NETCOPY", "REVISION", "COMPARED", "PATHSPEC", "REMOVED", "NODE", "LINES",
        "BLOCKS", "LIST", "SUFFIX", "CHANGED", "SWITCHED", "REPOSITORY", "PACKED",
        "ZIPPED", "INTO", "PARENTS", "UPLOAD", "OUTPUT", "WRITTEN", "FOUND",
        "PACKAGE", "SCRIPT", "SOURCE", "MATCHED", "REFORMATTED",
    )
}  # fmt: skip
