"""Attempts with what came before: a rule lets a call through after another one, which was not what is meant.

The other call failed, its outcome tells nothing, it did a part, or what it looked at was changed since.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from workbench.clarify.written.acts_of_tools import CHANGING
from workbench.clarify.written.asked import Calls, Effect, TriedCall
from workbench.clarify.written.attacked import (
    Attacked,
    calls_before,
    fillings_of,
    made_call,
    recorded_before,
    words_of,
)
from workbench.clarify.written.attempts import Attempt, Try
from workbench.clarify.written.attempts_at_texts import among, text
from workbench.clarify.written.book import places, replaced
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import RUN, TRUE, Tree, joined
from workbench.model import Json, Kind
from workbench.runs.kinds.command import COMMAND

_IT: Tree = ("name", "it")
_FAILED = json.dumps({"error": "it failed"})
_OF_TESTS = re.compile(
    r"\b(?:tests?|testing|tested|pytest|tox|ctest|lint\w*|checks?|build\w*|ci|verif\w+)\b", re.IGNORECASE
)
"""Words for what looks at the files as they are."""
_TESTS = (
    "pytest", "npm test", "make test", "cargo test", "go test ./...", "python -m pytest", "tox",
)  # fmt: skip
"""Commands that run all tests, where neither a log nor the rule has one."""
_HIDING = ("{} || true", "{}; true", "{} &", "! {}", "if {}; then :; fi", "{} | tail -5")
"""Commands that succeed whatever becomes of a command in them."""
_HIDDEN_BY = ("|", ";", "\n", "`", "$(", "! ")
"""Signs in a command by which it may succeed where a program in it fails; "&&" is none."""
_IN_PART: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "pytest": (
        ("{} --collect-only", "{} --version", "{} --help", "{} tests/test_one.py", "{} -k one"),
        (" --collect", " --co ", " --version", " -V", " --help", " -h", " -k", " --deselect", ".py", "::"),
    ),
    "make test": (
        ("{} --dry-run", "{} -n", "{} --version", "{} --touch", "{} -i"),
        (
            " --dry-run",
            " --just-print",
            " -n",
            " --version",
            " -v",
            " --touch",
            " -t",
            " -i",
            " --ignore-errors",
        ),
    ),
    "npm test": (
        ("{} --help", "{} --ignore-scripts"),
        (" --help", " -h", " --ignore-scripts", " --if-present"),
    ),
    "cargo test": (("{} --no-run", "{} --help"), (" --no-run", " --help", " -h")),
    "go test ./...": (("go test -list . ./...", "go test -run NONE ./..."), (" -list", " -run")),
    "tox": (
        ("{} --listenvs", "{} --version", "{} --notest"),
        (" --listenvs", " -l", " --version", " --notest"),
    ),
}
"""By the words of a program commands of it that do nothing or a part, and the signs of such commands."""
_NARROWING = frozenset((
    "case", "file", "files", "filter", "keyword", "marker", "match", "module", "only", "package", "path",
    "paths", "pattern", "scope", "select", "suite", "target", "test", "tests",
))  # fmt: skip
"""Words of parameters that tell a tool to do a part of what it does without them."""
_NOT_DONE = re.compile(r"dry|simulate|preview|collect|list|plan|skip|ignore|allow_fail")
_HARMLESS = (
    "cat", "cd", "env", "git add", "git commit", "git diff", "git log", "git show", "git status", "ls",
    "nice", "pwd", "time", "timeout",
)  # fmt: skip
"""Calls of programs that leave files as they are, apart from what they are redirected to."""
_STARTING = frozenset(("python", "python3", "poetry run", "uv run"))
"""Calls that start tests, and anything else."""
_CHANGES = (
    "sed -i s/1/2/ {file}",
    "echo x >> {file}",
    "git checkout HEAD~1 -- {file}",
    "git pull",
    "python change.py",
)
_MOST_BEFORE = 40


@dataclass(frozen=True, slots=True)
class _Way:
    """A call before that lets the decided one through, of a class."""

    before: TriedCall
    decided: TriedCall
    of: CallType
    command: CallField | None
    """The field in which the call before has a command, where the rule looks at it."""

    @property
    def calls(self) -> Calls:
        """The run."""
        return (self.before, self.decided)

    @property
    def text(self) -> str:
        """The command of the call before; empty for none."""
        return "" if self.command is None else str(self.before.arguments[self.command.key])


def attempts_at_runs(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts at the calls that have to come before one."""
    for way in _ways(attacked):
        yield _failed_before(attacked, way)
        named = " ".join((attacked.sentence, *words_of(way.of.tool), way.text))
        if _OF_TESTS.search(named):
            yield from _tells_nothing(attacked, way)
            yield _changed_since(attacked, way)


