"""What a sentence about a coding agent says of commands, files and hosts, by its words.

Nothing here parses English: programs, options, paths and hosts are known by their form, what is done with
them by the words of ``command_speech.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from workbench.language.foreign.cues import Cue
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.stems import denied_part, stem
from workbench.language.foreign.tokens import ForeignWord
from workbench.runs.kinds.shell.program_tables import PARTED, calls_of, is_known
from workbench.runs.values.data_file import read_data

_FILE = read_data(__name__, "command_speech.toml")
_FILE.check_keys("actions", "words", "spoken_of", "files", "doings", "objects", "calls", "names", "phrases")
CALLS: Mapping[str, tuple[str, ...]] = _FILE.table("calls").texts_by_key()
"""The calls of programs that do something, by what it is."""
_FILES_OF = _FILE.table("files").texts_by_key()
_NAMES = _FILE.table("names").names_by_key()
_PHRASES = _FILE.table("phrases").texts_by_key()


def _stems(table: str) -> Mapping[str, frozenset[str]]:
    by_key = _FILE.table(table).texts_by_key()
    return {key: frozenset(map(stem, words)) for key, words in by_key.items()}


ACTIONS = _stems("actions")
"""The stems of words for what is done with files."""
DOINGS = _stems("doings")
"""The stems of words for what is done by some programs."""
_OBJECTS = _stems("objects")
"""The stems of words for what something is done to, where its own words may say something else."""
WORDS = _stems("words")
"""The stems of other words."""
_SPOKEN_OF = _stems("spoken_of")
_SPOKEN = frozenset(one for words in _SPOKEN_OF.values() for one in words)
_PATH = re.compile(
    r"(?<![\w/.*~@-])(?P<path>~(?:/[\w.*@+-]+)+/?|/[\w.*@+-]+(?:/[\w.*@+-]+)*/?|[\w.*@+-]+/(?:[\w.*@+-]+/?)*"
    r"|\*?\.[A-Za-z][\w-]*(?:\.\w+)*\*?"
    rf"|[\w-]+\.(?:{'|'.join(_PHRASES['file_endings'])})|{'|'.join(_PHRASES['files'])})(?![\w/])"
)
_MOST_CALLS = 4
"""The most calls of a program that a sentence names which names the program."""
_HOST = re.compile(
    r"(?<![\w/.*@-])(?:https?://)?(?P<host>(?:[a-z0-9-]+\.)+[a-z]{2,})(?![\w-])", re.IGNORECASE
)
_OPTION = re.compile(r"(?<![\w-])(?P<option>--?[A-Za-z][\w-]*)")
_LISTED = re.compile(r"[`\"”']?\s*(?:,|,?\s*(?:and|or))\s*[`\"“']?")
"""What stands between two places of one list."""
_REPOSITORY = re.compile(
    rf"\b(?:{'|'.join(_FILE.table('words').texts('repository'))}"
    r"|(?P<works>works?(?: only)? (?:in|inside|within|under)|working (?:folder|directory)))\b"
    r"(?:,\s+which\b)?(?:\s+(?!(?:not|never)\b)[\w-]+){0,5}?[\s:(]+[`\"“']?"
    r"(?P<folder>/[\w@+-][\w./@+-]*)",
    re.IGNORECASE,
)


def _phrase(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_PHRASES[name])})\b", re.IGNORECASE)


_EXCEPTING = frozenset(map(stem, _NAMES["excepting"]))
WORDS_FIRST = _NAMES["words_first"]
"""Words that are programs, too, but mostly are none in a sentence."""
_BUT_NOT = _phrase("but_not")
_CONSENT = _phrase("consent")
_NOT = _phrase("denials")
_COUNTED = _phrase("counted")
_DEMAND = _phrase("demands")
_AWAY = _phrase("away")
_ORDER = _phrase("order")
_ELSE = _phrase("else")
_CLOSED = _phrase("closed")
_READING_ALONE = _phrase("reading_alone")
_ALL_BUT = re.compile(
    rf"\b(?:{'|'.join(_PHRASES['all_but'])})\s+(?:(?!(?:and|or|not|never|is|are|may|must)\b)[\w-]+\s+){{0,5}}[`\"“]?$",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\b(?:end(?:s|ing)?|ending|suffix) (?:in|with|of)?[\s`\"“']*$", re.IGNORECASE)
_CONTAINING = re.compile(r"\bcontain(?:s|ing)? (?:the )?[`\"“']*$", re.IGNORECASE)
_ENDINGS = frozenset(_PHRASES["file_endings"]) - {"env"}
_EXAMPLES = _phrase("examples")
_CLOSING = re.compile(
    r"(?:[,;:]|\bbut\b)\s*(?:(?:and|but)\s+)?\b(?:never|nothing|none|no|not)\b(?! (?:even|only|more)\b)"
)
_BORDERS = frozenset((",", ";", ":", "and", "or", "but"))
_MOST_BEFORE = 8
_IN_BRACKETS = re.compile(r"\([^()]*\)")


class Form(StrEnum):
    """What a sentence does: it closes something, leaves only something open, or hands it to a person."""

    FORBID = "forbid"
    ONLY = "only"
    ASK = "ask"
    PERMIT = "permit"


@dataclass(frozen=True, slots=True)
class _Place:
    """A file or folder that is named: where in the text, and whether what is outside of it is meant.

    What is ``closed`` stays so in a sentence that opens others: "only src/, never src/keys/".
    """

    path: str
    start: int
    end: int
    outside: bool = False
    excepted: bool = False
    closed: bool = False


def folder_told(text: str) -> str:
    """The folder of the repository, or in which the agent works, that a request tells; empty without one."""
    for found in _REPOSITORY.finditer(text):
        before = re.split(r"[.!?]\s|\n\s*\n", text[: found.start()])[-1]
        if not (found["works"] and _NOT.search(before)):
            return found["folder"].rstrip("/.")
    return ""


class CommandSpeech:
    """What a sentence says of programs, hosts and files."""

    def __init__(self, sentence: ForeignSentence, folder: str) -> None:
        self.sentence = sentence
        self._folder = folder
        self._text = sentence.text

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words."""
        return frozenset(
            part for word in self.sentence.words for part in (word.stem, *map(stem, word.low.split("-")))
        )

    def has(self, stems: frozenset[str]) -> bool:
        """Whether one of these words stands in it."""
        return bool(self.stems & stems)

    @cached_property
    def form(self) -> Form | None:
        """What it does; nothing for a sentence that forbids, demands and permits nothing."""
        sentence = self.sentence
        norm = sentence.norm.cue if sentence.norm is not None else None
        asks_nobody = sentence.has(Cue.NO_ASK)
        if asks_nobody and norm is not Cue.FORBID and not _CONSENT.search(self._text):
            return Form.PERMIT if norm is Cue.PERMIT else None
        asks = sentence.asks and not (self.hosts and "talk to" in self._text.lower())
        if asks or asks_nobody or _CONSENT.search(self._text):
            return Form.ASK
        is_closed = _CLOSED.search(_IN_BRACKETS.sub("", self._text)) or _READING_ALONE.search(self._text)
        if self.most is not None or is_closed:
            return Form.FORBID
        if sentence.has(Cue.ONLY) or self._is_demand:
            return Form.ONLY
        if self._closing is None and (norm is Cue.FORBID or _NOT.search(self._text)):
            return Form.FORBID
        return Form.PERMIT if norm is Cue.PERMIT else None

    @property
    def _is_demand(self) -> bool:
        """Whether something has to stay where it is named."""
        return bool(_DEMAND.search(self._text)) and not _AWAY.search(self._text)

    @cached_property
    def _closing(self) -> re.Match[str] | None:
        """What begins the part that closes a file where others are opened: ", but never a path with".

        A part that says what is not done says something of its own: "but must not write to src/".
        """
        words, files = self.sentence.words, WORDS["repository"] if self._folder else frozenset[str]()
        opening = self.sentence.at(Cue.ONLY, Cue.PERMIT)
        first = min((words[one.first].start for one in opening), default=len(self._text))
        named = [word.start for word in words if word.stem in files]
        named += [one.start() for one in _PATH.finditer(self._text)]
        for one in _CLOSING.finditer(self._text, first):
            behind = {word.stem for word in words if word.start >= one.end()}
            acts = any(not ACTIONS[name].isdisjoint(behind) for name in ("read", "change", "delete"))
            if any(one.end() <= start for start in named) and not acts:
                return one
        return None

    @cached_property
    def _start(self) -> int:
        """Where that begins which is closed, behind what is opened: "may read all, but must not write to"."""
        found = _BUT_NOT.search(self._text) if self._closing is None else None
        return found.end() if found is not None else 0

    def all_but(self, start: int) -> bool:
        """Whether what is named from a place on is spared by what a sentence forbids: "no host but a.org"."""
        return self.form is Form.FORBID and _ALL_BUT.search(self._text[:start]) is not None

    @cached_property
    def all_numbers(self) -> frozenset[int]:
        """The numbers of all its words."""
        return frozenset(word.number for word in self.sentence.content)

    def _numbers(self, spans: Iterable[tuple[int, int]], stems: frozenset[str]) -> frozenset[int]:
        """The words in some places, and those with some stems."""
        places = tuple(spans)
        consent = _CONSENT.search(self._text) if self.form is Form.ASK else None
        if consent is not None:
            places = (*places, consent.span())
        named = {
            word.number for word in self.sentence.words
            if not stems.isdisjoint((word.stem, *map(stem, word.low.split("-"))))
            or any(start < word.end and word.start < end for start, end in places)
        }  # fmt: skip
        return frozenset(named | self.sentence.negations) if named else frozenset()

    # --- programs -----------------------------------------------------------------

    @cached_property
    def _named_programs(self) -> Sequence[tuple[str, int, int]]:
        """Programs, or their sub-commands, with their places: "git", "npm publish"."""
        found: list[tuple[str, int, int]] = []
        for word in self.sentence.words:
            if found and word.start < found[-1][2]:
                continue  # a sub-command
            quoted = str(word.literal).split() if isinstance(word.literal, str) else []
            if quoted and is_known(quoted[0]):
                found.append((_call_of(quoted), word.start, word.end))
            elif self._is_program(word):
                found.append(self._with_sub_command(word))
        return found

    def _is_program(self, word: ForeignWord) -> bool:
        """Whether a word names a program: it is no other word, has an option, or stands in a list of some."""
        if not (word.low.isalnum() and is_known(word.low)):
            return False
        listed = self._plain_programs & {word.number - 2, word.number + 2}
        return (
            word.number in self._plain_programs
            or re.match(r"\s--?[A-Za-z]", self._text[word.end :]) is not None
            or (bool(listed) and self._is_listed(word.number))
        )

    @cached_property
    def _plain_programs(self) -> frozenset[int]:
        """The words that name programs and are no other words."""
        return frozenset(
            word.number
            for word in self.sentence.words
            if word.low.isalnum() and is_known(word.low) and word.low not in WORDS_FIRST
        )

    def _with_sub_command(self, word: ForeignWord) -> tuple[str, int, int]:
        """A program with its place, and with its sub-command if one follows."""
        for following in self.sentence.words[word.number + 1 : word.number + 2]:
            is_one = is_known(f"{word.low} {following.low}") or following.stem in WORDS["sub_commands"]
            if word.low in PARTED and is_one and not self._text[word.end : following.start].strip():
                return f"{word.low} {following.low}", word.start, following.end
        return word.low, word.start, word.end

    def _is_listed(self, number: int) -> bool:
        """Whether a word stands in a list with programs."""
        words = self.sentence.words
        beside = {words[at].low for at in (number - 1, number + 1) if 0 <= at < len(words)}
        return bool(beside & {",", "and", "or"})

    @cached_property
    def programs(self) -> Sequence[str]:
        """The programs that are named, each once."""
        return list(dict.fromkeys(name for name, _, _ in self._named_programs))

    @cached_property
    def spares_programs(self) -> bool:
        """Whether all programs that are named are those that a sentence does not forbid."""
        return bool(self._named_programs) and self.all_but(self._named_programs[0][1])

    @cached_property
    def spares_some_programs(self) -> bool:
        """Whether some programs are named, and others of them spared."""
        return any(self.all_but(start) for _, start, _ in self._named_programs[1:])

    @cached_property
    def _options(self) -> Sequence[str]:
        """Options that follow programs, each by itself."""
        found: list[str] = []
        for one in _OPTION.finditer(self._text):
            text = one["option"]
            single = not text.startswith("--") and len(text) > 2 and "find" not in self.programs
            found += [f"-{letter}" for letter in text[1:]] if single else [text]
        return list(dict.fromkeys(found))

    @cached_property
    def numbers_of_programs(self) -> frozenset[int]:
        """The words that name programs and their options, and that they run."""
        spans = [(start, end) for _, start, end in self._named_programs]
        spans += [one.span() for one in _OPTION.finditer(self._text)]
        return self._numbers(spans, WORDS["running"])

    @cached_property
    def is_by_a_program(self) -> bool:
        """Whether a program is what something is done with, and not what is run: "with npm"."""
        words = self.sentence.words
        at = next((word.number for word in words if word.start == self._named_programs[0][1]), 0)
        return at > 0 and words[at - 1].low in ("with", "by", "using", "via", "through")

    def of_programs(self, command: str) -> str:
        """That a command has one of the programs, with the options that are named."""
        if not self._options:
            has_sub_commands = any(" " in one for one in self.programs)
            return among(self.programs, f"{command}.{'calls' if has_sub_commands else 'programs'}")
        parts: list[str] = []
        for one in self.programs:
            name, _, first = one.partition(" ")
            is_first = f" and p.first == {first!r}" if first else ""
            words = "words" if name == "find" else "options"
            options = " and ".join(f"{option!r} in p.{words}" for option in self._options)
            parts.append(f"any(p.name == {name!r}{is_first} and {options} for p in {command}.started)")
        return " or ".join(parts)

    def doing(self, command: str) -> Iterator[tuple[str, frozenset[int]]]:
        """What is done by some programs: what a command has then, the widest first, and the words for it."""
        forced, pushed = WORDS["force"], DOINGS["push"]
        if self.form in (Form.ONLY, Form.PERMIT):
            if self._only_branch is not None and self.has(pushed):
                name, at = self._only_branch
                yield _git_push(f"not {_to(name)}", command), self._numbers((), pushed) | {at}
            return
        if self.has(forced) and self.has(pushed):
            numbers = self._numbers((), forced | pushed)
            yield _forced(command), numbers
            yield _git_push("'--force' in p.options", command), numbers
        elif self.has(WORDS["history"]) and self.has(WORDS["rewriting"]):
            numbers = self._numbers((), WORDS["history"] | WORDS["rewriting"] | WORDS["git"])
            amended = f"any(p.name == 'git' and '--amend' in p.options for p in {command}.started)"
            rewritten = f"{among(CALLS['rewrite'], f'{command}.calls')} or {amended}"
            yield f"{rewritten} or {_forced(command)}", numbers
            yield rewritten, numbers
        elif self._branch is not None and self.has(pushed):
            name, at = self._branch
            numbers = self._numbers((), pushed) | {at}
            yield _git_push(_to(name), command), numbers
            yield among(CALLS["push"], f"{command}.calls"), numbers - {at}
        elif not any(" " in one for one in self.programs):
            own = tuple(one.partition(" ")[0] for one in self.programs)
            spoken_of = frozenset[str]()
            for name, words in DOINGS.items():
                calls = [one for one in CALLS[name] if not own or one.startswith(own)]
                objects = _OBJECTS.get(name, words)
                if self.has(words) and self.has(objects) and calls and not words <= spoken_of:
                    spoken_of |= objects - words  # "stop a container" says nothing of others
                    numbers = self.numbers_of_programs if own else frozenset[int]()
                    yield among(calls, f"{command}.calls"), self._numbers((), words | objects) | numbers

    @cached_property
    def _only_branch(self) -> tuple[str, int] | None:
        """The branch to which alone is pushed, where no "only" says who may: "only to main"."""
        if self._branch is None or self.form is not Form.ONLY:
            return None
        at = self._branch[1]
        lows = [word.low for word in self.sentence.words]
        near = any(
            one.first == at + 1 or (one.after <= at and _TO_IT.issuperset(lows[one.after : at]))
            for one in self.sentence.at(Cue.ONLY)
        )
        return self._branch if near else None

    @cached_property
    def _branch(self) -> tuple[str, int] | None:
        """A branch to which is pushed, by its name, with the number of its word."""
        words = self.sentence.words
        for before, word in pairwise(words):
            name = str(word.literal) if isinstance(word.literal, str) else word.text
            if (before.low in ("to", "on", "branch") and name.lower() in _NAMES["branches"]) or (
                before.low in ("to", "on") and isinstance(word.literal, str)
            ):
                return name, word.number
        return None

    # --- hosts --------------------------------------------------------------------

    @cached_property
    def _named_hosts(self) -> Sequence[tuple[str, int, int]]:
        found = [(one["host"].lower(), *one.span()) for one in _HOST.finditer(self._text)]
        return [one for one in found if one[0].rpartition(".")[2] not in _PHRASES["file_endings"]]

    @cached_property
    def hosts(self) -> Sequence[str]:
        """The hosts that are named."""
        return list(dict.fromkeys(host for host, _, _ in self._named_hosts))

    @cached_property
    def spares_hosts(self) -> bool:
        """Whether the hosts that are named are those that a sentence does not forbid."""
        return bool(self._named_hosts) and self.all_but(self._named_hosts[0][1])

    @cached_property
    def is_of_network(self) -> bool:
        """Whether it is about all hosts: "no network"."""
        return self.has(WORDS["network"]) and self.form is Form.FORBID and not self.places

    @cached_property
    def is_of_scheme(self) -> bool:
        """Whether all pages have to be fetched over https."""
        lows = {word.low for word in self.sentence.words}
        return "https" in lows and self.form is Form.ONLY and not self.hosts

    @cached_property
    def numbers_of_hosts(self) -> frozenset[int]:
        """The words that name hosts, and that they are reached."""
        stems = WORDS["reaching"] | (_EXCEPTING if self.spares_hosts else frozenset[str]())
        return self._numbers([(start, end) for _, start, end in self._named_hosts], stems)

    # --- files --------------------------------------------------------------------

    @cached_property
    def actions(self) -> frozenset[str]:
        """What is done with files; all of it where the sentence says nothing of it but its place."""
        words = [word for word in self.sentence.words if word.start >= self._start]
        before = ("", *(word.low for word in self.sentence.words))
        if _READING_ALONE.search(self._text):
            return frozenset(("change", "delete"))
        stems = {
            stem for word in words for stem in (word.stem, denied_part(word.low))
            if not (word.low == "run" and before[word.number] in _NAMES["a_run"])
        }  # fmt: skip
        found = {name for name, said in ACTIONS.items() if stems & said}
        found |= {"any"} if _CLOSED.search(self._text) else set[str]()
        if found & {"read", "change", "delete"}:
            found -= {"any", "run"}
        elif "run" in found:
            found.discard("any")
        return frozenset(("read", "change", "delete", "any") if "any" in found else found)

    @cached_property
    def is_outside(self) -> bool:
        """Whether what is not at a place is meant."""
        return self.has(WORDS["outside"])

    @property
    def outside_of_nothing(self) -> bool:
        """Whether what is not at a place is closed, and no place is known to be that one."""
        closes = self.form in (Form.FORBID, Form.ASK) and self.is_outside and bool(self.places)
        return closes and not any(one.outside or one.excepted for one in self.places)

    @cached_property
    def places(self) -> Sequence[_Place]:
        """The files and folders that are named."""
        found: list[_Place] = []
        for one in _PATH.finditer(self._text):
            path = one["path"].rstrip(".")
            if any(start <= one.start() < end for _, start, end in self._named_hosts):
                continue
            last = found[-1] if found else None
            is_listed = last is not None and _LISTED.fullmatch(self._text[last.end : one.start()]) is not None
            is_ending = path[1:] in _ENDINGS or _ENDING.search(self._text[: one.start()]) is not None
            is_ending = is_ending or (last is not None and is_listed and last.path.startswith("*."))
            path = f"*{path}" if path.startswith(".") and is_ending else path
            if _CONTAINING.search(self._text[: one.start()]) or (is_listed and last and last.path[-1] == "*"):
                path = f"*{one['path'].strip('*')}*"
            if last is not None and is_listed:
                found.append(replace(last, path=path, start=one.start(), end=one.end()))
                continue
            before = self._before(one.start())
            opens = self.form in (Form.ONLY, Form.PERMIT)
            if opens and ("unless" in before or self._is_closed(one.start())):
                outside = not _NAMES["outside"].isdisjoint(before)
                found.append(_Place(path, *one.span(), outside, closed=True))
                continue
            excepted = not _NAMES["excepting"].isdisjoint(before) or self.all_but(one.start())
            excepted = excepted or ("only" in before and self._is_aside(one))
            outside = not _NAMES["outside"].isdisjoint(before) or (excepted and last is None)
            outside = outside or any(
                low in _NAMES["inside"] and (not_.endswith("n't") or not_ == "not")
                for low, not_ in pairwise(before)
            )
            found.append(_Place(path, *one.span(), outside, excepted and last is not None))
        if (elsewhere := _ELSE.search(self._text)) is not None:
            spared = {
                word.start
                for word in self.sentence.words
                if word.low in _NAMES["excepting"] and word.start > elsewhere.start()
            }
            found = [
                replace(one, outside=True, excepted=False)
                if one.end <= elsewhere.start() or any(start < one.start for start in spared)
                else one
                for one in found
            ]
        is_outside = any(one.path.startswith("/") and one.outside for one in found)
        own = (one for one in self._repository() if one.outside or not is_outside)
        found += [one for one in own if not any(one.path == each.path for each in found)]
        found = [one for one in found if one.start >= self._start] or found
        spoken_of = [*self._spoken_of()] if not found or _EXAMPLES.search(self._text) else []
        return [*found, *(one for one in spoken_of if not any(one.path == each.path for each in found))]

    def _before(self, start: int) -> Sequence[str]:
        """The words before a place that may say how it is meant: "outside of the build folders"."""
        found: list[str] = []
        begins = self._start if self._start <= start else 0
        words = [word for word in self.sentence.words if begins <= word.start and word.end <= start]
        for word in reversed(words[-_MOST_BEFORE:]):
            found.append(word.low)
            if word.low in _BORDERS:
                break
        return found

    def _is_closed(self, start: int) -> bool:
        """Whether what stands at a place is closed in a sentence that opens others."""
        return self._closing is not None and self._closing.end() <= start

    def _is_aside(self, one: re.Match[str]) -> bool:
        """Whether something stands in brackets of a sentence that closes what is named outside of them."""
        if _CLOSED.search(_IN_BRACKETS.sub("", self._text)) is None:
            return False
        return any(found.start() < one.start() < found.end() for found in _IN_BRACKETS.finditer(self._text))

    def _repository(self) -> Iterator[_Place]:
        """The repository by its word, where its folder is known."""
        words = self.sentence.words
        for word in words:
            if word.stem in WORDS["repository"] and self._folder and word.literal is None:
                before = [one.low for one in words[max(0, word.number - 4) : word.number]]
                outside = any(low in _NAMES["outside"] for low in before)
                inside = any(low in _NAMES["inside"] for low in before)
                if outside or inside:
                    closed = self._is_closed(word.start)
                    yield _Place(self._folder, word.start, word.end, outside, closed=closed)
                return

    def _spoken_of(self) -> Iterator[_Place]:
        """Files that are spoken of by what they are: secrets, workflows."""
        for name, stems in _SPOKEN_OF.items():
            for word in self.sentence.words:
                is_key = word.stem == stem("key") and "private" not in self._text.lower()
                if word.stem in stems and not is_key:
                    yield from (_Place(path, word.start, word.end) for path in _FILES_OF[name])
                    break

    @cached_property
    def numbers_of_places(self) -> frozenset[int]:
        """The words that name places, and what is done there."""
        spans = [(one.start, one.end) for one in self.places]
        spans += [self._closing.span()] if self._closing is not None else []
        actions = frozenset(part for words in ACTIONS.values() for part in words)
        return self._numbers(
            spans, actions | WORDS["outside"] | _SPOKEN | WORDS["files"] | WORDS["repository"]
        )

    @property
    def spares_something(self) -> bool:
        """Whether it speaks of what is its own, or of an exception other than a person's yes."""
        text = _CONSENT.sub(" ", self._text) if self.form is Form.ASK else self._text
        words = re.findall(r"[a-z]+", text.casefold())
        return self.most is not None or self.has(WORDS["own"]) or not _NAMES["excepting"].isdisjoint(words)

    @property
    def numbers_of_deleting(self) -> frozenset[int]:
        """The words that say that something is deleted, and what."""
        return self._numbers((), ACTIONS["delete"] | WORDS["files"] | WORDS["repository"])

    def good(self, path: str) -> str:
        """That a path is one of those that are open."""
        parts = [
            _denied(said) if one.outside else said
            for one in self.places
            if not one.excepted and not one.closed
            for said in (self._is(one.path, path, is_open=True),)
        ]
        closed = "".join(f" and {_denied(self._of_closed(one, path))}" for one in self.places if one.closed)
        return f"({' or '.join(parts)}){closed}" if parts and closed else " or ".join(parts) + closed

    def bad(self, path: str) -> str:
        """That a path is one of those that are closed, as an expression of the dialect."""
        wanted = self.form in (Form.ONLY, Form.PERMIT)
        excepted = [one.path for one in self.places if one.excepted]
        stated = [one for one in self.places if not (one.excepted or one.closed)]
        within = [one.path for one in stated if one.outside or wanted]
        closed = [self._is(one.path, path) for one in stated if not (one.outside or wanted)]
        closed += [self._of_closed(one, path) for one in self.places if one.closed]
        if not closed and not within:
            within, excepted = excepted, []
        bad = [f"({' or '.join(closed)})"] if closed else []
        outside = " and ".join(_denied(self._is(one, path, is_open=True)) for one in within)
        bad += [f"({outside})"] if within else []
        spared = "".join(f" and {_denied(self._is(one, path))}" for one in excepted)
        return f"({' or '.join(bad)}){spared}" if len(bad) > 1 else f"{bad[0]}{spared}"

    def _of_closed(self, one: _Place, path: str) -> str:
        said = self._is(one.path, path, is_open=one.outside)
        return _denied(said) if one.outside else said

    def _is(self, place: str, path: str, *, is_open: bool = False) -> str:
        """That a path is a file, one of an ending, or lies in a folder: any of its name if that is closed."""
        name = place.rstrip("/").rpartition("/")[2]
        if place.startswith("*") and place.endswith("*"):
            return f"{place.strip('*')!r} in {path}"
        if place.startswith("/"):
            return f"{place.rstrip('/')!r} in {path}.inside"
        if name.startswith("*."):
            return f"{path}.suffix == {name[1:]!r}"
        if "*" in name:
            return f"{path}.name.startswith({name.partition('*')[0]!r})"
        is_folder = place.endswith("/") or self._is_folder(place) or place.startswith("~")
        is_deep = "/" in place.strip("/") and not place.startswith("~")
        if self._folder and (is_deep or (is_open and is_folder and not place.startswith("~"))):
            return f"{f'{self._folder.rstrip("/")}/{place.strip("/")}'!r} in {path}.inside"
        return f"{name!r} in {path}.names" if is_folder or is_deep else f"{path}.name == {name!r}"

    def _is_folder(self, place: str) -> bool:
        """Whether a sentence says that a name is that of a folder."""
        after = self._text[self._text.find(place) + len(place) :]
        return place in _NAMES["folders"] or bool(re.match(r"[`\"”']?\s+(?:folder|director)", after, re.I))

    # --- numbers and order --------------------------------------------------------

    @cached_property
    def most(self) -> int | None:
        """The most of what is counted."""
        if not _COUNTED.search(self._text):
            return None
        numbers = (self.sentence.words[at].literal for at in self.sentence.numbers)
        whole = [int(one) for one in numbers if isinstance(one, Decimal) and one == one.to_integral_value()]
        return whole[0] if len(whole) == 1 else None

    @cached_property
    def is_after_tests(self) -> bool:
        """Whether something has to wait until tests have passed."""
        return self.has(WORDS["tests"]) and _ORDER.search(self._text) is not None


