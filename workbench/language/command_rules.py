"""Rules about commands, files and hosts that a sentence states, over the typed parts of what an agent's tools take.

"The agent must not read anything outside the repository" names no parameter: it is about the files that a
command reads, and about the path of each tool that reads. So there is a rule for each of them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from workbench.dialect.call_fields import CallField, CallType
from workbench.language.foreign_words import Cue, ForeignSentence, stem
from workbench.language.trees import Tree, tree_of
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of_name
from workbench.model import Kind
from workbench.runs.kinds.shell.programs import PARTED, is_known
from workbench.runs.values.data_file import read_data

_FILE = read_data(__name__, "command_rules.toml")
_FILE.check_keys("actions", "words", "spoken_of", "files", "doings", "calls")
_CALLS: Mapping[str, tuple[str, ...]] = _FILE.table("calls").texts_by_key()


def _stems(table: str) -> Mapping[str, frozenset[str]]:
    by_key = _FILE.table(table).texts_by_key()
    return {key: frozenset(map(stem, words)) for key, words in by_key.items()}


_ACTIONS = _stems("actions")
_DOINGS = _stems("doings")
_WORDS = _stems("words")
_WORDS_FIRST = _FILE.table("words").names("words_first")
_READING = words_named("reading") | {"glob", "grep", "ls", "cat", "open"}
_MAKING = frozenset(("write", "create", "new", "save", "add", "make"))
_DELETING = frozenset(("delete", "remove", "rm", "unlink", "trash"))
_PATH = re.compile(
    r"(?<![\w/.*~@-])(?P<path>~(?:/[\w.*@+-]+)+/?|/[\w.*@+-]+(?:/[\w.*@+-]+)*/?|[\w.*@+-]+/(?:[\w.*@+-]+/?)*"
    r"|\*?\.[A-Za-z][\w-]*(?:\.\w+)*\*?"
    r"|[\w-]+\.(?:toml|json|lock|ya?ml|md|py|js|ts|tsx|txt|cfg|ini|sh|sql|pem|key|xml|html|css|go|java|env|db|csv|mod|sum)"
    r"|node_modules|Makefile|Dockerfile|Jenkinsfile)(?![\w/])"
)
_HOST = re.compile(r"(?<![\w/.*@-])(?:https?://)?(?P<host>(?:[a-z0-9-]+\.)+[a-z]{2,})(?![\w-])", re.IGNORECASE)
_OPTION = re.compile(r"(?<![\w-])(?P<option>--?[A-Za-z][\w-]*)")
_FILE_ENDINGS = frozenset(("toml", "json", "lock", "yml", "yaml", "md", "py", "js", "ts", "txt", "sh", "sql", "env", "html", "css", "pem", "key"))
_LISTED = re.compile(r"[`\"”']?\s*(?:,|,?\s*(?:and|or))\s*[`\"“']?")
"""What stands between two places of one list."""
_BUT_NOT = re.compile(r"\b(?:may|can|could)\b.*?\bbut (?=(?:not|never|must not|may not)\b)", re.IGNORECASE)
_CONSENT = re.compile(
    r"\bwithout (?:[\w']+ ){0,3}(?:yes|approval|permission|consent|confirmation|okay|ok|go-ahead|asking)\b"
    r"|\b(?:needs?|requires?|takes?) (?:[\w']+ ){0,3}(?:yes|approval|permission|consent|confirmation|okay|ok|go-ahead|person)\b"
    r"|\bonly (?:with|after|if|when) (?:[\w']+ ){0,4}(?:yes|approval|approves?|permission|consent|confirms?|okay|ok|agrees?)\b"
    r"|\bask(?:s|ed)? (?:\w+ )?(?:before|first)\b|\b(?:must|should|has to) ask\b"
    r"|\b(?:done|made|decided|approved) (?:only )?by (?:a |the )?(?:person|human|user|people|maintainers?)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:no|not|never|nothing|none|nobody|nowhere|don't|doesn't|mustn't|cannot|can't|neither|off-limits|forbidden|taboo"
    r"|(?:stays?|remains?|kept) (?:secret|private|closed|untouched|out))\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\b(?:at most|no more than|not more than|up to|maximum of|max|more than)\b", re.IGNORECASE)
_GIT_FORCE = (
    "any(p.name == 'git' and p.first == 'push' and (any(o in {'--force', '--force-with-lease', '--mirror'} for o in p.options)"
    " or any(w.startswith('+') for w in p.words)) for p in COMMAND.started)"
)


class _Form(StrEnum):
    """What a sentence does: it closes something, leaves only something open, or hands it to a person."""

    FORBID = "forbid"
    ONLY = "only"
    ASK = "ask"
    PERMIT = "permit"


@dataclass(frozen=True, slots=True)
class CommandRule:
    """A rule that a sentence may state, with the numbers of its words that it uses; less worth is offered later."""

    tree: Tree
    used: frozenset[int]
    worth: float


@dataclass(frozen=True, slots=True)
class _Place:
    """A file or folder that is named: where in the text, and whether what is outside of it is meant."""

    path: str
    start: int
    end: int
    outside: bool = False
    excepted: bool = False


class CommandRules:
    """Finds rules about commands, files and hosts; ``folder`` is the repository's, if it is known."""

    def __init__(self, calls: Iterable[CallType], folder: str = "") -> None:
        self._calls = tuple(calls)
        self._folder = folder or next((one.cwd for one in self._calls if one.cwd), "")

    @cached_property
    def _commands(self) -> Sequence[tuple[CallType, CallField]]:
        return [(call, one) for call in self._calls for one in call.fields if one.kind == "command" and not _many(one)]

    @cached_property
    def _paths(self) -> Sequence[tuple[CallType, CallField]]:
        return [(call, one) for call in self._calls for one in call.fields if one.kind == "path"]

    @cached_property
    def _urls(self) -> Sequence[tuple[CallType, CallField]]:
        return [(call, one) for call in self._calls for one in call.fields if one.kind == "url" and not _many(one)]

    def of(self, sentence: ForeignSentence) -> Iterator[CommandRule]:
        """The rules of a sentence, the likeliest first; none for an agent that has no commands and no files."""
        if not self._commands and not self._paths:
            return
        said = _Said(sentence, self._folder)
        if said.form is None:
            return
        yield from self._of_order(said)
        yield from self._of_own_files(said)
        yield from self._of_count(said)
        yield from self._of_programs(said)
        yield from self._of_hosts(said)
        yield from self._of_files(said)

    # --- programs -----------------------------------------------------------------

    def _of_programs(self, said: _Said) -> Iterator[CommandRule]:
        """Programs with their sub-commands and options, and what is done by some programs."""
        for call, one in self._commands:
            command = f"call.{one.name}"
            for number, (condition, numbers) in enumerate(said.doing(command)):
                yield from _rule(said, condition, numbers, (call.name,), 0.5 - 0.1 * number)
            programs = said.programs
            if not programs:
                continue
            numbers = said.numbers_of_programs
            if said.places:
                names = dict.fromkeys(program.partition(" ")[0] for program in programs)
                condition = f"any({_is_one('s.name', names)} and any({said.bad('p')} for p in s.paths) for s in {command}.started)"
                yield from _rule(said, condition, numbers | said.numbers_of_places, (call.name,), 0.5)
                continue
            if said.form in (_Form.ONLY, _Form.PERMIT):
                if said.is_by_a_program:
                    continue
                has_sub_commands = any(" " in program for program in programs)
                part = "calls" if has_sub_commands else "programs"
                listed = f"{command}.{part} <= {_set(programs)}"
                yield from _rule(said, listed, numbers, (call.name,), 0.5, wanted=True)
            else:
                yield from _rule(said, said.of_programs(command), numbers, (call.name,), 0.5)

    # --- hosts --------------------------------------------------------------------

    def _of_hosts(self, said: _Said) -> Iterator[CommandRule]:
        hosts = said.hosts
        if said.scheme:
            for call, one in self._urls:
                guarded = _guarded(one, f"call.{one.name}.scheme != 'https'", wanted=False)
                yield from _rule(said, guarded, said.all_numbers, (call.name,), 0.5)
        if not hosts and not said.is_of_network:
            return
        numbers = said.numbers_of_hosts
        wanted = said.form in (_Form.ONLY, _Form.PERMIT) or said.is_outside
        for call, one in self._urls:
            host = f"call.{one.name}.host"
            condition = _is_one(host, hosts) if hosts else "True"
            guarded = _guarded(one, condition, wanted=wanted and said.form is not _Form.PERMIT)
            yield from _rule(said, guarded, numbers, (call.name,), 0.4, wanted=wanted)
        for call, one in self._commands if said.form is not _Form.PERMIT else ():
            reached = f"call.{one.name}.hosts"
            if not hosts:
                condition = f"len({reached}) > 0"
            elif wanted:
                condition = f"{reached} <= {_set(hosts)}"
            else:
                condition = _among(hosts, reached)
            yield from _rule(said, condition, numbers, (call.name,), 0.5, wanted=wanted)

    # --- files --------------------------------------------------------------------

    def _of_files(self, said: _Said) -> Iterator[CommandRule]:
        """What is read, changed or deleted by commands and by the tools that take a path."""
        places = said.places
        if not places or said.programs or not (said.actions or said.has(_WORDS["sending"])):
            return
        numbers = said.numbers_of_places
        if said.has(_WORDS["sending"]):
            for call, one in self._commands:
                command = f"call.{one.name}"
                condition = f"any({said.bad('p')} for p in {command}.paths) and len({command}.hosts) > 0"
                yield from _rule(said, condition, said.all_numbers, (call.name,), 0.5)
            return
        for names, one in self._groups(said.actions):
            subject = f"call.{one.name}"
            if said.form is _Form.PERMIT:
                condition = f"all({said.good('p')} for p in {subject})" if _many(one) else _there(one, said.good(subject))
                yield from _rule(said, condition, numbers, names, 0.4, wanted=True)
                continue
            condition = f"any({said.bad('p')} for p in {subject})" if _many(one) else _there(one, said.bad(subject))
            yield from _rule(said, condition, numbers, names, 0.4)
        for call, one in self._commands if said.form is not _Form.PERMIT else ():
            command = f"call.{one.name}"
            for number, part in enumerate(_parts_of_command(said.actions)):
                worth = 0.3 - 0.3 * number
                if part == "deleted":
                    deletes = _set(_CALLS["delete"])
                    condition = f"any(s.name in {deletes} and any({said.bad('p')} for p in s.paths) for s in {command}.started)"
                else:
                    condition = f"any({said.bad('p')} for p in {command}.{part})"
                yield from _rule(said, condition, numbers, (call.name,), worth)

    def _groups(self, actions: frozenset[str]) -> Iterator[tuple[tuple[str, ...], CallField]]:
        """The tools that do something with a path, together where their paths are called alike."""
        found: dict[tuple[str, bool, bool], list[tuple[str, CallField]]] = {}
        for call, one in self._paths:
            if one.name != call.cwd_parameter and _does(call) & actions:
                found.setdefault((one.name, _many(one), one.type.optional), []).append((call.name, one))
        for ones in found.values():
            yield tuple(name for name, _ in ones), ones[0][1]

    # --- what the run did -----------------------------------------------------------

    def _of_order(self, said: _Said) -> Iterator[CommandRule]:
        """What is done only after the tests have passed, since files were changed if a tool changes some."""
        doings = [one for one in ("commit", "push", "publish", "merge", "deploy") if said.has(_DOINGS[one])]
        if not doings or not said.is_after_tests:
            return
        (call, one), *_ = self._commands or [(None, None)]
        if call is None or one is None:
            return
        calls = [each for doing in doings for each in _CALLS[doing]]
        done = _among(calls, f"call.{one.name}.calls")
        tested = f"any(t in {_set(_CALLS['tests'])} for t in c.{one.name}.calls)"
        numbers = said.all_numbers
        changing = [each.name for each, path in self._paths if "change" in _does(each) and path.name != each.cwd_parameter]
        since = f"run.since(e for e in run.earlier({', '.join(dict.fromkeys(changing))}) if e.succeeded)"
        for number, part in enumerate((since, "run") if changing else ("run",)):
            passed = f"any({tested} and c.succeeded for c in {part}.earlier({call.name}))"
            condition = f"{done} and not {passed}"
            yield from _rule(said, condition, numbers, (call.name,), 0.9 - 0.1 * number, plain=True)

    def _of_own_files(self, said: _Said) -> Iterator[CommandRule]:
        """What may be deleted only if the run made it."""
        if not said.has(_ACTIONS["delete"]) or not said.has(_WORDS["own"]) or said.places:
            return
        changing = [(call, one) for call, one in self._paths if "change" in _does(call) and one.name != call.cwd_parameter]
        making = [(call, one) for call, one in changing if _MAKING & set(words_of_name(call.tool).casefold().split())]
        makers = [(call.name, one.name) for call, one in making or changing]
        by_field: dict[str, list[str]] = {}
        for name, field_name in makers:
            by_field.setdefault(field_name, []).append(name)
        made = [
            f"any(c.{field_name}.absolute == PATH.absolute for c in run.earlier({', '.join(names)}) if c.succeeded)"
            for field_name, names in by_field.items()
        ]  # fmt: skip
        made += [
            f"any(any(w.absolute == PATH.absolute for w in c.{one.name}.writes) and c.succeeded for c in run.earlier({call.name}))"
            for call, one in self._commands
        ]
        if not made:
            return
        for number, known in enumerate((made, made[:1])):
            foreign = " and ".join(f"not {each}" for each in known)
            for call, one in self._paths:
                if "delete" in _does(call) and not _many(one):
                    condition = foreign.replace("PATH", f"call.{one.name}")
                    yield from _rule(said, condition, said.all_numbers, (call.name,), 0.8 - 0.1 * number, plain=True)
            for call, one in self._commands:
                inner = foreign.replace("PATH", "p")
                deletes = _set(_CALLS["delete"])
                condition = f"any(s.name in {deletes} and any({inner} for p in s.paths) for s in call.{one.name}.started)"
                yield from _rule(said, condition, said.all_numbers, (call.name,), 0.9 - 0.1 * number, plain=True)

    def _of_count(self, said: _Said) -> Iterator[CommandRule]:
        """At most so many files that are changed in a run."""
        most = said.most
        if most is None or not said.actions & {"change", "read", "delete"} or stem("file") not in said.stems:
            return
        for names, one in self._groups(said.actions):
            if _many(one) or one.type.optional:
                continue
            earlier = f"run.earlier({', '.join(names)})"
            count = f"len({{c.{one.name} for c in {earlier} if not c.failed}})"
            again = f"any(c.{one.name}.absolute == call.{one.name}.absolute and not c.failed for c in {earlier})"
            yield from _rule(said, f"not {again} and {count} >= {most}", said.all_numbers, names, 0.9, plain=True)
            yield from _rule(said, f"{count} >= {most}", said.all_numbers, names, 0.8, plain=True)


