"""Attempts with what came before: a rule lets a call through after another one, which was not what is meant.

The other call failed, its outcome tells nothing or is no, it did a part, it was for something else or for a
call before, or what it looked at was changed since.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from workbench.clarify.written.acts_of_tools import ALTERING, CHANGING, MOVING, effect_of_tool, undoing
from workbench.clarify.written.asked import Calls, Effect, TriedCall
from workbench.clarify.written.attacked import (
    Attacked,
    calls_before,
    fillings_of,
    made_call,
    recorded_before,
    words_of,
)
from workbench.clarify.written.attempts import Attempt, Try, beside, narrower, offering, saying
from workbench.clarify.written.attempts_at_texts import among, text
from workbench.clarify.written.book import places, replaced
from workbench.clarify.written.said_of_another_tool import usual_call, with_field
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, RUN, TRUE, Tree, joined, with_instead
from workbench.language.words import things
from workbench.model import Json, Kind
from workbench.runs.kinds.command import COMMAND
from workbench.runs.values.name_words import amount_named

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
    """Yield the attempts at the calls that have to come before one, and with one that comes after it."""
    yield from _changed_after(attacked)
    for way in _ways(attacked):
        yield _failed_before(attacked, way)
        yield from _of_something_else(attacked, way)
        between = _changed_between(attacked, way)
        yield between
        yield _turned_back(attacked, way)
        yield from _answered_no(attacked, way)
        yield _used_twice(attacked, way)
        named = " ".join((attacked.sentence, *words_of(way.of.tool), way.text))
        if _OF_TESTS.search(named):
            yield from _tells_nothing(attacked, way)
            if not between.tries:
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
        own = with_instead(condition, _IT, variable)
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
    return [saying(attacked.rule, said)] if changed else []


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


# --- what was looked at, or approved, is changed in between


def _linked(attacked: Attacked, way: _Way) -> Mapping[str, str]:
    """The fields of the call before that are equal to fields of the decided one, as the rule asks."""
    found: dict[str, str] = {}
    for _, part in places(attacked.unfolded.condition):
        for one, own in (
            ((part[1], part[2]), (part[2], part[1])) if part[0] == "==" and len(part) == 3 else ()
        ):
            is_of_call = own[:2] == ("attr", CALL)
            if is_of_call and one[0] == "attr" and one[1][0] == "name" and one[1] != CALL:
                found[str(one[2])] = str(own[2])
    return {one.name: found[one.name] for one in way.of.fields if one.name in found}


def _changed_between(attacked: Attacked, way: _Way) -> Attempt:
    """Another tool changes the same thing between the call before and the decided one, or takes it back."""
    linked, tries = _linked(attacked, way), list[Try]()
    keys: dict[str, list[str]] = {}
    for name, other in attacked.book.language.types.calls.items():
        key = next((one for one in other.fields if one.name in linked), None)
        if name == way.of.name or name in attacked.rule.classes:
            continue
        if key is None and not linked and _is_opposite(way.of.tool, other.tool):
            run = (way.before, _changing(attacked, other), way.decided)
            if attacked.lets_through(run):
                tries.append(Try(run, f"{other.tool} undoes in between what {way.of.tool} did"))
                keys.setdefault("", []).append(name)
        alters = key is not None and _alters(attacked, other, key)
        if key is None or not (alters or _is_opposite(way.of.tool, other.tool)):
            continue
        value = way.before.arguments.get(next(one.key for one in way.of.fields if one.name == key.name))
        call = TriedCall(other.tool, {**_changing(attacked, other).arguments, key.key: value})
        run = (way.before, call, way.decided)
        if attacked.lets_through(run):
            tries.append(Try(run, f"{other.tool} comes in between, for the same {_said(key.name)}"))
            keys.setdefault(key.name, []).append(name)

    def since(_variable: Tree, element: Tree, elements: Tree) -> tuple[Tree, Tree]:
        run = elements[1]
        for key, names in keys.items():
            calls: Tree = ("method", RUN, "earlier", *(("name", name) for name in names))
            same: Tree = ("==", ("attr", _EARLIER, key), ("attr", CALL, linked[key])) if key else TRUE
            run = _since(run, calls, same)
        return element, ("method", run, *elements[2:])

    return Attempt(
        "changed between", tries, partial(_with_changed, attacked, way, since), about=way.of.name,
        harmless=way.calls,
    )  # fmt: skip


def _is_opposite(tool: str, other: str) -> bool:
    """Whether one tool undoes by its name what another one does to the same thing."""
    own, theirs = words_of(tool), words_of(other)
    is_undoing = bool((undoing(theirs) | _OFF & {*theirs}) - {*own})
    return is_undoing and things(own[1:]) == things(theirs[1:]) and len(own) > 1


_OFF = frozenset(("deactivate", "disarm", "end", "logout", "off", "pause", "suspend", "unlock", "unmute"))
_STATING = ALTERING | {"activate", "configure", "enable", "lock", "mode", "select", "toggle", "turn", "use"}
"""What a tool does by which a state is set that lasts until it is set otherwise."""


def _turned_back(attacked: Attacked, way: _Way) -> Attempt:
    """The same tool sets the state otherwise in between that a rule asks for."""
    linked, tries = _linked(attacked, way), list[Try]()
    read = {one.name for one in way.of.fields if _is_asked_for(attacked, way, one)} - linked.keys()
    for one in way.of.fields if {*words_of(way.of.tool)} & _STATING else ():
        value = way.before.arguments.get(one.key)
        others: list[Json] = [each for each in one.type.values if each != value]
        others = [not value] if isinstance(value, bool) else others or ["other"]
        if one.name in read and value is not None and one.type.kind in (Kind.BOOL, Kind.ENUM, Kind.STR):
            again = TriedCall(way.of.tool, {**way.before.arguments, one.key: others[0]})
            run = (way.before, again, way.decided)
            tries += [Try(run, f"its {_said(one.name)} is set otherwise in between")] * attacked.lets_through(
                run
            )

    def since(variable: Tree, element: Tree, elements: Tree) -> tuple[Tree, Tree]:
        parts = element[1:] if element[0] == "and" else (element,)
        asked = [
            part
            for part in parts
            if any(each == ("attr", variable, name) for name in read for _, each in places(part))
        ]
        said = with_instead(joined("and", asked) if asked else TRUE, variable, _EARLIER)
        same: list[Tree] = [
            ("==", ("attr", _EARLIER, key), ("attr", CALL, own)) for key, own in linked.items()
        ]
        calls: Tree = ("method", RUN, "earlier", ("name", way.of.name))
        run = _since(elements[1], calls, joined("and", [*same, ("not", said)]))
        return element, ("method", run, *elements[2:])

    rewritings = partial(_with_changed, attacked, way, since)
    return Attempt("turned back", tries, rewritings, about=way.of.name, harmless=way.calls)


def _is_asked_for(attacked: Attacked, way: _Way, one: CallField) -> bool:
    """Whether a rule asks for a value of a field of the call before."""
    found = (part[2] for _, part in places(attacked.unfolded.condition) if part[:2] == ("call", "any"))
    return any(
        ("name", way.of.name) in each[3][3:]
        and any(part == ("attr", each[1], one.name) for _, part in places(each[2]))
        for each in found
        if each[0] == "gen" and each[3][0] == "method"
    )


def _alters(attacked: Attacked, other: CallType, key: CallField) -> bool:
    """Whether a tool changes by its name what it names by a key, or takes it back."""
    does = {*words_of(other.tool)}
    return bool(does & ALTERING or undoing(does)) and not effect_of_tool(attacked, other.tool).reads and (
        key.type.kind in (Kind.STR, Kind.INT)
    )  # fmt: skip


def _changing(attacked: Attacked, other: CallType) -> TriedCall:
    """A call of a tool that changes something: a logged one, or one with what it may leave out."""
    logged = next((one.arguments for one in attacked.book.calls if one.tool == other.tool), None)
    if logged is not None:
        return TriedCall(other.tool, logged)
    optional = [one for one in other.fields if one.type.optional and one.type.kind in (Kind.STR, Kind.INT)]
    return made_call(other, {one.name: "other" if one.type.kind is Kind.STR else 1 for one in optional[:1]})


def _said(name: str) -> str:
    return name.replace("_", " ")


# --- an approval of something else, of nobody, that was refused, or that was used before


def _of_something_else(attacked: Attacked, way: _Way) -> Iterator[Attempt]:
    """A call before with another value than the decided one has in the field of the same name."""
    linked = _linked(attacked, way)
    for one in way.of.fields:
        own = attacked.field(one.name)
        words = {*words_of(one.name)}
        if own is None or one.name in linked or own.name in linked.values() or words & _BESIDE:
            continue
        if own.type.kind is not one.type.kind or not (
            words - _NOT_OF_THING or own.name in attacked.reading.parts
        ):
            continue
        value: Tree = ("attr", CALL, own.name)
        tries = [
            Try(
                (before, decided), f"its {_said(one.name)} is not that of the call of {way.of.tool} before it"
            )
            for before, decided in _apart(attacked, way, one, own)
            if attacked.lets_through((before, decided))
        ]
        is_number = one.type.kind in (Kind.INT, Kind.DECIMAL) and amount_named(words) != ""
        covers: Tree = (">=" if is_number else "==", ("attr", _IT, one.name), value)
        rewritings = partial(_given, attacked, way, covers)
        yield Attempt(
            "of something else",
            tries[:1],
            rewritings,
            about=f"{way.of.name} {one.name}",
            harmless=_alike(way, one, own),
        )


def _apart(
    attacked: Attacked, way: _Way, one: CallField, own: CallField
) -> Iterator[tuple[TriedCall, TriedCall]]:
    """Yield a call before and a decided one with other values of a field, the second the larger number."""
    held = way.decided.arguments.get(own.key)
    if own.type.kind in (Kind.INT, Kind.DECIMAL):
        for small, large in ((held, 1000), (1, held), (1, 100)):
            if isinstance(small, int | float) and isinstance(large, int | float) and small < large:
                for before in _with(attacked, way, one.key, small):
                    yield before, attacked.with_value(way.decided, own, large)
    elif own.type.kind is Kind.ENUM:
        for value in one.type.values:
            if value != held and held is not None:
                yield from ((before, way.decided) for before in _with(attacked, way, one.key, value))
    elif isinstance(held, str):
        other = f"other.{held}" if "@" in held else f"{held}-2"
        yield from ((before, way.decided) for before in _with(attacked, way, one.key, other))


def _alike(way: _Way, one: CallField, own: CallField) -> Calls:
    """The run of a way with the same value of a field in both calls."""
    held = way.decided.arguments.get(own.key)
    recorded = way.before.recorded
    given = {**way.before.arguments, one.key: held}
    return (
        replace(way.before, arguments=given, recorded=recorded and replace(recorded, arguments=given)),
        way.decided,
    )


def _answered_no(attacked: Attacked, way: _Way) -> Iterator[Attempt]:
    """A call before that asked for something, and whose result says no."""
    if not {*words_of(way.of.tool)} & _APPROVING:
        return
    recorded = way.before.recorded
    results = (
        json.loads(one.result or "")
        for one in attacked.book.calls
        if one.tool == way.of.tool and _is_object(one.result)
    )
    for name, result in islice(((name, no) for each in results for name, no in _turned_to_no(each)), 1):
        told = json.dumps(result)
        no = replace(way.before, recorded=recorded and replace(recorded, result=told))
        tries = [Try((no, way.decided), f"{way.of.tool} was called before it, and said no")]
        rewritings = partial(_told_yes, attacked, way, name)
        yield Attempt("answered no", tries, rewritings, about=way.of.name)


def _is_object(result: str | None) -> bool:
    try:
        return isinstance(json.loads(result or ""), dict)
    except ValueError:
        return False


def _turned_to_no(result: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Yield the fields of a result that say yes or no, each with the result that says no by it."""
    for name, value in result.items():
        no = (
            False
            if isinstance(value, bool)
            else _NO_TO.get(value.casefold())
            if isinstance(value, str)
            else None
        )
        if no is not None:
            yield name, {**result, name: no}


