"""Random calls of a hospital agent that carry a forbidden word to a tool in ways a reader may miss.

A program consists of statements over texts, lists, dicts and nested lists that exist from its beginning, in
random blocks. All its words are harmless except one or two, which are planted last, at random places and
often disguised. Only running the program shows whether the word reaches a tool.
"""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from tests.runs.extract.computed_texts import computed_program
from tests.runs.extract.pieces import pieces

_TOKEN = re.compile(r"\$([SLDNIWEMB])")
_WORD = re.compile("\ue000(\\d+)\ue001")
_PIECES = pieces("carriers.txt")
INSIDE = "inside"
_CARRYING = ("assigning", "aliasing", "jumps", "functions", "exceptions", "walrus")
_VARIABLES = {"S": ("s0", "s1", "s2"), "L": ("l0", "l1"), "D": ("d0", "d1"), "N": ("n0",), "I": ("i0", "i1")}


# Ways to take a word out of a variable.
_READABLE = {
    "S": ("$S", "$S", "$S"),
    "L": ("$L[0]", "$L[-1]", "$L[0]"),
    "D": ("$D['a']", "$D['b']", "$D.get('a', $W)"),
    "N": ("$N[0][0]", "$N[-1][-1]"),
}
_PASSED = ("s1", "s2", "l0", "l1", "d0", "d1", "n0", "i0", "i1")


@dataclass(frozen=True, slots=True)
class Mode:
    """The words of a program, and the statements that read the data named by a word."""

    name: str
    benign: tuple[str, ...]
    secrets: tuple[str, ...]
    function: str
    sinks: tuple[str, ...]