class _Said:
    """What a sentence says of programs, hosts and files."""

    def __init__(self, sentence: ForeignSentence, folder: str) -> None:
        self.sentence = sentence
        self._folder = folder
        self._text = sentence.text

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words."""
        return frozenset(part for word in self.sentence.words for part in (word.stem, *map(stem, word.low.split("-"))))

    def has(self, stems: frozenset[str]) -> bool:
        """Whether one of these words stands in it."""
        return bool(self.stems & stems)

    @cached_property
    def form(self) -> _Form | None:
        """What it does; nothing for a sentence that forbids, demands and permits nothing."""
        sentence = self.sentence
        norm = sentence.norm.cue if sentence.norm is not None else None
        asks_nobody = sentence.has(Cue.NO_ASK)
        if asks_nobody and norm is not Cue.FORBID and not _CONSENT.search(self._text):
            return _Form.PERMIT if norm is Cue.PERMIT else None
        asks = sentence.asks and not (self.hosts and "talk to" in self._text.lower())
        if asks or asks_nobody or _CONSENT.search(self._text):
            return _Form.ASK
        if self.most is not None:
            return _Form.FORBID
        if sentence.has(Cue.ONLY) or _is_demand(self._text):
            return _Form.ONLY
        if norm is Cue.FORBID or _NOT.search(self._text):
            return _Form.FORBID
        return _Form.PERMIT if norm is Cue.PERMIT else None

    @cached_property
    def all_numbers(self) -> frozenset[int]:
        """The numbers of all its words."""
        return frozenset(word.number for word in self.sentence.content)

    def _numbers(self, spans: Iterable[tuple[int, int]], stems: frozenset[str]) -> frozenset[int]:
        """The words in some places, and those with some stems."""
        places = tuple(spans)
        consent = _CONSENT.search(self._text) if self.form is _Form.ASK else None
        if consent is not None:
            places = (*places, consent.span())
        named = {
            word.number for word in self.sentence.words
            if word.stem in stems or any(start < word.end and word.start < end for start, end in places)
        }  # fmt: skip
        return frozenset(named | self.sentence.negations) if named else frozenset()

    # --- programs -----------------------------------------------------------------

    @cached_property
    def _named_programs(self) -> Sequence[tuple[str, int, int]]:
        """Programs, or their sub-commands, with their places: "git", "npm publish"."""
        words = self.sentence.words
        plain = [word for word in words if word.low.isalnum() and is_known(word.low) and word.low not in _WORDS_FIRST]
        quoted = [
            word for word in words
            if isinstance(word.literal, str) and word.literal.split() and is_known(word.literal.split()[0])
        ]  # fmt: skip
        listed = {word.number for word in plain}
        found: list[tuple[str, int, int]] = []
        for word in words:
            if word in quoted:
                found.append((_call_of(str(word.literal).split()), word.start, word.end))
                continue
            after = self._text[word.end :]
            has_option = bool(re.match(r"\s--?[A-Za-z]", after)) and is_known(word.low)
            beside = is_known(word.low) and listed & {word.number - 2, word.number + 2} and self._is_listed(word.number)
            if word in plain or has_option or beside:
                following = words[word.number + 1] if word.number + 1 < len(words) else None
                if (
                    following is not None
                    and word.low in PARTED
                    and (is_known(f"{word.low} {following.low}") or following.stem in _SUB_COMMANDS)
                    and not self._text[word.end : following.start].strip()
                ):
                    found.append((f"{word.low} {following.low}", word.start, following.end))
                else:
                    found.append((word.low, word.start, word.end))
        return found

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
        return self._numbers(spans, _RUNNING)

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
            return _among(self.programs, f"{command}.{'calls' if has_sub_commands else 'programs'}")
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
        if self.form in (_Form.ONLY, _Form.PERMIT):
            return
        force = frozenset((stem("force"), stem("forced"), stem("forcibly")))
        if self.has(force) and self.has(_DOINGS["push"]):
            numbers = self._numbers((), force | _DOINGS["push"])
            yield _GIT_FORCE.replace("COMMAND", command), numbers
            yield f"any(p.name == 'git' and p.first == 'push' and '--force' in p.options for p in {command}.started)", numbers
            return
        if self.has(frozenset((stem("history"),))) and self.has(frozenset(map(stem, ("rewrite", "rewritten", "change", "alter")))):
            numbers = self._numbers((), frozenset(map(stem, ("git", "history", "rewrite", "rewritten", "change", "alter"))))
            amended = f"any(p.name == 'git' and '--amend' in p.options for p in {command}.started)"
            rewritten = _among(_CALLS["rewrite"], f"{command}.calls")
            yield f"{rewritten} or {amended} or {_GIT_FORCE.replace("COMMAND", command)}", numbers
            yield f"{rewritten} or {amended}", numbers
            return
        branch = self._branch
        if branch is not None and self.has(_DOINGS["push"]):
            name, at = branch
            numbers = self._numbers((), _DOINGS["push"]) | {at}
            yield (
                f"any(p.name == 'git' and p.first == 'push' and any(w == {name!r} or w.endswith({':' + name!r}) for w in p.words)"
                f" for p in {command}.started)"
            ), numbers
            yield _among(_CALLS["push"], f"{command}.calls"), numbers - {at}
            return
        for name, words in _DOINGS.items():
            own = [word for word in self.sentence.words if word.stem in words]
            if own and not self.programs:
                yield _among(_CALLS[name], f"{command}.calls"), self._numbers((), words)

    @cached_property
    def _branch(self) -> tuple[str, int] | None:
        """A branch to which is pushed, by its name, with the number of its word."""
        words = self.sentence.words
        for before, word in zip(words, words[1:], strict=False):
            name = str(word.literal) if isinstance(word.literal, str) else word.text
            if (before.low in ("to", "on", "branch") and name.lower() in _BRANCHES) or (
                before.low in ("to", "on") and isinstance(word.literal, str)
            ):
                return name, word.number
        return None

    # --- hosts --------------------------------------------------------------------

    @cached_property
    def _named_hosts(self) -> Sequence[tuple[str, int, int]]:
        found = [(one["host"].lower(), *one.span()) for one in _HOST.finditer(self._text)]
        return [one for one in found if one[0].rpartition(".")[2] not in _FILE_ENDINGS]

    @cached_property
    def hosts(self) -> Sequence[str]:
        """The hosts that are named."""
        return list(dict.fromkeys(host for host, _, _ in self._named_hosts))

    @cached_property
    def is_of_network(self) -> bool:
        """Whether it is about all hosts: "no network"."""
        return self.has(_WORDS["network"]) and self.form is _Form.FORBID and not self.places

    @cached_property
    def scheme(self) -> bool:
        """Whether all pages have to be fetched over https."""
        return any(word.low == "https" for word in self.sentence.words) and self.form is _Form.ONLY and not self.hosts

    @cached_property
    def numbers_of_hosts(self) -> frozenset[int]:
        """The words that name hosts, and that they are reached."""
        return self._numbers([(start, end) for _, start, end in self._named_hosts], _WORDS["reaching"])

    # --- files --------------------------------------------------------------------

    @cached_property
    def actions(self) -> frozenset[str]:
        """What is done with files; all of it where the sentence says nothing of it but its place."""
        allowed = _BUT_NOT.search(self._text)
        start = allowed.end() if allowed is not None else 0
        words = self.sentence.words
        stems = {
            word.stem for before, word in zip((None, *words), words, strict=False)
            if word.start >= start and not (word.low == "run" and before is not None and before.low in _A_RUN)
        }  # fmt: skip
        found = {name for name, said in _ACTIONS.items() if stems & said}
        if found & {"read", "change", "delete"}:
            found -= {"any", "run"}
        elif "run" in found:
            found.discard("any")
        return frozenset(("read", "change", "delete", "any") if "any" in found else found)

    @cached_property
    def is_outside(self) -> bool:
        """Whether what is not at a place is meant."""
        return self.has(_WORDS["outside"])

    @cached_property
    def places(self) -> Sequence[_Place]:
        """The files and folders that are named."""
        found: list[_Place] = []
        for one in _PATH.finditer(self._text):
            path = one["path"].rstrip(".")
            before = [word for word in self.sentence.words if word.end <= one.start()][-6:]
            lows = [word.low for word in before]
            if path.rpartition(".")[2] in ("com", "org") or any(start <= one.start() < end for _, start, end in self._named_hosts):
                continue
            last = found[-1] if found else None
            if last is not None and _LISTED.fullmatch(self._text[last.end : one.start()]):
                found.append(_Place(path, *one.span(), last.outside, last.excepted))
                continue
            excepted = any(low in _EXCEPTING for low in lows[-4:])
            outside = any(low in _WORDS_OUTSIDE for low in lows[-4:]) or (excepted and last is None)
            found.append(_Place(path, *one.span(), outside, excepted and last is not None))
        if not any(one.path.startswith("/") and one.outside for one in found):
            found += self._repository()
        return found or [*self._spoken_of()]

    def _repository(self) -> Iterator[_Place]:
        """The repository by its word, where its folder is known."""
        words = self.sentence.words
        for word in words:
            if word.stem in _WORDS["repository"] and self._folder and word.literal is None:
                before = [one.low for one in words[max(0, word.number - 4) : word.number]]
                outside = any(low in _WORDS_OUTSIDE for low in before)
                inside = any(low in _INSIDE for low in before)
                if outside or inside:
                    yield _Place(self._folder, word.start, word.end, outside)
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
        actions = frozenset(part for words in _ACTIONS.values() for part in words)
        return self._numbers(spans, actions | _WORDS["outside"] | _SPOKEN | _FILES)

    def good(self, path: str) -> str:
        """That a path is one of those that are open."""
        places = [one for one in self.places if not one.excepted]
        return " or ".join(f"not {self._is(one.path, path, open_=True)}" if one.outside else self._is(one.path, path, open_=True) for one in places)

    def bad(self, path: str) -> str:
        """That a path is one of those that are closed, as an expression of the dialect."""
        wanted = self.form in (_Form.ONLY, _Form.PERMIT)
        closed = [self._is(one.path, path) for one in self.places if not (one.outside or wanted) and not one.excepted]
        within = [
            self._is(one.path, path, open_=True) for one in self.places
            if one.outside or wanted or (one.excepted and not closed)
        ]  # fmt: skip
        spared = [self._is(one.path, path) for one in self.places if one.excepted and (one.outside or closed)]
        bad = [f"({' or '.join(closed)})"] if closed else []
        bad += [" and ".join(f"not {one}" for one in within)] if within else []
        both = " or ".join(f"({one})" for one in bad) if len(bad) > 1 else bad[0]
        return f"{both} and {' and '.join(f'not {one}' for one in spared)}" if spared else both

    def _is(self, place: str, path: str, *, open_: bool = False) -> str:
        """That a path is a file, one of an ending, or lies in a folder: any of its name if that is closed."""
        name = place.rstrip("/").rpartition("/")[2]
        if place.startswith("/"):
            return f"{place.rstrip('/')!r} in {path}.inside"
        if name.startswith("*."):
            return f"{path}.suffix == {name[1:]!r}"
        if "*" in name:
            return f"{path}.name.startswith({name.partition('*')[0]!r})"
        is_folder = place.endswith("/") or self._is_folder(place) or place.startswith("~")
        is_below = "/" in place.strip("/") or (open_ and is_folder)
        if is_below and not place.startswith("~") and self._folder:
            whole = f"{self._folder.rstrip('/')}/{place.strip('/')}"
            return f"{whole!r} in {path}.inside"
        return f"{name!r} in {path}.names" if is_folder else f"{path}.name == {name!r}"

    def _is_folder(self, place: str) -> bool:
        """Whether a sentence says that a name is that of a folder."""
        after = self._text[self._text.find(place) + len(place) :][:20].lower()
        return bool(re.match(r"[`\"”']?\s+(?:folder|director|dir)", after)) or place in _FOLDERS

    # --- numbers and order --------------------------------------------------------

    @cached_property
    def most(self) -> int | None:
        """The most of what is counted."""
        if not _COUNTED.search(self._text):
            return None
        numbers = [self.sentence.words[at].literal for at in self.sentence.numbers]
        whole = [int(one) for one in numbers if one is not None and not isinstance(one, str) and str(one).isdigit()]
        return whole[0] if len(whole) == 1 else None

    @cached_property
    def is_after_tests(self) -> bool:
        """Whether something has to wait until tests have passed."""
        return self.has(_WORDS["tests"]) and bool(
            re.search(r"\b(?:after|before|unless|until|without|once|if|when)\b", self._text, re.IGNORECASE)
        )


_SPOKEN_OF = _stems("spoken_of")
_SPOKEN = frozenset(one for words in _SPOKEN_OF.values() for one in words)
_FILES_OF = _FILE.table("files").texts_by_key()
_WORDS_OUTSIDE = _FILE.table("words").names("outside")
_EXCEPTING = _FILE.table("words").names("excepting")
_INSIDE = frozenset(("in", "inside", "within", "below", "under", "into", "to"))
_FILES = frozenset(map(stem, ("file", "files", "folder", "directory", "program", "command", "anything", "nothing")))
_RUNNING = frozenset(map(stem, ("run", "start", "execute", "use", "used", "call", "invoke", "launch", "program", "command", "allowed")))
_FOLDERS = frozenset((".git", ".github", ".ssh", ".aws", ".gnupg", ".kube", ".venv", ".vscode", ".claude", "node_modules"))
_A_RUN = frozenset(("a", "the", "one", "this", "each", "per", "same"))
"""Before "run" they say that it is one of the agent's."""
_BRANCHES = frozenset(("main", "master", "develop", "production", "release", "trunk"))
_SUB_COMMANDS = frozenset(map(stem, ("run", "install", "push", "publish", "apply", "exec")))
_DEMAND = re.compile(r"\b(?:must|has to|have to|should|shall)\s+(?:stay|remain|keep|be (?:in|inside|within))\b", re.IGNORECASE)