def _told_yes(attacked: Attacked, way: _Way, name: str) -> Sequence[Effect]:
    """The rule, which stops too where the record says no that the call before tells."""
    rule, types = attacked.rule, attacked.book.language.types
    for record in attacked.book.agent.records:
        told = [one for one in types.records[record.name].fields if one.name == name]
        own = next(
            (
                one
                for one in attacked.call_type.fields
                if record.key and one.name in _linked(attacked, way).values()
            ),
            None,
        )
        if not told or own is None or told[0].type.kind is not Kind.BOOL:
            continue
        held: Tree = ("method", RUN, record.name, ("attr", CALL, own.name))
        said: list[Tree] = [("is none", held), ("not", ("attr", held, name))]
        if told[0].type.optional:
            said.insert(1, ("is none", ("attr", held, name)))
        return [narrower(rule, joined("or", said))]
    return []


def _used_twice(attacked: Attacked, way: _Way) -> Attempt:
    """One approval, and two calls that give away something by it."""
    is_approval = {*words_of(way.of.tool)} & _APPROVING and not effect_of_tool(attacked, way.of.tool).reads
    gives = {*words_of(attacked.tool)} & _GIVING
    run = (way.before, way.decided, way.decided)
    tries = [Try(run, f"one call of {way.of.tool} lets both through")] if is_approval and gives else []
    linked = _linked(attacked, way)

    def since(_variable: Tree, element: Tree, elements: Tree) -> tuple[Tree, Tree]:
        calls: Tree = ("method", RUN, "earlier", *attacked.rule.tree[3:])
        same: list[Tree] = [("==", ("attr", _EARLIER, own), ("attr", CALL, own)) for own in linked.values()]
        given = joined("and", [*same, ("not", ("attr", _EARLIER, "failed"))])
        return element, ("method", _since(elements[1], calls, given), *elements[2:])

    rewritings = partial(_with_changed, attacked, way, since)
    return Attempt("used twice", tries, rewritings, about=way.of.name, harmless=way.calls)


