"""Typed parts in policies of calls: complete or not determinable, and read in the folder of the call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.app.clause_findings import owed_clauses, raw_texts, understood
from workbench.app.surroundings import doubts_of_tools
from workbench.check.cases_generate import generate_cases
from workbench.clarify.written import Asked
from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.files.file_error import FileError
from workbench.language.language import Language
from workbench.model import AgentSpec, Assumption, Draft, Json, Question, RecordedCall, Span, Verdict
from workbench.policy.problems import PolicyError
from workbench.question_wording import question_about
from workbench.runs.extract.extractor import Extractor
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.replay.decide import decision_on
from workbench.runs.values.found_value import Incomplete
from workbench.runs.world.earlier_calls import Earlier
from workbench.session.agent_file import read_agent, write_agent

AGENT = """
name = "coder"

[tools.run_shell]
{surroundings}
[tools.run_shell.parameters]
type = "object"
required = ["command"]
[tools.run_shell.parameters.properties]
command = {{type = "string"}}
folder = {{type = "string"}}
[tools.run_shell.fields.command]
type = "command"

[tools.fetch]
{surroundings}
[tools.fetch.parameters]
type = "object"
required = ["url", "path", "to", "query", "order", "note"]
[tools.fetch.parameters.properties]
url = {{type = "string", format = "uri"}}
path = {{type = "string"}}
to = {{type = "string"}}
query = {{type = "string"}}
order = {{type = "string"}}
note = {{type = "string"}}
folder = {{type = "string"}}
at = {{type = "string", format = "date-time"}}
[tools.fetch.parameters.properties.items]
type = "array"
items = {{type = "object", properties = {{link = {{type = "string"}}}}, required = ["link"]}}
[tools.fetch.fields]
path = {{type = "path"}}
to = {{type = "mail_address"}}
query = {{type = "sql"}}
order = {{normal = "id"}}
"items[].link" = {{type = "url"}}
"""
HEAD = '''"""What the coder may do."""
from agent import Fetch, Run, RunShell

DEFAULT = "allow"


def forbid_it(call: {tool}, run: Run) -> bool:
    """R1: No."""
    return {condition}
'''
IN_REPO = 'cwd = "/repo"\ncwd_parameter = "folder"'
ALLOW, DENY, OPEN = Verdict.ALLOW, Verdict.DENY, Verdict.CANNOT_EVALUATE


def agent(surroundings: str = 'cwd = "/repo"') -> AgentSpec:
    return read_agent(AGENT.format(surroundings=surroundings))


def policy_of(condition: str, tool: str = "RunShell", surroundings: str = 'cwd = "/repo"') -> LoweredPolicy:
    return lowered_policy(HEAD.format(tool=tool, condition=condition), agent(surroundings))


class Deciding:
    """Decides calls by a policy with one rule."""

    def __init__(self, condition: str, tool: str = "RunShell", surroundings: str = 'cwd = "/repo"') -> None:
        """Lower and compile the policy."""
        self.lowered = policy_of(condition, tool, surroundings)
        self.policy = compile_policy(self.lowered.terms)
        self.extractor = Extractor(self.lowered.arguments, agent(surroundings))
        self.tool = {"RunShell": "run_shell", "Fetch": "fetch"}[tool]

    def of(self, *calls: Mapping[str, Json], time: str | None = None) -> Verdict:
        """The verdict on the last of some calls of one run."""
        run = tuple(RecordedCall("r", at, self.tool, dict(call), time=time) for at, call in enumerate(calls))
        return decision_on(self.policy, self.extractor.extract(run[-1], Earlier(run, len(run) - 1))).verdict

    def of_commands(self, commands: Sequence[str]) -> list[Verdict]:
        """The verdict on each command alone."""
        return [self.of({"command": command}) for command in commands]


def fetched(**changed: Json) -> dict[str, Json]:
    call: dict[str, Json] = {
        "url": "https://a.example/x", "path": "a.ts", "to": "ann@corp.example", "query": "select a from t",
        "order": "W1", "note": "n",
    }  # fmt: skip
    return call | changed


# --- remotes of git ---------------------------------------------------------------

REMOTES = 'cwd = "/repo"\nremotes."/repo" = {origin = "github.com", old = "a.example"}'
OF_RUNS: list[tuple[list[str], str, Verdict]] = [
    ([], "git push origin", ALLOW),
    ([], "git push old", DENY),
    ([], "git push other", OPEN),
    (["git log", "npm test", "echo a > src/git.md"], "git push origin", ALLOW),
    (["git commit -m x && git push origin"], "git fetch origin", ALLOW),
    (["git remote set-url origin https://b.example/x"], "git push origin", OPEN),
    (["git remote set-url origin https://b.example/x"], "curl https://github.com", ALLOW),
    (["git remote add x ../y"], "git -C . push origin", OPEN),
    (["git config --global url.x.insteadOf https://github.com/"], "git push https://github.com/x", OPEN),
    (["export GIT_DIR=/tmp/x"], "git push origin", OPEN),
    (["echo x >> .git/config"], "git push origin", OPEN),
    (["cp x ~/.gitconfig"], "git push origin", OPEN),
    (["git push -u ../x main"], "git push", OPEN),
    (["mywrap a"], "git push origin", OPEN),
    (["cat <<"], "git push origin", OPEN),
]  # fmt: skip


@pytest.mark.parametrize(("earlier", "command", "verdict"), OF_RUNS)
def test_remotes_are_the_declared_ones_until_a_command_may_have_changed_them(
    earlier: list[str], command: str, verdict: Verdict
) -> None:
    deciding = Deciding('not call.command.hosts <= {"github.com"}', surroundings=REMOTES)
    assert deciding.of(*({"command": text} for text in [*earlier, command])) is verdict


@pytest.mark.parametrize(
    ("said", "ran", "verdict"),
    [
        ({"path": ".git/config"}, True, OPEN),
        ({"path": ".git/config"}, False, ALLOW),
        ({"path": "src/config"}, True, ALLOW),
        ({"path": 1}, True, OPEN),
        ({}, True, ALLOW),
        ({"Path": ".git/config"}, True, OPEN),
    ],
)
def test_another_tool_may_have_changed_remotes(said: Mapping[str, Json], ran: bool, verdict: Verdict) -> None:
    deciding = Deciding('not call.command.hosts <= {"github.com"}', surroundings=REMOTES)
    others = {key: value for key, value in fetched().items() if key != "path"}
    calls = (
        RecordedCall("r", 0, "fetch", {**others, **said}, ran=ran),
        RecordedCall("r", 1, "run_shell", {"command": "git push origin"}),
    )
    assert (
        decision_on(deciding.policy, deciding.extractor.extract(calls[-1], Earlier(calls, 1))).verdict
        is verdict
    )


def test_of_an_earlier_call_the_remotes_are_not_known() -> None:
    deciding = Deciding(
        'any("a.example" in c.command.hosts for c in run.earlier(RunShell))', surroundings=REMOTES
    )
    assert deciding.of({"command": "git push old"}, {"command": "ls"}) is OPEN
    assert deciding.of({"command": "curl https://a.example"}, {"command": "ls"}) is DENY


def test_a_declared_remote_is_written_as_it_is_read() -> None:
    spec = agent(REMOTES)
    assert read_agent(write_agent(spec)) == spec
    for wrong in (
        '"repo" = {origin = "a.example"}',
        '"/repo" = {}',
        '"/repo" = {origin = "https://a.example/x"}',
    ):
        with pytest.raises(FileError, match=r"remote|host|Remotes"):
            agent(f"remotes.{wrong}")


# --- links that the run made ------------------------------------------------------

LINKED = [
    (["ln -s .env b/s"], "cat b/s", OPEN),
    (["ln -s .env b/s"], "cat b/s/x", OPEN),
    (["ln -s .env b/s"], "cat b/*", OPEN),
    (["ln -s .env b/s"], "cat b/x; ls b/s", ALLOW),
    (["ln -s /etc/x b/s"], "cat b/s/../y", OPEN),
    (["ln -s .env b/s"], "cat b/s a", DENY),
    (["cp -s .env s"], "cat s", OPEN),
    (["l''n a c"], "cat c", OPEN),
    (["mkdir -p b && ln -sf ../k b"], "cat b/k", OPEN),
    (["ln -s .env b/s", "rm b/s"], "cat b/s", OPEN),
    (["ln -s .env $X"], "cat y", OPEN),
    (["cp .env.example b/s"], "cat b/s", ALLOW),
    (["cat ln b/s"], "cat b/s", ALLOW),
]  # fmt: skip


@pytest.mark.parametrize(("earlier", "command", "verdict"), LINKED)
def test_where_a_link_leads_that_an_earlier_command_made_is_not_known(
    earlier: list[str], command: str, verdict: Verdict
) -> None:
    deciding = Deciding('any(p.name == "a" or p.name == ".env" for p in call.command.reads)')
    assert deciding.of(*({"command": text} for text in [*earlier, command])) is verdict


def test_a_path_of_another_tool_leads_through_the_links_that_commands_made() -> None:
    deciding = Deciding('call.path.name == ".env"', "Fetch")

    def verdict(path: str, command: str, *, ran: bool = True) -> Verdict:
        calls = (
            RecordedCall("r", 0, "run_shell", {"command": command}, ran=ran),
            RecordedCall("r", 1, "fetch", fetched(path=path)),
        )
        return decision_on(deciding.policy, deciding.extractor.extract(calls[-1], Earlier(calls, 1))).verdict

    assert verdict("b/s", "ln -s ../.env b/s") is OPEN
    assert verdict("b/s/../x", "ln -s ../.env b/s") is OPEN
    assert verdict("b/t", "ln -s ../.env b/s") is ALLOW
    assert verdict("b/s", "ln -s ../.env b/s", ran=False) is ALLOW
    assert verdict("b/s", "ls b/s") is ALLOW


def test_an_earlier_call_went_through_the_links_that_were_made_before_it() -> None:
    deciding = Deciding('any(c.path.name == ".env" for c in run.earlier(Fetch))')

    def verdict(*commands: str) -> Verdict:
        texts = [("run_shell", {"command": text}) for text in commands]
        made = [*texts[:1], ("fetch", fetched(path="b/s")), *texts[1:]]
        calls = [RecordedCall("r", place, tool, given) for place, (tool, given) in enumerate(made)]
        return decision_on(
            deciding.policy, deciding.extractor.extract(calls[-1], Earlier(calls, len(calls) - 1))
        ).verdict

    assert verdict("ln -s ../.env b/s", "ls") is OPEN
    assert verdict("ls", "ln -s ../.env b/s", "ls") is ALLOW
    assert verdict("ln -s ../.env b/t", "ls") is ALLOW


# --- facts about one program ------------------------------------------------------


def test_a_fact_takes_one_program_of_a_command() -> None:
    facts = '''

def forces(program: StartedProgram) -> bool:
    """whether git pushes by force"""
    return program.name == "git" and program.first == "push" and "--force" in program.options


def is_key(path: Path) -> bool:
    """whether a file is a key"""
    return path.suffix == ".key"


def opens_key(program: StartedProgram) -> bool:
    """whether a program opens a key"""
    return any(is_key(path) for path in program.paths)
'''
    rule = HEAD.format(
        tool="RunShell", condition="any(forces(p) or opens_key(p) for p in call.command.started)"
    )
    text = rule.replace("Fetch, Run, RunShell", "Fetch, Path, Run, RunShell, StartedProgram") + facts
    lowered = lowered_policy(text, agent())
    policy, extractor = compile_policy(lowered.terms), Extractor(lowered.arguments, agent())

    def verdict(command: str) -> Verdict:
        call = RecordedCall("r", 0, "run_shell", {"command": command})
        return decision_on(policy, extractor.extract(call, Earlier((call,), 0))).verdict

    assert [verdict(one) for one in ("git push -f", "cat a.key", "git log; ls -l", "cat a")] == [
        DENY, DENY, ALLOW, ALLOW,
    ]  # fmt: skip
    language = Language(agent_types(agent()), text)
    said = [one.text for one in language.aloud()]
    assert [[language.write(tree) for tree in language.read(text)] for text in said] == [
        [text] for text in said
    ]
    with pytest.raises(PolicyError, match="takes a StartedProgram here"):
        lowered_policy(text.replace("opens_key(p)", "opens_key(p.name)"), agent())


# --- complete, or not determinable ------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "denied", "undetermined", "allowed"),
    [
        (
            '"rm" in call.command.programs',
            ["rm x", "sudo rm x", "find . -exec rm {} +", "$X; rm y", "/opt/tools/rm x"],
            [
                "$X", 'X="rm y"; eval $X', "bash <<< 'rm x'", "$(echo rm) x", "docker run a",
                "RG_CONFIG=/c rg a",
            ],
            ["ls", "ls $X", "cat *.ts", "X=rm ls", "echo rm > $F"],
        ),
        (
            'not call.command.programs <= {"git", "cat"}',
            ["ls", "/tmp/git log", "./cat x", "cat $X; ls", "cat x | sh"],
            ["$X", "git $X"],
            [
                "git log", "/bin/cat x", "cat $X", "git --no-pager log",
                "git commit -m \"$(cat <<'E'\na `b`\nE\n)\"",
            ],
        ),
        (
            'not all("/repo" in path.inside for path in call.command.paths)',
            [
                "cat /etc/passwd", "cat ../x", "cat a > /tmp/b", "cat < /etc/passwd", "cat /etc/a $X",
                "ls /etc/*.conf", "ls /e*/x.*",
            ],
            [
                "cat $HOME/.ssh/id_rsa", 'rm -r "$HOME"', "cat ~/x", "ls | xargs cat", "cd $X && cat a",
                "cat a > $F", "sort --files0-from=-", "tar -T list", "awk 'BEGIN{ARGV[ARGC++]=\"/etc/p\"} 1'",
                "ls .*/x", "ls {a,b}", "ls /r*/x.*", "cat ~root/x", "cat src/*/../../x",
            ],
            ["cat a.ts", "cat /repo/a", "grep -n x src/*.ts", "echo $X", "cd src && cat ../a"],
        ),
        (
            'any("/repo/keys" in path.inside for path in call.command.writes)',
            ["echo a > keys/b", "echo a > keys/b > $F"],
            ["echo a > $F"],
            ["cat keys/b > c", "cat $X"],
        ),
        (
            'not all(host == "api.example.com" for host in call.command.hosts)',
            ["curl http://evil.example", "git push evil.example:x.git main", "curl $X https://evil.example"],
            [
                "curl $X", "curl --resolve api.example.com:443:10.0.0.9 https://api.example.com",
                "git push origin main", "https_proxy=http://p:1 curl https://api.example.com", "wget",
                "curl https://{api.example.com,b}/",
            ],
            [
                "curl -s -X POST https://api.example.com/v1", "curl -o out.json https://api.example.com",
                "ls *.ts", "git log",
            ],
        ),
        (
            '"git push" in call.command.calls',
            ["git push", "git -C /x push", "/tmp/git push", "git $X; git push"],
            ["git $X", "git -p log", "git log $X"],
            ["git", "git --version", "npm run build"],
        ),
        (
            '"sed -i" in call.command.flags',
            ["sed -i s/a/b/ x"],
            ["grep $X y", "sed --frob x"],
            ["sed -n 1p x", "ls -l", "ls *.ts"],
        ),
        (
            'any("-D" in p.options for p in call.command.started if p.name == "git" and p.first == "branch")',
            ["git branch -v -D a", "ls $X; git branch -D a", "$X; git branch -D a"],
            ["git branch $X", "$X", "git log $X"],
            ["git branch -v", "ls $X"],
        ),
        (
            "len(call.command.paths) > 3",
            ["rm a b c d", "rm a b c d $X"],
            ["rm a $X", "rm src/*.py"],
            ["rm a b c"],
        ),
        (
            'any(p.name == "a" or any(n.startswith(".env") for n in p.names) for p in call.command.reads)',
            ["cat a src/*.py"],
            [
                "cat src/*", "cat src/a*", "cat src/**/*.py", "cat .e*/x.py", "cat /proc/*/cwd/*.py",
                "shopt -s dotglob; cat src/*.py", "cd $X; cat /b/*", "cat $X/*.py", "git diff b/*.py",
            ],
            ["wc -l src/*.py", "cat *.py", "cat src/*/*.py", "cat src/a*.py", "cp src/*.py lib"],
        ),
        (
            "not all(any(p.absolute.startswith('/repo/l/') for p in q.paths) for q in call.command.started)",
            ["cat src/*.py"],
            ["cat l*/*.py"],
            ["cat l/*.py", "rm -rf l/x/*"],
        ),
    ],
)  # fmt: skip
def test_a_known_member_settles_what_it_can_and_else_a_set_that_is_not_complete_settles_nothing(
    condition: str, denied: list[str], undetermined: list[str], allowed: list[str]
) -> None:
    deciding = Deciding(condition)

    assert deciding.of_commands(denied) == [DENY] * len(denied)
    assert deciding.of_commands(undetermined) == [OPEN] * len(undetermined)
    assert deciding.of_commands(allowed) == [ALLOW] * len(allowed)


def test_the_reason_says_which_part_is_not_complete_and_why() -> None:
    deciding = Deciding('"rm" in call.command.programs')
    call = RecordedCall("r", 0, "run_shell", {"command": "eval $X"})
    decision = decision_on(deciding.policy, deciding.extractor.extract(call, Earlier((call,), 0)))

    assert [reason.partition(": ")[2] for reason in decision.reasons] == [
        "programs of command of the call: a text that is run is only known when it runs"
    ]


_RUN_TIME = st.sampled_from(['"$X"', "$X", "$(cat list)", "`cat list`", "${X:-a}", '"$@"', "$1"])
_PLAIN = st.sampled_from(["a.ts", "/repo/b", "-v", "src/c"])


@settings(max_examples=examples(120), deadline=None)
@given(
    st.sampled_from(["cat", "rm -r", "cp a", "git add", "head -n 3", "sudo rm"]),
    st.lists(_PLAIN, max_size=3),
    _RUN_TIME,
    st.sampled_from(["", " && ls", "; cat /repo/x", " | wc"]),
)
def test_a_word_of_the_run_is_never_inside_a_folder(
    program: str, words: list[str], unknown: str, rest: str
) -> None:
    inside = Deciding('not all("/repo" in path.inside for path in call.command.paths)')
    assert inside.of({"command": f"{' '.join([program, *words, unknown])}{rest}"}) is not ALLOW


@settings(max_examples=examples(80), deadline=None)
@given(_RUN_TIME, st.lists(_PLAIN, max_size=2), st.sampled_from(["", "sudo ", "env A=1 ", "nice "]))
def test_a_program_of_the_run_is_never_one_of_a_list(unknown: str, words: list[str], before: str) -> None:
    listed = Deciding('not call.command.programs <= {"sudo", "env", "nice", "cat"}')
    assert listed.of({"command": f"{before}{' '.join([unknown, *words])}"}) is not ALLOW


@settings(max_examples=examples(80), deadline=None)
@given(
    st.sampled_from(
        ["https://$H/x", "https://a.example@$H", "//a.example", "https:a", "$U", "https://a.example\\x"]
    )
)
def test_a_url_that_is_read_in_several_ways_has_no_host(url: str) -> None:
    assert Deciding('call.url.host != "a.example"', "Fetch").of(fetched(url=url)) is not ALLOW


# --- folder, shell and file system ------------------------------------------------


@pytest.mark.parametrize(
    ("surroundings", "folder", "verdict"),
    [
        (IN_REPO, None, ALLOW),
        (IN_REPO, "/etc", DENY),
        (IN_REPO, "src", ALLOW),
        (IN_REPO, "..", DENY),
        (IN_REPO, "~", OPEN),
        (IN_REPO, "", OPEN),
        ('cwd_parameter = "folder"', None, OPEN),
        ('cwd_parameter = "folder"', "src", OPEN),
        ('cwd_parameter = "folder"', "/repo", ALLOW),
        ("", "/repo", OPEN),
    ],
)
def test_relative_paths_begin_in_the_folder_of_the_call(
    surroundings: str, folder: str | None, verdict: Verdict
) -> None:
    named: dict[str, Json] = {} if folder is None else {"folder": folder}
    in_command = Deciding(
        'not all("/repo" in path.inside for path in call.command.paths)', surroundings=surroundings
    )
    in_path = Deciding('"/repo" not in call.path.inside', "Fetch", surroundings)

    assert in_command.of({"command": "cat a.ts", **named}) is verdict
    assert in_path.of(fetched(**named)) is verdict


def test_an_earlier_call_has_a_folder_of_its_own() -> None:
    deciding = Deciding(
        'any(any("/etc" in p.inside for p in c.command.paths) for c in run.earlier(RunShell))',
        surroundings=IN_REPO,
    )
    assert deciding.of({"command": "cat a", "folder": "/etc"}, {"command": "ls"}) is DENY
    assert deciding.of({"command": "cat a"}, {"command": "ls"}) is ALLOW


def test_another_shell_is_not_read_and_a_plain_one_only_where_it_agrees_with_bash() -> None:
    for shell, command, verdict in (
        ("bash", "=rm", ALLOW),
        ("zsh", "=rm -rf x", OPEN),
        ("powershell", "ls", OPEN),
        ("sh", "ls", ALLOW),
        ("sh", "ls {a,b}", OPEN),
        ("sh", "echo $'a'", OPEN),
        ("", "ls -l; git log", ALLOW),
        ("", "git commit -m \"$(cat <<'E'\na\nE\n)\"", ALLOW),
        ("", "ls {a,b}", OPEN),
        ("", "=rm -rf x", OPEN),
        ("", "ls;=rm x", OPEN),
        ("", "dd if=/repo/a of=/repo/b", ALLOW),
    ):
        deciding = Deciding(
            '"rm" in call.command.programs', surroundings=f'shell = "{shell}"' if shell else ""
        )
        assert deciding.of({"command": command}) is verdict, (shell, command)


@pytest.mark.parametrize(
    "condition",
    ['"rm" in call.command.programs', 'any("rm" in c.command.programs for c in run.earlier(RunShell))'],
)
def test_check_asks_for_the_shell_of_a_tool_whose_commands_are_read(condition: str) -> None:
    terms = policy_of(condition).terms
    (doubt,) = doubts_of_tools(terms, agent(), "", ())
    question = question_about(doubt)
    assert [one.value for one in question.options] == ["bash", "sh", "zsh", "meant"]
    assert "run_shell" in question.text
    assert not policy_of(condition, surroundings='shell = "zsh"').terms.file.undeclared_shells
    assert not policy_of('call.command == "ls"').terms.file.undeclared_shells


@pytest.mark.parametrize(
    ("command", "is_asked"), [("pwd", False), ("date", False), ("pytest", True), ("ls", True)]
)
def test_a_program_alone_names_a_relative_path_if_it_opens_something(command: str, is_asked: bool) -> None:
    call = RecordedCall("r", 0, "run_shell", {"command": command})
    for condition, reads_paths in (
        ('any("/repo" in p.inside for p in call.command.paths)', True),
        ('"rm" in call.command.programs', False),  # what a command starts begins in no folder
    ):
        terms = policy_of(condition, surroundings="").terms
        doubts = doubts_of_tools(terms, agent(""), "", [call])
        assert any(one.kind == "relative-paths" for one in doubts) is (is_asked and reads_paths)


@pytest.mark.parametrize(
    "command",
    [
        "mywrap rm x", "mywrap -- rm x", "mywrap --run=rm x", "mywrap 'rm -r x'", "mywrap /bin/rm x",
        "./w rm x", "xargs2 rm", "mywrap $X", "mywrap python3 a.py", "A=1 mywrap bash a.sh",
        "sudo mywrap rm x", "mywrap a.txt", "mywrap *.ts",
    ],
)  # fmt: skip
def test_a_program_of_no_table_may_start_anything_because_of_its_words(command: str) -> None:
    assert Deciding('"shred" in call.command.programs').of({"command": command}) is OPEN
    assert Deciding('not call.command.programs <= {"mywrap"}').of({"command": command}) is not ALLOW


@pytest.mark.parametrize(
    "command",
    ["pytest -k rm", "mywrap", "./w", "service ssh restart", "/tmp/git log", "ls *.ts"],
)
def test_programs_without_words_and_programs_of_tables_hide_nothing(command: str) -> None:
    assert Deciding('"shred" in call.command.programs').of({"command": command}) is ALLOW


def test_names_that_differ_in_case_are_one_file_where_the_file_system_says_so() -> None:
    rule = 'any("/repo/.env" in path.inside for path in call.command.paths) or "rm" in call.command.programs'
    folded = Deciding(rule, surroundings='cwd = "/repo"\nfile_system = "ignore_case"')

    assert folded.of_commands(["cat .ENV", "cat .env", "rm a", "RM a", "cat a"]) == [
        DENY,
        DENY,
        DENY,
        OPEN,
        ALLOW,
    ]
    assert Deciding(rule).of_commands(["cat .ENV", "RM"]) == [ALLOW, OPEN]


@pytest.mark.parametrize(
    ("surroundings", "message"),
    [
        ('cwd = "repo"', "absolute folder"),
        ('cwd_parameter = "foldr"', "no parameter"),
        ('shell = "bsh"', '"shell" cannot be "bsh"'),
        ('file_system = "ntfs"', '"file_system" cannot be "ntfs"'),
    ],
)
def test_what_surrounds_a_tool_is_checked(surroundings: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        agent(surroundings)


def test_what_surrounds_a_tool_is_written_again() -> None:
    spec = agent(f'{IN_REPO}\nshell = "bash"\nfile_system = "posix"')
    assert read_agent(write_agent(spec)) == spec


# --- parts everywhere -------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "calls", "verdict"),
    [
        ('any(c.url.host == "a.example" for c in run.earlier(Fetch))', [fetched(), fetched()], DENY),
        ('any(c.url.host == "b.example" for c in run.earlier(Fetch))', [fetched(), fetched()], ALLOW),
        ('any(c.url.host == "b.example" for c in run.earlier(Fetch))', [fetched(url="x"), fetched()], OPEN),
        ('any(c.to.address == call.to.address for c in run.earlier(Fetch))',
         [fetched(to="Ann <ANN@Corp.example>"), fetched()], DENY),
        ('any(i.link.host == "b.example" for i in call.items)',
         [fetched(items=[{"link": "https://b.example"}])], DENY),
        ('any(i.link.host == "b.example" for i in call.items)',
         [fetched(items=[{"link": "https://a.example"}])], ALLOW),
        ('not call.query.kinds <= {"select"}', [fetched(query="delete from t")], DENY),
        ('not call.query.kinds <= {"select"}', [fetched(query="selec")], OPEN),
        ('call.at is not None and call.at.weekday > 5', [fetched(at="2026-05-03T10:00:00Z")], DENY),
        ('call.at is not None and call.at.weekday > 5', [fetched(at="2026-05-04T10:00:00Z")], ALLOW),
        ('call.time.hour < 8', [fetched()], ALLOW),
        ('call.to.domain != "corp.example"', [fetched(to="x@evil.example, a@corp.example")], OPEN),
        ('call.to.domain != "corp.example"', [fetched(to="a@CORP.example")], ALLOW),
        ('any(c.order == call.order for c in run.earlier(Fetch))',
         [fetched(order="#W2378"), fetched(order="w2378")], DENY),
        ('any(c.order == call.order for c in run.earlier(Fetch))',
         [fetched(order="#W2378"), fetched(order="w2379")], ALLOW),
    ],
)  # fmt: skip
def test_typed_parts_and_normal_forms_are_read_of_calls_earlier_calls_and_elements(
    condition: str, calls: list[dict[str, Json]], verdict: Verdict
) -> None:
    assert Deciding(condition, "Fetch").of(*calls, time="2026-05-04T10:00:00Z") is verdict


# --- tests of raw text ------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        ('call.order == "#w1"', 'never finds "#w1": the field is read in the normal form "id". Write "W1".'),
        ('"w1" != call.order', 'Write "W1".'),
        ('call.order not in {"W1", "w 2"}', 'Write "W2".'),
        ('call.order.startswith("#")', "Such a text is none in this form."),
        ('any(c.order == "w1" for c in run.earlier(Fetch))', 'Write "W1".'),
        ('call.to.domain == "bücher.example"', "IDNA form"),
        ('call.to.address in {"Ann <ann@corp.example>"}', "an address alone"),
        ('"Corp.example" in call.to.domains', "small letters"),
        ('call.to.local == "Ann"', "small letters"),
    ],
)
def test_a_comparison_with_another_spelling_than_the_normal_one_is_a_mistake(
    condition: str, sentence: str
) -> None:
    with pytest.raises(PolicyError, match=re.escape(sentence)):
        policy_of(condition, "Fetch")


def test_a_comparison_with_the_normal_spelling_finds_every_spelling() -> None:
    deciding = Deciding('call.order in {"W1"} or call.order.endswith("-X")', "Fetch")
    orders = ("#w1", "W 1", "w2-x", "W2")
    assert [deciding.of(fetched(order=order)) for order in orders] == [DENY, DENY, DENY, ALLOW]


def test_what_parts_of_values_give_has_a_name_that_cases_can_set() -> None:
    lowered = policy_of("len({c.path.absolute for c in run.earlier(Fetch)}) >= 2", "Fetch")
    assert all(argument.name.isidentifier() for argument in lowered.terms.arguments)
    assert any(case.expected is DENY for case in generate_cases(lowered.terms))


@pytest.mark.parametrize(
    ("condition", "typed"),
    [
        ('call.url.startswith("https://a.example")', 'call.url.host == "a.example"'),
        ('call.url.startswith("https://a.example/x/")',
         '(call.url.host == "a.example" and "/x" in call.url.inside)'),
        ('"evil.example" in call.url', '"evil.example" in call.url.domains'),
        ('call.url.host.endswith(".evil.example")', '"evil.example" in call.url.domains'),
        ('call.path.startswith("/repo/")', '"/repo" in call.path.inside'),
        ('call.path.absolute.endswith(".pem")', '(call.path.suffix == ".pem" or call.path.name == ".pem")'),
        ('call.path == "/etc/passwd"', 'call.path.absolute == "/etc/passwd"'),
        ('call.to.endswith("@corp.example")', 'call.to.domain == "corp.example"'),
        ('call.to in {"a@b.example"}', "call.to.address in {...}"),
        ('call.query.startswith("SELECT")', 'call.query.kinds <= {"select"}'),
        ('any(c.to == call.to for c in run.earlier(Fetch))', "c.to.address == call.to.address"),
        ('any(i.link.startswith("http:") for i in call.items)', 'i.link.scheme == "http"'),
        ('call.url.endswith(".exe")', 'call.url.path.endswith(".exe")'),
        ('"/admin/" in call.url.path', 'any(place.endswith("/admin") for place in call.url.inside)'),
        ('call.to.address.startswith("ann@")', 'call.to.local == "ann"'),
        ('call.path.lower().startswith("/etc")', '"/etc" in call.path.inside'),
        ('call.note.startswith("x")', ""),
        ('call.url.host == "a.example"', ""),
        ('"/repo" in call.path.inside', ""),
    ],
)  # fmt: skip
def test_a_test_of_raw_text_is_a_finding_with_the_typed_form_beside_it(condition: str, typed: str) -> None:
    lowered = policy_of(condition, "Fetch")
    found = list(raw_texts(lowered.terms))

    assert [test.typed for test in found] == ([typed] if typed else [])
    if typed and "{...}" not in typed and not typed.startswith(("c.", "i.")):
        assert not policy_of(typed, "Fetch").terms.file.text_tests


FUNCTIONS = '''"""What the coder may do."""
from agent import Fetch, Path, Run, RunShell, Text

DEFAULT = "allow"


def is_secret(path: Path) -> bool:
    return path.suffix == ".pem" or "/repo/secrets" in path.inside


def is_said(value: Text) -> bool:
    return "user" in value.source


def forbid_fetch(call: Fetch) -> bool:
    """R1: No."""
    return call.path is not None and is_secret(call.path) and not is_said(call.note)


def forbid_shell(call: RunShell) -> bool:
    """R1: No."""
    return any(is_secret(path) for path in call.command.paths)
'''


def test_a_function_takes_a_text_of_a_kind_wherever_it_is() -> None:
    spec = read_agent(AGENT.format(surroundings='cwd = "/repo"').replace('"path", ', "", 1))
    written = lowered_policy(FUNCTIONS, spec).terms
    by_hand = FUNCTIONS.replace(
        "is_secret(path) for", '(path.suffix == ".pem" or "/repo/secrets" in path.inside) for'
    )

    assert "is_secret(path) for" not in by_hand
    assert lowered_policy(by_hand, spec).terms.rules[1].body == written.rules[1].body
    for right, wrong in (
        ("is_secret(call.path)", "is_secret(call.url)"),
        ("call.path is not None and ", ""),
        ("in call.command.paths", "in call.command.calls"),
    ):
        with pytest.raises(PolicyError, match=r"`is_secret` takes a Path here that is not None"):
            lowered_policy(FUNCTIONS.replace(right, wrong), spec)


@pytest.mark.parametrize(
    ("of_element", "typed"),
    [
        ('p == "/repo/a"', 'p.absolute == "/repo/a"'),
        ('"/etc" in p', '"etc" in p.names'),
        ('p in {"/repo/a"}', "p.absolute in {...}"),
        ('p.endswith(".pem")', '(p.suffix == ".pem" or p.name == ".pem")'),
        ('p.lower() == "/repo/a"', 'p.absolute == "/repo/a"'),
        ("len(p) > 9", ""),
        ("p == call.folder", "p.absolute == ..."),
    ],
)  # fmt: skip
def test_an_element_of_a_kind_is_its_text_where_one_value_is_used(of_element: str, typed: str) -> None:
    bare = f"call.folder is not None and any({of_element} for p in call.command.paths)"
    said = bare.replace(of_element, re.sub(r"\bp\b", "p.text", of_element))
    lowered = policy_of(bare)

    assert lowered.terms.rules[0].body == policy_of(said).terms.rules[0].body
    assert [test.typed for test in raw_texts(lowered.terms)] == ([typed] if typed else [])


def test_check_owes_a_test_of_raw_text_until_a_person_means_it() -> None:
    terms = policy_of('call.url.startswith("https://a.example")', "Fetch").terms
    draft = Draft((), (), (), "")
    found = understood(draft, (), terms, None)
    (question,) = [each for each in found.findings if each.kind == "text-test"]
    (owed,) = [each for each in owed_clauses(found, terms, {}, "") if "raw text" in each.reason]

    assert 'write `call.url.host == "a.example"` in policy.py' in owed.mend

    meant = Assumption.by_person(question.id, "meant", question.text)
    accepted = understood(draft, (meant,), terms, None)
    assert not [each for each in owed_clauses(accepted, terms, {}, "") if "raw text" in each.reason]


def test_texts_that_an_answer_put_into_a_rule_are_not_asked_about() -> None:
    """What was written by hand before or since still is."""
    condition = 'call.url.startswith("https://a.example") or "x" in call.url or "y" in call.url'
    terms = policy_of(condition, "Fetch").terms
    rule = terms.file.text_tests[0].rule
    before, after = (
        f"def {rule}(call: Fetch) -> bool:\n    return {said}\n" for said in ('"y" in call.url', condition)
    )
    for value, texts in (("closed", ["y"]), ("meant", ["https://a.example", "x", "y"])):
        answer = Assumption.by_person("witness:1", value, "")
        answer = replace(answer, replaced=(before,), rests_on=(after,))
        found = understood(Draft((), (), (), ""), (answer,), terms, None)
        (finding,) = [one for one in found.findings if one.kind == "text-test"]
        assert re.findall(r'"([^"]*)"(?: in|\))', finding.text.partition(" which other")[0]) == texts


@pytest.mark.parametrize("label", ("R1", "R2"))
def test_the_texts_of_a_rule_are_one_finding_and_a_clause_that_repeats_them_is_none(label: str) -> None:
    condition = 'call.url.startswith("https://a.example") or "x" in call.url'
    text = CLAUSED.format(tool="Fetch", condition=condition)
    clause = f"    # {label}: No.\n    Ensures(Implies({condition}, not Result()))\n"
    terms = lowered_policy(f"{text}\n\ndef contract_it(call: Fetch) -> None:\n{clause}", agent()).terms
    found = understood(Draft((), (), (), ""), (), terms, None)
    named = [one.id.split(":")[1] for one in found.findings if one.kind == "text-test"]
    rule = terms.file.text_tests[0]
    assert named == ([rule.rule] if label in rule.requirements else [rule.rule, "contract_it"])
    (finding, *_) = [one for one in found.findings if one.kind == "text-test"]
    assert "a.example" in finding.text
    assert '"x"' in finding.text


def test_a_text_that_only_its_name_says_to_be_an_address_is_found_too() -> None:
    spec = read_agent(AGENT.format(surroundings="").replace('path = {type = "path"}\n', "", 1))
    lowered = lowered_policy(HEAD.format(tool="Fetch", condition='call.path.startswith("/a")'), spec)

    assert [one.typed for one in lowered.terms.file.text_tests] == [
        '"/a" in call.path.inside, after type = "path" in agent.toml'
    ]


@pytest.mark.parametrize(("name", "is_found"), [("mail", True), ("mail_id", False), ("email_subject", False)])
def test_what_a_mail_has_is_no_address(name: str, is_found: bool) -> None:
    agent = read_agent(
        'name = "x"\n[tools.delete.parameters]\ntype = "object"\n'
        f'required = ["{name}"]\nproperties = {{{name} = {{type = "string"}}}}\n'
    )
    text = HEAD.format(tool="Delete", condition=f'call.{name} == "m@x.example"')
    lowered = lowered_policy(text.replace("Fetch, Run, RunShell", "Delete, Run"), agent)
    assert bool(lowered.terms.file.text_tests) is is_found


def test_the_number_of_texts_of_a_kind_is_known_whatever_they_say() -> None:
    agent = read_agent(
        'name = "x"\n[tools.delete.parameters]\ntype = "object"\nrequired = ["paths"]\n'
        'properties = {paths = {type = "array", items = {type = "string"}}}\n'
        '[tools.delete.fields."paths[]"]\ntype = "path"\n'
    )
    text = HEAD.format(tool="Delete", condition="len(call.paths) > 2")
    lowered = lowered_policy(text.replace("Fetch, Run, RunShell", "Delete, Run"), agent)
    extractor, policy = Extractor(lowered.arguments, agent), compile_policy(lowered.terms)
    for paths, verdict in ((["a", "~x"], ALLOW), (["a", "../b", "c"], DENY), ("a", OPEN)):
        call = RecordedCall("r", 0, "delete", {"paths": cast("Json", paths)})
        assert decision_on(policy, extractor.extract(call, Earlier((call,), 0))).verdict is verdict


@pytest.mark.parametrize(
    ("condition", "alike"),
    [
        ('"--output" in call.command.flags', "git --output"),
        ('call.command.flags <= {"git -n", "--output"}', "git --output"),
        ('any(flag == "--output" for flag in call.command.flags)', "git --output"),
        ('not any("a/b" in one.names for one in call.command.paths)', "one name of a path"),
        ('any("src" in one.inside for one in call.command.paths)', "/home/dev/notes"),
        ('any(".." in one.names for one in call.command.paths)', "never .., as"),
        ('any(one.suffix == ".PEM" for one in call.command.paths)', "in small letters"),
        ('any(one.suffix in {".gz", ".tar.gz"} for one in call.command.paths)', "the last ending"),
    ],
)
def test_a_text_that_a_part_never_is_is_refused_with_what_it_is_like(condition: str, alike: str) -> None:
    with pytest.raises(PolicyError, match=alike):
        policy_of(condition)


@pytest.mark.parametrize(
    ("kind", "options", "texts"),
    [
        ("path", {}, ("/", "/a", "/a/b.TXT", "/a b/../c", "/.env")),
        ("path", {"windows": True}, ("C:/", r"c:\a\b.txt", "C:/x")),
        ("url", {}, ("https://A.example/x/y/", "http://[::1]:80", "ftp://u@h.example", "mailto:a@b.example")),
        ("command", {}, ("ls -l /tmp", "git --no-pager log -n 3", "./a\\ b -x", "find . -name x | tar xf -")),
    ],
)
def test_each_part_of_a_text_has_the_form_that_comparisons_are_held_to(
    kind: str, options: Mapping[str, Json], texts: Sequence[str]
) -> None:
    of, seen = KINDS[kind], set[str]()
    reader = of.reader(options)
    for text in texts:
        for name, value in reader.parts(text).items():
            known = value.known if isinstance(value, Incomplete) else value
            for one in known if isinstance(known, frozenset) else (known,):
                if name in of.forms and isinstance(one, str):
                    seen.add(name)
                    assert re.fullmatch(of.forms[name].pattern, one), (text, name, one)
    assert seen == of.forms.keys()


@pytest.mark.parametrize(
    ("condition", "parts"),
    [
        ('call.url.host.startswith("www.")', "the whole call.url.host"),
        ('"evil" in call.url', "call.url.domains, call.url.inside or call.url.query"),
        ('"ann" in call.to', "call.to.local or call.to.domains"),
    ],
)
def test_a_text_that_may_be_of_several_parts_is_a_finding_with_these(condition: str, parts: str) -> None:
    assert [one.typed for one in policy_of(condition, "Fetch").terms.file.text_tests] == [parts]


@pytest.mark.parametrize(
    ("condition", "typed"),
    [
        ('call.command == "rm -rf /"', '("rm -r" in call.command.flags and "rm -f" in call.command.flags)'),
        ('call.command.strip() in {"rm x"}', "any(one in {...} for one in call.command.calls)"),
        ('not (call.command == "ls" or call.command in {"pwd"})', ""),
        ('call.command != "ls"', ""),
        ('False if call.command == "ls" else True', '"ls" in call.command.programs'),
        ('not any(c.command == "npm test" and c.succeeded for c in run.earlier(RunShell))', ""),
    ],
)
def test_a_whole_command_is_a_finding_where_other_spellings_pass(condition: str, typed: str) -> None:
    assert [one.typed for one in policy_of(condition).terms.file.text_tests] == ([typed] if typed else [])


CLAUSED = HEAD.replace(
    "from agent", "from nagini_contracts.contracts import Ensures, Implies, Result\nfrom agent"
)


@pytest.mark.parametrize(
    ("clause", "is_demand"),
    [
        ('Implies(call.command.startswith("rm "), not Result())', False),
        ('Implies(Result(), not call.command.startswith("rm "))', False),
        ('not (call.command.startswith("rm ") and Result())', False),
        ('Result() == (not call.command.startswith("rm "))', False),
        ('Implies(call.command.startswith("rm "), Result())', True),
        ('Result() or not call.command.startswith("rm ")', True),
        ('Implies(Result(), call.command.startswith("rm "))', True),
    ],
)
def test_what_is_advised_for_a_clause_is_no_weaker_than_its_test(clause: str, is_demand: bool) -> None:
    """Where a clause demands what is denied, a call with another program is denied; else all it does is."""
    text = (
        f"{CLAUSED.format(tool='RunShell', condition='False')}\n\ndef contract_it(call: RunShell) -> None:\n"
    )
    (test,) = lowered_policy(f"{text}    Ensures({clause})\n", agent()).terms.file.text_tests
    decided = Deciding(f"not {test.typed}" if is_demand else test.typed)
    assert decided.of({"command": "ls; rm x"}) is DENY
    assert decided.of({"command": "rm x"}) is (ALLOW if is_demand else DENY)


def test_a_finding_stays_beside_a_question_about_another_test_of_its_sentence() -> None:
    tests = policy_of('call.url.startswith("https://a.example") or "x" in call.url', "Fetch").terms
    asked, other = tests.file.text_tests
    question = Question("typed-value:1", "typed-value", "", "", Span(0, 0), (), "")
    found = understood(Draft((), (), (), ""), (), tests, (Asked(question, {}, ("forbid_fetch",), (asked,)),))
    (finding,) = [one for one in found.findings if one.kind == "text-test"]
    assert other.text in finding.text


@pytest.mark.parametrize(
    ("condition", "typed"),
    [
        ('"--output" in call.command', 'any("--output" in p.options for p in call.command.started)'),
        ('"git --output" in call.command', '"git --output" in call.command.flags'),
    ],
)
def test_an_option_is_meant_by_a_text_that_begins_with_a_dash(condition: str, typed: str) -> None:
    (test,) = policy_of(condition).terms.file.text_tests
    assert test.typed == typed
    assert not policy_of(typed).terms.file.text_tests
