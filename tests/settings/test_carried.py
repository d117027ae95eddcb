"""The session of settings decides as they do, or as it says stricter; a hostile file is one sentence."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.replay.decided_calls import decide_calls
from tests.settings.test_matching import claude, read
from workbench.app.from_settings import Rescued, from_settings
from workbench.app.runs import read_logs
from workbench.app.workbench import Workbench
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, Json, RecordedCall, Run, Verdict, WorkbenchError
from workbench.runs.extract.extractor import Extractor
from workbench.session.agent_file import read_agent
from workbench.settings.carried import carried, shown
from workbench.settings.rules import SHELL, Effect, Settings

TOOLS = Path(__file__).parent.parent.parent / "sessions" / "coding-agent" / "agent.toml"
VERDICTS = {
    None: Verdict.ALLOW,
    Effect.ALLOW: Verdict.ALLOW,
    Effect.ASK: Verdict.ASK,
    Effect.DENY: Verdict.DENY,
}
CLAUDE = {
    "allow": ["Bash(git:*)", "Read"],
    "ask": ["Bash(git push:*)", "Edit(docs/**)"],
    "deny": ["Bash(rm:*)", "Bash(npm publish*)", "Read(.env)", "Read(secrets/**)", "Edit(//etc/**)",
             "Edit(*.lock)", "WebFetch(domain:evil.test)", "WebFetch(domain:*.wild.test)",
             "mcp__hub__delete", "Agent(general)"],
}  # fmt: skip
OPENCODE = {
    "bash": {"*": "ask", "git *": "allow", "git push *": "deny", "ls": "allow"},
    "read": {"*": "allow", "*.env": "deny", "*.env.example": "allow"},
    "edit": {"*": "deny", "docs/*": "allow"}, "webfetch": "ask",
}  # fmt: skip


def spec() -> AgentSpec:
    """The tools of a coding agent."""
    return read_agent(TOOLS.read_text("utf-8"))


def verdicts(
    settings: Settings,
    spec: AgentSpec,
    calls: Sequence[tuple[str, Mapping[str, Json]]],
    folder: str = "/repo",
    project: str = "/repo",
) -> list[Verdict]:
    """What the carried session decides on calls of a client in a part of the repository ``folder``."""
    made = carried(settings, spec, "Settings")
    terms = lowered_policy(made.policy, made.spec).terms
    assert terms.written is not None
    told = [
        RecordedCall(str(n), 0, tool, arguments, {}, {"folders": [folder], "project": project})
        for n, (tool, arguments) in enumerate(calls)
    ]
    extractor = Extractor(terms.written.arguments, made.spec)
    decided = decide_calls(compile_policy(terms), told, [extractor.extract(call) for call in told])
    return [one.decision.verdict for one in decided]


def test_the_session_decides_plain_calls_as_the_settings_do() -> None:
    rng = random.Random(3)
    for settings in (claude(**CLAUDE), read("opencode.json", json.dumps({"permission": OPENCODE}))):
        calls: list[tuple[str, dict[str, Json], str]] = []
        for _ in range(60):
            words = (
                rng.choice(["git", "rm", "npm", "ls", "cat"]),
                *rng.choices(["push", "status", "publish", "x"], k=rng.randint(0, 2)),
            )
            line = f" {rng.choice(['&&', ';', '|'])} ".join(
                [" ".join(words), *rng.choices(["ls", "git log", "rm x"], k=rng.randint(0, 1))]
            )
            calls.append((SHELL, {"command": line, "cwd": "/repo"}, line))
            path = "/".join(
                [
                    "",
                    *rng.choices(
                        ["repo", "etc", "docs", "secrets", ".env", "a.env", "b.lock", "x.env.example"],
                        k=rng.randint(2, 4),
                    ),
                ]
            )
            tool = rng.choice(["Read", "Write"])
            more: dict[str, Json] = {"content": ""} if tool == "Write" else {}
            calls.append((tool, {"file_path": path, **more}, path))
            host = rng.choice(["evil.test", "a.evil.test", "a.wild.test", "wild.test", "ok.test"])
            calls.append(("WebFetch", {"url": f"https://{host}/x", "prompt": ""}, host))
        told = verdicts(settings, spec(), [(tool, arguments) for tool, arguments, _ in calls], "/")
        wrong = [
            (tool, text, got)
            for (tool, _, text), got in zip(calls, told, strict=True)
            if got is not VERDICTS[settings.decide(tool, text)[0]] and not stricter_by_form(tool, text, got)
        ]
        assert wrong == []


def stricter_by_form(tool: str, text: str, got: Verdict) -> bool:
    """The declared differences: what is not followed is refused; a name closes folders above, too.

    A permission of a name opens files of this name, and not what is in folders of it.
    """
    if tool == SHELL:
        return got is Verdict.CANNOT_EVALUATE
    return got is Verdict.DENY and (not text.startswith("/repo/") or "x.env.example/" in text)


def test_what_slips_through_is_stopped_by_the_session(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(
        '{"permissions": {"deny": ["Bash(rm:*)", "Bash(git push:*)", "Edit(.github/**)"], '
        '"allow": ["Bash(git:*)"]}}'
    )
    created, rescued = from_settings(tmp_path / "made", [file], [])
    created.workbench.close()
    assert rescued.open == () and len(rescued.closed) > 20
    assert rescued.newly_allowed == ()
    assert "git -C . push" in rescued.closed


FORCE = "Bash(git push --force:*)"
LINES = st.tuples(
    st.sampled_from(["", "ls && ", "echo a | ", "cd /tmp; ", "if true; then ", "! ", "X=1 "]),
    st.sampled_from(["rm", "git push --force", "chmod 777", "kubectl apply", "git push", "npm publish"]),
    st.lists(
        st.sampled_from(
            [
                "x",
                "-rf",
                "'a b'",
                "$X",
                "$(rm y)",
                "--no-force",
                "-C",
                "--",
                ">",
                "&",
                "|",
                ";",
                "\n",
                "#",
                "ls",
                "{}",
                "*",
            ]
        ),
        max_size=5,
    ).map(" ".join),
)


@pytest.fixture(scope="module")
def of_commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, Rescued, Workbench]]:
    """Settings about commands, what is said of them, and their session."""
    folder = tmp_path_factory.mktemp("made")
    rules = {
        "deny": [
            "Bash(rm:*)",
            FORCE,
            "Bash(chmod 777:*)",
            "Bash(kubectl apply:*)",
            "Bash(npm publish*)",
            "Bash(* -C)",
        ],
        "ask": ["Bash(git push:*)", "Bash(sudo rm:*)"],
    }
    (folder / "settings.json").write_text(json.dumps({"permissions": rules}))
    created, rescued = from_settings(folder / "made", [folder / "settings.json"], [])
    yield claude(**rules), rescued, created.workbench
    created.workbench.close()


def test_rules_are_held_whatever_follows(of_commands: tuple[Settings, Rescued, Workbench]) -> None:
    _, rescued, _ = of_commands
    assert rescued.held == (
        "Bash(rm:*)",
        FORCE,
        "Bash(chmod 777:*)",
        "Bash(kubectl apply:*)",
        "Bash(git push:*)",
    )
    assert rescued.searched == ("Bash(npm publish*)", "Bash(* -C)", "Bash(sudo rm:*)")
    assert rescued.tried > 300


@given(st.lists(LINES, min_size=20, max_size=20))
@settings_of(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_of_held_rules_no_random_command_is_decided_laxer(
    of_commands: tuple[Settings, Rescued, Workbench], lines: list[tuple[str, str, str]]
) -> None:
    settings, rescued, bench = of_commands
    texts = [f"{before}{begin} {end}{'; fi' if 'if' in before else ''}" for before, begin, end in lines]
    calls = [
        RecordedCall(str(n), 0, SHELL, {"command": text, "cwd": "/repo"}, {}, {})
        for n, text in enumerate(texts)
    ]
    terms = bench.policy.terms()
    logs = read_logs(bench.runs.extractor(terms.sources), [Run(call.run, (call,), "x") for call in calls])
    for text, decided in zip(texts, bench.runs.decide(terms, logs), strict=True):
        effect, rule = settings.decide(SHELL, text)
        if rule is not None and rule.text in rescued.held:
            assert decided.decision.verdict is not Verdict.ALLOW, text
            assert effect is Effect.ASK or decided.decision.verdict is not Verdict.ASK, text


def test_a_text_that_need_not_end_with_a_word_is_not_held(tmp_path: Path) -> None:
    """The Gemini CLI matches rm"x", which starts another program."""
    policy = tmp_path / "a.toml"
    rule = 'toolName = "run_shell_command"\ncommandPrefix = "git push"\ndecision = "deny"\npriority = 5\n'
    policy.write_text(f"[[rule]]\n{rule}")
    created, rescued = from_settings(tmp_path / "made", [policy], [])
    created.workbench.close()
    assert rescued.held == () and rescued.searched != ()


def test_cedar_is_carried_over() -> None:
    settings = read(
        "p.cedar",
        'permit(principal, action == Action::"pay", resource) '
        "when { context.input.amount < 100 && !(context.rush) };\n"
        'forbid(principal, action == Action::"pay", resource) when { context.currency == "RUB" };\n'
        'permit(principal == User::"a", action == Action::"pay", resource);\n'
        'permit(principal, action == Action::"pay", resource) when { context.a like "x*" };',
    )
    made = carried(settings, AgentSpec("x"), "Settings")
    assert set(made.places) == {1, 2} and len(made.lost) == 2
    base: dict[str, Json] = {"amount": 5, "rush": False, "currency": "EUR"}
    changes: list[dict[str, Json]] = [{}, {"amount": 100}, {"rush": True}, {"currency": "RUB"}]
    told = verdicts(settings, AgentSpec("x"), [("pay", base | change) for change in changes])
    assert told == [Verdict.ALLOW, Verdict.DENY, Verdict.DENY, Verdict.DENY]


def test_a_rule_is_carried_over_whole_or_not_at_all() -> None:
    settings = claude(deny=["Bash(sudo rm:*)", "Bash(timeout 5 curl:*)", "Bash(sudo -n:*)", 'Read(a"b)'])
    made = carried(settings, spec(), "Settings")
    assert len(made.lost) == 2 and set(made.places) == {3, 4}
    told = verdicts(
        settings,
        spec(),
        [("Read", {"file_path": '/repo/a"b'}), (SHELL, {"command": "sudo -n ls", "cwd": "/repo"})],
    )
    assert told == [Verdict.DENY, Verdict.DENY]


def test_a_permission_of_files_opens_only_what_is_below_its_folder() -> None:
    settings = read("opencode.json", '{"permission": {"edit": {"*": "ask", "*.env": "allow"}}}')
    paths = ("/repo/a/x.env", "/x.env/y")
    told = verdicts(settings, spec(), [("Write", {"file_path": path, "content": ""}) for path in paths], "/")
    assert told == [Verdict.ALLOW, Verdict.ASK]


CEDAR = 'permit(principal, action == Action::"pay", resource); '


@pytest.mark.parametrize(
    ("name", "text", "tool"),
    [
        ("p.cedar", f'{CEDAR}forbid(principal == User::"b", action == Action::"pay", resource);', "pay"),
        ("p.cedar", f"{CEDAR}forbid(principal, action, resource);", "pay"),
        ("p.cedar", f"{CEDAR}forbid{CEDAR[6:-2]} when {{ {'!' * 3_000}context.a }};", "pay"),
        ("p.cedar", f"{CEDAR}forbid(principal, action, resource) when {{ {{a: 1}} == 2 }};", "pay"),
        ("opencode.json", '{"permission": {"edit": {"a/*/b*.ts": "deny"}}}', "Write"),
        ("opencode.json", '{"permission": {"webfetch": {"https://a*": "deny"}}}', "WebFetch"),
        ("settings.json", '{"permissions": {"deny": ["WebFetch(domain:bücher.de)"]}}', "WebFetch"),
        ("settings.json", '{"permissions": {"deny": ["WebFetch(domain:a.test.)"]}}', "WebFetch"),
        ("p.toml", '[[rule]]\ntoolName = "glob"\nargsPattern = "x"\ndecision = "deny"\npriority = 1', "Glob"),
        ("settings.json", '{"permissions": {"deny": ["mcp__hub"]}}', ""),
    ],
)
def test_a_denial_that_is_not_read_is_an_open_sentence_and_nothing_is_proved_of_its_tool(
    tmp_path: Path, name: str, text: str, tool: str
) -> None:
    file = tmp_path / name
    file.write_text(text)
    created, rescued = from_settings(tmp_path / "made", [file], [])
    is_open = created.workbench.standing().open_sentences
    created.workbench.close()
    assert is_open and any("so its sentence is open" in one for one in rescued.lost)
    assert tool not in rescued.compared


def test_a_permission_of_a_page_does_not_open_its_host_by_other_schemes() -> None:
    settings = read(
        "opencode.json", '{"permission": {"webfetch": {"*": "deny", "https://a.test/*": "allow"}}}'
    )
    call = ("WebFetch", {"url": "http://a.test/", "prompt": ""})
    assert verdicts(settings, spec(), [call]) == [Verdict.DENY]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("settings.json", "{", "no JSON at line 1"),
        ("settings.json", "[]", "no JSON object"),
        ("settings.json", '{"permissions": {}, "permissions": {}}', "twice"),
        ("settings.json", "{}", "has no permissions"),
        ("settings.json", '{"permissions": []}', "no object"),
        ("settings.json", '{"permissions": {"allow": []}}', "no permission rules"),
        ("settings.json", "[" * 5_000, "nested too deeply"),
        ("settings.json", '{"permissions": {"deny": ["' + "x" * 5_000_000 + '"]}}', "more than 1,000,000"),
        (
            "settings.json",
            json.dumps({"permissions": {"deny": [f"Bash(a{n})" for n in range(3_000)]}}),
            "more than 500",
        ),
        ("x.rules", "prefix_rule(", "no Starlark"),
        ("x.rules", "(" * 1_000 + ")" * 1_000, "no Starlark"),
        ("config.toml", "a = ", "no TOML"),
        ("p.cedar", "// nothing", "no policy"),
    ],
)
def test_a_hostile_file_is_one_sentence(name: str, text: str, words: str) -> None:
    with pytest.raises(WorkbenchError) as raised:
        read(name, text)
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_nothing_of_a_strange_file_is_lost() -> None:
    settings = read(
        "settings.json",
        '{"permissions": {/* x */ "deny": ["Bash(rm:*)", 5, "", "Ваsh(x)", "mcp__hub", "Skill(a b)"], '
        '"allow": "Bash", "denny": []}}',
    )
    made = carried(settings, spec(), "x")
    told = " ".join((*settings.lost, *made.lost))
    assert set(made.places) == {1}
    for words in ("deny 2", "deny 3", "deny 4", "deny 5", "deny 6", "allow is no list", "denny is not known"):
        assert words in told
    with pytest.raises(WorkbenchError, match="make a session for each client"):
        from workbench.settings.reading import read_settings

        read_settings(
            [
                (Path("a.json"), '{"permission": "ask"}'),
                (Path("b.json"), '{"permissions": {"deny": ["Bash"]}}'),
            ]
        )


@pytest.mark.parametrize("glob", ["../secrets/**", "..", "~/", "//a//b", "//a/\\!b", "!b", "b "])
def test_what_is_no_place_stays_an_open_sentence(glob: str) -> None:
    made = carried(claude(deny=[f"Read({glob})", "Read(.env)"]), spec(), "Settings")
    assert [f"({shown(f'Read({glob})')})" in one for one in made.lost] == [True]
    lowered_policy(made.policy, made.spec)
