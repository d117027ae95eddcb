"""The tools by which a coding agent asks a session, over MCP (stdio): each runs one command of the workbench.

A tool that reads runs a command that only reads. No tool answers a question, accepts a version, or declares
anything about the agent: that is a person's, who decides what the guard allows.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from workbench.clean_text import counted

LONGEST = 60_000
"""The number of characters of an answer that an agent is sent; what is left out is counted."""
SECONDS = 600.0
"""The number of seconds after which a command is ended."""
_WRONG = 2
"""The exit code from which on a command has no answer."""
_INSTRUCTIONS = (
    "A policy that guards an agent's tool calls, with its proofs and recorded calls. Begin with open_items. "
    "propose shows what a sentence would decide, and keeps nothing. A person answers questions and accepts "
    "versions: say which command of the workbench they should run."
)

type _Tool = Callable[..., Coroutine[None, None, str]]


class SessionTools:
    """The tools on one session; each returns what its command writes as JSON, a line for each item."""

    def __init__(self, session: Path) -> None:
        """Take the folder of the session."""
        self._session = str(session.resolve())

    async def open_items(self) -> str:
        """List what is not in force, what is open, and what comes next."""
        return await self._asked("ask", "--replay-calls")

    async def rules(self) -> str:
        """Read each rule of the policy aloud as a sentence; of one without words, say why."""
        return await self._asked("say", "--all")

    async def decisions(
        self,
        decision: Literal["", "allow", "ask", "deny", "cannot-evaluate"] = "",
        rule: str = "",
        tool: str = "",
        run: str = "",
        words: str = "",
    ) -> str:
        """Decide the recorded calls by the policy: those with this decision, rule, tool, run or words."""
        given = {"decision": decision, "rule": rule, "tool": tool, "run": run, "text": words}
        return await self._asked("replay", *(f"--{name}={value}" for name, value in given.items() if value))

    async def explain(self, run: str, call: int) -> str:
        """Explain the decision on a recorded call (from 0): the rules, their values, the smallest change."""
        return await self._asked("explain", f"--call={call}", after=(run,))

    async def complete(self, beginning: str) -> str:
        """List what may come next in a sentence of the policy's language."""
        return await self._asked("say", f"--complete={beginning}")

    async def propose(self, sentence: str, reworded: str = "") -> str:
        """Show the rule that a sentence is, and the calls that turn; nothing is kept.

        ``reworded`` is the sentence of the request that it says in other words. For a sentence that is not of
        the language, sentences are suggested.
        """
        return await self._asked("say", *((f"--for={reworded}",) if reworded else ()), after=(sentence,))

    async def prove(self, solver_alone: bool = False) -> str:
        """Prove every clause of the contract; by the solver alone it is fast, and no proof."""
        return await self._asked("verify", *(("--preview",) if solver_alone else ()))

    async def theorems(self) -> str:
        """Prove what holds of every run, or show a run that breaks it."""
        return await self._asked("theorems")

    async def weak_spots(self) -> str:
        """List wrong versions of the policy that its contract would let pass."""
        return await self._asked("strength")

    async def keep(self, sentence: str, reworded: str = "") -> str:
        """Add a sentence to the policy; a person can undo it, and it is in force once they accept it."""
        return await self._asked(
            "say", "--keep", *((f"--for={reworded}",) if reworded else ()), after=(sentence,)
        )

    async def _asked(self, command: str, *options: str, after: tuple[str, ...] = ()) -> str:
        """What a command writes as JSON. Raises ToolError with its sentence if it has no answer."""
        words = (command, "--json", *options, "--", self._session, *after)
        if any("\0" in word for word in words):
            raise ToolError("A text has a NUL character. Leave it out.")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "workbench", *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            output, notes = await asyncio.wait_for(process.communicate(), SECONDS)
        except TimeoutError:
            raise ToolError(f"The command {command} took more than {SECONDS:.0f} seconds.") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode is None or process.returncode < 0 or process.returncode >= _WRONG:
            raise ToolError(notes.decode(errors="replace").strip()[:2000] or f"{command} has no answer.")
        return shortened(output.decode(errors="replace"))


def shortened(text: str, longest: int = LONGEST) -> str:
    """The first lines of a text that fit, and how many are left out."""
    lines = text.splitlines(keepends=True)
    kept, length = 0, 0
    for line in lines:
        length += len(line)
        if length > longest:
            break
        kept += 1
    if kept == len(lines):
        return text
    left = counted(len(lines) - kept, "line")
    return "".join(lines[:kept]) + f"{left} left out, as the answer is too long: ask for less.\n"


def session_server(session: Path, *, write: bool) -> MCPServer:
    """A server with the tools on a session; with ``write`` sentences may be kept."""
    tools = SessionTools(session)
    server = MCPServer("workbench", instructions=_INSTRUCTIONS, log_level="ERROR")
    reads: tuple[_Tool, ...] = (
        tools.open_items, tools.rules, tools.decisions, tools.explain, tools.complete, tools.propose,
        tools.prove, tools.theorems, tools.weak_spots,
    )  # fmt: skip
    for tool in reads:
        server.add_tool(tool, annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    if write:
        server.add_tool(
            tools.keep, annotations=ToolAnnotations(destructive_hint=False), structured_output=False
        )
    return server
