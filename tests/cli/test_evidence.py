"""The commands about the meaning of a proof, on good sessions and on bad policies."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from workbench.check.mutate import Mutant
from workbench.check.strength import Fate, MutantResult, StrengthReport
from workbench.cli import main
from workbench.cli.evidence import strength_lines
from workbench.engines.smt.vacuity import CONTRADICTION
from workbench.model import Json
from workbench.policy.written import OWN_NAMES
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
HOTEL_CLAUSE = (
    '    Ensures(Implies(run.said.action == "book_hotel", Result() == (run.first_said.age >= 18)))\n'
)
type Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*words: str | Path) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return command


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns(".workbench")
    return shutil.copytree(ROOT / "sessions" / "web-shopping", tmp_path / "shop", ignore=ignored)


@pytest.fixture
def weak(shop: Path) -> Path:
    """The shop without its clause about hotels."""
    replaced(shop, HOTEL_CLAUSE, "")
    return shop


def replaced(session: Path, old: str, new: str) -> None:
    text = (session / "policy.py").read_text()
    assert old in text
    (session / "policy.py").write_text(text.replace(old, new, 1))


def objects(text: str) -> dict[str, Json]:
    return cast("dict[str, Json]", json.loads(text))


def survivors(run: Run, session: Path) -> list[str]:
    mutants = cast("list[dict[str, Json]]", objects(run("strength", session, "--json")[1])["mutants"])
    return [
        str(mutant["id"]) for mutant in mutants if mutant["fate"] == "survived" and mutant["reason"] is None
    ]


def test_a_survivor_is_accepted_with_a_reason(run: Run, weak: Path) -> None:
    code, out, _ = run("strength", weak)
    assert code == 1
    assert "passes: " in out
    first, *_ = survivors(run, weak)
    code, out, _ = run("strength", weak, "--accept", first, "--reason", "Nobody minds.")
    assert code == 0
    assert "Nobody minds." in out
    code, out, _ = run("strength", weak)
    assert "survived, accepted: Nobody minds." in out
    assert run("undo", weak)[0] == 0
    assert first in survivors(run, weak)


def test_wrong_versions_that_decide_as_the_policy_does_are_counted(shop: Path) -> None:
    terms = Session.open(shop, read_only=True).evaluated().terms
    results = tuple(
        MutantResult(Mutant(str(number), "boundary", "allow", 2, ">= to >", terms), fate)
        for number, fate in enumerate((Fate.KILLED, Fate.EQUIVALENT, Fate.EQUIVALENT))
    )
    first, second, *_ = strength_lines(StrengthReport(results, ()), OWN_NAMES)
    assert first == "Strength    1 of 1 wrong versions are refused by the contract"
    assert second.startswith("  2 more decide every input as the policy does")
    assert len(list(strength_lines(StrengthReport(results[:1], ()), OWN_NAMES))) == 1


def test_a_survivor_is_asked_about_and_kept_as_a_case(run: Run, weak: Path) -> None:
    first, *_ = survivors(run, weak)
    code, out, _ = run("strength", weak, "--case", first)
    assert code == 1
    assert "Should this be allowed?" in out
    code, out, _ = run("strength", weak, "--case", first, "--expect", "deny", "--json")
    assert code == 0
    assert cast("dict[str, Json]", objects(out)["case"])["id"] == f"mutant-{first}"
    assert f"mutant-{first}" in run("cases", weak)[1]
    code, out, _ = run("cases", weak, "--case", f"mutant-{first}", "--expect", "allow", "--json")
    assert (code, objects(out)["expected"]) == (0, "allow")
    shown = run("test", weak)[1]
    assert f"FAILED  mutant-{first}: expected allow, got deny." in shown
    assert "takes the new decision by `workbench cases SESSION --case ID --expect DECISION`" in shown
    assert run("cases", weak, "--case", f"mutant-{first}", "--expect", "deny")[0] == 0
    assert run("test", weak)[0] == 0
    assert run("cases", weak, "--remove", f"mutant-{first}")[0] == 0
    assert f"mutant-{first}" not in run("cases", weak)[1]


@pytest.mark.parametrize(
    "words",
    [
        ("strength", "--accept", "0a1b2c3d4e5f"),
        ("strength", "--reason", "x"),
        ("strength", "--expect", "deny"),
        ("strength", "--accept", "0a1b2c3d4e5f", "--reason", "x"),
        ("strength", "--case", "x", "--clause", "y"),
        ("cases", "--from-clause", "C1"),
        ("cases", "--from-clause", "C99", "--expect", "deny"),
        ("cases", "--arguments", "{}", "--expect", "perhaps"),
        ("cases", "--arguments", "[1]", "--expect", "deny"),
        ("cases", "--arguments", '{"ages": 1}', "--expect", "deny"),
        ("cases", "--arguments", '{"age": "old"}', "--expect", "deny"),
        ("cases", "--arguments", '{"age": 3}', "--expect", "deny"),
        ("cases", "--remove", "nothing"),
        ("cases", "--case", "nothing", "--expect", "deny"),
        ("cases", "--case", "nothing"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_changes_nothing(
    run: Run, shop: Path, words: tuple[str, ...]
) -> None:
    before = {path.name: path.read_bytes() for path in shop.iterdir() if path.is_file()}
    code, out, err = run(words[0], shop, *words[1:])
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert {path.name: path.read_bytes() for path in shop.iterdir() if path.is_file()} == before


def test_a_counterexample_becomes_a_case_that_says_what_is_wrong(run: Run, shop: Path) -> None:
    replaced(shop, "Result() == (run.first_said.age >= 18)", "Result() == (run.first_said.age >= 21)")
    code, out, _ = run("verify", shop, "--preview")
    assert code == 1
    assert "run.first_said.age < 18" in out, "the path shows its conditions"
    code, out, _ = run("cases", shop, "--from-clause", "C3", "--expect", "deny", "--json")
    report = objects(out)
    assert code == 1
    assert report["rule_wrong"] is True
    assert report["clauses_wrong"] == []
    case = cast("dict[str, Json]", report["case"])
    assert case["origin"] == "counterexample"
    assert case["requirements"] == ["R3"]
    code, out, _ = run("cases", shop, "--json")
    assert case in cast("list[Json]", json.loads(out))
    assert run("test", shop)[0] == 1, "the policy decides otherwise"
    code, out, err = run("cases", shop, "--from-clause", "C3", "--expect", "allow")
    assert code == 2
    assert "expects deny on the same arguments" in err


def test_the_matrix_shows_every_part_of_the_evidence(run: Run, shop: Path) -> None:
    replaced(
        shop,
        "    # R7: All other",
        f"    # R3: Says nothing.\n    Ensures(Implies({AGE} < 3 and {AGE} > 3, Result()))\n"
        "    # R3: True of all.\n    Ensures(Result() or not Result())\n    # R7: All other",
    )
    replaced(shop, '"""R6: Unvaccinated', '"""Unvaccinated')
    code, out, _ = run("evidence", shop)
    assert code == 1
    assert "nagini: unknown (no proof was run)" in out
    assert "yes: its left side never happens" in out
    assert "yes: it holds for every policy" in out
    assert "no sentence for the rule forbid_flight" in out
    assert "no log exercised C7" in out
    code, out, _ = run("evidence", shop, "--json")
    report = objects(out)
    rows = cast("list[dict[str, Json]]", report["clauses"])
    assert len(rows) == 9
    for row in rows:
        assert {
            "clause", "source", "requirements", "sentences", "assumptions", "verdicts", "engines_disagree",
            "vacuity", "cases", "mutants_killed", "calls", "call_examples",
        } <= set(row)  # fmt: skip
        verdicts = cast("list[dict[str, Json]]", row["verdicts"])
        assert [verdict["engine"] for verdict in verdicts] == ["cvc5", "nagini"]
    assert report["disagreements"] == []
    assert report["rules_without_sentence"] == ["forbid_flight"]
    assert report["clauses_never_exercised"] == ["C7"]
    vacuous = [row["clause"] for row in rows if cast("dict[str, Json]", row["vacuity"])["vacuous"]]
    assert vacuous == ["C7", "C8"]


def test_contradicting_engines_are_an_error_with_all_that_a_report_needs(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.app.proof import Proving
    from workbench.model import ClauseProof, Engine, Proof, ProofStatus

    refuted = Proof((ClauseProof("C3", ("R3",), ProofStatus.REFUTED, Engine.NAGINI, why="as it says"),))

    def known(_proving: Proving, _terms: object) -> Proof:
        return refuted

    monkeypatch.setattr(Proving, "known", known)
    code, out, _ = run("evidence", shop)
    assert code == 3
    assert "The engines disagree. This is an error of the workbench" in out
    assert "verdict: nagini: refuted as it says" in out
    assert "def forbid_hotel" in out
    assert "def check_C3" in out
    assert "versions: cvc5 1." in out


# --- bad policies -----------------------------------------------------------------


AGE = "run.first_said.age"
HOTEL = '    return run.said.action == "book_hotel" and run.first_said.age < 18\n'
BAD = {
    "syntax": (HOTEL, "    return action ==\n", "not valid Python"),
    "loop": (HOTEL, "    for x in action:\n        pass\n    return True\n", "not part of the dialect"),
    "attribute": (HOTEL, "    return action.__class__ == 1\n", "policy.py:"),
    "import": ("from agent import", "import os\nfrom agent import", "is not allowed"),
    "recursion": (
        "def forbid_media",
        "def deep(call: Call) -> int:\n    return deep(call)\n\n\n"
        'def forbid_deep(call: Call) -> bool:\n    """R1: X."""\n    return deep(call) > 1\n\n\n'
        "def forbid_media",
        "itself",
    ),
    "unknown argument": (
        "    # R4: Users under 15",
        "    # R9: X.\n    Ensures(Implies(runn.said == '', not Result()))\n    # R4: Users under 15",
        "`runn` is not known",
    ),
    "look-alike": (HOTEL, '    return action == "book_hotel" and \u0430ge < 18\n', "CYRILLIC SMALL LETTER A"),
    "hidden": (HOTEL, '    return action == "book_hotel\u202e" and age < 18\n', "U+202E"),
    "fold": (HOTEL, '    return action == "book_hotel" and \u1d43ge < 18\n', "which Python reads as `age`"),
    "long": ("def forbid_media", "# x\n" * 20_000 + "def forbid_media", "too large: 20"),
    "nested": (HOTEL, f"    return {'(' * 300}age < 18{')' * 300}\n", "policy.py:"),
    "nul": (HOTEL, "    return \x00\n", "U+0000"),
}
COMMANDS = (("verify", "--preview"), ("strength",), ("evidence",), ("diff", "accepted", "current"))


@pytest.mark.parametrize(
    ("bad", "command"),
    [*((bad, COMMANDS[0]) for bad in BAD), *(("look-alike", command) for command in COMMANDS[1:])],
    ids=lambda source: cast("str | tuple[str, ...]", source) if isinstance(source, str) else source[0],
)
def test_a_policy_that_is_none_is_one_message_with_its_place(
    run: Run, shop: Path, bad: str, command: tuple[str, ...]
) -> None:
    old, new, message = BAD[bad]
    replaced(shop, old, new)
    code, out, err = run(command[0], shop, *command[1:])
    assert code == 2, err
    assert message in err, err
    assert "policy.py" in err
    assert "Traceback" not in out + err
    assert "proved" not in (out + err)


@pytest.mark.parametrize("bad", ["syntax", "look-alike", "recursion"])
def test_the_whole_check_says_what_is_wrong_with_a_policy_and_proves_nothing(
    run: Run, shop: Path, bad: str
) -> None:
    old, new, message = BAD[bad]
    replaced(shop, old, new)
    code, out, err = run("check", shop)
    assert code == 1
    assert "policy.py:" in out
    assert message in out
    assert "Traceback" not in out + err
    assert "proved" not in out


def contradict(shop: Path) -> None:
    replaced(shop, "import Ensures, Implies, Result", "import Ensures, Implies, Requires, Result")
    replaced(
        shop,
        "    # R1: Users without",
        f"    Requires({AGE} < 3 and {AGE} > 3)\n    # R1: Users without",
    )


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("verify",), marks=pytest.mark.nagini),
        ("verify", "--preview"),
        pytest.param(("check",), marks=pytest.mark.nagini),
    ],
)
def test_every_clause_of_a_contradictory_contract_is_vacuous_in_json_and_text(
    run: Run, shop: Path, words: tuple[str, ...]
) -> None:
    contradict(shop)
    command, *options = words
    code, out, _ = run(command, shop, "--json", *options)
    assert code == 1
    report = cast("dict[str, Json]", json.loads(out))
    proof = cast("dict[str, Json]", report.get("proof", report))
    assert proof["status"] == "vacuous"
    for clause in cast("list[dict[str, Json]]", proof["clauses"]):
        assert clause["status"] == "vacuous"
        assert clause["why"] == CONTRADICTION
    code, out, _ = run(command, shop, *options)
    assert code == 1
    assert "Proof       vacuous, 0 of 7 clauses" in out
    assert CONTRADICTION in out
    assert "proved" not in out


DEAD = "    # R1: Users without"
DEAD_CLAUSE = f"    # R1: No.\n    Ensures(Implies({AGE} < 3 and {AGE} > 5, not Result()))\n{DEAD}"


def test_a_clause_that_says_nothing_is_vacuous_and_its_contract_not_proved(run: Run, shop: Path) -> None:
    replaced(shop, DEAD, DEAD_CLAUSE)
    code, out, _ = run("verify", shop, "--preview", "--json")
    assert code == 1
    proof = cast("dict[str, Json]", json.loads(out))
    clauses = cast("list[dict[str, Json]]", proof["clauses"])
    assert proof["status"] == "vacuous"
    assert [clause["status"] for clause in clauses] == ["vacuous", *["proved"] * 7]
    assert clauses[0]["why"] == "its left side never happens; it holds for every policy"
    code, out, _ = run("strength", shop)
    assert code == 1
    assert "C1   judges nothing: its left side never happens" in out
    code, out, _ = run("evidence", shop)
    assert code == 1
    assert "cvc5: vacuous (its left side never happens" in out


def test_a_contradictory_precondition_proves_nothing(run: Run, shop: Path) -> None:
    contradict(shop)
    code, out, _ = run("verify", shop, "--preview")
    assert code == 1
    assert "no input meets the preconditions" in out
    assert "proved" not in out.replace("0 of", "")
    code, out, _ = run("strength", shop)
    assert code == 1
    assert "no input meets the preconditions" in out
    code, out, _ = run("evidence", shop)
    assert code == 1
    assert "vacuous   yes: no input meets the preconditions" in out
    assert "cvc5: proved" not in out