def _ways(attacked: Attacked) -> Iterator[_Way]:
    """Yield a call that each class of earlier calls has which lets through what the rule stops otherwise."""
    decided = attacked.stopped
    if decided is None or decided.recorded is not None:
        return
    for name in attacked.reading.earlier:
        of = attacked.book.language.types.calls.get(name)
        if of is None:
            continue
        command = next((one for one in of.fields if _is_command(attacked, of, one)), None)
        for before in _likely(attacked, of, command, decided):
            way = _Way(before, decided, of, command)
            if attacked.lets_through(way.calls):
                yield way
                break


def _is_command(attacked: Attacked, of: CallType, one: CallField) -> bool:
    return attacked.kind_in(of, one) == "command"


def _likely(
    attacked: Attacked, of: CallType, command: CallField | None, decided: TriedCall
) -> Iterator[TriedCall]:
    """Yield calls of a class that may be what a rule asks for: logged ones, known ones, and made ones."""
    logged = [one.arguments for one in attacked.book.calls if one.tool == of.tool and not one.failed]
    if command is not None:
        texts = [str(each[command.key]) for each in logged if each is not None and command.key in each]
        whole = (each for each in dict.fromkeys(texts) if _OF_TESTS.search(each) and ";" not in each)
        found = [*sorted(whole, key=len)[:_MOST_BEFORE], *attacked.texts, *_TESTS]
        logged = [{**made_call(of, {}).arguments, command.key: each} for each in dict.fromkeys(found)]
    for arguments in logged[:_MOST_BEFORE]:
        if arguments is not None:
            yield from recorded_before(attacked.book, TriedCall(of.tool, arguments))
    yield from calls_before(attacked.book, of.name, (decided,), [attacked.reading])


# --- it failed


def _failed_before(attacked: Attacked, way: _Way) -> Attempt:
    """The call before failed."""
    recorded = way.before.recorded
    failed = replace(way.before, recorded=recorded and replace(recorded, result=_FAILED))
    tries = [Try((failed, way.decided), f"the call of {way.of.tool} before it failed")]
    succeeded = partial(_given, attacked, way, ("attr", _IT, "succeeded"))
    return Attempt("failed before", tries, succeeded, about=way.of.name, harmless=way.calls)


def _given(attacked: Attacked, way: _Way, condition: Tree) -> Sequence[Effect]:
    """The rule, which asks something more of the call before, called "it" in the condition."""

    def asking(variable: Tree, element: Tree, elements: Tree) -> tuple[Tree, Tree]:
        own = condition
        for path, part in [*places(own)]:
            own = replaced(own, path, variable) if part == _IT else own
        return (own if element == TRUE else joined("and", [element, own])), elements

    return _with_changed(attacked, way, asking)


def _with_changed(
    attacked: Attacked, way: _Way, change: Callable[[Tree, Tree, Tree], tuple[Tree, Tree]]
) -> Sequence[Effect]:
    """The rule with what ``change`` makes of the variable, condition and calls by which it asks for one."""
    said = attacked.unfolded.condition
    for path, part in [*places(said)]:
        if part[:2] != ("call", "any") or part[2][0] != "gen":
            continue
        form, variable, element, elements, where = part[2]
        if elements[0] == "method" and elements[2] == "earlier" and ("name", way.of.name) in elements[3:]:
            asked, calls = change(variable, element, elements)
            said = replaced(said, path, ("call", "any", (form, variable, asked, calls, where)))
    changed = said != attacked.unfolded.condition
    return [Effect({attacked.rule.name: attacked.rule.with_condition(said)})] if changed else []


