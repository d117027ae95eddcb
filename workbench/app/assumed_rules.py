"""Completes rules whose tools or form a person left out, if only one choice fits everything else.

Each completed part is an assumption that is shown: the rule has what was assumed and why. Anything that a
person says takes precedence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workbench.model import AgentSpec, Record, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.results import Logs
    from workbench.author.rules.norms import Effect
    from workbench.clarify.fact_book import FactBook
    from workbench.clarify.person_rule import PersonRule
    from workbench.clarify.sayable_facts import SayableFact
    from workbench.model import Arguments, Run

ANY = "any"
"""The word in place of tools if a rule is about every call."""
_FEWEST_CALLS = 4
_MOST_DENIED = 4
"""A form is assumed if it denies at most one in this many recorded calls, and its opposite the rest."""


@dataclass(frozen=True, slots=True)
class StatedRule:
    """A rule as stated by a person, who may leave its form and its tools open."""

    form: str
    tools: tuple[str, ...]
    conditions: tuple[str, ...]
    either: bool = False


@dataclass(slots=True)
class AssumedRules:
    """Completes rules; a person's tools for some facts are used for later rules about these facts."""

    spec: AgentSpec
    book: FactBook
    logs: Logs
    _chosen_tools: dict[frozenset[str], tuple[str, ...]] = field(
        default_factory=dict[frozenset[str], tuple[str, ...]]
    )

    def completed(self, stated_rules: Sequence[StatedRule], named: Sequence[str]) -> tuple[PersonRule, ...]:
        """The completed rules of a sentence, whose words name some tools.

        Raises WorkbenchError if a rule is not understood, or if several choices fit a part that is left open.
        """
        return tuple(self._completed(rule, named) for rule in stated_rules)

    def _completed(self, stated_rule: StatedRule, named: Sequence[str]) -> PersonRule:
        from workbench.author.rules.norms import Effect
        from workbench.clarify.person_rule import FORMS, PersonRule

        if stated_rule.form and stated_rule.form not in FORMS:
            raise WorkbenchError(
                f"{stated_rule.form!r} is no form of a rule; the forms are: {', '.join(FORMS)}."
            )
        if not stated_rule.form and not stated_rule.conditions:
            raise WorkbenchError(f"Say what the rule does: {', '.join(FORMS)}.")
        effect = FORMS[stated_rule.form] if stated_rule.form else Effect.REQUIRE
        person_rule = PersonRule(effect, stated_rule.tools, stated_rule.conditions, stated_rule.either)
        if stated_rule.tools == (ANY,):
            person_rule = replace(person_rule, tools=())
        elif stated_rule.conditions:
            person_rule = self._with_tools(person_rule, named)
        person_rule = replace(
            person_rule,
            partly_named=self.book.called_otherwise(person_rule),
            assumed=(*person_rule.assumed, *self.book.may_differ(person_rule)),
        )
        person_rule = person_rule if stated_rule.form else self._with_form(person_rule)
        read = replace(person_rule, conditions=tuple(map(self.book.aloud, person_rule.conditions)))
        return person_rule if read == person_rule else replace(person_rule, aloud=read.sentence)

    # --- tools

    def _with_tools(self, person_rule: PersonRule, named: Sequence[str]) -> PersonRule:
        """The rule about the tools that a person gave, else about the tools that its facts leave."""
        having, apart = self._having(person_rule)
        if person_rule.tools:
            self._chosen_tools[having] = person_rule.tools
            return person_rule
        conditions_text = " ".join(person_rule.conditions)
        named = tuple(tool for tool in named if tool not in conditions_text)
        common_tools = tuple(tool for tool in named if tool in having)
        if len(having) == 1:
            tools, why = tuple(having), "whose calls alone have all that it speaks of"
        elif common_tools or (named and not having):
            tools, why = common_tools or named, "which the sentence names"
        elif having and having in self._chosen_tools:
            tools, why = self._chosen_tools[having], "as said before of rules about the same"
        elif apart:
            tools, why = tuple(sorted(having)), "whose calls have a part each of what it speaks of"
        elif not having:
            every = "about every call, as it speaks of none in particular"
            return replace(person_rule, assumed=(*person_rule.assumed, every))
        else:
            several = ", ".join(sorted(having))
            raise WorkbenchError(f"Say which tools it is about: calls of {several} have what it speaks of.")
        return replace(
            person_rule, tools=tools, assumed=(*person_rule.assumed, f"about {' and '.join(tools)}, {why}")
        )

    def _having(self, person_rule: PersonRule) -> tuple[frozenset[str], bool]:
        """The tools whose calls have the facts of all conditions; with "either", of any condition.

        If no tool has all facts, the tools that have some of them, and True.
        """
        tool_sets: list[frozenset[str]] = []
        apart = False
        for text in person_rule.conditions:
            facts = self.book.condition(text).facts
            if sets := [tools for fact in facts if (tools := _tools_of(fact))]:
                common = frozenset[str].intersection(*sets)
                apart = apart or not common
                tool_sets.append(common or frozenset[str].union(*sets))
        if not tool_sets:
            return frozenset(), False
        every, common = frozenset[str].union(*tool_sets), frozenset[str].intersection(*tool_sets)
        if person_rule.either or not common:
            return every, apart or not common
        return common, apart

    # --- forms

    def _with_form(self, person_rule: PersonRule) -> PersonRule:
        """The rule in the form that denies few of the recorded calls, if its opposite denies most of them."""
        from workbench.author.rules.norms import Effect

        only, never = self._denied(person_rule, Effect.REQUIRE), self._denied(person_rule, Effect.FORBID)
        for effect, name, mine, opposite in (
            (Effect.REQUIRE, "only if", only, never),
            (Effect.FORBID, "never if", never, only),
        ):
            calls = mine[1]
            if calls >= _FEWEST_CALLS and mine[0] * _MOST_DENIED <= calls <= opposite[0] + mine[0]:
                why = (
                    f"“{name}”, which denies {mine[0]} of {calls} recorded calls, "
                    f"and its opposite {opposite[0]}"
                )
                return replace(person_rule, effect=effect, assumed=(*person_rule.assumed, why))
        raise WorkbenchError(
            "Say whether it is “only if” or “never if”: the recorded calls do not tell, both deny many."
        )

    def _denied(self, person_rule: PersonRule, effect: Effect) -> tuple[int, int]:
        """The number of recorded calls that the rule denies in a form, and the number that it is about."""
        from workbench.author.argument_terms import names
        from workbench.policy.evaluate import evaluate
        from workbench.policy.terms import PolicyTerms

        norm, facts = self.book.rule(replace(person_rule, effect=effect))
        spec = declaring(self.spec, facts)
        used_names = frozenset(names(norm.scope, norm.condition))
        nothing = PolicyTerms("", (), {}, {}, {}, (), True, (), (), 0)
        denied = total = 0
        for arguments in _arguments(spec, used_names, person_rule.tools, self.logs.runs):
            try:
                decided = evaluate(nothing, norm.denies, arguments)
            except (KeyError, TypeError, WorkbenchError):
                continue
            total += 1
            denied += decided is True
        return denied, total


