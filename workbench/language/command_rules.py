"""Rules about commands, files and hosts that a sentence states, over the typed parts of what tools take.

"The agent must not read anything outside the repository" names no parameter: it is about the files that a
command reads, and about the path of each tool that reads. So there is a rule for each of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from workbench.dialect.call_fields import CallField, CallType
from workbench.language.command_speech import (
    ACTIONS,
    CALLS,
    DOINGS,
    WORDS,
    CommandSpeech,
    Form,
    among,
    set_of,
    with_sub_commands,
)
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.stems import stem
from workbench.language.trees import Tree, tree_of
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of_name
from workbench.model import Kind

_READING = words_named("reading") | {"glob", "grep", "ls", "cat", "open"}
_MAKING = frozenset(("write", "create", "new", "save", "add", "make"))
_DELETING = frozenset(("delete", "remove", "rm", "unlink", "trash"))
_AFTER_TESTS = ("commit", "push", "publish", "merge", "deploy")
_DELETES = f"(s.name in {set_of(CALLS['delete'])} or s.name == 'find' and '-delete' in s.words)"
_SURE = 0.9
"""What is worth most is what a sentence says of the run; files are least."""

type _Field = tuple[CallType, CallField]


@dataclass(frozen=True, slots=True)
class SaidRule:
    """A rule that a sentence may state, with the numbers of its words that it uses, and what it is worth."""

    tree: Tree
    used: frozenset[int]
    worth: float


class CommandRules:
    """Finds rules about commands, files and hosts; ``folder`` is the repository's, if it is known."""

    def __init__(self, calls: Iterable[CallType], folder: str = "") -> None:
        every = [(call, one) for call in calls for one in call.fields]
        self._folder = folder or next((call.cwd for call, _ in every if call.cwd), "")
        self._commands = [(call, one) for call, one in every if one.kind == "command" and not _many(one)]
        self._urls = [(call, one) for call, one in every if one.kind == "url" and not _many(one)]
        self._paths = [
            (call, one) for call, one in every if one.kind == "path" and one.name != call.cwd_parameter
        ]

    def of(self, sentence: ForeignSentence) -> Iterator[SaidRule]:
        """The rules of a sentence; none for an agent that has no commands and no files."""
        if not self._commands and not self._paths:
            return
        said = CommandSpeech(sentence, self._folder)
        if said.outside_of_nothing:
            return
        if said.form is None:  # "run the tests before you push" says no "must"
            yield from self._of_order(said, SaidRules(Form.FORBID, sentence))
            return
        rules = SaidRules(said.form, sentence)
        yield from self._of_order(said, rules)
        yield from self._of_own_files(said, rules)
        yield from self._of_count(said, rules)
        yield from self._of_programs(said, rules)
        yield from self._of_hosts(said, rules)
        yield from self._of_files(said, rules)
        yield from self._of_deleting(said, rules)

    @property
    def classes(self) -> frozenset[str]:
        """The calls of the tools that take commands, addresses or files."""
        return frozenset(call.name for call, _ in (*self._commands, *self._urls, *self._paths))

    # --- programs -----------------------------------------------------------------

    def _of_programs(self, said: CommandSpeech, rules: SaidRules) -> Iterator[SaidRule]:
        """Programs with their sub-commands and options, and what is done by some programs."""
        for call, one in self._commands:
            command = f"call.{one.name}"
            doing = [*said.doing(command)]
            for number, (condition, numbers) in enumerate(doing):
                yield from rules.refusing(condition, numbers, (call.name,), 0.5 - 0.1 * number)
            programs, numbers = said.programs, said.numbers_of_programs
            if doing or not programs or said.spares_some_programs:
                continue
            if said.places:
                names = dict.fromkeys(program.partition(" ")[0] for program in programs)
                paths = f"any({said.bad('p')} for p in s.paths)"
                condition = f"any({_is_one('s.name', names)} and {paths} for s in {command}.started)"
                yield from rules.refusing(condition, numbers | said.numbers_of_places, (call.name,), 0.5)
            elif said.form not in (Form.ONLY, Form.PERMIT) and not said.spares_programs:
                yield from rules.refusing(said.of_programs(command), numbers, (call.name,), 0.5)
            elif not said.is_by_a_program:
                part = "calls" if any(" " in program for program in programs) else "programs"
                named = with_sub_commands(programs) if part == "calls" else programs
                yield from rules.wanting(f"{command}.{part} <= {set_of(named)}", numbers, (call.name,), 0.5)

    # --- hosts --------------------------------------------------------------------

    def _of_hosts(self, said: CommandSpeech, rules: SaidRules) -> Iterator[SaidRule]:
        hosts, numbers = said.hosts, said.numbers_of_hosts
        if said.is_of_scheme:
            for call, one in self._urls:
                condition = _there(one, f"call.{one.name}.scheme != 'https'")
                yield from rules.refusing(condition, said.all_numbers, (call.name,), 0.5)
        if not hosts and not said.is_of_network:
            return
        wanted = said.form in (Form.ONLY, Form.PERMIT) or said.is_outside or said.spares_hosts
        for call, one in self._urls:
            condition = _is_one(f"call.{one.name}.host", hosts) if hosts else "True"
            if wanted:
                yield from rules.wanting(_or_missing(one, condition, said.form), numbers, (call.name,), 0.4)
            else:
                yield from rules.refusing(_there(one, condition), numbers, (call.name,), 0.4)
        for call, one in self._commands if said.form is not Form.PERMIT else ():
            reached = f"call.{one.name}.hosts"
            if hosts and wanted:
                yield from rules.wanting(f"{reached} <= {set_of(hosts)}", numbers, (call.name,), 0.5)
            else:
                condition = among(hosts, reached) if hosts else f"len({reached}) > 0"
                yield from rules.refusing(condition, numbers, (call.name,), 0.5)

    # --- files --------------------------------------------------------------------

    def _of_files(self, said: CommandSpeech, rules: SaidRules) -> Iterator[SaidRule]:
        """What is read, changed or deleted by commands and by the tools that take a path."""
        if not said.places or said.programs:
            return
        numbers = said.numbers_of_places
        if said.has(WORDS["sending"]):
            for call, one in self._commands:
                paths = f"any({said.bad('p')} for p in call.{one.name}.paths)"
                condition = f"{paths} and len(call.{one.name}.hosts) > 0"
                yield from rules.refusing(condition, said.all_numbers, (call.name,), 0.5)
            return
        for names, one in self._groups(said.actions):
            subject = f"call.{one.name}"
            if said.form is Form.PERMIT:
                good = f"all({said.good('p')} for p in {subject})" if _many(one) else said.good(subject)
                yield from rules.wanting(_there(one, good), numbers, names, 0.4)
            else:
                bad = f"any({said.bad('p')} for p in {subject})" if _many(one) else said.bad(subject)
                yield from rules.refusing(_there(one, bad), numbers, names, 0.4)
        for call, one in self._commands if said.actions and said.form is not Form.PERMIT else ():
            part = _part_of_command(said.actions)
            bad = said.bad("p")
            condition = f"{_DELETES} and any({bad} for p in s.paths)" if part == "started" else ""
            condition = f"any({condition or bad} for {'s' if condition else 'p'} in call.{one.name}.{part})"
            yield from rules.refusing(condition, numbers, (call.name,), 0.3)

    def _of_deleting(self, said: CommandSpeech, rules: SaidRules) -> Iterator[SaidRule]:
        """Deleting wherever it is done, where a sentence speaks of files or of all, and spares nothing."""
        is_of_all = said.has(ACTIONS["delete"]) and said.has(_ANYTHING) and not said.places
        if (
            not is_of_all
            or said.programs
            or said.spares_something
            or said.form not in (Form.ASK, Form.FORBID)
        ):
            return
        numbers = said.numbers_of_deleting
        for call, _ in self._paths:
            if "delete" in _does(call):
                yield from rules.refusing("True", numbers, (call.name,), 0.5)
        for call, one in self._commands:
            condition = f"any({_DELETES} for s in call.{one.name}.started)"
            yield from rules.refusing(condition, numbers, (call.name,), 0.5)

    def _groups(self, actions: frozenset[str]) -> Iterator[tuple[tuple[str, ...], CallField]]:
        """The tools that do something with a path, together where their paths are called alike."""
        yield from _together([each for each in self._paths if _does(each[0]) & actions])

    # --- what the run did -----------------------------------------------------------

    def _of_order(self, said: CommandSpeech, rules: SaidRules) -> Iterator[SaidRule]:
        """What is done only after the tests have passed, since files were changed if a tool changes some."""
        doings = [one for one in _AFTER_TESTS if said.has(DOINGS[one])]
        if not doings or not said.is_after_tests:
            return
        calls = [each for doing in doings for each in CALLS[doing]]
        changing = dict.fromkeys(call.name for call, _ in self._paths if "change" in _does(call))
        since = f"run.since(e for e in run.earlier({', '.join(changing)}) if e.succeeded)"
        for call, one in self._commands[:1]:
            tested = among(CALLS["tests"], f"c.{one.name}.calls")
            for number, part in enumerate((since, "run") if changing else ("run",)):
                passed = f"any({tested} and c.succeeded for c in {part}.earlier({call.name}))"
                condition = f"{among(calls, f'call.{one.name}.calls')} and not {passed}"
                yield from rules.refusing(condition, said.all_numbers, (call.name,), _SURE - 0.1 * number)

    def _of_own_files(self, said: CommandSpeech, rules: SaidRules) -> Iterator[SaidRule]:
        """What may be deleted only if the run made it."""
        if not said.has(ACTIONS["delete"]) or not said.has(WORDS["own"]) or said.places:
            return
        made = [*self._made("PATH")]
        for number, known in enumerate((made, made[:1]) if made else ()):
            foreign = " and ".join(f"not {each}" for each in known)
            worth = _SURE - 0.1 * number
            for call, one in self._paths:
                if "delete" in _does(call) and not _many(one):
                    condition = foreign.replace("PATH", f"call.{one.name}")
                    yield from rules.refusing(condition, said.all_numbers, (call.name,), worth)
            for call, one in self._commands:
                paths = f"any({foreign.replace('PATH', 'p')} for p in s.paths)"
                condition = f"any({_DELETES} and {paths} for s in call.{one.name}.started)"
                yield from rules.refusing(condition, said.all_numbers, (call.name,), worth)

    def _made(self, path: str) -> Iterator[str]:
        """That earlier calls made a file: by the tools that write, and by commands."""
        changing = [each for each in self._paths if "change" in _does(each[0]) and not _many(each[1])]
        making = [each for each in changing if _MAKING & set(words_of_name(each[0].tool).casefold().split())]
        for names, one in _together(making or changing):
            same = f"c.{one.name}.absolute == {path}.absolute"
            yield f"any({_there(one, same, 'c')} for c in run.earlier({', '.join(names)}) if c.succeeded)"
        for call, one in self._commands:
            same = f"any(w.absolute == {path}.absolute for w in c.{one.name}.writes)"
            yield f"any({same} and c.succeeded for c in run.earlier({call.name}))"

    def _of_count(self, said: CommandSpeech, rules: SaidRules) -> Iterator[SaidRule]:
        """At most so many files that are changed in a run."""
        most = said.most
        if most is None or not said.actions & {"change", "read", "delete"} or not said.has(_FILE):
            return
        for names, one in self._groups(said.actions):
            if _many(one) or one.type.optional:
                continue
            earlier = f"run.earlier({', '.join(names)})"
            count = f"len({{c.{one.name} for c in {earlier} if not c.failed}}) >= {most}"
            same = f"c.{one.name}.absolute == call.{one.name}.absolute and not c.failed"
            again = f"any({same} for c in {earlier})"
            yield from rules.refusing(f"not {again} and {count}", said.all_numbers, names, _SURE)
            yield from rules.refusing(count, said.all_numbers, names, _SURE - 0.1)


