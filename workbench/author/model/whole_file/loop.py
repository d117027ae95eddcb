"""VeriGuard's loop over whole files: draft, criticise, send back, keep the best.

The design comes first. Then three independent calls write policy, contract and cases at the same time. A
finding goes to the part that it is about. If policy and contract (or a case) disagree, the finding first goes
to the policy. If the policy keeps its decision, the finding goes to the other side. If both keep theirs, the
disagreement becomes a question to a person.

The rounds of a loop that improves a draft.
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
from workbench.author.model.extraction import ModelReader
from workbench.author.model.recording import Message
from workbench.author.model.whole_file import prompts
from workbench.author.model.whole_file.blocks import NotUsable, block, blocks
from workbench.author.model.whole_file.critics import (
    CRITICS,
    CheckedVersion,
    Critic,
    CriticFinding,
    FormerDraft,
    WrittenPart,
    heard,
    judge,
)
from workbench.author.model.whole_file.design import AgentNotation, Design, read_agent_parts, read_design
from workbench.author.model.whole_file.model_cases import RunCase, alike, read_cases, read_rules_in_context
from workbench.author.model.whole_file.reply_parts import ReplyParts, read_parts
from workbench.model import Run, Span

REPLY_TOKENS = 16_384
_REPLIED = 2000
"""About what a part of a draft has in tokens."""
_TASKS = {
    WrittenPart.DESIGN: prompts.DESIGN,
    WrittenPart.POLICY: prompts.POLICY,
    WrittenPart.CONTRACT: prompts.CONTRACT,
    WrittenPart.CASES: prompts.CASES,
}
_OF_DESIGN = (WrittenPart.POLICY, WrittenPart.CONTRACT, WrittenPart.CASES)
"""The parts that are written once there is a design."""
_WHOLE = {
    WrittenPart.DESIGN: (
        "the blocks ```json and ```toml, each in whole (one that stays as it is may be left out)"
    ),
    WrittenPart.POLICY: "the whole file in one block ```python",
    WrittenPart.CONTRACT: "the whole file in one block ```python",
    WrittenPart.CASES: "the whole list in one block ```json",
}


class LoopEnd(StrEnum):
    """The reason why the loop ended."""

    CLEAN = "nothing was found against this version"
    ROUNDS = "the rounds were used up"
    OSCILLATES = "the model came back to a version that was there before"
    REPEATS = "the same was found again after all sides had heard of it"
    BROKEN = "no reply could be used"


@dataclass(frozen=True, slots=True)
class Version:
    """A version of all parts: the model's replies, and what was read from them.

    ``unusable`` has, by part, the reasons why its last reply could not be used. ``disputed`` are places that
    were taken as context and that the contract's call reads as rules.
    """

    design: Design
    replies: Mapping[WrittenPart, str]
    policy: ReplyParts | None = None
    contract: ReplyParts | None = None
    cases: tuple[RunCase, ...] = ()
    disputed: tuple[Span, ...] = ()
    unusable: Mapping[WrittenPart, tuple[str, ...]] = field(
        default_factory=dict[WrittenPart, tuple[str, ...]]
    )

    @property
    def digest(self) -> str:
        """A hash of the parts, equal for equal parts."""
        parts = (self.design.reading, self.design.agent, self.policy, self.contract, self.cases)
        return hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class FileRound:
    """A version with the findings against it; ``before`` are remarks about earlier, unusable replies."""

    version: Version
    judged: CheckedVersion
    before: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """The findings, each with its critic and its part."""
        return (
            *self.before,
            *(f"{finding.critic} ({finding.part}): {finding.text}" for finding in self.judged.findings),
        )


@dataclass(frozen=True, slots=True)
class LoopResult:
    """All rounds of one drafting, the place of the best, and why the loop ended; ``calls`` counts replies."""

    rounds: tuple[FileRound, ...]
    best: int
    stopped: LoopEnd
    calls: int

    @property
    def best_round(self) -> FileRound:
        """The best round."""
        return self.rounds[self.best]


class Loop:
    """One drafting: its settings, and the replies so far."""

    def __init__(
        self,
        client: ModelClient,
        brief: prompts.Brief,
        notation: AgentNotation,
        runs: Sequence[Run],
        *,
        tries: int = 3,
        critics: frozenset[Critic] = CRITICS,
        answered: Sequence[RunCase] = (),
        before: FormerDraft | None = None,
    ) -> None:
        """``answered`` are inputs that a person has decided; they count as cases.

        ``before`` is the draft from which answers of the person differ.
        """
        self._client = client
        self._reader = ModelReader(client)
        self._brief = brief
        self._notation = notation
        self._runs = runs
        self._tries = tries
        self._critics = critics
        self._answered = tuple(answered)
        self._before = before
        self._told = frozenset[str]()  # the findings that the redraft's call heard with the answers
        self._stop = threading.Event()  # set if one of several calls failed, so that the others end
        self._counting = threading.Lock()
        self.calls = 0

    # --- the whole ----------------------------------------------------------------

    def run(self, rounds: int, former: Version | None = None, *, reread: bool = True) -> LoopResult:
        """Draft (or continue from ``former``), and refine for at most so many rounds after the first.

        ``reread`` means that the design is asked for again with a person's decisions since ``former``.
        """
        self._announce(rounds)
        remarks: list[str] = []
        version = self._first(remarks) if former is None else self._continued(former, reread, remarks)
        history = [FileRound(version, self._judged(version), tuple(remarks))]
        seen_digests = {version.digest}
        stood = set(self._told)
        stopped = LoopEnd.ROUNDS
        while len(history) <= rounds:  # what leaves a version as it is makes no round
            last = history[-1]
            complaints_by_part = self._complaints_by_part(last, stood)
            if len(history) < rounds:
                _put_off(complaints_by_part, last)
            if not complaints_by_part:
                stopped = LoopEnd.REPEATS if last.judged.findings else LoopEnd.CLEAN
                break
            remarks = []
            version = self._revised(last.version, complaints_by_part, remarks)
            reported = {
                finding.identity for finding in last.judged.findings if finding.part in complaints_by_part
            }
            if version.digest == last.version.digest:
                stood |= reported
                continue
            if version.digest in seen_digests:
                stopped = LoopEnd.OSCILLATES
                break
            seen_digests.add(version.digest)
            history.append(FileRound(version, self._judged(version), tuple(remarks)))
            stood |= reported & {finding.identity for finding in history[-1].judged.findings}
        if not history[-1].judged.findings:
            stopped = LoopEnd.CLEAN
        best = max(range(len(history)), key=lambda place: (history[place].judged.score, -place))
        return LoopResult(tuple(history), best, stopped, self.calls)

    def _announce(self, rounds: int) -> None:
        """Say what the first version may use, and how many calls more the rounds may make."""
        calls = [(str(part), prompts.messages(self._brief, task), None) for part, task in _TASKS.items()]
        more = f", and up to {rounds * len(calls)} more where critics find something," if rounds else ""
        self._client.announce(calls, _REPLIED * len(calls), f"prompts of a draft{more}")

    def _judged(self, version: Version) -> CheckedVersion:
        cases = (*self._answered, *version.cases)
        try:
            judged = judge(
                version.policy,
                version.contract,
                cases,
                version.design,
                self._runs,
                self._reader,
                self._critics,
            )
            judged = judged if self._before is None else heard(judged, self._before)
        except NotUsable as error:
            judged = CheckedVersion(
                "", findings=(CriticFinding(Critic.DIALECT, WrittenPart.POLICY, str(error)),)
            )
        unusable = [
            CriticFinding(Critic.REPLY, part, text)
            for part, texts in version.unusable.items()
            for text in (alike(texts) if part is WrittenPart.CASES else texts)
        ]
        return replace(judged, findings=(*unusable, *judged.findings))

    def _complaints_by_part(self, last: FileRound, stood: set[str]) -> dict[WrittenPart, list[str]]:
        """The messages by part; a dispute goes to the policy first, then to the part against it."""
        complaints_by_part: dict[WrittenPart, list[str]] = {}
        for finding in last.judged.findings:
            if finding.identity not in stood:
                complaints_by_part.setdefault(finding.part, []).append(finding.text)
            elif finding.against is not None and f"{finding.identity}!" not in stood:
                stood.add(f"{finding.identity}!")
                complaints_by_part.setdefault(finding.against, []).append(finding.to_accuser)
        failing = any(finding.critic is Critic.CASES for finding in last.judged.findings)
        if WrittenPart.CASES in complaints_by_part and not failing and not _lacks_cases(last.version):
            del complaints_by_part[WrittenPart.CASES]
        return complaints_by_part

    # --- drafting -----------------------------------------------------------------

    def _first(self, remarks: list[str]) -> Version:
        design, reply = self._design(prompts.messages(self._brief, prompts.DESIGN), None, remarks)
        version = Version(design, {WrittenPart.DESIGN: reply})
        return self._written(version, dict.fromkeys(_OF_DESIGN, ()), remarks)

    def _continued(self, former: Version, reread: bool, remarks: list[str]) -> Version:
        """The former version, revised by a person's decisions since then."""
        news = [
            "The person who asks has decided more; see above. Change what that changes, and keep the rest."
        ]
        if self._before is not None and self._before.told:
            news.append(self._before.unheard(self._before.answers))
        kept = self._unevaluable(former)
        self._told = frozenset(finding.identity for finding in kept)
        back = {
            part: prompts.sent_back(
                former.replies[part],
                [*news, *(finding.text for finding in kept if finding.part is part)],
                _WHOLE[part],
            )
            for part in WrittenPart
            if former.replies.get(part)
        }
        version = former
        if reread and WrittenPart.DESIGN in back:
            version = self._designed_again(former, back[WrittenPart.DESIGN], remarks)
        return self._written(version, {part: back.get(part, ()) for part in _OF_DESIGN}, remarks)

    def _unevaluable(self, former: Version) -> tuple[CriticFinding, ...]:
        """What of the logs the former version cannot evaluate: its call hears of that with the answers."""
        if Critic.REPLAY not in self._critics:
            return ()
        only = frozenset({Critic.REPLAY})
        try:
            judged = judge(former.policy, None, (), former.design, self._runs, self._reader, only)
        except NotUsable:
            return ()
        return tuple(finding for finding in judged.findings if finding.critic is Critic.REPLAY)

    def _revised(
        self, version: Version, complaints_by_part: Mapping[WrittenPart, list[str]], remarks: list[str]
    ) -> Version:
        """The version with every part that has complaints written again."""
        back = {
            part: prompts.sent_back(version.replies[part], texts, _WHOLE[part])
            if version.replies.get(part)
            else ()
            for part, texts in complaints_by_part.items()
        }
        if (of_design := back.pop(WrittenPart.DESIGN, None)) is not None:
            version = self._designed_again(version, of_design, remarks)
        return self._written(version, back, remarks)

    def _designed_again(self, version: Version, back: tuple[Message, ...], remarks: list[str]) -> Version:
        """The version with another design, which its call writes when its reply is sent ``back``."""
        messages = (*prompts.messages(self._brief, prompts.DESIGN), *back)
        design, reply = self._design(messages, version.design, remarks)
        return replace(version, design=design, replies={**version.replies, WrittenPart.DESIGN: reply})

    # --- asking -------------------------------------------------------------------

    def _say(self, purpose: str, messages: tuple[Message, ...]) -> str:
        with self._counting:
            self.calls += 1
        return self._client.ask_text(purpose, messages, reply_tokens=REPLY_TOKENS, cancelled=self._stop)

    def _design(
        self, messages: tuple[Message, ...], former: Design | None, remarks: list[str]
    ) -> tuple[Design, str]:
        """The design of the last usable reply; raises ModelError if none of the tries gave one."""
        prompt, usable, wrong, reply = messages, None, [""], ""
        for attempt in range(self._tries):
            reply = _completed(self._say(f"agent file{_again(attempt)}", prompt), reply)
            try:
                design, wrong = read_design(
                    reply, self._brief.request, self._brief.spec, self._notation, former
                )
                usable = design, _whole(reply, design)
            except NotUsable as error:
                wrong = [str(error)]
            if not wrong:
                break
            remarks += [f"{Critic.REPLY} ({WrittenPart.DESIGN}): {text}" for text in wrong]
            former = former if usable is None else usable[0]
            back = reply if usable is None else usable[1]
            prompt = (*messages[:2], *prompts.sent_back(back, wrong, _WHOLE[WrittenPart.DESIGN]))
        if usable is None:
            raise ModelError(
                f"The model gave no agent file that can be used in {self._tries} tries: {wrong[0][:400]}"
            )
        return usable

    def _written(
        self,
        version: Version,
        messages_by_part: Mapping[WrittenPart, tuple[Message, ...]],
        remarks: list[str],
    ) -> Version:
        """The version with the requested parts, written by concurrent calls."""
        if not messages_by_part:
            return version
        prompt_by_part = {
            part: (*prompts.messages(self._brief, _TASKS[part], version.design), *back)
            for part, back in messages_by_part.items()
        }
        with ThreadPoolExecutor(min(self._client.settings.at_once, len(prompt_by_part))) as pool:
            said_by = {
                part: pool.submit(self._say, str(part), messages) for part, messages in prompt_by_part.items()
            }
            try:
                replies = {part: future.result() for part, future in said_by.items()}
            except BaseException:
                self._stop.set()
                raise
        for part, reply in replies.items():
            version = self._with_reply(version, part, reply)
        return self._agent_of_policy(version, replies, remarks)

    def _agent_of_policy(
        self, version: Version, replies: Mapping[WrittenPart, str], remarks: list[str]
    ) -> Version:
        """The version with the agent file that the policy's call also wrote, if that can be used."""
        reply = replies.get(WrittenPart.POLICY, "")
        try:
            agent = blocks(reply).get("toml") if reply else None
            if agent is None:
                return version
            spec = read_agent_parts(agent, self._brief.spec, self._notation)
        except NotUsable as error:
            remarks.append(f"{Critic.REPLY} ({WrittenPart.POLICY}): {error}")
            return version
        design = replace(version.design, agent=agent, spec=spec)
        replies = {
            **version.replies,
            WrittenPart.DESIGN: f"```json\n{design.reading}\n```\n\n```toml\n{agent}\n```",
        }
        version = replace(version, design=design, replies=replies)
        for part in _OF_DESIGN:
            version = self._with_reply(version, part, version.replies.get(part, ""))
        return version

    def _with_reply(self, version: Version, part: WrittenPart, reply: str) -> Version:
        """The version with the content of a reply; an unusable reply leaves the part unchanged."""
        unusable = {key: texts for key, texts in version.unusable.items() if key is not part}
        version = replace(version, unusable=unusable, replies={**version.replies, part: reply})
        if part is WrittenPart.CONTRACT:
            disputed = read_rules_in_context(reply, version.design, self._brief.request)
            version = replace(version, disputed=disputed)
        try:
            if part is WrittenPart.CASES:
                cases, wrong = read_cases(reply, version.design)
                still_unusable = {**unusable, part: tuple(wrong)} if wrong else unusable
                return replace(version, cases=cases, unusable=still_unusable)
            file = read_parts(block(reply, "python"), version.design.cited)
            if part is WrittenPart.POLICY:
                if not file.default:
                    raise NotUsable('The file does not say DEFAULT = "deny" or DEFAULT = "allow".')
                return replace(version, policy=replace(file, contracts=(), title=version.design.title))
            if not file.contracts:
                raise NotUsable("The file has no function contract_* with a clause.")
            return replace(version, contract=file)
        except NotUsable as error:
            return replace(version, unusable={**unusable, part: (str(error),)})


