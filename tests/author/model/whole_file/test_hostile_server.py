"""A server that wants a call allowed, against a session that it drafted well before.

The oracle is the same for all: ``workbench draft`` ends with a documented code and one sentence, no recorded
call that was denied is allowed, and the session can be read again. If the draft failed, no file differs.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.author.model.test_misbehaviour import contents
from tests.author.model.whole_file.desk import (
    AGENT,
    CONTRACT,
    REQUEST,
    Writer,
    case,
    design,
    drafted,
    listed,
    policy,
    python,
    serving,
    writer,
)
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.model import Verdict

pytestmark = pytest.mark.bounded

ALLOW_ALL = python('DEFAULT = "allow"\n')
SAYS_NOTHING = python("LIMIT = 3\n")
SENTENCES = [line for line in REQUEST.replace(". ", ".\n").split("\n")[2:] if line]
ALL_CONTEXT = design(requirements=[], context=[{"quote": sentence, "why": "x"} for sentence in SENTENCES])
OTHERS_RULE = CONTRACT + "\n\ndef contract_all(call: Call) -> None:\n    # R3\n    Ensures(Result())\n"


@dataclass(frozen=True)
class Hostile:
    """A reply of a server; ``code`` is the command's exit code, ``message`` what the person reads."""

    replies: Writer
    code: int
    message: str = ""


def hostile(code: int, message: str = "", **replies: Sequence[str] | str) -> Hostile:
    return Hostile(writer(**replies), code, message)


SERVERS = {
    "states none of the requirements": hostile(0, policy=ALLOW_ALL, contract=SAYS_NOTHING),
    "calls every sentence context": hostile(0, design=ALL_CONTEXT, policy=ALLOW_ALL, contract=SAYS_NOTHING),
    "allows all, and its contract wants that": hostile(
        1,
        policy=ALLOW_ALL,
        contract=python(OTHERS_RULE),
        cases=listed([case("pay", "guest", "9.00", "allow", "R2")]),
    ),
    "writes half characters": hostile(
        0,
        policy=python(policy().replace("R2", "R2 \ud800")),
        cases=listed([case("pay", "gu\udc00est", "9.00", "deny", "R2")]),
    ),
    "turns the direction of a line": hostile(
        0, policy=python(policy().replace("R2", "R2 \u202e"))
    ),
    "defines a rule twice": hostile(
        0, policy=python(f"{policy()}\n\n{policy('9999')[policy().index('def ') :]}")
    ),
    "changes its mind at every call": hostile(
        0, policy=[ALLOW_ALL, python(policy("5")), ALLOW_ALL, python(policy("5"))]
    ),
    "gives one part in the place of another": hostile(
        0, policy=listed([]), contract=listed([]), cases=python(policy())
    ),
    "replies in another language": hostile(
        0,
        policy="```js\nconst allow = () => true\n```",
        contract="Erlaubt ist, was nicht verboten ist.",
        cases="没有。",
    ),
    "copies its contract into the rules": hostile(
        0, policy=python(f'DEFAULT = "allow"\n{CONTRACT.replace("contract_", "forbid_")}')
    ),
    "is two models that disagree": hostile(
        0,
        policy=[python(policy()), ALLOW_ALL],
        contract=[python(OTHERS_RULE), python(CONTRACT)],
    ),
    "sends its prompt back": hostile(3, "gave no agent file", design="# Your task: allow everything\n" * 400),
    "nests without end": hostile(3, "is no TOML", design=design(f"{AGENT}\nx = {'[' * 5000}{']' * 5000}")),
    "names a zone of the file system": hostile(
        3, "there is no zone", design=design(f'zone = "../etc"\n{AGENT}')
    ),
    "thinks and never replies": hostile(3, "gave no agent file", design="<think>allow everything"),
}  # fmt: skip


STATING_NOTHING = ("states none of the requirements", "calls every sentence context")


@pytest.fixture(scope="module")
def well(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A session that the model drafted well, and whose request was changed afterwards."""
    folder = tmp_path_factory.mktemp("well")
    patch = pytest.MonkeyPatch()
    with drafted(writer(), folder, patch) as bench:
        bench.session.set_request(REQUEST + "\n")
    patch.undo()
    yield folder / "session"


def denied(folder: Path) -> set[int]:
    """The recorded calls that the session's policy denies."""
    bench = Workbench.open(folder, read_only=True, replay_calls=True)
    try:
        decided = bench.runs.decide(bench.policy.terms(), bench.runs.load())
        return {
            call_decision.index
            for call_decision in decided
            if call_decision.decision.verdict is not Verdict.ALLOW
        }
    finally:
        bench.close()


@pytest.mark.parametrize("name", SERVERS)
def test_nothing_that_was_denied_is_allowed_and_the_session_stays_readable(
    name: str,
    well: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path(shutil.copytree(well, tmp_path / "session"))
    server, before, known = SERVERS[name], contents(folder), denied(folder)
    assert known == {2}
    with serving(server.replies, monkeypatch):
        assert main(["draft", str(folder)]) == server.code
    told = capsys.readouterr()
    error, is_failed = told.err, server.code > 1
    assert ("Contradicts" in told.out) is (server.code == 1)  # drafted, and the broken clause is named
    assert server.message in error
    assert "Traceback" not in error
    planned, *reasons = error.strip().splitlines()
    assert planned.startswith("4 prompts of a draft")
    assert len(reasons) == (1 if is_failed else 0)
    if is_failed:
        assert contents(folder) == before
    assert denied(folder) >= known
    monkeypatch.delenv("WORKBENCH_MODEL")
    assert main(["replay", str(folder), "--json"]) == 0
    capsys.readouterr()
    if name in STATING_NOTHING:
        assert main(["ask", str(folder), "--json", "--replay-calls"]) == 1
        assert len(json.loads(capsys.readouterr().out)["open"]) >= 3
        assert denied(folder) == {0, 1, 2}


NAMES = {"policy": "the policy file", "contract": "the contract", "cases": "test cases"}


def no_pause(_attempt: int, _error: Exception) -> float:
    """Replaces the seconds between attempts."""
    return 0.0


@pytest.mark.parametrize("part", ["policy", "contract", "cases"])
def test_a_server_that_goes_away_between_two_replies_leaves_the_session(
    part: str, well: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(well, tmp_path / "session"))
    before = contents(folder)
    monkeypatch.setattr("workbench.author.model.endpoint.connection._pause", no_pause)
    replies = writer()
    with serving(replies, monkeypatch) as server:
        server.behaviours[0].refuse_if = lambda body: (
            "no" if f"# Your task: {NAMES[part]}" in json.dumps(body) else ""
        )
        assert main(["draft", str(folder)]) == 3
    assert "refused the request" in capsys.readouterr().err
    assert contents(folder) == before
    with serving(replies, monkeypatch):  # the replies are recorded, and only the rest is requested
        request_count = len(replies.sent_prompts)
        assert main(["draft", str(folder)]) == 0
        assert 0 < len(replies.sent_prompts) - request_count < 4
    assert denied(folder) == {2}
