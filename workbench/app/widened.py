"""The widenings of a session against its accepted version: each is not in force until a person accepts it.

A rule that an edit loses or weakens is found by the solver, by its name. How calls are read decides too, and
no proof covers it: a record, tool or reading of the accepted version that is read otherwise is named as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.app.enforced import accept_command
from workbench.app.owed import Owed, OwedKind
from workbench.app.value_texts import arguments_words, run_words
from workbench.check.realise.realised_differences import Versions
from workbench.dialect.call_types import agent_types, class_name
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy, CallTheorem, OverCalls
from workbench.dialect.same_expressions import named_alike
from workbench.dialect.theorem_steps import with_values
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.engines.smt.solved_queries import solve
from workbench.engines.smt.widening import Widening, WideningKind, may_allow, widenings
from workbench.guard.look_alike_names import property_names
from workbench.model import TOOL_ARGUMENT, AgentSpec, Json, Run, Tool, WorkbenchError, learns
from workbench.policy.connectives import conjunction, negate
from workbench.policy.terms import Lookup, Parameter, PolicyTerms, TableEntry, Term, Variable
from workbench.policy.walk import subterms
from workbench.session.accepted_version import NAME

if TYPE_CHECKING:
    from workbench.app.enforced import Enforced
    from workbench.policy.written import ArgumentWords
    from workbench.session import Session, SessionInfo
    from workbench.session.accepted_version import AcceptedVersion

_STATEMENTS: Mapping[WideningKind, str] = {
    WideningKind.LOST_RULE: "{version} denies by {name}",
    WideningKind.PERMISSION: "{version} does not permit by {name}",
    WideningKind.DEFAULT: "{version} allows only what a rule permits",
    WideningKind.PRECONDITION: "{version} cannot evaluate what its preconditions exclude",
    WideningKind.ARGUMENT: "{version} cannot evaluate every value of {name}",
    WideningKind.VALUE: "{version} does not know {name}, and cannot evaluate it",
}

_OWN = "the accepted version"
_SEARCHED = 4
"""The widenings for which a run is searched; the others of a large revision have the input of the solver."""
_TOOLS = "tools."
"""How a tool that is new or read otherwise is named: that the policy may allow calls of it says no more."""
_ANNOTATIONS = frozenset({"description", "title", "examples", "default", "deprecated", "$comment"})
_OTHER_KEYS = ("additionalProperties", "unevaluatedProperties")


@dataclass(frozen=True, slots=True)
class _Compared:
    """An accepted version with which a policy is compared, and how sentences name it."""

    version: AcceptedVersion
    named: str = _OWN


def widened(accepted: AcceptedVersion, terms: PolicyTerms, session: Session) -> tuple[Owed, ...]:
    """The widenings of a policy, of the reading of calls, and of the guards, against the accepted version."""
    items = (*_widenings(_Compared(accepted), terms, session), *_of_guards(accepted, session.info))
    unique = {item.name: item for item in reversed(items)}
    return tuple(
        replace(
            item, mend=f"put it back, or accept it by its name: {accept_command(session.path, item.name)}"
        )
        for item in reversed(unique.values())
    )


def narrowed(accepted: AcceptedVersion, terms: PolicyTerms, session: Session) -> tuple[Owed, ...]:
    """What guards let run by the accepted version and a policy does not; none only if that is proved.

    Accepting the session mends it, so that nobody has to accept it by its name.
    """
    items = (*_denied_by_policy(accepted, terms), *_denied_by_session(accepted, session))
    mend = f"accept the session, once all else is good: {accept_command(session.path)}"
    return tuple(replace(item, kind=OwedKind.NARROWING, mend=mend) for item in items)


def _denied_by_policy(accepted: AcceptedVersion, terms: PolicyTerms) -> Iterator[Owed]:
    """Each rule by which a policy denies what the accepted version lets run."""
    was = named_alike(accepted.terms, terms)
    words = was.file.words.joined(terms.file.words)
    for found in widenings(terms, was):
        statement = f"guards deny what the policy denies, by its {found.name}"
        if found.undecided:
            yield _owed(found.name, statement, f"it is not proved that they do: {found.undecided}")
        else:
            example = arguments_words(words.shown(found.example)) or "any input"
            yield _owed(found.name, statement, f"the accepted version, which guards run, lets run: {example}")


def _denied_by_session(accepted: AcceptedVersion, session: Session) -> Iterator[Owed]:
    """The tools that the agent file has no more, and the guards that the accepted version does not have."""
    present = {tool.name for tool in session.spec.tools}
    for tool in accepted.spec.tools:
        if tool.name not in present and may_allow(accepted.terms, TOOL_ARGUMENT, tool.name):
            statement = f"guards do not know the tool {tool.name}, which agent.toml does not have"
            yield _owed(f"{_TOOLS}{tool.name}", statement, "the accepted version, which guards run, has it")
    was, info = accepted.info, session.info
    more = [name for name in info.guard if name not in was.guard]
    more += ["extends"] if info.extends and not was.extends else []
    for name in more:
        statement = f"calls are guarded by {name}, as session.toml says"
        yield _owed(name, statement, f"the accepted version, which guards run, has no {name}")


def beyond_baselines(enforced: Enforced, terms: PolicyTerms, session: Session) -> tuple[Owed, ...]:
    """What a policy allows and a baseline of its session does not; none only if that is proved.

    No person accepts it by its name: a session narrows what it extends.
    """
    extends = session.info.extends
    try:
        baselines = enforced.extended(session.info).every
    except WorkbenchError as error:
        statement = f"the session extends {extends}"
        why = str(error).removesuffix(".")
        return (Owed(OwedKind.BASELINE, extends, statement, why, "give the session a baseline that decides"),)
    return tuple(
        replace(
            item,
            kind=OwedKind.BASELINE,
            name=f"{baseline.name}:{item.name}",
            mend=f"narrow it: a session allows no more than {baseline.name}, which it extends",
        )
        for baseline in baselines
        for item in _beyond(baseline, terms, session)
    )


def _beyond(baseline: Enforced, terms: PolicyTerms, session: Session) -> Iterator[Owed]:
    """What is allowed or said otherwise; a theorem that the session does not have stays the baseline's."""
    version, named = baseline.needed(), f"the version of {baseline.name}"
    yield from _widenings(_Compared(version, named), terms, session)
    own = terms.file.theorems
    yield from (item for item in owed_theorems(session, version, terms, named) if item.name in own)


