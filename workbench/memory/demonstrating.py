"""A demonstration made of a decided call: the four steps of its plan, and guardrail code (GuardAgent 4.2).

The policy is the teacher: the code is the policy's own rules on the facts of the call. The code is kept only
if running it gives the policy's decision.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping, Sequence

from workbench.memory.call_texts import call_texts
from workbench.model import (
    CallDecision,
    Demonstration,
    Json,
    RecordedCall,
    Value,
    Verdict,
    WorkbenchError,
)
from workbench.policy.literals import literal
from workbench.policy.names import free_name
from workbench.policy.term_text import render_term
from workbench.policy.terms import PolicyTerms, Rule, Table

_LONGEST_FACT = 300


def demonstration_of(
    call: RecordedCall,
    decided: CallDecision,
    terms: PolicyTerms,
    taken_ids: Collection[str] = (),
    *,
    run: Callable[[str], Json],
) -> Demonstration:
    """The demonstration of a call that the policy decided; its id is not in ``taken_ids``.

    ``run`` runs guardrail code in the sandbox and returns its label (0 or 1), or the reason in words why
    there is none.

    Raises WorkbenchError if the policy could not decide, if the log has no text to compare with, or if the
    policy's rules cannot be written as guardrail code.
    """
    decision = decided.decision
    where = f"Call {call.index} of {call.run}"
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        raise WorkbenchError(f"{where} could not be decided, so it demonstrates nothing: choose another.")
    agent_input, agent_output = call_texts(call)
    if not agent_input and not agent_output:
        raise WorkbenchError(f"{where} has no text of the agent to compare other calls with: choose another.")
    fired = {violation.rule for violation in decision.violations}
    speaking = [rule for rule in terms.rules if rule.name in fired] or list(terms.rules)
    code = _checked(terms, speaking, decision.arguments, decision.verdict, run)
    rules_text = " ".join(dict.fromkeys(_sentence(rule.message) for rule in speaking))
    words = terms.file.words
    in_call = {
        name: value
        for name, value in decision.arguments.items()
        if name == "tool" or words.expressions.get(name, "").startswith("call.")
    }
    around = {name: value for name, value in decision.arguments.items() if name not in in_call}
    plan = (
        f"The request limits what the agent may do. {rules_text}".strip(),
        f"Of the input and what was before, this concerns: {_facts(around)}.",
        f"Of the output, this concerns: {_facts(in_call)}.",
        "Write guardrail code that holds these facts against the rules, with each list as a whole.",
    )
    return Demonstration(
        free_id(f"{call.run}-{call.index}", taken_ids), agent_input, agent_output, plan, code
    )


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?")) or not line else f"{line}."


def _facts(arguments: Mapping[str, Value]) -> str:
    shown_facts = [f"{name} = {_cut(literal(value))}" for name, value in arguments.items()]
    return ", ".join(shown_facts) or "none"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_FACT else f"{text[:_LONGEST_FACT]}..."


def free_id(name: str, taken_ids: Collection[str]) -> str:
    """An id similar to a name that is not taken."""
    base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "step"
    return free_name(base, taken_ids, "-")


# --- guardrail code ---------------------------------------------------------------


def _checked(
    terms: PolicyTerms,
    rules: Sequence[Rule],
    arguments: Mapping[str, Value],
    expected: Verdict,
    run: Callable[[str], Json],
) -> str:
    """Code that was run and gave the decision."""
    code = guardrail_code(terms, rules, arguments)
    label = run(code)
    if label == (0 if expected is Verdict.ALLOW else 1):
        return code
    why = label.partition("\n")[0] if isinstance(label, str) else "the code comes to another decision."
    reason = re.sub(r"^line \d+: ", "", why)  # a line number of code that is not shown
    raise WorkbenchError(f"The policy's rules cannot be written as guardrail code: {reason}")


def guardrail_code(terms: PolicyTerms, rules: Sequence[Rule], arguments: Mapping[str, Value]) -> str:
    """The rules on the arguments as guardrail code, with the constants that they use whole."""
    bodies = {rule.name: ast.parse(render_term(rule.body, terms.tables), mode="eval").body for rule in rules}
    used = {node.id for body in bodies.values() for node in ast.walk(body) if isinstance(node, ast.Name)}
    lines = [f"{name} = {literal(frozenset(of.values))}" for name, of in terms.sets.items() if name in used]
    lines += [f"{name} = {_table(of)}" for name, of in terms.tables.items() if name in used]
    lines += [f"def {_call(rule)}:\n    return {ast.unparse(bodies[rule.name])}" for rule in rules]
    unknown = {one.name: None for rule in rules for one in rule.parameters if one.name not in arguments}
    lines += [f"{name} = {_fact(value)}" for name, value in (*arguments.items(), *unknown.items())]
    lines.append("details = []")
    for rule in rules:
        if rule.forbids:
            lines.append(f"if {_call(rule)}:\n    {_reported(rule, bodies[rule.name])}")
    permits = [rule for rule in rules if not rule.forbids]
    if permits and not terms.default_allow:
        permitted = " or ".join(map(_call, permits))
        lines.append(f'if not ({permitted}):\n    details.append("No rule permits it.")')
    lines.append("label = 1 if details else 0")
    return "\n".join(lines) + "\n"


def _table(table: Table) -> str:
    entries = (f"{literal(key)}: {literal(entry)}" for key, entry in table.entries.items())
    return f"{{{', '.join(entries)}}}"


def _call(rule: Rule) -> str:
    return f"{rule.name}({', '.join(parameter.name for parameter in rule.parameters)})"


def _reported(rule: Rule, body: ast.expr) -> str:
    """The line of code that reports the elements at fault if the rule tests elements, else its message."""
    match body:
        case ast.Call(ast.Name("any"), [ast.GeneratorExp(test, [ast.comprehension(ast.Name(name), of, [])])]):
            faults = f"{name} for {name} in {ast.unparse(of)} if {ast.unparse(test)}"
            return f"details.extend(sorted({faults}))"
        case _:
            return _message_line(rule)


def _message_line(rule: Rule) -> str:
    return f"details.append({literal(rule.message)})"


def _fact(value: Value) -> str:
    """A fact as a literal of the subset, whose sets are written as lists."""
    if isinstance(value, frozenset):
        return f"[{', '.join(literal(member) for member in sorted(value, key=str))}]"
    return literal(value)
