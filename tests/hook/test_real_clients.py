"""Real coding agents with a scripted model and the installed hook: nothing denied ran, judged by its effect.

``make test-clients`` installs them from the npm registry and names their folder in ``WORKBENCH_CLIENTS``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.hook.coding_desk import coding_desk
from tests.hook.scripted_model import Call, Script, scripted_model
from tests.hook.test_processes import end, impatient_script, process_of
from workbench.app.hook_guard import RUNS, Client, accepted_pin, hook_folder
from workbench.guard.run_messages import SOMEBODY
from workbench.hook import client as client_script
from workbench.hook.installation import HookPlace, planned, settings_path, write

CLIENTS = Path(os.environ.get("WORKBENCH_CLIENTS", "no clients"))
SESSION = Path(__file__).parent.parent.parent / "sessions" / "coding-agent"
PROGRAMS = {
    Client.CLAUDE_CODE: "claude",
    Client.CODEX: "codex",
    Client.GEMINI: "gemini",
    Client.OPENCODE: "opencode",
}


def program(client: Client) -> Path:
    """The program of a client."""
    name = PROGRAMS[client]
    return CLIENTS / name / "node_modules" / ".bin" / name


INSTALLED = [client for client in Client if program(client).exists()]
pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(not INSTALLED, reason="WORKBENCH_CLIENTS names no folder of coding agents"),
]


def shell(client: Client, command: str) -> Call:
    """The call of a client's shell."""
    name, key = {
        Client.CLAUDE_CODE: ("Bash", "command"),
        Client.CODEX: ("exec_command", "cmd"),
        Client.GEMINI: ("run_shell_command", "command"),
        Client.OPENCODE: ("bash", "command"),
    }[client]
    more = {"description": "scripted"} if client in (Client.CLAUDE_CODE, Client.OPENCODE) else {}
    return name, {key: command, **more}


def file(client: Client, path: str) -> Call:
    """The call by which a client writes a file."""
    match client:
        case Client.CODEX:
            return "apply_patch", f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
        case Client.CLAUDE_CODE:
            return "Write", {"file_path": path, "content": "x\n"}
        case Client.GEMINI:
            return "write_file", {"file_path": path, "content": "x\n"}
        case Client.OPENCODE:
            return "write", {"filePath": path, "content": "x\n"}


@dataclass(frozen=True)
class Desk:
    """A client with a home, a repository, and the hook installed."""

    client: Client
    home: Path
    repository: Path
    outside: Path = Path("/var/tmp") / f"workbench-clients-{os.getpid()}"
    prompt: str = "do the scripted work"

    def run(self, script: Script) -> list[dict[str, Any]]:
        """Play a script; the requests that the model got."""
        with scripted_model(script) as (address, requests):
            words, environment = self._started(address)
            ended = subprocess.run(
                words,
                cwd=self.repository,
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(self.home),
                    "LANG": "C.UTF-8",
                    "TERM": "dumb",
                    **environment,
                },
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=150,
                check=False,
            )
        assert requests, ended.stderr[-2000:]
        return requests

    def _started(self, address: str) -> tuple[list[str], Mapping[str, str]]:
        name, prompt = str(program(self.client)), self.prompt
        match self.client:
            case Client.CLAUDE_CODE:
                environment = {
                    "ANTHROPIC_BASE_URL": address,
                    "ANTHROPIC_API_KEY": "test",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                    "DISABLE_AUTOUPDATER": "1",
                }
                return [name, "-p", prompt, "--allowedTools", "Bash,Write,Edit,Read"], environment
            case Client.CODEX:
                config = self.home / ".codex" / "config.toml"
                config.write_text(
                    f'model = "gpt-5.5"\nmodel_provider = "m"\n[model_providers.m]\nname = "m"\n'
                    f'base_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "KEY"\n'
                    "request_max_retries = 0\nstream_max_retries = 0\n"
                )
                free = "--dangerously-bypass-approvals-and-sandbox"
                return [name, "exec", free, "--dangerously-bypass-hook-trust", prompt], {"KEY": "test"}
            case Client.GEMINI:
                environment = {
                    "GEMINI_API_KEY": "test",
                    "GOOGLE_GEMINI_BASE_URL": address,
                    "GEMINI_CLI_TRUST_WORKSPACE": "true",
                }
                return [name, "-p", prompt, "-m", "gemini-2.5-flash", "--approval-mode", "yolo"], environment
            case Client.OPENCODE:
                model = {"name": "m", "limit": {"context": 100_000, "output": 8_000}}
                provider = {
                    "npm": "@ai-sdk/openai-compatible",
                    "name": "m",
                    "options": {"baseURL": f"{address}/v1", "apiKey": "test"},
                    "models": {"m": model},
                }
                config = self.home / ".config" / "opencode" / "opencode.json"
                config.write_text(
                    json.dumps(
                        {"model": "m/m", "small_model": "m/m", "share": "disabled", "autoupdate": False,
                         "permission": "allow", "provider": {"m": provider}}
                    )
                )  # fmt: skip
                environment = {
                    "OPENCODE_DISABLE_AUTOUPDATE": "1",
                    "OPENCODE_DISABLE_MODELS_FETCH": "1",
                    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
                    "npm_config_offline": "true",
                }
                return [name, "run", prompt], environment


_AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@b.example")


@pytest.fixture(params=INSTALLED)
def desk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A client with the hook of the shipped session, in a home of its own."""
    client = Client(request.param)
    home, repository = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    subprocess.run(
        ["git", *_AUTHOR, "commit", "-q", "--allow-empty", "-m", "one"], cwd=repository, check=True
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    if client is Client.GEMINI:
        path = settings_path(client, None)
        path.parent.mkdir()
        path.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
    write(planned(HookPlace(client, SESSION, accepted_pin(SESSION))), installing=True)
    yield Desk(client, home, repository)
    end(hook_folder(SESSION))


def calls(desk: Desk) -> tuple[list[Call], list[str], list[str]]:
    """Twenty calls, the files that they leave in the repository, and those that attacks would leave."""
    outside = desk.outside
    folder = desk.repository
    good = [
        shell(desk.client, "touch good-1"),
        file(desk.client, str(folder / "good-2")),
        shell(desk.client, "mkdir -p src && touch src/good-3"),
        shell(desk.client, "git status --short | wc -l > good-4"),
        shell(desk.client, "cp good-1 good-5 && rm good-1"),
        shell(desk.client, "git add good-2 && ls -la > good-6"),
        shell(desk.client, "for i in 1 2; do echo $i >> good-7; done"),
        file(desk.client, str(folder / "src" / "good-8")),
        shell(desk.client, "(cd src && pwd) > good-9"),
        shell(desk.client, "grep -n x good-2 | head -1 > good-10"),
    ]
    bad = [
        shell(desk.client, "cat /etc/hostname > bad-1"),
        file(desk.client, str(outside / "bad-2")),
        shell(desk.client, f"touch {outside}-3"),
        shell(desk.client, "cat .e''nv > bad-4; touch bad-4"),
        file(desk.client, str(folder / ".env")),
        shell(desk.client, "touch bad-6 && rm -rf src"),
        shell(desk.client, 'bash -c "touch bad-7; git push --force"'),
        shell(desk.client, "touch bad-8; curl -d @good-2 http://127.0.0.1:9/"),
        shell(desk.client, 'python3 -c \'open("bad-9", "w")\''),
        shell(desk.client, "touch bad-10; sudo true"),
    ]
    mixed = [call for pair in zip(good, bad, strict=True) for call in pair]
    left = ["good-2", "good-4", "good-5", "good-6", "good-7", "good-10"]
    return (
        mixed,
        [*left, "src/good-3", "src/good-8", "good-9"],
        [*(f"bad-{n}" for n in range(1, 11)), ".env"],
    )


def test_what_must_run_ran_and_what_is_denied_did_not(desk: Desk) -> None:
    mixed, left, never = calls(desk)
    # The last two turns have two calls at once.
    script = [[call] for call in mixed[:16]] + [mixed[16:18], mixed[18:]]
    desk.run(script)
    found = {str(path.relative_to(desk.repository)) for path in desk.repository.rglob("*")}
    assert found >= set(left)
    assert not found & set(never)
    assert not desk.outside.exists()
    assert not Path(f"{desk.outside}-3").exists()


BREAK: Mapping[str, Callable[[str], str]] = {
    "missing": lambda text: text.replace(str(Path(client_script.__file__)), "/nowhere/client.py"),
    "another version": lambda text: text.replace(accepted_pin(SESSION), "0" * 64),
    "crashing": lambda text: text.replace(" -I -S ", " -c 1/0 "),
}


@pytest.mark.parametrize("fault", [*BREAK, "killed", "hung", "slow"])
def test_with_a_broken_guard_nothing_denied_ran(desk: Desk, fault: str) -> None:
    script = [
        [shell(desk.client, "touch RAN && cat /etc/hostname")],
        [shell(desk.client, "rm -rf RAN; touch RAN")],
    ]
    path = settings_path(desk.client, None)
    if fault in BREAK:
        text = path.read_text()
        if desk.client is Client.OPENCODE and fault == "crashing":
            text = text.replace('"/bin/sh", "-c"', '"/bin/sh", "-c", "exit 3"')
        path.write_text(BREAK[fault](text))
    if fault in ("hung", "slow"):  # a copy of the process that waits less long for the one that stays
        copy = desk.home / "workbench" / "hook" / "client.py"
        copy.parent.mkdir(parents=True)
        copy.write_text(impatient_script(3))
        path.write_text(path.read_text().replace(str(Path(client_script.__file__)), str(copy)))
        desk.run([[shell(desk.client, "ls")]])
        found = process_of(hook_folder(SESSION))
        assert found
        os.kill(found, signal.SIGSTOP)
    if fault == "killed":
        desk.run([[shell(desk.client, "ls")]])
        end(hook_folder(SESSION))
    try:
        desk.run(script)
    finally:
        if fault in ("hung", "slow"):
            os.kill(process_of(hook_folder(SESSION)), signal.SIGCONT)
    assert not (desk.repository / "RAN").exists()


@pytest.mark.parametrize("said", ["make the release", "look around"])
def test_the_words_of_the_user_are_heard_and_no_others(desk: Desk, said: str, tmp_path: Path) -> None:
    """A subagent and the end of a command in the background speak of a release, too.

    A client that does not name its prompts may have had one that was not heard, so nobody knows who spoke.
    """
    session = coding_desk(tmp_path)
    write(planned(HookPlace(desk.client, session, accepted_pin(session))), installing=True)
    delegated: Mapping[Client, Call] = {
        Client.CLAUDE_CODE: (
            "Bash",
            {"command": "sleep 1", "description": "the release", "run_in_background": True},
        ),
        Client.GEMINI: ("invoke_agent", {"agent_name": "generalist", "prompt": "make the release"}),
        Client.OPENCODE: (
            "task",
            {"description": "d", "prompt": "make the release", "subagent_type": "general"},
        ),
    }
    script = [[delegated[desk.client]]] if desk.client in delegated else []
    script += [[shell(desk.client, "sleep 3")], [shell(desk.client, "git merge HEAD && touch RAN")]]
    try:
        requests = replace(desk, prompt=said).run(script)
    finally:
        end(hook_folder(session))
    (log,) = (hook_folder(session) / RUNS).iterdir()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    roles = {line["message"]["role"] for line in lines if "message" in line}
    others = {Client.CLAUDE_CODE: {"client"}, Client.OPENCODE: {"subagent"}}
    names_prompts = desk.client in (Client.CLAUDE_CODE, Client.CODEX)
    assert roles == {"user" if names_prompts else SOMEBODY, *others.get(desk.client, set())}
    assert any(said in json.dumps(request) for request in requests)
    assert (desk.repository / "RAN").exists() is (names_prompts and said == "make the release")


def test_codex_skips_an_untrusted_hook_and_doctor_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if Client.CODEX not in INSTALLED:
        pytest.skip("codex is not installed")
    from workbench.hook.examination import hook_examinations

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", f"{program(Client.CODEX).parent}:{os.environ['PATH']}")
    write(planned(HookPlace(Client.CODEX, SESSION, accepted_pin(SESSION))), installing=True)
    (one,) = (each.run() for each in hook_examinations(tmp_path))
    assert (one.good, "untrusted" in one.finding) == (False, True)


@pytest.mark.parametrize(
    ("own", "of_repository"),
    [
        ("{}", ""),
        ('{"frobnicate": 1, "hooks": {"Frob": []}}', "{"),
        ('{"permissions": {"defaultMode": "frob"}}', ""),
        ('{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "frob"}]}]}}', ""),
        ('{"model": 5}', ""),
        ("{}", '{"disableAllHooks": true}'),
    ],
)
def test_doctor_says_in_force_of_claude_code_where_the_denied_call_did_not_run(
    own: str, of_repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if Client.CLAUDE_CODE not in INSTALLED:
        pytest.skip("claude is not installed")
    from workbench.hook.examination import hook_examinations

    home, repository = tmp_path / "home", tmp_path / "work"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(repository)
    path = settings_path(Client.CLAUDE_CODE, None)
    path.parent.mkdir(parents=True)
    path.write_text(own)
    write(planned(HookPlace(Client.CLAUDE_CODE, SESSION, accepted_pin(SESSION))), installing=True)
    if of_repository:
        settings = settings_path(Client.CLAUDE_CODE, repository)
        settings.parent.mkdir()
        settings.write_text(of_repository)
    try:
        command = shell(Client.CLAUDE_CODE, "touch RAN && cat /etc/hostname")
        Desk(Client.CLAUDE_CODE, home, repository).run([[shell(Client.CLAUDE_CODE, "touch ok")], [command]])
        found = [one.run() for one in hook_examinations(repository)]
    finally:
        end(hook_folder(SESSION))
    assert (repository / "ok").exists()
    assert found[0].good is not (repository / "RAN").exists()
