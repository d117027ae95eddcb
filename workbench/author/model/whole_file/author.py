"""The author in the style ``file``: a draft is the stored result of the loop over whole files.

A drafting is made once for a request and a person's part of the agent file. Later drafts are read from the
stored drafting. Answers given since then reach the model only with ``renew``, all at once. So an answer by
itself causes no call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.model.client import ModelClient
from workbench.author.model.shown_demonstrations import no_demonstrations
from workbench.author.model.whole_file import prompts
from workbench.author.model.whole_file.blocks import NotUsable, block
from workbench.author.model.whole_file.critics import CRITICS, Critic, WrittenPart
from workbench.author.model.whole_file.design import (
    AgentNotation,
    given_parts,
    read_agent_parts,
    read_design,
    without_parts,
)
from workbench.author.model.whole_file.drafting_of_loop import drafting_of
from workbench.author.model.whole_file.loop import Loop, Version
from workbench.author.model.whole_file.model_cases import CasesUnder, RunCase, cases_over, read_cases
from workbench.author.model.whole_file.person_answers import PersonAnswers
from workbench.author.model.whole_file.reply_parts import read_parts
from workbench.author.model.whole_file.run_shapes import looked_at, shapes
from workbench.author.model.whole_file.stored_drafting import (
    KeepsDrafting,
    KeptDrafting,
    key_of,
)
from workbench.author.model.whole_file.stored_parts import (
    cases_of,
    question_of,
    sentences_of,
    untold,
    with_example,
)
from workbench.author.model.whole_file.untold_answers import closed_until_redrafted, differing
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.model import (
    AgentSpec,
    Argument,
    Case,
    Demonstration,
    Draft,
    DraftRound,
    Requirement,
    Run,
    WorkbenchError,
    span_of,
)

_MOST_DRAFTS = 64


@dataclass(frozen=True, slots=True)
class FileStyle:
    """The parts of a session that the style ``file`` needs: notation, runs, and the store of a drafting.

    ``demonstrations`` gives those that are shown to a model for a request, nearest first.
    """

    notation: AgentNotation
    runs: Callable[[AgentSpec], Sequence[Run]]
    store: KeepsDrafting
    demonstrations: Callable[[str], Sequence[Demonstration]] = no_demonstrations


@dataclass(frozen=True, slots=True)
class _CachedDraft:
    """A draft with the inputs from which it was made."""

    request: str
    spec: AgentSpec
    drafting: KeptDrafting | None
    draft: Draft

    def is_of(self, request: str, spec: AgentSpec, drafting: KeptDrafting | None) -> bool:
        """Whether these inputs give the same draft."""
        return (
            drafting is self.drafting and request == self.request and (spec is self.spec or spec == self.spec)
        )


class FileAuthor:
    """Drafts by VeriGuard's loop over whole files. Implements ``Author`` and ``Renews``."""

    def __init__(
        self,
        client: ModelClient,
        style: FileStyle,
        *,
        rounds: int = 3,
        tries: int = 3,
        critics: frozenset[Critic] = CRITICS,
    ) -> None:
        """Take the bounds of the refinement (``rounds``) and of agent file replies (``tries``).

        ``critics`` are those that are switched on.
        """
        self.client = client
        self._style = style
        self._rounds = rounds
        self._tries = tries
        self._critics = critics
        self._renewing = False
        self._cache: dict[tuple[tuple[str, str], ...], _CachedDraft] = {}

    def renew(self) -> None:
        """Make the next draft continue the stored drafting, with the answers given since then."""
        self._renewing = True

    def untold(self, draft: Draft, choices: Mapping[str, str]) -> frozenset[str]:
        """The questions whose answers differ from what the stored drafting was made with."""
        drafting = self._style.store.read()
        if drafting is None or draft.agent is None:
            return frozenset()
        return differing(drafting, _under(drafting.policy, draft.agent), choices)

    def draft(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Draft:
        """The stored draft under the choices, or a new one if there is none for this request and agent.

        Raises ModelError if the model cannot be asked, or never gives a usable reading of the request.
        """
        drafting = self._style.store.read()
        if (
            not self._renewing
            and (cached := self._cache.get(_choice_key(choices)))
            and cached.is_of(request, spec, drafting)
        ):
            return cached.draft
        given_spec = self._given_spec(spec, drafting)
        key = key_of(request, self._style.notation.write(given_spec))
        renewing, self._renewing = self._renewing, False
        current = drafting if drafting is not None and drafting.key == key else None
        if current is None or (renewing and self._news(current, choices)):
            current = self._drafted(request, given_spec, choices, key, current)
            self._style.store.write(current)
        draft = self._as_draft(current, request, given_spec, choices)
        self._cache[_choice_key(choices)] = _CachedDraft(request, spec, self._style.store.read(), draft)
        while len(self._cache) > _MOST_DRAFTS:
            self._cache.pop(next(iter(self._cache)))
        return draft

    def another(
        self,
        client: ModelClient,
        store: KeepsDrafting,
        *,
        silent: frozenset[Critic],
        rounds: int | None = None,
    ) -> FileAuthor:
        """An author of the same agent that stores its drafting elsewhere, without the ``silent`` critics."""
        return FileAuthor(
            client,
            replace(self._style, store=store),
            rounds=self._rounds if rounds is None else rounds,
            tries=self._tries,
            critics=self._critics - silent,
        )

    # --- a person's part ----------------------------------------------------------

    def given_spec(self, spec: AgentSpec) -> AgentSpec:
        """The agent spec without the parts that the model wrote."""
        return self._given_spec(spec, self._style.store.read())

    def _given_spec(self, spec: AgentSpec, drafting: KeptDrafting | None) -> AgentSpec:
        """The agent spec without the model's parts, and without the arguments of the policy."""
        texts = () if drafting is None else (drafting.agent, drafting.former_agent)
        given = replace(spec, arguments=())
        for text in texts:
            given = without_parts(given, text, self._style.notation) if text.strip() else given
        return given

    def _news(self, drafting: KeptDrafting, choices: Mapping[str, str]) -> bool:
        """Whether there is an answer that the model does not know yet, or no policy yet."""
        return bool(untold(drafting, choices)) or not drafting.policy

    # --- drafting -----------------------------------------------------------------

    def _drafted(
        self,
        request: str,
        given_spec: AgentSpec,
        choices: Mapping[str, str],
        key: str,
        former: KeptDrafting | None,
    ) -> KeptDrafting:
        runs = looked_at(self._style.runs(given_spec))
        version = None if former is None else self._version(former, request, given_spec)
        answers = PersonAnswers.to(former, request, choices)
        brief = prompts.Brief(
            request,
            given_spec,
            given_parts(given_spec, self._style.notation),
            shapes(runs),
            answers.decisions,
            tuple(self._style.demonstrations(request)),
        )
        loop = Loop(
            self.client,
            brief,
            self._style.notation,
            runs,
            tries=self._tries,
            critics=self._critics,
            answered=answers.cases,
        )
        outcome = loop.run(self._rounds, version, reread=answers.have_news)
        drafting = drafting_of(outcome, request, answers, key=key, model=self.client.settings.model)
        return drafting if former is None else drafting.model_copy(update={"former_agent": former.agent})

    def _version(self, drafting: KeptDrafting, request: str, spec: AgentSpec) -> Version | None:
        """The version with which a drafting ended, rebuilt from its replies; None if that is not possible."""
        try:
            design, _ = read_design(drafting.replies.design, request, spec, self._style.notation)
            policy = read_parts(block(drafting.replies.policy, "python"), design.cited)
            contract = read_parts(block(drafting.replies.contract, "python"), design.cited)
            cases, _ = read_cases(drafting.replies.cases, design)
        except NotUsable:
            return None
        replies = {
            WrittenPart.DESIGN: drafting.replies.design,
            WrittenPart.POLICY: drafting.replies.policy,
            WrittenPart.CONTRACT: drafting.replies.contract,
            WrittenPart.CASES: drafting.replies.cases,
        }
        own_policy = replace(policy, contracts=(), title=design.title)
        return Version(design, replies, own_policy, contract, cases)

    # --- the draft ----------------------------------------------------------------

    def _as_draft(
        self, drafting: KeptDrafting, request: str, given_spec: AgentSpec, choices: Mapping[str, str]
    ) -> Draft:
        spec = self._spec(drafting, given_spec)
        under = _under(drafting.policy, spec)
        questions = tuple(
            with_example(question_of(question, request), question, under) for question in drafting.questions
        )
        requirements = tuple(
            Requirement(
                requirement.id,
                requirement.text,
                request[requirement.start : requirement.end],
                span_of(request, requirement.start, requirement.end),
                tuple(
                    question.id
                    for question in questions
                    if requirement.id in question.requirements and question.id in choices
                ),
            )
            for requirement in drafting.requirements
        )
        policy = closed_until_redrafted(drafting, differing(drafting, under, choices), choices, spec)
        arguments, cases = _over(
            policy, spec, [*cases_of(drafting), *PersonAnswers.to(drafting, request, choices).cases]
        )
        return Draft(
            sentences_of(drafting, request, choices),
            requirements,
            arguments,
            policy,
            questions,
            cases=cases,
            rounds=tuple(
                DraftRound(draft_round.policy, draft_round.score, draft_round.found, number == drafting.best)
                for number, draft_round in enumerate(drafting.rounds)
            ),
            stopped=drafting.stopped,
            agent=spec,
        )

    def _spec(self, drafting: KeptDrafting, spec: AgentSpec) -> AgentSpec:
        """The agent spec with the model's parts; raises WorkbenchError if the two do not fit together."""
        try:
            parts = drafting.agent
            return read_agent_parts(parts, spec, self._style.notation) if parts.strip() else spec
        except NotUsable as error:
            raise WorkbenchError(
                f"What the model wrote of the agent no longer fits agent.toml ({error}). Undo that, or draft "
                "again."
            ) from None


def _choice_key(choices: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(choices.items()))


def _lowered(policy: str, spec: AgentSpec) -> LoweredPolicy | None:
    """What a policy of calls comes to; None if it is not in the dialect."""
    try:
        return lowered_policy(policy, spec)
    except WorkbenchError:
        return None


def _under(policy: str, spec: AgentSpec) -> CasesUnder | None:
    """What decides cases by a policy; None if it is not in the dialect."""
    lowered = _lowered(policy, spec)
    return None if lowered is None else CasesUnder(lowered, spec)


def _over(
    policy: str, spec: AgentSpec, cases: Sequence[RunCase]
) -> tuple[tuple[Argument, ...], tuple[Case, ...]]:
    """The arguments of a policy, and the cases over them; none if it is not in the dialect."""
    lowered = _lowered(policy, spec)
    return ((), ()) if lowered is None else (lowered.arguments, cases_over(lowered, spec, cases))
