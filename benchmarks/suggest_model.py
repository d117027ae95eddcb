"""What a model proposes for foreign sentences, beside the suggestions without a model.

    python benchmarks/suggest_model.py REPLIES [--set NAME] [--most N]

The sentences and their meanings are those of ``benchmarks/suggest.py``; of each agent the same number is
taken, in the order of a hash. The model is the one that the environment names; its replies are kept in
REPLIES, a line for each call, as they come. A run that was stopped goes on with them, and a whole one needs
no model. A sentence for which the model could not be asked is counted as that. The sentences of its replies
that do not match the pattern of the schema tell whether the server keeps to it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from suggest import FOURTH_HELD_OUT, MOST, SETS, around, is_right, labels_of, language_of, meanings

from workbench.author.model.client import ModelClient
from workbench.author.model.errors import ModelError
from workbench.author.model.proposed_sentences import SentenceProposals
from workbench.author.model.recording import StoredCall
from workbench.author.model.settings import ModelSettings, settings_from

ASKED, CONTEXT, FAILED = "sentences", "sentences that state no rule", "the model could not be asked"
FIRST, AMONG = "the search has the meaning first", "the search has the meaning among its five"
READ, MEANT = "the model proposes something that is read", "the model proposes the meaning"
MEANT_FIRST, NEW = (
    "the model proposes the meaning first",
    "the model proposes the meaning, the search does not",
)
EITHER, FALSE = "among the five or proposed", "the model proposes a rule for one that states none"
REPLIED, AGAINST = "sentences in the replies", "sentences in the replies against the pattern"
ROWS = (ASKED, FIRST, AMONG, READ, MEANT_FIRST, MEANT, NEW, EITHER, CONTEXT, FALSE, FAILED, REPLIED, AGAINST)


class KeptReplies:
    """Replies by the hash of what was sent, in a file; implements ``CallRecords``."""

    def __init__(self, path: Path) -> None:
        """Read the replies that there are."""
        self._path = path
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        self._replies: dict[str, str] = {one["key"]: one["reply"] for one in map(json.loads, lines)}
        self.given: list[str] = []

    def find(self, key: str) -> str | None:
        """The reply to a call."""
        reply = self._replies.get(key)
        self.given += [reply] if reply is not None else []
        return reply

    def keep(self, recorded: StoredCall) -> None:
        """Add a reply to the file at once."""
        self.given.append(recorded.reply)
        line = {"key": recorded.key, "reply": recorded.reply, "seconds": round(recorded.usage.seconds, 1)}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def sample(name: str, most: int) -> Iterator[dict[str, Any]]:
    """At most so many sentences of each agent of a set, by a hash; those of one agent together."""
    by_session: dict[str, list[dict[str, Any]]] = {}
    for one in labels_of(name):
        by_session.setdefault(one["session"], []).append(one)
    for _, ones in sorted(by_session.items()):
        yield from sorted(ones, key=lambda one: hashlib.sha256(one["sentence"].encode()).digest())[:most]


def count(label: dict[str, Any], client: ModelClient, replies: KeptReplies, counts: Counter[str]) -> None:
    """Ask for one sentence, and count what the search and the model say."""
    session, text = label["session"], label["sentence"]
    language, suggestions, _ = language_of(session)
    found = suggestions.of(text, around(label), MOST)
    proposals = SentenceProposals(client, suggestions)
    replies.given.clear()
    try:
        proposed = proposals.of(text, around(label), found)
    except ModelError as error:
        print(f"{text[:60]}: {error}", file=sys.stderr, flush=True)
        proposed, counts[FAILED] = (), counts[FAILED] + 1
    sentences = [one for reply in replies.given for one in sentences_of(reply)]
    counts[REPLIED] += len(sentences)
    counts[AGAINST] += sum(re.search(proposals.pattern, one) is None for one in sentences)
    if label["meaning"] == "context":
        counts.update({CONTEXT: 1, FALSE: int(bool(proposed))})
        return
    wanted = meanings(language, label)
    searched, meant = (
        [is_right(session, one.tree, wanted, solver=True) for one in ones] for ones in (found, proposed)
    )
    counts.update({ASKED: 1, FIRST: any(searched[:1]), AMONG: any(searched), READ: bool(proposed)})
    counts.update({MEANT_FIRST: any(meant[:1]), MEANT: any(meant), NEW: any(meant) and not any(searched)})
    counts[EITHER] += any(meant) or any(searched)


def sentences_of(reply: str) -> Sequence[str]:
    """The sentences of a reply; none of one that was cut."""
    try:
        return json.loads(reply)["sentences"]
    except (ValueError, KeyError, TypeError):
        return ()


def main(arguments: Sequence[str]) -> int:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("replies", type=Path)
    parser.add_argument("--set", choices=SETS, default=FOURTH_HELD_OUT)
    parser.add_argument("--most", type=int, default=16, help="sentences of each agent")
    parser.add_argument("--model", default="", help="the name in the recorded calls; needs no model then")
    given = parser.parse_args(arguments)
    replies = KeptReplies(given.replies)
    settings = settings_from(os.environ) if not given.model else ModelSettings(given.model, reply_tokens=400)
    if settings is None:
        parser.error("Name a model in the environment, or the one of the replies by --model.")
    client = ModelClient(settings, replies, replay_only=bool(given.model))
    counts: Counter[str] = Counter()
    for label in sample(given.set, given.most):
        count(label, client, replies, counts)
        print(f"{counts[ASKED]} sentences", file=sys.stderr, flush=True)
    print(f"| {settings.model}, {given.set} | number |")
    print("|---|---:|")
    for row in ROWS:
        print(f"| {row} | {counts[row]} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
