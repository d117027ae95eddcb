"""The time of a hook's whole process, beside a bare interpreter that prints ``{}``.

Run: python benchmarks/hook_speed.py

Both are started in turn, so that what else the machine does falls on both. The hook is the command that an
installation writes, shell and all; the process that stays has the shipped session of a coding agent, and the
run has as many calls already as there were events. Each event is logged and on the disk before it is
answered. The bare interpreter is started as the hook's is, with ``-I -S``, and as people start it. The
processor time of an event, in all of its processes, says how many a core takes if nothing else runs.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import monotonic

ROOT = Path(__file__).resolve().parent.parent
SESSION = ROOT / "sessions" / "coding-agent"
EVENTS = 200
BURST = 100
AT_ONCE = 4


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WORKBENCH_DATA_DIR"] = folder
        from workbench.app.hook_guard import Client, accepted_pin, hook_folder
        from workbench.hook.installation import HookPlace, hook_command

        project = Path(folder, "project")
        project.mkdir()
        command = hook_command(HookPlace(Client.CLAUDE_CODE, SESSION, accepted_pin(SESSION)))
        hook = ["/bin/sh", "-c", command]
        isolated = [sys.executable, "-I", "-S", "-c", "print('{}')"]
        plain = [sys.executable, "-c", "print('{}')"]
        first = timed(hook, event(0, project), project)
        times: dict[str, list[float]] = {"hook": [], "isolated": [], "plain": []}
        for place in range(1, EVENTS + 1):
            times["hook"].append(timed(hook, event(place, project), project))
            times["isolated"].append(timed(isolated, b"", project))
            times["plain"].append(timed(plain, b"", project))
        process = int((hook_folder(SESSION) / "lock").read_text())
        before = processor_seconds(process)
        rate = burst(hook, project)
        busy = (processor_seconds(process) - before) / BURST
        os.kill(process, signal.SIGTERM)
    print("| process | median ms | 95th percentile ms |")
    print("|---|---|---|")
    names = {
        "hook": "hook",
        "isolated": "`python -I -S` that prints `{}`",
        "plain": "`python` that prints `{}`",
    }
    for name, shown in names.items():
        print(
            f"| {shown} | {median(times[name]) * 1000:.1f} | {quantiles(times[name], n=20)[18] * 1000:.1f} |"
        )
    print(f"ratio to python -I -S: {median(times['hook']) / median(times['isolated']):.2f}")
    print(f"ratio to python: {median(times['hook']) / median(times['plain']):.2f}")
    print(f"first event, which starts the process that stays: {first:.2f} s")
    print(f"events a second, {AT_ONCE} at a time: {rate:.0f}")
    print(f"processor time of an event: {busy * 1000:.1f} ms, so a core takes {1 / busy:.0f} events a second")


def event(place: int, project: Path) -> bytes:
    """An event before a harmless command."""
    told = {
        "session_id": "speed",
        "cwd": str(project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"grep -n word{place} src/main.py | head -5"},
        "tool_use_id": f"t{place}",
    }
    return json.dumps(told).encode()


def timed(words: list[str], data: bytes, project: Path) -> float:
    """The seconds of a process that answers ``{}``."""
    begin = monotonic()
    ended = subprocess.run(words, input=data, capture_output=True, cwd=project, check=True)
    seconds = monotonic() - begin
    assert ended.stdout.strip() == b"{}", ended
    return seconds


def burst(words: list[str], project: Path) -> float:
    """Events a second where several processes ask at once."""
    begin = monotonic()
    waiting = list(range(1000, 1000 + BURST))
    running: list[subprocess.Popen[bytes]] = []
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project)
            assert process.stdin is not None
            process.stdin.write(event(waiting.pop(), project))
            process.stdin.close()
            running.append(process)
        oldest = running.pop(0)
        assert oldest.stdout is not None
        assert oldest.stdout.read() == b"{}"
        assert oldest.wait() == 0
    return BURST / (monotonic() - begin)


def processor_seconds(process: int) -> float:
    """The processor time of the process that stays, and of all hooks that ended."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    hooks = os.times()
    return own + hooks.children_user + hooks.children_system


if __name__ == "__main__":
    main()