def _widenings(accepted: _Compared, terms: PolicyTerms, session: Session) -> tuple[Owed, ...]:
    """The widenings of a policy and of the reading of calls against an accepted version.

    It may be that of another session, which is a baseline of this one.
    """
    read = tuple(_of_reading(accepted, terms, session))
    told = {
        f"{TOOL_ARGUMENT}={item.name.removeprefix(_TOOLS)}" for item in read if item.name.startswith(_TOOLS)
    }
    policies = (item for item in _of_policies(accepted, terms, session) if item.name not in told)
    return (*policies, *read)


def not_compared(session: Session, why: str) -> tuple[Owed, ...]:
    """What hides every widening: an accepted version that is not enforced, or that another program removed.

    ``why`` says why no version is enforced. A session that was never accepted has none.
    """
    if not session.text(NAME).strip() and not _removed(session):
        return ()
    return (
        Owed(
            OwedKind.WIDENING,
            NAME,
            "the policy is compared with the accepted version",
            f"nothing shows that it allows no more than that version: {why}",
            f"put {NAME} back, or accept the present version: {accept_command(session.path, NAME)}",
        ),
    )


def _removed(session: Session) -> bool:
    """Whether another program removed or emptied the accepted version, as far as the journal tells."""
    changes = (file for change in session.history for file in change.files if file.name == NAME)
    last = next(reversed(tuple(changes)), None)
    outside = any(change.outside and last in change.files for change in session.history)
    return last is not None and bool((last.old if outside else last.new) or "")


def _of_policies(accepted: _Compared, terms: PolicyTerms, session: Session) -> Iterator[Owed]:
    """The widenings of a policy, each with the run that shows it."""
    was = accepted.version.terms
    terms = named_alike(terms, was)
    specs = accepted.version.spec, session.agent
    versions = Versions(was, terms, *specs)
    words = was.file.words.joined(terms.file.words)
    found = widenings(was, terms)
    proved = [widening for widening in found if not widening.undecided]
    searched = proved[:_SEARCHED]
    for widening in found:
        run = versions.widening(widening.example) if widening in searched else None
        yield _of_policy(accepted, widening, words, run, is_searched=widening in searched)


def _of_policy(
    accepted: _Compared, widening: Widening, words: ArgumentWords, run: Run | None, *, is_searched: bool
) -> Owed:
    statement = _STATEMENTS[widening.kind].format(version=accepted.named, name=widening.name)
    if widening.undecided:
        return _owed(
            widening.name, statement, f"it is not proved that nothing more may run: {widening.undecided}"
        )
    example = arguments_words(words.shown(widening.example)) or "any input"
    if run is not None:
        shown = f"{example} (a run: {' '.join(run_words(run))})"
        return _owed(widening.name, statement, f"the policy lets run what that version does not: {shown}")
    why = "no run was found that shows it" if is_searched else "no run is searched for so many"
    reason = f"it is not proved that nothing more may run: it may be {example} ({why})"
    return _owed(widening.name, statement, reason)


