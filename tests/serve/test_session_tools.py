"""A coding agent asks a session over MCP: a real client, real commands, and a folder that stays as it was."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mcp
import pytest

from tests.app.written_desk import written_desk
from workbench.serve.session_tools import shortened

READING = {
    "open_items", "rules", "decisions", "explain", "complete", "propose", "prove", "theorems", "weak_spots",
}  # fmt: skip


def server(session: Path, *options: str) -> mcp.StdioServerParameters:
    words = ["-P", "-m", "workbench", "mcp", str(session), *options]
    return mcp.StdioServerParameters(command=sys.executable, args=words)


def files(folder: Path) -> Mapping[str, bytes]:
    """Every file of a session but what is computed anew."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".workbench" not in path.parts
    }


async def answer(client: mcp.Client, asked: str, /, **arguments: object) -> tuple[str, bool]:
    """The text of a tool's answer, and whether it is an error."""
    result: Any = await client.call_tool(asked, arguments)
    return "".join(block.text for block in result.content), bool(result.is_error)


@pytest.mark.slow
async def test_a_session_is_asked_and_stays_as_it_was(tmp_path: Path) -> None:
    session = written_desk(tmp_path)
    before = files(session)
    async with mcp.Client(server(session)) as client:
        listed = await client.list_tools()
        assert {tool.name for tool in listed.tools} == READING
        rules, error = await answer(client, "rules")
        assert not error
        assert any("must not pay" in json.loads(rule)["sentence"] for rule in rules.splitlines())
        denied, error = await answer(client, "decisions", decision="deny", tool="pay_invoice")
        assert not error
        first = json.loads(denied.splitlines()[0])
        assert first["decision"] == "deny"
        explained, error = await answer(client, "explain", run=first["run"], call=first["call"])
        assert not error
        assert first["violations"][0]["message"] in explained
        offered, error = await answer(client, "complete", beginning="The agent must not pay ")
        assert not error
        assert "invoice" in offered
        sentence = "The agent must not pay an invoice if the total is more than 100."
        proposed, error = await answer(client, "propose", sentence=sentence)
        assert not error
        assert json.loads(proposed)["stored"] is False
    assert files(session) == before


@pytest.mark.slow
async def test_what_an_agent_writes_is_never_an_option_and_errors_are_sentences(tmp_path: Path) -> None:
    session = written_desk(tmp_path)
    before = files(session)
    async with mcp.Client(server(session)) as client:
        for tool, arguments in (
            ("propose", {"sentence": "--keep"}),
            ("explain", {"run": "--log=/etc/passwd", "call": 0}),
            ("decisions", {"run": "a\0b"}),
            ("keep", {"sentence": "The agent must not pay an invoice if the total is more than 100."}),
        ):
            text, error = await answer(client, tool, **arguments)
            assert "Traceback" not in text
            assert error or tool == "propose"
    assert files(session) == before


@pytest.mark.slow
async def test_with_write_a_sentence_is_kept(tmp_path: Path) -> None:
    session = written_desk(tmp_path)
    async with mcp.Client(server(session, "--write")) as client:
        sentence = "The agent must not pay an invoice if the total is more than 4,000."
        _, error = await answer(client, "keep", sentence=sentence)
        assert not error
    assert "4000" in (session / "policy.py").read_text(encoding="utf-8")
    assert not (session / "accepted.toml").exists()


def test_a_long_answer_says_how_much_is_left_out() -> None:
    assert shortened("a\nb\n", 10) == "a\nb\n"
    assert (
        shortened("a\nbbbbbbbb\nc\n", 4) == "a\n2 lines left out, as the answer is too long: ask for less.\n"
    )
