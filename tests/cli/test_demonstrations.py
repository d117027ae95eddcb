"""Demonstrations from recorded calls: made, edited, and an edit's effect on retrieval."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.guardagent.sandbox import execute
from workbench.guardagent.toolbox import Toolbox
from workbench.memory.retrieval import retrieval_changes
from workbench.model import Demonstration, RecordedCall, Verdict, WorkbenchError
from workbench.session.excerpts import demonstration_text, read_demonstration

SESSIONS = Path(__file__).resolve().parents[2] / "sessions"
PLAN = ("one", 'two "quoted"\nlines', "three \\ four", "")


@pytest.fixture(params=["hospital-access", "web-shopping"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / str(request.param)
    shutil.copytree(SESSIONS / str(request.param), folder)
    return folder


def test_a_call_becomes_a_demonstration_whose_code_comes_to_the_decision(session: Path) -> None:
    bench = Workbench.open(session)
    try:
        logs = bench.runs.load()
        terms = bench.policy.terms()
        decided = bench.runs.decide(terms, logs)
        before = len(bench.session.demonstrations)
        for verdict, label in ((Verdict.ALLOW, 0), (Verdict.DENY, 1)):
            call_decision = next(decision for decision in decided if decision.decision.verdict is verdict)
            done = bench.memory.add_from_call(terms, logs, call_decision.run, call_decision.index)
            demonstration = done.demonstrations[-1]
            assert all(demonstration.plan)
            assert not any(word in " ".join(demonstration.plan[1:]) for word in ("allow", "deny", "break"))
            whole = bench.session.written.partition("READABLE = ")[2].count('"nursing"') > 0
            assert (
                "general administration" in demonstration.code
            ) is whole  # lists are not cut to the answer
            ran = execute(demonstration.code, {}, Toolbox.empty())
            assert (ran.error, ran.values["label"]) == ("", label)
            assert bool(ran.values["details"]) is (label == 1)
            place = next(
                item
                for item in logs.calls
                if (item.run, item.index) == (call_decision.run, call_decision.index)
            )
            assert bench.memory.rank(place, 1)[0].demonstration.id == demonstration.id
            assert bench.memory.rank(place, 1)[0].distance == 0
            assert (call_decision.run, call_decision.index) in {
                (change.run, change.index) for change in done.changes
            }
        assert len(bench.session.demonstrations) == before + 2
        undecided = next(
            decision for decision in decided if decision.decision.verdict is Verdict.CANNOT_EVALUATE
        )
        with pytest.raises(WorkbenchError, match="demonstrates nothing"):
            bench.memory.demonstrate(terms, logs, undecided.run, undecided.index)
    finally:
        bench.close()


def test_the_effect_of_an_edit_is_the_calls_whose_list_changes() -> None:
    known = [Demonstration(name, name * 3, "", PLAN, "") for name in "abc"]
    calls = [RecordedCall(name, 0, None, None, {"agent_input": name * 3}) for name in "abc"]
    changed = retrieval_changes(known, known[1:], calls, 1)
    assert [
        (retrieval_change.run, retrieval_change.before, retrieval_change.after)
        for retrieval_change in changed
    ] == [("a", ("a",), ("b",))]
    assert retrieval_changes(known, known, calls, 2) == ()


@pytest.mark.parametrize("text", ['"""', "\\", "a\nb", "\t'''\n", "\u202e", 'ends with "', ""])
def test_a_demonstration_survives_being_written_as_toml(text: str) -> None:
    demonstration = Demonstration("x", text, f"{text}\n{text}", PLAN, text, False)
    assert read_demonstration(demonstration_text(demonstration), demonstration) == demonstration


@pytest.mark.parametrize(
    "text",
    ["plan_1 = ['one']", "code = 3", "colour = 'red'", "plan_1 = ", "enabled = 'yes'", "agent_input = []"],
)
def test_a_bad_edit_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(WorkbenchError, match=r"^demonstration.toml[^\n]*$"):
        read_demonstration(text, Demonstration("x", "", "", PLAN, ""))


def test_the_commands_change_the_memory_and_say_what_retrieves_differently(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "shop"
    shutil.copytree(SESSIONS / "web-shopping", folder)

    def run(*words: str, code: int = 0) -> str:
        assert main(["memory", words[0], str(folder), *words[1:]]) == code
        return capsys.readouterr().out

    names = [demonstration["id"] for demonstration in json.loads(run("list", "--json"))]
    added = json.loads(run("add", "shop-002", "--json"))
    assert added["retrieve_differently"]
    assert "1. shop-002-0 0 edits apart" in run("rank", "shop-002")
    least = json.loads(run("rank", "shop-002", "--least-similar", "--k", "9", "--json"))
    assert [demonstration["id"] for demonstration in least][-1] == "shop-002-0"
    with (folder / "session.toml").open("a", encoding="utf-8") as file:
        file.write("\n[guardagent]\nk = 1\n")
    assert len(json.loads(run("rank", "shop-002", "--json"))) == 1
    (changed, *_) = json.loads(run("effect", "--without", "shop-002-0", "--json"))["retrieve_differently"]
    assert (len(changed["before"]), len(changed["after"])) == (1, 1)
    exported = tmp_path / "memory.jsonl"
    exported.write_text(run("export", "shop-002-0"), encoding="utf-8")
    assert "retrieve" in run("disable", "shop-002-0")
    assert "shop-002-0" not in run("rank", "shop-002", "--k", "9")
    assert "(disabled)" in run("list")
    run("enable", "shop-002-0")
    assert "shop-002-0" in run("effect", "--without", "shop-002-0", "--json")
    assert "Delete the demonstration" in run("delete", "shop-002-0")
    assert "shop-002-0" in run("effect", "--with", str(exported), "--json")
    run("import", str(exported))
    edited = tmp_path / "edited.toml"
    edited.write_text("agent_input = 'something else'\n", encoding="utf-8")
    run("edit", "shop-002-0", "--from", str(edited))
    shown = {demonstration["id"]: demonstration for demonstration in json.loads(run("list", "--json"))}
    assert shown["shop-002-0"]["agent_input"] == "something else"
    assert list(shown) == [*names, "shop-002-0"]
    run("rank", "no-such-run", code=2)
    run("delete", "no-such-demonstration", code=2)
    run("effect", code=2)