def _of_reading(accepted: _Compared, terms: PolicyTerms, session: Session) -> Iterator[Owed]:
    """The records, tools and words of the accepted version that are read otherwise now.

    The text of an argument's expression is all that it is.
    """
    was, spec = accepted.version.spec, session.spec
    records = {record.name: record for record in spec.records}
    for record in was.records:
        if records.get(record.name) != record:
            yield _read_otherwise(accepted, f"records.{record.name}")
    readings = {reading.name: reading for reading in spec.readings}
    for reading in was.readings:
        if readings.get(reading.name) != reading:
            yield _read_otherwise(accepted, f"readings.{reading.name}")
    taught = learns(spec.readings)
    yield from _of_tools(accepted, terms, spec)
    for name, differs in (
        ("zone", spec.zone != was.zone),
        ("as_of", spec.as_of != was.as_of),
        ("context", spec.context != was.context),
        ("errors", spec.errors != was.errors),
        ("schema", spec.schema != was.schema),
        ("memory", taught and session.demonstrations != accepted.version.demonstrations),
    ):
        if differs:
            yield _read_otherwise(accepted, name)


def _of_tools(accepted: _Compared, terms: PolicyTerms, spec: AgentSpec) -> Iterator[Owed]:
    """The tools that the accepted version does not know or reads otherwise, if calls of them may be allowed.

    An accepted schema decides which keys of a call could be mistaken.
    """
    was = accepted.version.spec
    known = {tool.name: tool for tool in was.tools}
    present = {tool.name: tool for tool in spec.tools}
    for name in {**known, **present}:
        before, now = known.get(name), present.get(name)
        is_new = before is None and not _knows(was, name)
        if not is_new and not _reads_otherwise(before, now, is_read=_is_read(was, before)):
            continue
        if not may_allow(terms, TOOL_ARGUMENT, name):
            continue
        if is_new:
            yield _owed(
                f"{_TOOLS}{name}",
                f"{accepted.named} does not know the tool {name}",
                "agent.toml has it, and the policy may allow calls of it",
            )
        else:
            yield _read_otherwise(accepted, f"{_TOOLS}{name}")


def _knows(spec: AgentSpec, tool: str) -> bool:
    """Whether the argument that names the tool has a value for it."""
    return any(item.name == TOOL_ARGUMENT and tool in item.type.values for item in spec.arguments)


def _is_read(spec: AgentSpec, tool: Tool | None) -> bool:
    """Whether something that a policy reads depends on the arguments of a tool's calls."""
    if tool is None:
        return True
    expressions = [item.expression for item in spec.arguments if item.expression is not None]
    named = class_name(tool)
    return (
        any(one.plays_for(tool.name) for one in expressions)
        or any(named in text for one in expressions for text in one.texts)
        or any(tool.name in {**record.changed_by, **record.changed_to} for record in spec.records)
    )


def _reads_otherwise(before: Tool | None, now: Tool | None, *, is_read: bool) -> bool:
    """Whether calls of a tool that were refused for their keys or values may not be.

    What is read of a call is not known while it has a key that its schema does not permit.
    """
    names, present_names = (
        property_names(dict(tool.parameters)) if tool is not None else frozenset[str]()
        for tool in (before, now)
    )
    if before is None or now is None:
        return not names <= present_names
    schemas = [dict(tool.parameters) for tool in (before, now)]
    were, are = (_of_values(schema, schemas[0], is_read=is_read) for schema in schemas)
    return not names <= present_names or were != are or _notes(before) != _notes(now)


def _of_values(
    schema: Json, before: Json, *, is_read: bool, has_names: bool = False, is_open: bool = False
) -> Json:
    """What a schema says of values, without annotations.

    The names of new properties belong to it where a policy reads the object and it was not open for others.
    """
    if not isinstance(schema, Mapping):
        return schema
    was = before if isinstance(before, Mapping) else {}
    permits_others = any(was.get(key) not in (None, False) for key in _OTHER_KEYS)
    return {
        key: _of_values(
            value,
            was.get(key),
            is_read=is_read,
            has_names=key == "properties" and not has_names,
            is_open=permits_others and not has_names,
        )
        for key, value in schema.items()
        if (key in was or (is_read and not is_open) if has_names else key not in _ANNOTATIONS)
    }


def _notes(tool: Tool) -> object:
    """What the agent spec says of how the parameters of a tool are read, beside their schema."""
    own = tool.cwd, tool.cwd_parameter, tool.shell, tool.file_system, tool.remotes
    return tool.fields, *own, tool.may_have_failed


