"""What a session owes: an answer is in force, or it is listed with the reason and the act that mends it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.app.owed import Owed, OwedKind, not_in_force
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.engines.compiled.compile import compile_policy
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extraction,
    Kind,
    Question,
    SentenceRole,
    Tool,
)
from workbench.policy.check import check
from workbench.session import Session

TOOLS = ("send", "list")
MAIL = """# Rules

It may send only to people whom I have written to before.

Everything else is allowed.
"""
AGE = """# Rules

Users under 18 may not send.

Everything else is allowed.
"""


def argument(name: str, type_: ArgumentType, path: str) -> Argument:
    """An argument that is read by a path."""
    return Argument(name, type_, extraction=Extraction("jsonpath", {"path": path}))


def spec(known: ArgumentType | None = None) -> AgentSpec:
    """An agent that sends and lists; ``known`` is the type of whether a recipient is known."""
    return AgentSpec(
        "mail",
        tools=tuple(map(Tool, TOOLS)),
        arguments=(
            argument("tool", ArgumentType(Kind.ENUM, TOOLS), "$.tool"),
            argument("age", ArgumentType(Kind.INT), "$.context.context.age"),
            argument("known", known or ArgumentType(Kind.BOOL), "$.context.context.known"),
        ),
    )


def made(folder: Path, request: str) -> Workbench:
    """A new session, drafted."""
    bench = Workbench(Session.create(folder, request, spec()))
    bench.request.redraft()
    return bench


def missing(bench: Workbench) -> tuple[Owed, ...]:
    """What is not in force by the check, which is what it is by every other reader."""
    found = bench.in_force.missing()
    assert not_in_force(bench.state().owed) == found
    return found


def only(bench: Workbench) -> Question:
    """The only open question."""
    (question,) = bench.questions.understand().open
    return question


@pytest.fixture
def ruled(tmp_path: Path) -> Iterator[Workbench]:
    """A session in which a person gave the unread sentence its rule."""
    bench = made(tmp_path / "s", MAIL)
    question = next(item for item in bench.questions.understand().open if "written to" in item.quote)
    bench.questions.answer(question, 'require: tool in {"send"} => known')
    assert missing(bench) == ()
    yield bench
    bench.close()


@pytest.fixture
def bounded(tmp_path: Path) -> Iterator[Workbench]:
    """A session in which a person said that 18 is not under 18."""
    bench = made(tmp_path / "s", AGE)
    question = only(bench)
    bench.questions.answer(question, "excluded")
    assert missing(bench) == ()
    yield bench
    bench.close()


def allows(bench: Workbench, tool: str, **values: object) -> bool:
    """Whether the policy file allows a call."""
    policy = compile_policy(check(bench.session.policy))
    whole = {"tool": tool, "age": 30, "known": False, **values}
    names = {parameter.name for parameter in policy.terms.arguments}
    return policy.allows({name: value for name, value in whole.items() if name in names})  # type: ignore[misc]


def edited(bench: Workbench, old: str, new: str) -> None:
    """An edit of the policy by a person."""
    assert old in bench.session.policy
    bench.session.set_policy(bench.session.policy.replace(old, new))


def test_a_rule_that_the_draft_can_no_longer_make_is_asked_about_and_denies(ruled: Workbench) -> None:
    ruled.session.set_spec(spec(ArgumentType(Kind.BOOL, optional=True)))
    assert {item.kind for item in missing(ruled)} == {OwedKind.DRAFT, OwedKind.WORDS}

    ruled.request.redraft()
    (lost,) = missing(ruled)
    assert lost.kind is OwedKind.WORDS and "`known` may be None" in lost.reason
    assert [question.quote for question in ruled.questions.understand().open] == [
        'require: tool in {"send"} => known'
    ]
    assert not allows(ruled, "send", known=True) and allows(ruled, "list")
    assert ruled.check().exit_code == 1

    ruled.session.set_spec(spec())
    ruled.request.redraft()
    assert missing(ruled) == ()
    assert allows(ruled, "send", known=True) and not allows(ruled, "send")


@pytest.mark.parametrize(
    ("rule", "denied"),
    [
        ('forbid: tool == "send" => gone > 3', {"send"}),
        ("forbid: gone > 3 => known", {"send", "list"}),
        ('permit: tool == "send" => gone', set[str]()),
    ],
)
def test_a_refused_rule_denies_all_that_it_may_deny(rule: str, denied: set[str], tmp_path: Path) -> None:
    bench = made(tmp_path / "s", MAIL)
    question = next(item for item in bench.questions.understand().open if "written to" in item.quote)
    bench.questions.answer(question, rule)
    assert [item.name for item in missing(bench)] == [question.id]
    assert {tool for tool in TOOLS if not allows(bench, tool, known=True)} == denied
    assert any(sentence.role is SentenceRole.OPEN for sentence in bench.request.draft().sentences)
    bench.close()


def test_an_element_with_the_name_of_an_argument_gets_another_name(tmp_path: Path) -> None:
    bench = made(tmp_path / "s", MAIL)
    names = argument("names", ArgumentType(Kind.SET), "$.context.context.names")
    bench.session.set_spec(replace(spec(), arguments=(*spec().arguments, names)))
    question = next(item for item in bench.questions.understand().open if "written to" in item.quote)
    bench.questions.answer(question, 'forbid: tool == "send" => any(age == "x" for age in names)')
    assert missing(bench) == ()
    assert not allows(bench, "send", names=frozenset({"x"})) and allows(bench, "send", names=frozenset({"y"}))
    bench.close()


def test_an_edit_away_from_an_answer_is_listed_with_an_input(bounded: Workbench) -> None:
    edited(bounded, "age < 18", "age <= 18")
    (answer,) = missing(bounded)
    assert answer.kind is OwedKind.ANSWER and "denies" in answer.reason and "18" in answer.reason
    assert "--retract" in answer.mend
    assert bounded.check().exit_code == 1
    bounded.session.undo()
    assert missing(bounded) == ()


def test_an_edit_on_one_input_in_the_region_of_an_answer_is_found(ruled: Workbench) -> None:
    edited(ruled, "and not known", "and not known and age != 77")
    edited(
        ruled,
        "def forbid_send_by_known(tool: Tool, known: bool)",
        "def forbid_send_by_known(tool: Tool, age: int, known: bool)",
    )
    edited(ruled, "forbid_send_by_known(tool, known)", "forbid_send_by_known(tool, age, known)")
    edited(ruled, "def allow(tool: Tool, known: bool)", "def allow(tool: Tool, age: int, known: bool)")
    assert allows(ruled, "send", age=77)
    (rule,) = missing(ruled)
    assert "allows" in rule.reason and "77" in rule.reason


def test_an_edit_outside_of_what_answers_decide_is_the_persons(bounded: Workbench) -> None:
    edited(bounded, "age < 18", "age < 18 and age != 3")
    assert missing(bounded) == ()
    assert bounded.check().exit_code == 1  # a clause of the draft is refuted: the proof says that


def test_a_request_that_changed_makes_the_policy_stale_until_it_is_drafted(bounded: Workbench) -> None:
    bounded.request.set(AGE.replace("18", "21"), carry=False)
    assert OwedKind.DRAFT in {item.kind for item in missing(bounded)}
    bounded.request.redraft()
    assert OwedKind.DRAFT not in {item.kind for item in missing(bounded)}


def test_an_answer_whose_question_is_asked_no_more_is_listed(bounded: Workbench) -> None:
    assumptions = bounded.session.assumptions
    gone = replace(assumptions[0], id="A:boundary:ffffffff:age", question="boundary:ffffffff:age")
    bounded.session.set_assumptions((*assumptions, gone))
    (listed,) = missing(bounded)
    assert listed.name == gone.question and "no longer asks" in listed.reason


def test_an_answer_that_is_no_option_is_listed(bounded: Workbench) -> None:
    (stored,) = bounded.session.assumptions
    changed = replace(stored, value="sometimes")
    bounded.session.set_assumptions([changed])
    assert any("no longer one of the answers" in item.reason for item in missing(bounded))


READ, UNREAD = "Users under 18 may not send.", "Frobnicate the gibbous moons."


@pytest.mark.parametrize(
    "words",
    [
        f"{READ} {UNREAD}",
        f"{UNREAD} {READ}",
        f"{READ}\n{UNREAD}",
        f"- {READ}\n- {UNREAD}",
        f"{READ.removesuffix('.')}, and {UNREAD.lower()}",
    ],
)
def test_own_words_of_which_a_part_is_not_read_are_not_in_force(words: str, tmp_path: Path) -> None:
    with closing(made(tmp_path / "s", MAIL)) as bench:
        question = next(item for item in bench.questions.understand().open if "written to" in item.quote)
        assert bench.questions.answer(question, words).unheard
        (answer,) = [item for item in missing(bench) if item.is_answer]
        assert (answer.kind, answer.name) == (OwedKind.WORDS, question.id)
        assert answer.reason.startswith("the draft cannot make it: ") and "--retract" in answer.mend
        assert bench.questions.understand().open, "the unread words are asked about"


def test_a_policy_outside_the_dialect_has_no_answer_in_force(bounded: Workbench) -> None:
    edited(bounded, "age < 18", "age.bit_length() < 18")
    assert any(item.is_answer for item in missing(bounded))


@pytest.mark.parametrize(("old", "new"), [("jsonpath", "jsonpaht"), ('path = "$.tool"', 'path = "tool["')])
def test_a_draft_refuses_an_agent_file_that_cannot_be_used(
    old: str, new: str, bounded: Workbench, capsys: pytest.CaptureFixture[str]
) -> None:
    bounded.close()
    path = bounded.session.path / "agent.toml"
    path.write_text(path.read_text().replace(old, new, 1))
    assert main(["draft", str(bounded.session.path)]) == 2
    told = capsys.readouterr()
    assert "agent.toml:" in told.err and "already has" not in told.out


def test_a_file_that_went_bad_on_the_disk_is_named(bounded: Workbench) -> None:
    path = bounded.session.path / "agent.toml"
    path.write_text(path.read_text() + "broken = [")
    (file,) = missing(bounded)
    assert file.kind is OwedKind.FILE and "TOML" in file.reason


def test_every_reader_says_it(bounded: Workbench, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    edited(bounded, "age < 18", "age <= 18")
    folder = str(bounded.session.path)
    bounded.close()
    for command in (["ask", folder], ["evidence", folder], ["report", folder]):
        code = main(command)
        told = capsys.readouterr().out
        assert "not in force" in told.lower() and "All good" not in told, command
        assert code == 1, command
    assert main(["export", folder, "--output", str(tmp_path / "out.py")]) == 1
    told = capsys.readouterr().err
    assert "Not in force" in told and "no accepted version" in told
    assert not (tmp_path / "out.py").exists()


def test_an_export_after_an_edit_is_of_the_accepted_version_and_says_so(
    bounded: Workbench, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, file = str(bounded.session.path), tmp_path / "out.py"
    names = [item.name for item in missing(bounded)]
    bounded.close()
    assert names == []
    assert main(["check", folder, "--accept"]) == 0
    capsys.readouterr()
    path = bounded.session.path / "policy.py"
    path.write_text(path.read_text().replace("age < 18", "age <= 18"))
    assert main(["export", folder, "--output", str(file)]) == 0
    assert "Not in force" in capsys.readouterr().err
    assert "age < 18" in file.read_text() and "age <= 18" not in file.read_text()


def test_an_edited_rule_still_decides_after_its_sentence_went(bounded: Workbench) -> None:
    edited(bounded, "age < 18", "age < 16")
    changed = bounded.request.set("Everything else is allowed.\n")
    assert [conflict.name for conflict in changed.conflicts] == ["forbid_send_by_age"]
    assert not allows(bounded, "send", age=15) and allows(bounded, "send", age=17)