def _is_demand(text: str) -> bool:
    """Whether something has to stay where it is named."""
    return bool(_DEMAND.search(text)) and not re.search(r"\b(?:out of|outside|away)\b", text, re.IGNORECASE)


def _call_of(words: Sequence[str]) -> str:
    """A program with its sub-command, as the dialect calls it, of the words of a command."""
    program, *others = words
    first = next((one for one in others if not one.startswith("-")), "")
    return f"{program} {first}" if first and program in PARTED else program


def folder_told(text: str) -> str:
    """The folder of the repository that a request tells; empty if it tells none."""
    found = _REPOSITORY.search(text)
    return found["folder"].rstrip("/.") if found is not None else ""


_REPOSITORY = re.compile(
    rf"\b(?:{'|'.join(sorted(_FILE.table('words').names('repository')))})\b(?:\s+[\w-]+){{0,5}}?[\s:(]+[`\"“']?"
    r"(?P<folder>/[\w@+-][\w./@+-]*)",
    re.IGNORECASE,
)


def _many(one: CallField) -> bool:
    return one.type.kind in (Kind.LIST, Kind.SET)


def _does(call: CallType) -> frozenset[str]:
    """What a tool does with the files that it is given, by the first word of its name."""
    words = words_of_name(call.tool).casefold().split()
    if any(word in _DELETING for word in words):
        return frozenset(("delete", "any"))
    return frozenset(("read", "any")) if any(word in _READING for word in words[:1]) else frozenset(("change", "any"))


