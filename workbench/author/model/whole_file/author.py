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
from workbench.author.model.whole_file.contested_inputs import answered_case
from workbench.author.model.whole_file.critics import CRITICS, Critic, WrittenPart, read_logs
from workbench.author.model.whole_file.design import (
    AgentNotation,
    names_in,
    read_agent_parts,
    read_design,
)
from workbench.author.model.whole_file.drafting_of_loop import drafting_of
from workbench.author.model.whole_file.loop import Loop, Version
from workbench.author.model.whole_file.model_cases import read_cases
from workbench.author.model.whole_file.person_answers import PersonAnswers
from workbench.author.model.whole_file.reply_parts import own_parts, read_parts
from workbench.author.model.whole_file.run_shapes import looked_at, shapes
from workbench.author.model.whole_file.stored_drafting import (
    KeepsDrafting,
    KeptDrafting,
    key_of,
)
from workbench.author.model.whole_file.stored_parts import (
    cases_of,
    fitting,
    question_of,
    sentences_of,
    untold,
    with_typed_example,
)
from workbench.author.model.whole_file.untold_answers import closed_until_redrafted, differing
from workbench.model import (
    AgentSpec,
    Demonstration,
    Draft,
    DraftRound,
    Requirement,
    Run,
    WorkbenchError,
    span_of,
)
from workbench.runs.extract.observe import arguments_of

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
        return frozenset() if drafting is None else differing(drafting, draft.questions, choices)

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
        """The agent spec without the model's parts and without arguments proposed from the tools."""
        texts = () if drafting is None else (drafting.agent, drafting.former_agent)
        written_by_model = [self._own(spec, text) for text in texts if text]
        records = [record for written_spec in written_by_model for record in written_spec.records]
        arguments = [argument for written_spec in written_by_model for argument in written_spec.arguments]
        calls = [call for run in looked_at(self._style.runs(spec)) for call in run.calls]
        proposed = {argument.name: argument for argument in arguments_of(spec.tools, calls)}
        return replace(
            spec,
            records=tuple(record for record in spec.records if record not in records),
            arguments=tuple(
                argument
                for argument in spec.arguments
                if argument not in arguments and proposed.get(argument.name) != argument
            ),
            zone="" if spec.zone in {written_spec.zone for written_spec in written_by_model} else spec.zone,
        )

    def _own(self, spec: AgentSpec, agent: str) -> AgentSpec:
        """The parts of the agent spec that the model wrote, and nothing else."""
        records, arguments, zone = names_in(agent)
        remaining_spec = replace(
            spec,
            records=tuple(record for record in spec.records if record.name not in records),
            arguments=tuple(argument for argument in spec.arguments if argument.name not in arguments),
            zone="" if zone == spec.zone else spec.zone,
        )
        try:
            whole = read_agent_parts(agent, remaining_spec, self._style.notation)
        except NotUsable:  # a person changed a part on which the model's parts depend
            return AgentSpec(spec.name)
        return replace(
            whole,
            records=tuple(record for record in whole.records if record.name in records),
            arguments=tuple(argument for argument in whole.arguments if argument.name in arguments),
            zone=zone,
        )

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
        version = None if former is None else self._version(former, request, given_spec, runs)
        spec = given_spec if version is None else version.design.spec
        answers = PersonAnswers.to(former, request, spec, choices)
        has_own = bool(given_spec.records or given_spec.arguments)
        brief = prompts.Brief(
            request,
            given_spec,
            own_parts(self._style.notation.write(given_spec)) if has_own else "",
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

    def _version(
        self, drafting: KeptDrafting, request: str, spec: AgentSpec, runs: Sequence[Run]
    ) -> Version | None:
        """The version with which a drafting ended, rebuilt from its replies; None if that is not possible."""
        try:
            design, _ = read_design(drafting.replies.design, request, spec, self._style.notation)
            policy = read_parts(block(drafting.replies.policy, "python"), design.spec)
            contract = read_parts(block(drafting.replies.contract, "python"), design.spec)
            cases, _ = read_cases(drafting.replies.cases, design)
        except NotUsable:
            return None
        replies = {
            WrittenPart.DESIGN: drafting.replies.design,
            WrittenPart.POLICY: drafting.replies.policy,
            WrittenPart.CONTRACT: drafting.replies.contract,
            WrittenPart.CASES: drafting.replies.cases,
        }
        own_policy = replace(policy, clauses=(), title=design.title)
        return Version(design, read_logs(design, runs), replies, own_policy, contract, cases)

    # --- the draft ----------------------------------------------------------------

    def _as_draft(
        self, drafting: KeptDrafting, request: str, given_spec: AgentSpec, choices: Mapping[str, str]
    ) -> Draft:
        spec = self._spec(drafting, given_spec)
        questions = tuple(
            with_typed_example(question_of(question, request), question.example, spec)
            for question in drafting.questions
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
        policy = closed_until_redrafted(drafting, questions, choices, spec)
        answered_cases = (answered_case(question, choices.get(question.id, "")) for question in questions)
        answered = [case for case in answered_cases if case is not None]
        return Draft(
            sentences_of(drafting, request, choices),
            requirements,
            spec.arguments,
            policy,
            questions,
            cases=tuple(fitting([*cases_of(drafting, spec), *answered], policy)),
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
            return read_agent_parts(drafting.agent, spec, self._style.notation) if drafting.agent else spec
        except NotUsable as error:
            raise WorkbenchError(
                f"What the model wrote of the agent no longer fits agent.toml ({error}). Undo that, or draft "
                "again."
            ) from None


def _choice_key(choices: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(choices.items()))
