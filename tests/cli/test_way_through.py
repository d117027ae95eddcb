"""The commands of the way through a request: `say --for`, `say --file`, `ask`, and the next step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.invoice_desk import invoice_desk
from workbench.cli import main

LIMIT = "The agent must not pay an invoice if the total is more than 5,000."


class Shell:
    """Runs commands on the invoice desk and keeps their output."""

    def __init__(self, folder: Path, captured: pytest.CaptureFixture[str]) -> None:
        invoice_desk(folder).close()
        self.session = folder / "desk"
        self._captured = captured
        self.out = self.err = ""

    def run(self, command: str, *words: str) -> int:
        code = main([command, str(self.session), *words])
        self.out, self.err = self._captured.readouterr()
        return code

    @property
    def next(self) -> str:
        """The last line of `ask`."""
        self.run("ask")
        return self.out.splitlines()[-1]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, capsys)


def test_ask_lists_the_open_sentences_on_one_screen_below_what_they_stand_under(shell: Shell) -> None:
    assert shell.run("ask") == 1
    lines = shell.out.splitlines()
    assert lines[0].endswith("6 sentences (6 open)")
    assert lines[1:6] == [
        "Open sentences",
        "     What the desk may pay",
        "     3  Our desk pays about 300 invoices a day.",
        "     Amounts",
        "     5  Nothing over 5,000 euros is paid by the agent.",
    ]
    assert len(lines) <= 24
    assert lines[-2].startswith("  workbench say ") and lines[-2].endswith(" --for 'Our desk pays about'")


def test_a_preview_stores_nothing_and_keep_stores_it_for_its_sentence(shell: Shell) -> None:
    assert shell.run("say", "--for", "Nothing over", LIMIT) == 0
    assert "Nothing is stored; --keep does that." in shell.out
    assert "“Nothing over 5,000 euros is paid by the agent.”" in shell.out
    assert shell.run("say", "--for", "Nothing over", LIMIT, "--keep") == 0
    assert "Kept for 1 sentence of the request." in shell.out
    shell.run("ask", "--all")
    assert f"        {LIMIT}" in shell.out
    assert "1 reworded, 5 open" in shell.out


def test_the_form_is_written_filled_in_and_read(shell: Shell, tmp_path: Path) -> None:
    assert shell.run("ask", "--form") == 1

    assert "> pay twice\n" in shell.out
    form = tmp_path / "form.txt"
    form.write_text(
        shell.out.replace("> pay twice\n", f"> pay twice\n{LIMIT}\n").replace(
            "invoices a day.\n", "invoices a day.\ncontext: a remark\n"
        ),
        encoding="utf-8",
    )
    assert shell.run("say", "--file", str(form), "--keep") == 0
    assert "Kept for 2 sentences of the request." in shell.out
    shell.run("ask")
    assert "1 reworded, 1 context, 4 open" in shell.out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ("--for", "pay twice", "The agent must not pay twise."),
            "It is read up to “The agent must not pay”",
        ),
        (("--context", "a remark"), "Name the sentence of the request"),
        (("--for", "pay twice", "--context", "a", LIMIT), "leave out others"),
        (("--as-they-stand",), "no open sentence is one of the language"),
    ],
)
def test_what_cannot_be_kept_is_said(shell: Shell, words: tuple[str, ...], why: str) -> None:
    assert shell.run("say", *words, "--keep") == 2
    assert why in " ".join(shell.err.split())


def test_new_counts_the_sentences_as_ask_does_and_says_the_default(shell: Shell, tmp_path: Path) -> None:
    made = shell.session = tmp_path / "made"
    files = ("--request", "request.md", "--agent", "tools.json", "--log", "log.jsonl")
    words = [word if word.startswith("--") else str(tmp_path / word) for word in files]
    assert shell.run("new", *words) == 0
    assert f"Made {made}. 6 sentences, none said yet." in shell.out
    (line,) = [line for line in shell.out.splitlines() if "DEFAULT" in line]
    assert (
        line.startswith("What no sentence allows is denied.")
        and "'What no sentence forbids is allowed.'" in line
    )
    assert shell.run("say", "What no sentence forbids is allowed.", "--keep") == 0
    assert 'DEFAULT = "allow"' in (made / "policy.py").read_text("utf-8")