def _put_off(complaints_by_part: dict[WrittenPart, list[str]], last: FileRound) -> None:
    """Leave out what the logs say of the policy while its contract cannot be used.

    What a usable contract shows of the policy then goes to its call together with that.
    """
    found = [finding for finding in last.judged.findings if finding.part is WrittenPart.POLICY]
    unused = WrittenPart.CONTRACT in complaints_by_part and (
        last.version.contract is None or not (last.judged.terms and last.judged.terms.clauses)
    )
    if unused and all(finding.critic is Critic.REPLAY for finding in found):
        complaints_by_part.pop(WrittenPart.POLICY, None)


def _lacks_cases(version: Version) -> bool:
    """Whether a quarter of the cases or more cannot be used; fewer are not worth a call of their own."""
    lost = len(version.unusable.get(WrittenPart.CASES, ()))
    return lost * 3 >= max(1, len(version.cases))


def _again(attempt: int) -> str:
    return f", try {attempt + 1}" if attempt else ""


def _completed(reply: str, former: str) -> str:
    """A reply, with the block that it was asked to leave out taken from the former reply."""
    try:
        by_language, before = blocks(reply), blocks(former)
    except NotUsable:
        return reply
    lacking = {"json", "toml"} & (before.keys() - by_language.keys())
    if not by_language.keys() & {"json", "toml"}:
        return reply
    return "\n\n".join([reply, *(f"```{name}\n{before[name].strip()}\n```" for name in sorted(lacking))])


def _whole(reply: str, design: Design) -> str:
    """A reply with both blocks: the one that it left out is taken from the design."""
    by_language = blocks(reply)
    if {"json", "toml"} <= by_language.keys():
        return reply
    return f"```json\n{design.reading}\n```\n\n```toml\n{design.agent}\n```"
