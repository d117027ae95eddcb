"""A policy that a model drafted, drafted again without each stage, against the labels of recorded calls.

Run: python benchmarks/stages.py DRAFTED DATA

DRAFTED is a folder of ``benchmarks/drafted``. Its ``drafted.toml`` names the files of DATA (``request``,
``tools``, ``log``, ``labels``, and ``database``, if a folder answers for records that a run does not show)
and the person's answers. Its ``replies.jsonl`` has the model's replies, each with the hash of its task and of
what was sent back; a repeated reply is named (``as``). No model is asked: if a stage changes what is sent
back and there is no reply to that, the run ends with a sentence.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import cast

from guard_comparison.dataset import Dataset
from guard_comparison.guards.evaluated_guard import ComparedGuard
from guard_comparison.guards.policy import SessionPolicy
from guard_comparison.readers import read_dataset
from guard_comparison.without_stages import Stage, drafted_without

from workbench.app.new_session import new_session
from workbench.app.workbench import Workbench
from workbench.author.model.client import ModelClient
from workbench.author.model.errors import NotRecorded
from workbench.author.model.recording import Message, RecordedModelCalls
from workbench.author.model.settings import ModelSettings
from workbench.author.model.whole_file.author import FileAuthor
from workbench.model import Verdict, WorkbenchError

_TASK = re.compile(r"^# Your task: (.*)$", re.M)
_HEAD = """\
| drafted | as labelled | allowed, labelled deny | denied, labelled allow | cannot be evaluated |
|---|---:|---:|---:|---:|"""
_NOT_RECORDED = "asks what the reader was not asked"
IN_PLACE_OF_A_MODEL = {
    "WORKBENCH_MODEL": "recorded",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
}
"""The environment in which an author by a model is made, though none is asked."""


def place_of(prompt: str, back: list[tuple[str, str]]) -> str:
    """The key of a reply: its task, and what was sent back."""
    return hashlib.sha256(json.dumps([_TASK.findall(prompt)[-1], back]).encode()).hexdigest()


class Replies(ModelClient):
    """Recorded replies in place of a model."""

    def __init__(self, path: Path) -> None:
        """Read the replies."""
        super().__init__(ModelSettings("recorded"), RecordedModelCalls(), replay_only=True)
        lines = [cast("dict[str, str]", json.loads(line)) for line in path.read_text("utf-8").splitlines()]
        whole = {line["place"]: line["reply"] for line in lines if "reply" in line}
        self._replies = whole | {line["place"]: whole[line["as"]] for line in lines if "as" in line}

    def ask_text(
        self,
        purpose: str,
        messages: tuple[Message, ...],
        *,
        reply_tokens: int = 0,
        on_text: Callable[[str], None] = lambda _text: None,
        cancelled: threading.Event | None = None,
    ) -> str:
        """The recorded reply; raises NotRecorded if there is none."""
        del reply_tokens, on_text, cancelled
        place = place_of(messages[1].content, [(message.role, message.content) for message in messages[2:]])
        if place not in self._replies:
            raise NotRecorded(f"To what the {purpose} is sent back here, no reply is recorded.")
        return self._replies[place]


def counted(guard: ComparedGuard, dataset: Dataset) -> list[str]:
    """The number of calls that are decided as labelled, and of the others by kind."""
    right = loose = strict = unsure = 0
    for example in dataset.examples:
        for call, truth in example.calls():
            verdict = guard.decide(call, example.run).decision.verdict
            allowed = verdict is Verdict.ALLOW
            right += allowed is not truth.denied
            loose += allowed and truth.denied
            strict += not allowed and not truth.denied
            unsure += verdict is Verdict.CANNOT_EVALUATE
    return [f"{right} ({100 * right / dataset.calls:.1f} %)", str(loose), str(strict), str(unsure)]


def rows(
    bench: Workbench, drafted: Path, choices: Mapping[str, str], labels: Path, database: Path | None
) -> Iterator[str]:
    """A row for each stage that is left out, and one for all stages."""
    dataset, session = read_dataset(labels), bench.session
    author = bench.authorship.author
    assert isinstance(author, FileAuthor)
    for stage in (None, *Stage):
        replies = Replies(drafted / "replies.jsonl")
        name = "all stages" if stage is None else f"without {stage}"
        try:
            draft = drafted_without(stage, author, replies, session.request, session.spec, choices)
        except NotRecorded:
            if stage is None:
                raise
            yield f"| {name} | {_NOT_RECORDED} | | | |"
            continue
        guard = SessionPolicy(bench, draft.policy, name, spec=draft.agent, database=database)
        cells = [name, *counted(guard, dataset)]
        yield f"| {' | '.join(cells)} |"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drafted", type=Path)
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    os.environ.update(IN_PLACE_OF_A_MODEL)
    try:
        drafted = tomllib.loads((options.drafted / "drafted.toml").read_text("utf-8"))
        files = {name: options.data / path for name, path in drafted["files"].items()}
        with tempfile.TemporaryDirectory() as folder:
            session = new_session(
                Path(folder) / "session",
                files["request"],
                agent=files["tools"],
                logs=[files["log"]],
                author="openai",
            )
            print(_HEAD)
            session.accept_proposals()
            with closing(session.workbench) as bench:
                for line in rows(
                    bench, options.drafted, drafted["choices"], files["labels"], files.get("database")
                ):
                    print(line, flush=True)
    except (OSError, ValueError, KeyError, WorkbenchError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