# --- its outcome tells nothing, or it did a part


def _tells_nothing(attacked: Attacked, way: _Way) -> Iterator[Attempt]:
    """A command that succeeds whatever becomes of what it runs, or runs nothing or a part of it."""
    if way.command is None:
        yield from _in_part(attacked, way)
        return
    key, it = way.command.key, ("attr", _IT, way.command.name)
    why = f"that command succeeds also where “{way.text}” fails"
    hiding = [
        Try((before, way.decided), why)
        for each in _HIDING
        for before in _with(attacked, way, key, each.format(way.text))
    ]
    rewritings = partial(_given, attacked, way, _shown_by(it))
    yield Attempt("outcome hidden", hiding, rewritings, about=way.of.name, harmless=way.calls)
    in_part: list[Try] = []
    whole: list[Tree] = []
    for program, (commands, signs) in _IN_PART.items():
        tries = [
            Try((before, way.decided), f"that command does not do all that “{program}” does")
            for each in commands
            for before in _with(attacked, way, key, each.format(program))
            if attacked.lets_through((before, way.decided))
        ]
        in_part += tries
        if tries:
            word = text(program.split()[0])
            signed: Tree = joined("or", [("in", text(each), it) for each in signs])
            whole.append(("not", joined("and", [("in", word, it), signed])))
    rewritings = partial(_given, attacked, way, joined("and", whole))
    yield Attempt("done in part", in_part, rewritings, about=way.of.name, harmless=way.calls)


def _shown_by(command: Tree) -> Tree:
    """That nothing in a command hides the outcome of a program in it, or puts it into the background."""
    hidden: list[Tree] = [("in", text(sign), command) for sign in _HIDDEN_BY]
    hidden.append(("method", command, "endswith", text("&")))
    for sign, others in (("& ", ("&& ",)), (" &", (" &&", " &>"))):
        alone = [("not in", text(each), command) for each in others]
        hidden.append(joined("and", [("in", text(sign), command), *alone]))
    return ("not", joined("or", hidden))


def _with(attacked: Attacked, way: _Way, key: str, value: Json) -> Iterator[TriedCall]:
    """Yield the call before with another value."""
    other = TriedCall(way.before.tool, {**way.before.arguments, key: value})
    yield from recorded_before(attacked.book, other)


def _in_part(attacked: Attacked, way: _Way) -> Iterator[Attempt]:
    """A call before that does a part by a parameter which it may leave out, or nothing."""
    for one in way.of.fields:
        it: Tree = ("attr", _IT, one.name)
        if one.type.kind is Kind.BOOL and _NOT_DONE.search(one.name):
            value: Json = True
            condition: Tree = ("not", it)
            why = f"by its {one.name.replace('_', ' ')} it may do nothing"
        elif one.type.optional and one.type.kind is Kind.STR and _NARROWING & {*words_of(one.name)}:
            value, condition = "tests/test_one.py", ("is none", it)
            why = f"by its {one.name.replace('_', ' ')} it may do a part"
        else:
            continue
        if one.type.optional and one.type.kind is Kind.BOOL:
            condition = joined("or", [("is none", it), condition])
        tries = [Try((each, way.decided), why) for each in _with(attacked, way, one.key, value)]
        rewritings = partial(_given, attacked, way, condition)
        yield Attempt(
            "done in part", tries, rewritings, about=f"{way.of.name} {one.name}", harmless=way.calls
        )


# --- what it looked at was changed since