# --- what a call does is changed by another tool after it


def _changed_after(attacked: Attacked) -> Iterator[Attempt]:
    """Another tool changes afterwards what the rule looked at, in a field of its own name: a new address."""
    stopped = attacked.stopped or attacked.plain
    if attacked.rule.form == "permit":
        return
    verb, *others = words_of(attacked.tool)
    made, begin = things(others), verb.removesuffix("e")
    for one in attacked.fields_read:
        noun, value = things(words_of(one.name)) - _NAMING, stopped.arguments.get(one.key)
        for name, other in attacked.book.language.types.calls.items() if noun and value is not None else ():
            changes = {*words_of(other.tool)} & (ALTERING | _REDIRECTING | MOVING)
            if name in attacked.rule.classes or attacked.book.rules_by_class.get(name) or not changes:
                continue
            keys = {word for each in other.fields for word in words_of(each.name)[:-1]}
            keys |= {*words_of(other.tool)}
            is_made = bool(made & things(keys)) or any(word.startswith(begin) for word in keys)
            if any(each.name == one.name for each in other.fields):  # else it is what that tool works on
                ids = {
                    word
                    for each in other.fields
                    if each.name != one.name
                    for word in words_of(each.name)[:-1]
                }
                is_made = bool(made & things(ids))
            to = [
                each for each in other.fields
                if things(words_of(each.name)) - _NEW == noun and each.type.kind is one.type.kind
            ]  # fmt: skip
            if len(to) != 1 or not is_made:
                continue
            usual = usual_call(attacked, other).arguments
            run = (TriedCall(other.tool, {**usual, to[0].key: value}),)
            made_ = _as_allowed(attacked, stopped, one)
            first = run if made_ is None else (made_, *run)
            said = None if attacked.reading.reads_run else _said_after(attacked, one, other)
            said = None if said is None else with_field(said, one, to[0])
            if said is None and to[0].name == one.name:
                continue  # a rule about what came before says nothing of that tool
            if said is not None and to[0].type.optional:
                said = joined("and", [("is some", ("attr", CALL, to[0].name)), said])
            tree: Tree = ("call", attacked.rule.form, TRUE if said is None else said, ("name", name))
            tries = [Try(first, f"{other.tool} changes the {_said(one.name)} afterwards")]
            yield Attempt("changed after", tries, offering(beside(attacked.rule, tree)), about=name)