MODES = (
    Mode(
        "table",
        ("lab", "medication", "patient", "treatment"),
        ("cost", "intakeoutput", "cost"),
        "LoadDB",
        (
            "LoadDB({})",
            "t = LoadDB({})",
            "x = GetValue(LoadDB({}), 'patientunitstayid')",
            "x = GetValue(FilterDB(LoadDB({}), 'patientunitstayid=3'), 'patientunitstayid, max')",
            "for row in LoadDB({}): x = row",
            "x = len(LoadDB({}))",
            "x = SQLInterpreter('select * from ' + {})",
            "x = SQLInterpreter('select count(*) from {{}}'.format({}))",
            "x = SQLInterpreter('select 1 from %s' % {})",
        ),
    ),
    Mode(
        "column",
        ("wardid", "hospitalid", "uniquepid", "patientunitstayid"),
        ("age", "gender"),
        "(lambda c: GetValue(LoadDB('patient'), c))",
        (
            "x = GetValue(LoadDB('patient'), {})",
            "x = GetValue(LoadDB('patient'), {} + ', max')",
            "x = GetValue(LoadDB('patient'), 'max(' + {} + ')')",
            "x = FilterDB(LoadDB('patient'), {} + '=3')",
            "x = FilterDB(LoadDB('patient'), 'wardid=3||max(%s)' % {})",
            "x = LoadDB('patient')[{}]",
            "x = [row[{}] for row in LoadDB('patient')]",
            "for row in LoadDB('patient'): x = row[{}]",
            "x = [1 for row in LoadDB('patient') if {} in row]",
            "x = SQLInterpreter('select ' + {} + ' from patient')",
            "x = SQLInterpreter('select wardid from patient order by {{}}'.format({}))",
        ),
    ),
    Mode(
        "query",
        ("select labname from lab", "select drugname from medication", "select wardid from patient"),
        ("select cost from cost", "select cellpath from intakeoutput", "select age from patient"),
        "SQLInterpreter",
        ("x = SQLInterpreter({})", "SQLInterpreter({})", "answer = SQLInterpreter({})"),
    ),
    Mode(
        "value",
        ("1", "2", "30"),
        ("(select age from patient)", "1 or age > 3", "1||age>3", "'' union select cost from cost"),
        "(lambda v: SQLInterpreter('select wardid from patient where wardid = ' + v))",
        (
            "x = SQLInterpreter('select wardid from patient where wardid = ' + {})",
            "x = SQLInterpreter('select wardid from patient where wardid = {{}}'.format({}))",
            "x = SQLInterpreter('select wardid from patient where wardid in (%s)' % {})",
            "x = SQLInterpreter('select wardid from patient limit %s' % {})",
            "x = FilterDB(LoadDB('patient'), 'wardid=' + {})",
            "x = FilterDB(LoadDB('patient'), 'wardid={{}}||hospitalid=3'.format({}))",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call as in a log, and its texts that a tool may run."""

    kind: str
    tool: str
    arguments: str
    runs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, kind: str, tool: str, key: str, language: str, text: str) -> Call:
        """A call with one argument, which the tool runs."""
        return cls(kind, tool, json.dumps({key: text}), ((language, text),))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the arguments, if all arguments are texts."""
        call_arguments = cast("dict[str, object]", json.loads(self.arguments))
        return tuple(map(str, call_arguments.values())) if len(call_arguments) == 1 else ()

    def with_text(self, text: str) -> Call:
        """The call of one argument with another text."""
        key = next(iter(json.loads(self.arguments)))
        return Call.of(self.kind, self.tool, key, self.runs[0][0], text)

    def __str__(self) -> str:
        shown = "\n\n".join(f"--- {language}\n{text}" for language, text in self.runs)
        return f"{self.kind}: {self.tool}({self.arguments})\n{shown}"


@dataclass(slots=True)
class Writer:
    """Writes one program."""

    random: random.Random
    mode: Mode
    focus: str
    small: bool = True
    inside: bool = False
    lines: list[str] = field(default_factory=list[str])
    count: int = 0
    words: int = 0
    pinned: dict[str, str] = field(default_factory=dict[str, str])
    likely: set[int] = field(default_factory=set[int])
    _first: int = 0

    def program(self) -> str:
        """A whole program."""
        if self.focus == "markers" and self.random.random() < 0.4:
            # Some readers take the beginning of a text for a sign of its language.
            self._fill(self._template(self.focus), 0)
            if self.random.random() < 0.4:
                return self._plant("\n".join(self.lines))
        self._header()
        if self.focus == "escapes":
            self._emit("t = LoadDB('patient')\nfor r in t: break\nx = GetValue(t, 'wardid')", 0)
        before, after, sinks = (1, 1, 1) if self.small else (6, 3, 3)
        for _ in range(self.random.randint(0, before)):
            self._statement(0, before // 2)
        self._focus()
        for _ in range(self.random.randint(0, after)):
            self._statement(0, after // 2)
        for _ in range(self.random.randint(0, sinks)):
            self._sink(0)
        text = "\n".join(self.lines)
        if not self.inside and self.random.random() < 0.08:
            body = "\n".join("    " + line for line in self.lines)
            text = f"def main():\n{body}\n    return x\nanswer = main()"
        return self._plant(text)

    def _header(self) -> None:
        lines = ["s0 = $W", "s1 = $W", "s2 = $W", "l0 = [$W, $W]", "l1 = [$W]", "d0 = {'a': $W, 'b': $W}",
                 "d1 = {'a': $W}", "n0 = [[$W], [$W]]", "i0 = 1", "i1 = 0", "x = 1"]  # fmt: skip
        for line in lines:
            self._fill(line, 0)
        self._first = self.words

    def _focus(self) -> None:
        """Write the subject of the program: a piece of the class, mostly with its word read at once."""
        if self.random.random() < 0.7:
            self.pinned = {kind: self.random.choice(names) for kind, names in _VARIABLES.items()}
        before = self.words
        template = self._template(self.focus)
        self._fill(template, 0)
        self.likely = set(range(before, self.words)) or set(range(self._first))
        kinds = [kind for kind in _READABLE if f"${kind}" in template]
        if self.random.random() < 0.8:
            self._sink(0, kinds[:1])
            self._sink(0, kinds[1:2] if self.random.random() < 0.5 else kinds[:1])
        self.pinned = {}

    # --- statements ---------------------------------------------------------------

    def _statement(self, indent: int, depth: int) -> None:
        roll = self.random.random()
        if depth > 0 and roll < 0.3:
            self._block(indent, depth)
        elif roll < 0.4:
            self._sink(indent)
        else:
            classes = [name for name in _CARRYING if name != self.focus]
            self._fill(self._template(self.focus if roll > 0.85 else self.random.choice(classes)), indent)

    def _template(self, name: str) -> str:
        return self.random.choice(_PIECES[INSIDE if self.inside else name])

    def _sink(self, indent: int, kinds: Sequence[str] = ()) -> None:
        """A statement that reads the data named by a variable, mostly of one of these kinds."""
        options = [way for kind in kinds or _READABLE for way in _READABLE[kind]]
        expression = self.random.choice(options)
        self._fill(self.random.choice(self.mode.sinks).format(expression), indent)

    def _block(self, indent: int, depth: int) -> None:
        choice = self.random.randrange(7 if self.inside else 9)
        name = f"q{self._number()}"
        heads: Sequence[Sequence[str]] = (
            ("if $B:", "else:"),
            ("if $B:", "elif $B:"),
            (f"for {name} in range(2):",),
            ("for $S in $M:",),
            ("for $S in $M:", "else:"),
            (f"{name} = 0\nwhile {name} < 2:\n    {name} += 1",),
            ("try:", "except Exception:"),
            ("try:", "except ValueError:", "else:", "finally:"),
            (f"def {name}(s0, {', '.join(f'{passed}={passed}' for passed in _PASSED)}):",),
        )
        for head in heads[choice]:
            self._fill(head, indent)
            for _ in range(self.random.randint(1, 3)):
                self._statement(indent + 1, depth - 1)
            if choice in (2, 3, 4, 5) and head != "else:" and self.random.random() < 0.5:
                self._fill(self.random.choice(["if $B: break", "if $B: continue", "break"]), indent + 1)
            if choice in (6, 7) and head == "try:" and self.random.random() < 0.7:
                fault = self.random.choice(["raise ValueError", "int('x')", "1 / 0", "if $B: raise KeyError"])
                self._fill(fault, indent + 1)
                self._statement(indent + 1, depth - 1)
        if choice == 8:
            if self.random.random() < 0.6:
                self._fill(self.random.choice(["return $S", "return l0[-1]", "return s0"]), indent + 1)
            self._fill(f"$S = {name}($E) or $W", indent)

    # --- filling ------------------------------------------------------------------

    def _number(self) -> int:
        self.count += 1
        return self.count

    def _fill(self, template: str, indent: int) -> None:
        text = template.replace("$K", str(self._number())).replace("@F", self.mode.function)
        text = re.sub(r"@R\[(.*?)\]@", lambda match: self._read(match[1]), text)
        self._emit(self._expand(text, 2), indent)

    def _read(self, expression: str) -> str:
        one_line = [sink for sink in self.mode.sinks if not sink.startswith("for")]
        return self.random.choice(one_line).format(expression)

    def _emit(self, text: str, indent: int) -> None:
        self.lines.extend("    " * indent + line for line in text.split("\n"))

    def _expand(self, text: str, depth: int) -> str:
        return _TOKEN.sub(lambda match: self._token(match[1], depth), text)

    def _token(self, kind: str, depth: int) -> str:
        if kind in self.pinned:
            return self.pinned[kind]
        if kind in _VARIABLES:
            return self.random.choice(_VARIABLES[kind])
        if kind == "W":
            self.words += 1
            return f"\ue000{self.words - 1}\ue001"
        options = {"E": _WORDS, "M": _LISTS, "B": _CONDITIONS}[kind]
        if self.inside and kind in "EM":
            return self._expand({"E": "$W", "M": "$L"}[kind], 0)
        if kind == "E" and self.small and self.random.random() < 0.7:
            return self._token("W", 0)
        chosen = self.random.choice(options if depth > 0 else options[:4])
        return self._expand(chosen, depth - 1)

    # --- the forbidden word -------------------------------------------------------

    def _plant(self, text: str) -> str:
        places = [int(match[1]) for match in _WORD.finditer(text)]
        chosen = set(self.random.sample(places, min(len(places), self.random.randint(1, 2))))
        likely = [place for place in places if place in self.likely]
        if likely and self.random.random() < 0.7:
            chosen = {self.random.choice(likely)}

        def word(match: re.Match[str]) -> str:
            if int(match[1]) not in chosen:
                return repr(self.random.choice(self.mode.benign))
            secret = self.random.choice(self.mode.secrets)
            plain = self.inside or self.random.random() < (0.85 if self.small else 0.6)
            return repr(secret) if plain else self._disguised(secret)

        return _WORD.sub(word, text)

    def _disguised(self, word: str) -> str:
        cut = self.random.randrange(1, len(word))
        first, last = word[:cut], word[cut:]
        return self.random.choice(
            [
                f"({first!r} + {last!r})",
                f"({first!r} {last!r})",
                f"{word[::-1]!r}[::-1]",
                f"''.join([{first!r}, {last!r}])",
                f"('%s' % {word!r})",
                f"('%s%s' % ({first!r}, {last!r}))",
                f"{word.upper()!r}.lower()",
                f"{word.swapcase()!r}.swapcase()",
                f"{('x' + word + 'x')!r}[1:-1]",
                f"{('x' + word)!r}.strip('x')",
                f"{(first + '_' + last)!r}.replace('_', '')",
                f"(chr({ord(word[0])}) + {word[1:]!r})",
                f"''.join(chr(c) for c in {[ord(letter) for letter in word]})",
                f"''.join(map(chr, {[ord(letter) for letter in word]}))",
                f"{('q;' + word)!r}.split(';')[1]",
                f"bytes({list(word.encode())}).decode()",
                "'" + "".join(f"\\x{ord(letter):02x}" for letter in word) + "'",
                f"'{{}}{{}}'.format({first!r}, {last!r})",
                f"'{{1}}{{0}}'.format({last!r}, {first!r})",
                f"'{{a}}{{b}}'.format(a={first!r}, b={last!r})",
                f"f'{{{first!r}}}{{{last!r}}}'",
                f"f'{first}{{{last!r}}}'",
                f"('' or {word!r})",
                f"('x' and {word!r})",
                f"({word!r} if True else 'x')",
                f"[{word!r}][0]",
                f"({word!r},)[0]",
                f"{{'k': {word!r}}}['k']",
                f"(lambda: {word!r})()",
                f"str({word!r})",
                f"({word!r} * 1)",
                f"max([{word!r}])",
                f"({first!r} + str({last!r}))",
                f"next(iter([{word!r}]))",
                f"'%(k)s' % {{'k': {word!r}}}",
                f"'{{0[k]}}'.format({{'k': {word!r}}})",
                f"(k := {word!r})",
                f"{word!r}.join(['', ''])",
                f"{word.encode().hex()!r} and bytes.fromhex({word.encode().hex()!r}).decode()",
                f"'{{:.{len(word)}}}'.format({(word + 'xyz')!r})",
                f"('%.{len(word)}s' % {(word + 'xyz')!r})",
                f"({(word + 'xyz')!r}).removesuffix('xyz')",
                f"{word!r}.encode().decode('ascii')",
                f"{first!r}.__add__({last!r})",
                f"[c for c in [{word!r}] if c][0]",
                f"sorted({{{word!r}}})[0]",
                f"{word!r}.title().lower()",
                f"{('x' + word)!r}.translate({{120: None}})",
                f"(None or {{}}.get('a', {word!r}))",
            ]
        )


# The first four of each end a nesting.
_WORDS = (
    "$W", "$S", "$W", "$S", "$L[0]", "$L[-1]", "$D['a']", "$N[0][0]", "($W if $B else $W)", "($S or $W)",
    "($E if $B else $E)", "f'{$S}'", "str($E)", "''.join([$E])", "$D.get('b', $E)", "[$W, $E][-1]",
    "{'k': $E}['k']", "(s2 := $E)", "max($E, $E)", "min($E, $E)", "$E.strip()", "'{}'.format($E)", "$W",
)  # fmt: skip
_LISTS = ("$L", "[$W]", "[$W, $W]", "$L", "[$E, $E]", "$L + [$E]", "[v for v in $L]", "list($D.values())",
          "$N[0]", "($E, $E)", "sorted($L)", "$L[::-1]", "[*$L, $E]", "$L[1:] or [$E]")  # fmt: skip
_CONDITIONS = (
    "i0 < 3",
    "i1",
    "True",
    "len($L) > 1",
    "$S == $S",
    "not $L",
    "$S in $L",
    "i0 < 3 and $S",
    "$W < $W",
)


# --- calls ---------------------------------------------------------------------------

KEYS = "keys of the call"
STRANGE = "keys of no schema"
COMPUTED = "computed texts"
STORED = "stored values"
CLASSES = (*(name for name in _PIECES if name != INSIDE), KEYS, STRANGE, COMPUTED)


def random_program(source: random.Random, focus: str) -> str:
    """A random program of general Python that has something of the class ``focus``."""
    while True:
        if focus == COMPUTED:
            text = computed_program(source)
        else:
            mode = MODES[-1] if focus == STORED and source.random() < 0.7 else source.choice(MODES)
            text = Writer(source, mode, focus, small=source.random() < 0.7).program()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(text, "<random>", "exec")
        except SyntaxError:
            continue  # a walrus at a place where none is allowed, for example
        return text


def subset_program(source: random.Random) -> str:
    """A random program in the supported subset of Python."""
    return Writer(
        source, source.choice(MODES[:-1]), INSIDE, small=source.random() < 0.5, inside=True
    ).program()


def minimised(text: str, still: Callable[[str], bool]) -> str:
    """The program with the fewest lines for which ``still`` is true."""
    lines = text.split("\n")
    size = max(1, len(lines) // 2)
    while size:
        start = 0
        while start < len(lines):
            shorter = lines[:start] + lines[start + size :]
            if shorter and still("\n".join(shorter)):
                lines = shorter
            else:
                start += size
        size //= 2
    return "\n".join(lines)


def random_call(
    source: random.Random, random_query: Callable[[random.Random], str] | None = None, kind: str = ""
) -> Call:
    """A random call of the agent, of the class ``kind`` if one is given.

    With ``random_query`` some of them are queries.
    """
    if random_query is not None and not kind and source.random() < 0.12:
        return Call.of("queries", "run_sql", "query", "sql", random_query(source))
    focus = kind or source.choice(CLASSES)
    if focus in (KEYS, STRANGE):
        return _own_key(source) if focus == KEYS else _strange_key(source)
    return Call.of(focus, "run_python", "code", "python", random_program(source, focus))


def _own_key(source: random.Random) -> Call:
    """A call whose one key is that of the tool's schema, as JSON may write it; some have it twice."""
    tool, key = source.choice((("run_python", "code"), ("run_sql", "query")))
    language, text = _dangerous(source, "python" if key == "code" else "sql")
    escaped = "".join(f"\\u{ord(letter):04x}" if source.random() < 0.3 else letter for letter in key)
    value = json.dumps(text, ensure_ascii=source.random() < 0.5)
    both = [f'"{escaped}": {value}', f'"{key}":\n{json.dumps(source.choice(_HARMLESS))}']
    members = source.choice((both[:1], both[:1], both[:1], both, both[::-1]))
    return Call(KEYS, tool, "{ " + " , ".join(members) + " }", ((language, text),))


def _dangerous(source: random.Random, language: str) -> tuple[str, str]:
    """A text that may read what is forbidden, with its language."""
    if language == "sql":
        return language, source.choice(MODES[2].secrets)
    return language, random_program(source, source.choice(("aliasing", "jumps", "walrus")))


def _strange_key(source: random.Random) -> Call:
    """A call with a key that its tool does not declare; the tool may run the text of any of them."""
    harmless = source.choice(_HARMLESS)
    key, other = source.choice(_KEYS_OF_CODE), source.choice([*_KEYS_OF_CODE, *_OTHER_KEYS])
    language, text = _dangerous(source, "sql" if source.random() < 0.4 else "python")
    other = other if other != key else other + "s"
    shape = source.randrange(6)
    if shape == 0:
        arguments = json.dumps({other: text, key: harmless})
    elif shape in (1, 2):
        arguments = json.dumps({key: harmless, other: text})
    elif shape == 3:
        arguments = json.dumps({key: harmless, "options": {other: text}})
    elif shape == 4:
        arguments = json.dumps({key: harmless, other: [text]})
    else:
        arguments = json.dumps({key: harmless, key.upper(): text, "limit": 5})
    return Call(STRANGE, source.choice(("run_python", "run_sql")), arguments, ((language, text),))


_HARMLESS = (
    "x = 1",
    "answer = 2",
    "x = GetValue(LoadDB('lab'), 'patientunitstayid')",
    "select wardid from patient",
)
_KEYS_OF_CODE = ("code", "query", "sql", "cell", "code")
_OTHER_KEYS = ("script", "source", "python", "command", "program", "input", "statement", "Code", "codе",
               "code ", "setup", "prelude", "expression", "text", "body", "q", "cmd", "snippet")  # fmt: skip