def _changed_since(attacked: Attacked, way: _Way) -> Attempt:
    """A change of a file between the call before and the decided one, where the first looked at files."""
    changes = [*_changes(attacked, way)]
    tries = [Try((way.before, each, way.decided), "a file is changed in between") for each in changes]
    tools = {each.tool for each in changes}
    rewritings = partial(_since_changes, attacked, way, tools)
    return Attempt("changed since", tries, rewritings, about=way.of.name, harmless=way.calls)


def _changes(attacked: Attacked, way: _Way) -> Iterator[TriedCall]:
    """Yield calls that change a file, each allowed where it is made."""
    book = attacked.book
    for of in book.language.types.calls.values():
        fillings = fillings_of(book, of)
        base = fillings[0] if fillings else made_call(of, {})
        for one in of.fields:
            kind = attacked.kind_in(of, one)
            file = "src/app.py"
            texts = [each.format(file=file) for each in _CHANGES] if kind == "command" else []
            if kind == "path" and CHANGING & {*words_of(of.tool)}:
                texts = [file, str(base.arguments.get(one.key, ""))]
            calls = (TriedCall(of.tool, {**base.arguments, one.key: each}) for each in texts if each)
            passing = [each for each in calls if attacked.lets_through((way.before, each, way.decided))]
            yield from passing if kind == "command" else passing[:1]


def _since_changes(attacked: Attacked, way: _Way, tools: Collection[str]) -> Sequence[Effect]:
    """The rule by the part of the run since a file was changed."""
    changing = [each for each in attacked.book.language.types.calls.values() if each.tool in tools]
    commands = [(each, one) for each in changing for one in each.fields if _is_command(attacked, each, one)]
    of_commands = {each.name for each, _ in commands}
    writing: list[Tree] = [("name", each.name) for each in changing if each.name not in of_commands]

    def since(_variable: Tree, element: Tree, elements: Tree) -> tuple[Tree, Tree]:
        run = _since_also(elements[1], writing) if writing else elements[1]
        for each, one in commands:
            calls: Tree = ("method", RUN, "earlier", ("name", each.name))
            run = _since(run, calls, _changes_files(attacked, way, one))
        return element, ("method", run, *elements[2:])

    return _with_changed(attacked, way, since)


def _since_also(run: Tree, classes: Sequence[Tree]) -> Tree:
    """A part of a run, since a call of some classes too."""
    match run:
        case (
            "method",
            inner,
            "since",
            ("gen", variable, element, ("method", whole, "earlier", *own), where),
        ):
            return (
                "method",
                inner,
                "since",
                ("gen", variable, element, ("method", whole, "earlier", *own, *classes), where),
            )
        case _:
            return _since(run, ("method", RUN, "earlier", *classes), TRUE)


def _since(run: Tree, calls: Tree, condition: Tree) -> Tree:
    one: Tree = ("name", "e")
    return ("method", run, "since", ("gen", one, one, calls, condition))


def _changes_files(attacked: Attacked, way: _Way, command: CallField) -> Tree:
    """That a command may change files: it starts more than what is known to change none, or writes some.

    What tests write is none of it, as they run before what they let through.
    """
    parts: Tree = ("attr", ("name", "e"), command.name)
    reader, tests = COMMAND.reader({}), set[str]()
    for each in (way.text, *attacked.texts, *_TESTS):
        found = reader.parts(each)["calls"] if way.text and _OF_TESTS.search(each) else None
        tests |= {*map(str, found)} - _STARTING if isinstance(found, frozenset) else set()
    calls, one = ("attr", parts, "calls"), ("name", "p")
    started = [*_HARMLESS, *(_STARTING if tests else ()), *tests]
    others: Tree = ("not", ("<=", calls, ("set", *map(text, sorted({*started})))))
    writes: Tree = (">", ("call", "len", ("attr", parts, "writes")), ("lit", "int", 0))
    if not tests:
        return joined("or", [others, writes])
    is_test, starts = (
        ("call", "any", ("gen", one, among(one, sorted(names)), calls, TRUE)) for names in (tests, _STARTING)
    )
    return joined("or", [others, joined("and", [("not", is_test), joined("or", [starts, writes])])])
