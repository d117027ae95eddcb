"""VeriGuard's loop over whole files: draft, criticise, send back, keep the best.

The design comes first. Policy, contract and cases are then written by three calls that do not know of each
other, at the same time. A finding goes to the part that it is about. Where policy and contract (or a case)
disagree, the policy hears of it first; if it stands by its decision, who speaks against it does. What neither
gives up is a question to a person.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.author.model.client import ModelClient
from workbench.author.model.errors import ModelError
from workbench.author.model.recording import Message
from workbench.author.model.whole_file import prompts
from workbench.author.model.whole_file.blocks import NotUsable, block, blocks
from workbench.author.model.whole_file.critics import (
    CRITICS,
    Critic,
    Finding,
    Judged,
    Logged,
    Part,
    judge,
    rarely_unread,
    read_logs,
    unread_arguments,
    without_value,
)
from workbench.author.model.whole_file.design import AgentNotation, Design, read_agent_parts, read_design
from workbench.author.model.whole_file.late_critics import LATE, late_findings
from workbench.author.model.whole_file.model_cases import alike, read_cases, read_rules_in_context
from workbench.author.model.whole_file.reply_parts import ReplyParts, read_parts
from workbench.author.model.whole_file.shapes import values_text
from workbench.model import Case, Run, Span

REPLY_TOKENS = 16_384
_TASKS = {
    Part.DESIGN: prompts.DESIGN,
    Part.POLICY: prompts.POLICY,
    Part.CONTRACT: prompts.CONTRACT,
    Part.CASES: prompts.CASES,
}
_WHOLE = {
    Part.DESIGN: "the blocks ```json and ```toml, each in whole (one that stays as it is may be left out)",
    Part.POLICY: "the whole file in one block ```python",
    Part.CONTRACT: "the whole file in one block ```python",
    Part.CASES: "the whole list in one block ```json",
}


class Stopped(StrEnum):
    """Why the loop ended."""

    CLEAN = "nothing was found against this version"
    ROUNDS = "the rounds were used up"
    OSCILLATES = "the model came back to a version that was there before"
    REPEATS = "the same was found again after all sides had heard of it"
    BROKEN = "no reply could be used"


@dataclass(frozen=True, slots=True)
class Version:
    """A version of all parts: what the model wrote, and what is made of it.

    ``unusable`` says of a part why its last reply could not be used. ``disputed`` are places that were taken
    for context and that the contract's call reads as rules.
    """

    design: Design
    logged: Logged
    replies: Mapping[Part, str]
    policy: ReplyParts | None = None
    contract: ReplyParts | None = None
    cases: tuple[Case, ...] = ()
    disputed: tuple[Span, ...] = ()
    unusable: Mapping[Part, tuple[str, ...]] = field(default_factory=dict[Part, tuple[str, ...]])

    @property
    def digest(self) -> str:
        """The same for the same parts."""
        parts = (self.design.reading, self.design.agent, self.policy, self.contract, self.cases)
        return hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Round:
    """A version with what was found against it; ``before`` was said of replies that could not be used."""

    version: Version
    judged: Judged
    before: tuple[str, ...] = ()

    @property
    def found(self) -> tuple[str, ...]:
        """What was found, each with the critic that found it and the part that it is about."""
        return (
            *self.before,
            *(f"{finding.critic} ({finding.part}): {finding.text}" for finding in self.judged.findings),
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """All rounds, the place of the best, and why the loop ended; ``calls`` counts the replies."""

    rounds: tuple[Round, ...]
    best: int
    stopped: Stopped
    calls: int

    @property
    def kept(self) -> Round:
        """The best round."""
        return self.rounds[self.best]


class Loop:
    """One drafting: what is asked, and the replies so far."""

    def __init__(
        self,
        client: ModelClient,
        asked: prompts.Asked,
        notation: AgentNotation,
        runs: Sequence[Run],
        *,
        tries: int = 3,
        critics: frozenset[Critic] = CRITICS,
        answered: Sequence[Case] = (),
    ) -> None:
        """``answered`` are inputs that a person has decided; they count as cases."""
        self._client = client
        self._asked = asked
        self._notation = notation
        self._runs = runs
        self._tries = tries
        self._critics = critics
        self._answered = tuple(answered)
        self._stop = threading.Event()  # set where one of several calls failed: the others end
        self._counting = threading.Lock()
        self._told_of: set[str] = (
            set()
        )  # arguments whose extraction the model has heard of, or need not hear of
        self.calls = 0

    # --- the whole ----------------------------------------------------------------

    def run(self, rounds: int, former: Version | None = None, *, reread: bool = True) -> Outcome:
        """Draft (or go on from ``former``), and refine for at most so many rounds after the first.

        ``reread`` says that the design has to hear of what a person decided since ``former``.
        """
        said: list[str] = []
        if former is not None:
            unread = unread_arguments(former.design, former.logged)
            self._told_of |= unread.keys() | without_value(former.logged)
        version = self._first(said) if former is None else self._continued(former, reread, said)
        found = [Round(version, self._judged(version), tuple(said))]
        seen = {version.digest}
        stood: set[str] = set()
        stopped = Stopped.ROUNDS
        for _ in range(rounds):
            last = found[-1]
            told = self._told(last, stood)
            if not told:
                stopped = Stopped.REPEATS if last.judged.findings else Stopped.CLEAN
                break
            said = []
            version = self._revised(last.version, told, said)
            heard = {finding.identity for finding in last.judged.findings if finding.part in told}
            if version.digest == last.version.digest:
                stood |= heard
                continue
            if version.digest in seen:
                stopped = Stopped.OSCILLATES
                break
            seen.add(version.digest)
            found.append(Round(version, self._judged(version), tuple(said)))
            stood |= heard & {finding.identity for finding in found[-1].judged.findings}
        if not found[-1].judged.findings:
            stopped = Stopped.CLEAN
        best = max(range(len(found)), key=lambda place: (found[place].judged.score, -place))
        return Outcome(tuple(found), best, stopped, self.calls)

    def _judged(self, version: Version) -> Judged:
        cases = (*self._answered, *version.cases)
        try:
            judged = judge(
                version.policy, version.contract, cases, version.design, version.logged, self._critics
            )
        except NotUsable as error:
            judged = Judged("", findings=(Finding(Critic.DIALECT, Part.POLICY, str(error)),))
        if self._critics & LATE:
            judged = replace(judged, findings=(*judged.findings, *late_findings(judged, self._critics)))
        unusable = [
            Finding(Critic.REPLY, part, text)
            for part, texts in version.unusable.items()
            for text in (alike(texts) if part is Part.CASES else texts)
        ]
        return replace(judged, findings=(*unusable, *judged.findings))

    def _told(self, last: Round, stood: set[str]) -> dict[Part, list[str]]:
        """What each part is told. A dispute goes to the policy until it has stood by its decision."""
        told: dict[Part, list[str]] = {}
        for finding in last.judged.findings:
            if finding.critic is Critic.REPLAY and self._told_of >= set(finding.about):
                continue  # it stood by an extraction that gives no value there
            if finding.identity not in stood:
                told.setdefault(finding.part, []).append(finding.text)
            elif finding.against is not None and f"{finding.identity}!" not in stood:
                stood.add(f"{finding.identity}!")
                told.setdefault(finding.against, []).append(finding.to_accuser)
        failing = any(finding.critic is Critic.CASES for finding in last.judged.findings)
        if Part.CASES in told and not failing and not _lacks_cases(last.version):
            del told[Part.CASES]
        return told

    # --- drafting -----------------------------------------------------------------

    def _first(self, said: list[str]) -> Version:
        design, reply = self._design(prompts.messages(self._asked, prompts.DESIGN), None, said)
        version = Version(design, read_logs(design, self._runs), {Part.DESIGN: reply})
        return self._written(version, {part: () for part in (Part.POLICY, Part.CONTRACT, Part.CASES)}, said)

    def _continued(self, former: Version, reread: bool, said: list[str]) -> Version:
        """The former version with what a person has decided since."""
        news = [
            "The person who asks has decided more; see above. Change what that changes, and keep the rest."
        ]
        back = {
            part: prompts.sent_back(former.replies[part], news, _WHOLE[part])
            for part in (Part.DESIGN, Part.POLICY, Part.CONTRACT, Part.CASES)
            if former.replies.get(part)
        }
        version = former
        if reread and Part.DESIGN in back:
            messages = (*prompts.messages(self._asked, prompts.DESIGN), *back.pop(Part.DESIGN))
            design, reply = self._design(messages, former.design, said)
            replies = {**former.replies, Part.DESIGN: reply}
            version = replace(former, design=design, logged=read_logs(design, self._runs), replies=replies)
        parts = (Part.POLICY, Part.CONTRACT, Part.CASES)
        return self._written(version, {part: back.get(part, ()) for part in parts}, said)

    def _revised(self, version: Version, told: Mapping[Part, list[str]], said: list[str]) -> Version:
        """The version with every part that was told something written again."""
        if Part.DESIGN in told:
            back = prompts.sent_back(version.replies[Part.DESIGN], told[Part.DESIGN], _WHOLE[Part.DESIGN])
            messages = (*prompts.messages(self._asked, prompts.DESIGN), *back)
            design, reply = self._design(messages, version.design, said)
            replies = {**version.replies, Part.DESIGN: reply}
            version = replace(version, design=design, logged=read_logs(design, self._runs), replies=replies)
        wanted = {
            part: prompts.sent_back(version.replies[part], texts, _WHOLE[part])
            if version.replies.get(part)
            else ()
            for part, texts in told.items()
            if part is not Part.DESIGN
        }
        return self._written(version, wanted, said)

    # --- asking -------------------------------------------------------------------

    def _say(self, purpose: str, messages: tuple[Message, ...]) -> str:
        with self._counting:
            self.calls += 1
        return self._client.ask_text(purpose, messages, reply_tokens=REPLY_TOKENS, cancelled=self._stop)

    def _design(
        self, messages: tuple[Message, ...], former: Design | None, said: list[str]
    ) -> tuple[Design, str]:
        """The design of the last usable reply; raises ModelError if none of the tries gave one."""
        asked, kept, wrong, reply = messages, None, [""], ""
        for attempt in range(self._tries):
            reply = _completed(self._say(f"agent file{_again(attempt)}", asked), reply)
            try:
                design, wrong = read_design(
                    reply, self._asked.request, self._asked.given, self._notation, former
                )
                kept = design, _whole(reply, design)
                if attempt + 1 < self._tries:  # after the last try nothing is told: the critics find it again
                    wrong = [*wrong, *self._unread(design)]
            except NotUsable as error:
                wrong = [str(error)]
            if not wrong:
                break
            said += [f"{Critic.EXTRACTION} ({Part.DESIGN}): {text}" for text in wrong]
            former = former if kept is None else kept[0]
            back = reply if kept is None else kept[1]
            asked = (*messages[:2], *prompts.sent_back(back, wrong, _WHOLE[Part.DESIGN]))
        if kept is None:
            raise ModelError(
                f"The model gave no agent file that can be used in {self._tries} tries: {wrong[0][:400]}"
            )
        return kept

    def _unread(self, design: Design) -> list[str]:
        """What the extraction over the logs finds and the model has not heard of."""
        if Critic.EXTRACTION not in self._critics:
            return []
        logged = read_logs(design, self._runs)
        found = unread_arguments(design, logged)
        news = {name: text for name, text in found.items() if name not in self._told_of}
        self._told_of |= news.keys() | without_value(logged)
        rare = rarely_unread(design, logged)  # who writes the policy sees it among the values
        return [text for name, text in news.items() if name not in rare]

    def _written(
        self, version: Version, wanted: Mapping[Part, tuple[Message, ...]], said: list[str]
    ) -> Version:
        """The version with the wanted parts written by calls that are made at the same time."""
        if not wanted:
            return version
        names = [argument.name for argument in version.design.spec.arguments]
        values = values_text(names, version.logged.steps, version.logged.extracted)
        asked = {
            part: (*prompts.messages(self._asked, _TASKS[part], version.design, values), *back)
            for part, back in wanted.items()
        }
        with ThreadPoolExecutor(min(self._client.settings.at_once, len(asked))) as pool:
            said_by = {part: pool.submit(self._say, str(part), messages) for part, messages in asked.items()}
            try:
                replies = {part: future.result() for part, future in said_by.items()}
            except BaseException:
                self._stop.set()
                raise
        for part, reply in replies.items():
            version = self._taken(version, part, reply)
        return self._agent_of_policy(version, replies, said)

    def _agent_of_policy(self, version: Version, replies: Mapping[Part, str], said: list[str]) -> Version:
        """The version with the agent file that the policy's call wrote beside it, if that can be used."""
        reply = replies.get(Part.POLICY, "")
        try:
            agent = blocks(reply).get("toml") if reply else None
            if agent is None:
                return version
            spec = read_agent_parts(agent, self._asked.given, self._notation)
        except NotUsable as error:
            said.append(f"{Critic.REPLY} ({Part.POLICY}): {error}")
            return version
        design = replace(version.design, agent=agent, spec=spec)
        replies = {**version.replies, Part.DESIGN: f"```json\n{design.reading}\n```\n\n```toml\n{agent}\n```"}
        version = replace(version, design=design, logged=read_logs(design, self._runs), replies=replies)
        for part in (Part.POLICY, Part.CONTRACT, Part.CASES):
            version = self._taken(version, part, version.replies.get(part, ""))
        return version

    def _taken(self, version: Version, part: Part, reply: str) -> Version:
        """The version with what a reply says; what cannot be used leaves the part as it was."""
        unusable = {key: texts for key, texts in version.unusable.items() if key is not part}
        version = replace(version, unusable=unusable, replies={**version.replies, part: reply})
        try:
            if part is Part.CASES:
                cases, wrong = read_cases(reply, version.design)
                found = {**unusable, part: tuple(wrong)} if wrong else unusable
                return replace(version, cases=cases, unusable=found)
            file = read_parts(block(reply, "python"), version.design.spec)
            if part is Part.POLICY:
                return replace(version, policy=replace(file, clauses=(), title=version.design.title))
            disputed = read_rules_in_context(reply, version.design, self._asked.request)
            return replace(version, contract=file, disputed=disputed)
        except NotUsable as error:
            return replace(version, unusable={**unusable, part: (str(error),)})


def _lacks_cases(version: Version) -> bool:
    """Whether a quarter of the cases or more cannot be used; fewer are worth no call of their own."""
    lost = len(version.unusable.get(Part.CASES, ()))
    return lost * 3 >= max(1, len(version.cases))


def _again(attempt: int) -> str:
    return f", try {attempt + 1}" if attempt else ""


def _completed(reply: str, former: str) -> str:
    """A reply without one of the two blocks, with that of the one before: it was asked to leave it out."""
    try:
        found, before = blocks(reply), blocks(former)
    except NotUsable:
        return reply
    lacking = {"json", "toml"} & (before.keys() - found.keys())
    if not found.keys() & {"json", "toml"}:
        return reply
    return "\n\n".join([reply, *(f"```{name}\n{before[name].strip()}\n```" for name in sorted(lacking))])


def _whole(reply: str, design: Design) -> str:
    """A reply that left out one block, with both blocks."""
    found = blocks(reply)
    if {"json", "toml"} <= found.keys():
        return reply
    return f"```json\n{design.reading}\n```\n\n```toml\n{design.agent}\n```"