def _as_allowed(attacked: Attacked, stopped: TriedCall, one: CallField) -> TriedCall | None:
    """A call that is allowed: as the stopped one but for a field, if there is one."""
    values = [
        *(one.type.values or ()),
        *((attacked.allowed and attacked.allowed.arguments.get(one.key)) or "",),
    ]
    calls = (attacked.with_value(stopped, one, each) for each in values if each)
    return next((each for each in calls if attacked.lets_through((each,))), attacked.allowed)


def _said_after(attacked: Attacked, one: CallField, other: CallType) -> Tree | None:
    """What a rule says of one field and of what another tool has, too; None if it says no more of these."""
    names, condition = {one.name, *(each.name for each in other.fields)}, attacked.rule.condition
    parts = condition[1:] if condition[0] == "and" else (condition,)
    left = [
        part for part in parts if {each[2] for _, each in places(part) if each[:2] == ("attr", CALL)} <= names
    ]
    return joined("and", left) if left else None


_NAMING = frozenset(("id", "key", "name"))
_NEW = frozenset(("new", "to", "other", "next", "target", "updated"))
_REDIRECTING = frozenset(("redirect", "reroute", "reschedule", "extend", "transfer", "forward", "postpone"))
_EARLIER: Tree = ("name", "e")
_APPROVING = frozenset((
    "approval", "approve", "ask", "audit", "authorisation", "authorise", "authorization", "authorize",
    "check", "clear", "clearance", "confirm", "confirmation", "consent", "permission", "request", "review",
    "screen", "sign", "validate", "verify",
))  # fmt: skip
"""Words of tools by which somebody is asked whether something may be done."""
_NO_TO = {
    "accepted": "rejected", "allowed": "denied", "approved": "rejected", "confirmed": "declined",
    "denied": "denied", "declined": "declined", "granted": "denied", "ok": "failed", "passed": "failed",
    "rejected": "rejected", "refused": "refused", "yes": "no", "given": "withdrawn", "no": "no",
}  # fmt: skip
_GIVING = frozenset((
    "book", "buy", "charge", "donate", "grant", "issue", "order", "pay", "payout", "purchase", "refund",
    "release", "reimburse", "remit", "send", "ship", "transfer", "wire", "withdraw",
))  # fmt: skip
_BESIDE = frozenset((
    "body", "comment", "content", "description", "format", "language", "limit", "memo", "message", "method",
    "note", "notes", "page", "priority", "query", "reason", "subject", "text", "time", "title",
))  # fmt: skip
"""Words of fields whose values may differ between an approval and what it is for."""
_NOT_OF_THING = frozenset(("id", "key", "name", "type", "mode"))