def _tools_of(fact: SayableFact) -> frozenset[str]:
    """The tools whose calls have a fact."""
    return frozenset(fact.tools)


def _arguments(
    spec: AgentSpec, used_names: frozenset[str], tools: Sequence[str], runs: Sequence[Run]
) -> list[Arguments]:
    """The arguments of the recorded calls of some tools, without the calls that lack one of them."""
    from workbench.app.results import complete
    from workbench.runs.extract.extractor import Extractor
    from workbench.runs.world.earlier_calls import Earlier

    read_arguments = [
        argument
        for argument in spec.arguments
        if argument.name in used_names or argument.type.record is not None
    ]
    extractor = Extractor(read_arguments, spec)
    inputs: list[Arguments] = []
    for run in runs:
        for place, call in enumerate(run.calls):
            if tools and call.tool not in tools:
                continue
            extracted = extractor.extract(call, Earlier(run.calls, place))
            arguments = complete({name: value for name, value in extracted.items() if name in used_names})
            if arguments is not None:
                inputs.append(arguments)
    return inputs


def declaring(spec: AgentSpec, facts: Sequence[SayableFact]) -> AgentSpec:
    """The agent spec with facts declared, and with the records that they come from and the needed fields."""
    from workbench.session.agent_file import read_agent, write_agent

    arguments = {argument.name: argument for argument in spec.arguments}
    records = {record.name: record for record in spec.records}
    for fact in facts:
        for record in fact.records:
            records[record.name] = _with_more(records.get(record.name), record)
        for argument in fact.declared:
            arguments.setdefault(argument.name, argument)
    declared = replace(spec, arguments=tuple(arguments.values()), records=tuple(records.values()))
    # The types of lists and joins follow from all records together: reading the file makes them.
    return read_agent(write_agent(declared)) if records else declared


def _with_more(record: Record | None, other_record: Record) -> Record:
    """A record with its own fields and joins and those of another record of its name."""
    if record is None:
        return other_record
    fields = {field.name: field for field in (*other_record.fields, *record.fields)}
    joins = {join.name: join for join in (*other_record.joins, *record.joins)}
    return replace(record, fields=tuple(fields.values()), joins=tuple(joins.values()))