_FILE = frozenset((stem("file"),))
_ANYTHING = frozenset(map(stem, ("file", "files", "folder", "folders", "anything", "nothing", "directory")))
"""Words for what programs delete."""


class SaidRules:
    """Makes the rules of what a sentence says; a rule that uses none of its words is none."""

    def __init__(self, form: Form, sentence: ForeignSentence) -> None:
        self._form = form
        self._weights = sentence.weights

    def refusing(
        self, condition: str, numbers: frozenset[int], classes: tuple[str, ...], worth: float
    ) -> Iterator[SaidRule]:
        """The rule that refuses, or hands to a person, where a condition holds."""
        if self._form is not Form.PERMIT:
            yield from self._rule(
                "ask" if self._form is Form.ASK else "forbid", condition, numbers, classes, worth
            )

    def wanting(
        self, condition: str, numbers: frozenset[int], classes: tuple[str, ...], worth: float
    ) -> Iterator[SaidRule]:
        """The rule that permits where a condition holds, or refuses where it does not."""
        if self._form is Form.PERMIT:
            yield from self._rule("permit", condition, numbers, classes, worth)
        else:
            yield from self.refusing(f"not ({condition})", numbers, classes, worth)

    def _rule(
        self, head: str, condition: str, numbers: frozenset[int], classes: tuple[str, ...], worth: float
    ) -> Iterator[SaidRule]:
        share = sum(self._weights.get(one, 0.1) for one in numbers) / max(1.0, sum(self._weights.values()))
        body = tree_of(ast.parse(condition, mode="eval").body)
        if numbers:
            tree: Tree = ("call", head, body, *(("name", one) for one in classes))
            yield SaidRule(tree, numbers, worth + 2 * share)