def _read_otherwise(accepted: _Compared, name: str) -> Owed:
    return _owed(
        name,
        f"{accepted.named} reads {name} of a call in its own way",
        f"the session reads {name} otherwise, so a call may get other values; no proof covers that",
    )


def _of_guards(accepted: AcceptedVersion, info: SessionInfo) -> Iterator[Owed]:
    """GuardAgent, where it guards by the accepted version and would not, or would be asked of less, now."""
    was = accepted.info
    for name in was.guard:
        if name not in info.guard:
            yield _owed(
                name,
                f"calls are guarded by {name} in the accepted version",
                f"session.toml has no {name} among its guards",
            )
    if was.extends and info.extends != was.extends:
        yield _owed(
            "extends",
            f"the accepted version extends {was.extends}, which decides its calls too",
            f"session.toml extends {info.extends or 'nothing'}",
        )


def _owed(name: str, statement: str, reason: str) -> Owed:
    return Owed(OwedKind.WIDENING, name, statement, reason)


# --- the theorems that are gone or weaker than an accepted version has them

_LIMIT_MS = 1_500


def stated(terms: PolicyTerms, spec: AgentSpec) -> CallPolicy | None:
    """A policy of calls with its theorems, without rules and clauses; None if it has no theorem."""
    written = terms.written
    if written is None or not written.theorems:
        return None
    return check_calls(written.text, agent_types(spec), all_have_ended=True, theorems_alone=True)


def weakened(old: CallPolicy | None, new: CallPolicy | None) -> Iterator[tuple[CallTheorem, bool]]:
    """The theorems of an old version that the new one does not state or imply, each with whether it is gone.

    A theorem is implied by one of its name that says as much or more of the same calls, as a proof shows.
    """
    theirs = {} if new is None else {one.name: one for one in new.theorems}
    for theorem in () if old is None else old.theorems:
        now = theirs.get(theorem.name)
        if now is None or new is None or old is None:
            yield theorem, True
        elif not _tables_stay(theorem, old, new) or not implies(now, theorem, places=old.places):
            yield theorem, False


def implies(one: CallTheorem, other: CallTheorem, places: int) -> bool:
    """Whether it is proved that a theorem says at least what another one says, whatever its calls have."""
    own, names = _shared(one, other)
    if own == other.term:
        return True
    values = [*other.parts, *(replace(part, name=names[part.name].name) for part in one.parts)]
    types = {part.name: part.type for part in values}
    arguments = tuple(Parameter(name, type_) for name, type_ in types.items())
    terms = PolicyTerms(arguments, {}, {}, (), True, (), (), places)
    solved, _ = solve(Formula(terms), conjunction((own, negate(other.term))), _LIMIT_MS)
    return solved.arguments is None and solved.status is SolverAnswer.UNSAT


def _shared(one: CallTheorem, other: CallTheorem) -> tuple[Term, Mapping[str, Variable]]:
    """A theorem with the other's name for each value that both gather, and for no other value."""
    theirs = {_meaning(part): part for part in other.parts}
    names = {
        part.name: Variable(
            found.name if (found := theirs.get(_meaning(part))) else f"#{part.name}", part.type
        )
        for part in one.parts
    }
    return with_values(one.term, names), names


def _meaning(part: OverCalls) -> OverCalls:
    """A gathered value as far as it says what it is: not its name, nor how the file or a rule writes it."""
    return replace(part, name="", text="", before=None, some=None)


def _tables_stay(theorem: CallTheorem, old: CallPolicy, new: CallPolicy) -> bool:
    """Whether the tables that a theorem reads are the same; its sets and constants are in its terms."""
    tables = {
        part.table
        for term in (theorem.term, *theorem.of_calls)
        for part in subterms(term)
        if isinstance(part, Lookup | TableEntry)
    }
    return all(old.tables.get(name) == new.tables.get(name) for name in tables)


def owed_theorems(
    session: Session, accepted: AcceptedVersion, terms: PolicyTerms, named: str = _OWN
) -> Iterator[Owed]:
    """Each theorem of an accepted version that the policy neither states nor implies by one of its name."""
    now, was = stated(terms, session.spec), stated(accepted.terms, accepted.spec)
    for theorem, gone in weakened(was, now):
        how = "it is gone" if gone else "nothing proves that it says as much"
        yield Owed(
            OwedKind.THEOREM,
            theorem.name,
            theorem.sentence,
            f"{how} as in {named}, so that it is not proved of this one",
            f"write it as it was, or accept that: {accept_command(session.path, theorem.name)}",
        )