def _parts_of_command(actions: frozenset[str]) -> Sequence[str]:
    """The parts of a command with the files that are meant, the likeliest first."""
    if "any" in actions or {"read", "change"} <= actions:
        return ("paths",)
    if "change" in actions:
        return ("writes", "paths")
    if "read" in actions:
        return ("reads", "paths")
    return ("deleted", "writes") if "delete" in actions else ("runs",)


def _is_one(subject: str, texts: Iterable[str]) -> str:
    """That a text is one of some texts."""
    every = tuple(texts)
    return f"{subject} == {every[0]!r}" if len(every) == 1 else f"{subject} in {_set(every)}"


def _set(texts: Iterable[str]) -> str:
    return "{" + ", ".join(map(repr, texts)) + "}"


def _among(texts: Sequence[str], several: str) -> str:
    """That one of some texts is among several."""
    if len(texts) == 1:
        return f"{texts[0]!r} in {several}"
    return f"any(x in {_set(texts)} for x in {several})"


def _there(one: CallField, condition: str) -> str:
    """A condition on a parameter that has to be given for it."""
    return f"call.{one.name} is not None and ({condition})" if one.type.optional else condition


def _guarded(one: CallField, condition: str, *, wanted: bool) -> str:
    """A condition on a parameter; one that may be missing names nothing that would be wrong."""
    if not one.type.optional:
        return condition
    return f"call.{one.name} is None or {condition}" if wanted else f"call.{one.name} is not None and {condition}"


def _rule(
    said: _Said, condition: str, numbers: frozenset[int], classes: tuple[str, ...], worth: float, *, wanted: bool = False, plain: bool = False
) -> Iterator[CommandRule]:
    """The rule that refuses, permits or hands to a person where a condition holds, or does not hold if it is ``wanted``."""
    form = said.form
    weights = said.sentence.weights
    share = sum(weights.get(one, 0.1) for one in numbers) / max(1.0, sum(weights.values()))
    if not numbers or form is None or (form is _Form.PERMIT and not wanted):
        return
    head = "permit" if form is _Form.PERMIT else "ask" if form is _Form.ASK else "forbid"
    text = f"not ({condition})" if wanted and form is not _Form.PERMIT and not plain else condition
    body = tree_of(ast.parse(text, mode="eval").body)
    yield CommandRule(("call", head, body, *(("name", one) for one in classes)), numbers, worth + 2 * share)