def _denied(condition: str) -> str:
    """That a comparison does not hold."""
    return condition.replace(" == ", " != ", 1) if " == " in condition else f"not {condition}"


def _call_of(words: Sequence[str]) -> str:
    """A program with its sub-command, as the dialect calls it, of the words of a command."""
    program, *others = words
    first = next((one for one in others if not one.startswith("-")), "")
    return f"{program} {first}" if first and program in PARTED else program


def with_sub_commands(programs: Iterable[str]) -> Iterator[str]:
    """Programs, with the known calls of those whose calls are named by sub-commands and are few."""
    for one in programs:
        yield one
        known = calls_of(one) if one in PARTED else ()
        yield from known if len(known) <= _MOST_CALLS else ()


_TO_IT = frozenset(("to", "ok", "okay", "fine", "allowed", "go", "goes", "push", "pushed", "pushes"))


def _to(name: str) -> str:
    """That a branch, or another place, is one to which is pushed."""
    return f"any(w == {name!r} or w.endswith({f':{name}'!r}) for w in p.words)"


def _git_push(condition: str, command: str) -> str:
    """That git pushes so that a condition holds."""
    return f"any(p.name == 'git' and p.first == 'push' and {condition} for p in {command}.started)"


def _forced(command: str) -> str:
    """That git pushes by force, however it is told to."""
    option = "any(o in {'--force', '--force-with-lease', '--mirror'} for o in p.options)"
    return _git_push(f"({option} or any(w.startswith('+') for w in p.words))", command)


def among(texts: Sequence[str], several: str) -> str:
    """That one of some texts is among several."""
    if len(texts) == 1:
        return f"{texts[0]!r} in {several}"
    return f"any(x in {set_of(texts)} for x in {several})"


def set_of(texts: Iterable[str]) -> str:
    """A set of texts as an expression of the dialect."""
    return "{" + ", ".join(map(repr, texts)) + "}"