def _many(one: CallField) -> bool:
    return one.type.kind in (Kind.LIST, Kind.SET)


def _together(fields: Sequence[_Field]) -> Iterator[tuple[tuple[str, ...], CallField]]:
    """The tools whose fields are called alike, together."""
    found: dict[tuple[str, bool, bool], list[_Field]] = {}
    for call, one in fields:
        found.setdefault((one.name, _many(one), one.type.optional), []).append((call, one))
    for ones in found.values():
        yield tuple(call.name for call, _ in ones), ones[0][1]


def _does(call: CallType) -> frozenset[str]:
    """What a tool does with the files that it is given, by the words of its name."""
    words = words_of_name(call.tool).casefold().split()
    if not _DELETING.isdisjoint(words):
        return frozenset(("delete", "any"))
    return frozenset(("read" if words[:1] and words[0] in _READING else "change", "any"))


def _part_of_command(actions: frozenset[str]) -> str:
    """The part of a command with the files that are meant; what deletes is told by its programs."""
    if "any" in actions or {"read", "change"} <= actions:
        return "paths"
    if "change" in actions:
        return "writes"
    return "reads" if "read" in actions else "started" if "delete" in actions else "runs"


def _is_one(subject: str, texts: Iterable[str]) -> str:
    """That a text is one of some texts."""
    every = tuple(texts)
    return f"{subject} == {every[0]!r}" if len(every) == 1 else f"{subject} in {set_of(every)}"


def _there(one: CallField, condition: str, call: str = "call") -> str:
    """A condition on a parameter that has to be given for it."""
    return f"{call}.{one.name} is not None and ({condition})" if one.type.optional else condition


def _or_missing(one: CallField, condition: str, form: Form | None) -> str:
    """A condition that is wanted of a parameter; one that is missing is not wrong, and permits nothing."""
    if form is Form.PERMIT:
        return _there(one, condition)
    return f"call.{one.name} is None or {condition}" if one.type.optional else condition
