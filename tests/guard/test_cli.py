"""The commands that apply a policy: export, strategies, guard mcp."""

from __future__ import annotations

import json
import os
import shutil
import socket
from functools import partial
from pathlib import Path

import pytest

from tests.accepting import accept
from tests.guard.exported_files import imported
from workbench.check.known_proof import known_proof
from workbench.cli import main
from workbench.engines.nagini.lowering.lower import ReadyPolicy
from workbench.engines.nagini.verdict_cache import StoredVerdict, VerdictCache
from workbench.guard.carried_modules import carried_text
from workbench.guard.export import proof_summary
from workbench.model import ProofStatus
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
PROFILE = {"age": 30, "domestic": True, "dr_license": False, "vaccine": True, "membership": True}
SHOP = ROOT / "sessions" / "web-shopping"


@pytest.fixture(autouse=True)
def no_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def accepted_shop(tmp_path: Path) -> Path:
    """A copy of the session whose present version is accepted."""
    return accept(Path(shutil.copytree(SHOP, tmp_path / "web-shopping")))


def test_an_export_without_stored_proofs_says_that_nothing_is_proved_and_decides(
    tmp_path: Path, accepted_shop: Path
) -> None:
    output = tmp_path / "policy.py"
    assert main(["export", str(accepted_shop), "--output", str(output)]) == 0
    head = output.read_text().splitlines()[:10]
    assert "# session: web-shopping" in head
    unknown = "unknown: C1, C2, C3, C4, C5, C6, C7 (no proof was run)"
    assert f"# proof: not proved: 0 of 7 clauses proved; {unknown}" in head
    module = imported(output)
    user = {f"first_said_{name}": value for name, value in PROFILE.items()}
    acts = {
        act: module.decide({"tool": "act", "said_action": act, **user})["verdict"]
        for act in ("book_hotel", "buy_or_rent_car")
    }
    assert acts == {"book_hotel": "allow", "buy_or_rent_car": "deny"}


def test_a_file_that_decides_otherwise_is_neither_written_nor_shown(
    tmp_path: Path,
    accepted_shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def changed(right: str, wrong: str, methods: frozenset[str], kinds: frozenset[str]) -> str:
        text = carried_text(methods, kinds)
        assert right in text
        return text.replace(right, wrong)

    output = tmp_path / "policy.py"
    for right, wrong in [
        ("return Verdict.DENY", "return Verdict.ALLOW"),
        ("if test(*[values", "if not test(*[values"),
        ("return _negated(truth_of(operand, world))", "return truth_of(operand, world)"),
        ("import decimal", "import dezimal"),
        ("if is_text(value) not in members", "if is_text(value) in ()"),
    ]:
        monkeypatch.setattr("workbench.guard.export.carried_text", partial(changed, right, wrong))
        for words in ([], ["--output", str(output)]):
            assert main(["export", str(accepted_shop), *words]) != 0
            captured = capsys.readouterr()
            assert captured.out == ""
            assert "The policy was not exported" in captured.err
            assert len(captured.err.strip().splitlines()) == 1
    assert not output.exists()


@pytest.mark.parametrize("kind", ["fifo", "socket", "folder"])
def test_an_export_replaces_only_a_regular_file(
    kind: str, tmp_path: Path, accepted_shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "policy.py"
    if kind == "fifo":
        os.mkfifo(output)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(output))
    else:
        output.mkdir()
    before = output.lstat()
    assert main(["export", str(accepted_shop), "--output", str(output)]) != 0
    assert "cannot be written" in capsys.readouterr().err
    assert output.lstat() == before


def test_only_a_contract_that_is_wholly_proved_is_called_proved(tmp_path: Path) -> None:
    terms = Session.open(SHOP, read_only=True).evaluated().terms
    cache = VerdictCache(tmp_path / "verdicts")
    summaries = [proof_summary(known_proof(terms, cache))]
    for clause in terms.clauses:
        cache.put(ReadyPolicy.of(terms).key(clause.id), StoredVerdict(ProofStatus.PROVED))
        summaries.append(proof_summary(known_proof(terms, cache)))
    assert [text.startswith("proved") for text in summaries] == [False] * 7 + [True]
    assert summaries[3] == "not proved: 3 of 7 clauses proved; unknown: C4, C5, C6, C7 (no proof was run)"
    written = Session.open(SHOP, read_only=True).written
    assert "< 18" in written
    changed = Session.open(SHOP, read_only=True).evaluated(written.replace("< 18", "< 17")).terms
    assert proof_summary(known_proof(changed, cache)).startswith("not proved")


def test_strategies_are_compared_as_a_table_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategies", str(SHOP)]) == 0
    table = capsys.readouterr().out
    assert all(name in table for name in ("CRP+TEH", "allow-all", "deny-all", "position", "unknown after"))
    assert "the same in every run: " in table
    assert main(["strategies", str(SHOP), "--json"]) == 0
    comparison = json.loads(capsys.readouterr().out)
    assert comparison["block-call"]["all"]["let_through"] == 0
    assert comparison["allow-all"]["all"]["let_through"] == comparison["block-call"]["all"]["stopped"] > 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "either a command after -- or an address"),
        (["--url", "http://127.0.0.1:1/mcp", "--", "server"], "either a command after -- or an address"),
        (["--url", "ftp://127.0.0.1"], "not an http or https address"),
        (["--context", "age", "--", "server"], "write it as key=value"),
        (["--", "no-such-server-anywhere"], "cannot be started"),
        (["--strategy", "shout", "--", "server"], "shout"),
        (["--ask", "no-such-approver --now", "--", "server"], "no program 'no-such-approver' that denials"),
        (["--ask", "'", "--", "server"], "is no command"),
        (["--ask", "sh", "--ask-seconds", "0", "--", "server"], "ask-seconds"),
    ],
)
def test_a_wrong_call_of_the_mcp_guard_is_said_in_one_sentence(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["guard", "mcp", str(SHOP), *words]) in (2, 3)
    captured = capsys.readouterr()
    assert says in captured.err
    assert captured.out == ""
