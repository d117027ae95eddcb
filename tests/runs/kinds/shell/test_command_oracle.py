"""The result of the kind command on a text, compared with bash: every program that ran is named.

The texts try to hide something: by hostile shapes, and by pieces of the shell's syntax in any order.
``WORKBENCH_EVERY_RUN=1`` tries many more.
"""

from __future__ import annotations

import os
import posixpath
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.runs.kinds.shell.command_runner import REAL, STUBS, Run, Sandbox
from workbench.model import RecordValue, Value
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.kinds.value_kind import KindReader
from workbench.runs.values.found_value import Missing

EXAMPLES = 20_000 if os.environ.get("WORKBENCH_EVERY_RUN") else 40
FEW = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES < 1000,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=(HealthCheck.function_scoped_fixture, HealthCheck.too_slow),
)
LAUNCHERS = frozenset(REAL) - {"sed", "grep"}

PIECES = """alpha|beta|rm|curl|git|env|sh|bash|xargs|timeout 5|eval|find . -exec|-c|x| | | |;|&|&&|(|)|{ |; }
'|"|`|$(|$V|${V:-|\\|#| #|>f|>|<|<h|>>|2>&1|2>|&>|<<<|!|if |then |fi|; then | ; fi|while |do |done
for x in |case a in | a) |;; esac|time |[ | ]|[[ | ]]|=|A=1 |$'|\\x61|*|?|~|one|cd one;|-n|--|{a,b}|$((
))|1|+|<(|>(|exec |command |nohup |builtin |read x|$|@|-I{} |{}| {} \\;|cd three && |../|./
sh -c '|" |' |- |~/f|h""".replace("\n", "|").split("|")
SYNTAX = [*PIECES, "\n", "\t", "|", "|&", "||", "\\\n", "<<E\n", "\nE\n"]

plain = st.sampled_from(
    [*STUBS, "f", "h", "one", "../h", "-n", "--x=1", "a b", "$V", "*.ts", "~/f", "{a,b}", "", ";", "'"]
)


def single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def quoted(text: str) -> st.SearchStrategy[str]:
    """A text as a word, in one of its possible spellings."""
    return st.sampled_from(
        [
            single(text),
            '"' + "".join("\\" + char if char in '$`"\\' else char for char in text) + '"',
            "".join("\\" + char for char in text) or "''",
            "$'" + "".join(f"\\x{ord(char):02x}" for char in text) + "'",
            single(text[:1]) + single(text[1:]),
        ]
    )


def substituted(command: str) -> st.SearchStrategy[str]:
    """A word that starts a command."""
    return st.sampled_from(
        [f"$({command})", f'"$({command})"', f"`{command}`", f"<({command})", "${U:-$(" + command + ")}"]
    )


word = st.one_of(plain.flatmap(quoted), st.sampled_from(["$V", '"$V"', "f", "h", "*", "~", "a=~/f"]))
program = st.sampled_from(STUBS)
redirected = st.sampled_from(["", "", " > f", " 2>&1 >> one/f", " < h", " &> 'a b'", " >| f h"])


@st.composite
def simple(draw: st.DrawFn) -> str:
    """A program with words and maybe a redirect."""
    name = draw(st.one_of(program, program.flatmap(quoted)))
    assigned = draw(st.sampled_from(["", "", "A=1 ", "B='x y' "]))
    words = draw(st.lists(word, max_size=2))
    return assigned + " ".join([name, *words]) + draw(redirected)


def wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A construct around commands: launchers, shells, substitutions, groups, branches, loops, pipelines."""
    strategy = st.one_of(
        st.builds(
            "{} {}".format,
            st.sampled_from(
                [
                    "env",
                    "env -i A=1",
                    "nice -n 5",
                    "nohup",
                    "timeout 9",
                    "command",
                    "time",
                    "xargs",
                    "setsid -w",
                    "!",
                    "exec",
                    "env -u A nice",
                    "echo beta h | xargs -n 1",
                    "stdbuf -o 0",
                ]
            ),
            simple(),
        ),
        inner.map(lambda text: f"sh -c {single(text)}"),
        inner.map(lambda text: f"bash -ec {single(text)} x y"),
        inner.map(lambda text: f"eval {single(text)}"),
        inner.map(lambda text: f"find . -name h -exec bash -c {single(text)} \\;"),
        simple().map(lambda text: f"find one -type f -exec {text.split(' >')[0]} \\;"),
        inner.flatmap(substituted).map(lambda text: f"alpha {text}"),
        inner.map(lambda text: f"( {text} )"),
        inner.map(lambda text: "{ " + text + "\n} > out"),
        inner.map(lambda text: f"if {text}\nthen cd one; rm f; else beta; fi"),
        inner.map(lambda text: f"for x in a b; do {text}\ndone"),
        inner.map(lambda text: f"case a in a) {text}\n;; esac"),
        inner.map(lambda text: f"cat <<'E'\n{text}\nE\nrm h"),
        st.sampled_from(["cd one", "cd ../three", "cd nowhere", "cd one/two && rm f", "(cd one; rm f)"]),
    )
    return st.one_of(
        strategy,
        st.builds(
            "{}{}{}".format, strategy, st.sampled_from([" ; ", " && ", " || ", " | ", " & ", "\n"]), inner
        ),
    )


shapes = st.recursive(simple(), wider, max_leaves=5)
soup = st.one_of(
    st.lists(st.sampled_from(SYNTAX), min_size=1, max_size=10).map("".join),
    st.lists(st.sampled_from(SYNTAX), min_size=1, max_size=8).map(" ".join),
)


@pytest.fixture(scope="module", name="sandbox")
def _sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    yield Sandbox(tmp_path_factory.mktemp("shell"))


def _reader(work: Path) -> KindReader:
    return KINDS["command"].reader({"folder": str(work), "home": str(work / "one")})


def _check(text: str, sandbox: Sandbox) -> None:
    """Run a text that is read as hiding nothing, and look for effects that the reading does not name."""
    try:
        record = dict(_reader(sandbox.work).record(text).fields)
    except Missing:
        return
    if record["opaque"]:
        return
    started = [
        dict(record_value.fields) for record_value in cast("tuple[RecordValue, ...]", record["started"])
    ]
    if any(str(command["program"]).startswith("/") for command in started):
        # A script of this name would be run, and its content is not read.
        return
    ran, written = sandbox.run(text)
    for run in ran:
        alike = [program for program in started if program["name"] == run.name]
        assert alike, f"{run} ran, named are {[program['name'] for program in started]}"
        if run.name not in LAUNCHERS:
            assert any(_says(program, run) for program in alike), f"{run} ran, said is {alike}"
    assert written <= cast("frozenset[str]", record["writes"])


def _says(program: Mapping[str, Value], run: Run) -> bool:
    """Whether a named program is this started one: its words, and the paths that they may be."""
    if program["unknown"]:
        return True
    words, paths = cast("frozenset[str]", program["words"]), cast("frozenset[str]", program["paths"])
    named = [
        word for word in run.words if word and not word.startswith("-") and run.name not in {"grep", "sed"}
    ]
    return set(run.words) <= words | {""} and all(
        posixpath.normpath(posixpath.join(run.folder, word)) in paths for word in named
    )


@FEW
@given(shapes)
def test_hostile_shapes_hide_no_program(sandbox: Sandbox, text: str) -> None:
    _check(text, sandbox)


@FEW
@given(soup)
def test_pieces_of_syntax_hide_no_program(sandbox: Sandbox, text: str) -> None:
    _check(text, sandbox)


USES = ("echo $token", 'echo "${token}"', "printenv token", "env", "export -p", "cat <<< $token")
GIVES = (
    "token=x", "token=x true", "token=$token", "token+=x", "read token", "read token < one/f", "export token",
    "unset token", "readonly token", "for token in 1; do :; done", "for token in; do :; done",
)  # fmt: skip
AROUND = (
    "{}", "({})", "{{ {}; }}", "{} &", "true | {}", "false && {}", "true || {}", "if false; then {}; fi",
    "if true; then :; else {}; fi", "case a in b) {};; esac", "while false; do {}; done", "! {}",
    "for f in; do {}; done", "for f in 1 2; do {}; done",
)  # fmt: skip


def around(inner: Sequence[str]) -> st.SearchStrategy[str]:
    return st.builds(str.format, st.sampled_from(AROUND), st.sampled_from(inner))


@FEW
@given(st.lists(around(GIVES), max_size=3), around(USES), st.sampled_from(("\n", "; ", " && ", " || ")))
def test_no_value_of_the_environment_is_shown_unsaid(before: list[str], ending: str, between: str) -> None:
    text = between.join((*before, ending))
    try:
        used = _reader(Path("/repo")).parts(text)["environment"]
    except Missing:
        return
    if used or not isinstance(used, frozenset):  # said, or open
        return
    run = subprocess.run(
        ["/bin/bash", "--norc", "--noprofile", "-c", text],
        env={"PATH": "/usr/bin:/bin", "token": "s3cret"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert b"s3cret" not in run.stdout, text
