"""Personal files apart from the session: a person's own keys, remembered settings, clipboard, editor."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from workbench.model import WorkbenchError
from workbench.tui.external_editor import edit_outside
from workbench.tui.personal_settings import osc52, own_keys, read_keys, tmux_copy
from workbench.tui.screen_memory import FILE, Remembered


def test_own_keys_are_read_strictly(tmp_path: Path) -> None:
    assert read_keys('[keys]\nzoom = "f9,ctrl+x"') == {"zoom": "f9,ctrl+x"}
    assert own_keys(tmp_path / "absent.toml") == {}
    for text, part in (
        ("keys = 1", 'keys.toml:1: "keys" must be a table'),
        ("[keys]\nzoom = 1", r'keys.toml:2: "zoom" in \[keys\] must be a string'),
        ("kys = true", 'keys.toml:1: unknown key "kys". Did you mean "keys"'),
        ('[keys]\nzom = "f9"', 'keys.toml:2: there is no action "zom". Did you mean "zoom"'),
        ('[keys]\nzoom = "f 9"', 'keys.toml:2: "zoom" cannot be "f 9". Keys are written like'),
        ('[keys]\nzoom = "f1"', "keys.toml:2: f1 would start both"),
        ("[keys", "keys.toml:1: is not valid TOML"),
    ):
        with pytest.raises(WorkbenchError, match=part):
            read_keys(text)


def test_what_is_remembered_lasts_and_damage_costs_nothing_but_comfort(tmp_path: Path) -> None:
    first = Remembered(tmp_path)
    first.put("theme", "light")
    for name in ("a", "b", "a"):
        first.opened(tmp_path / name)
    again = Remembered(tmp_path)
    assert again.text("theme") == "light"
    assert [path.name for path in again.recent] == ["a", "b"]
    for damaged in ("{", "[]", '{"recent": 3, "theme": [], "views": {"/a": 1}}'):
        (tmp_path / FILE).write_text(damaged, encoding="utf-8")
        remembered = Remembered(tmp_path)
        assert remembered.view_of(Path("/a")) == ""
        assert (remembered.recent, remembered.text("theme")) == ((), "")


@pytest.mark.parametrize(
    ("environment", "start", "end"),
    [
        ({}, "\x1b]52;c;", "\x07"),
        ({"TMUX": "x"}, "\x1b]52;c;", "\x07\x1b\\"),
        ({"TERM": "screen.xterm"}, "\x1bP\x1b]52;c;", "\x07\x1b\\"),
    ],
)
def test_copying_is_wrapped_for_the_terminal(environment: Mapping[str, str], start: str, end: str) -> None:
    sequence = osc52("Zeile 1\nß", environment)
    assert sequence.startswith(start)
    assert sequence.endswith(end)
    assert ("\x1bPtmux;\x1b\x1b]52;c;" in sequence) is ("TMUX" in environment)
    assert osc52("x" * 200_000, environment) == ""


@pytest.mark.parametrize("remote", [False, True])
def test_in_tmux_its_own_buffer_is_filled_also_over_ssh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remote: bool
) -> None:
    tool = tmp_path / "tmux"
    tool.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words\n/bin/cat > {tmp_path}/text\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    ssh = {"SSH_CONNECTION": "1"} if remote else {}
    assert not tmux_copy("a\nß", ssh)
    assert tmux_copy("a\nß", {"TMUX": "x"} | ssh)
    assert (tmp_path / "text").read_text(encoding="utf-8") == "a\nß"
    assert (tmp_path / "words").read_text(encoding="utf-8") == "load-buffer -w -\n"


def test_a_missing_or_failing_editor_is_one_sentence() -> None:
    for environment in ({}, {"EDITOR": "/nonexistent/editor"}, {"EDITOR": "false"}):
        with pytest.raises(WorkbenchError):
            edit_outside("text", ".md", {"PATH": os.environ["PATH"], **environment})
