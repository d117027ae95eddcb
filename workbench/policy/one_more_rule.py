"""A policy file with one more rule: its records, its function, its call in the decision, and its clause."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.model import WorkbenchError
from workbench.policy.check import check
from workbench.policy.record_texts import record_text, records_of
from workbench.policy.render import format_policy, imports_for, render_type, used_parameters
from workbench.policy.rule_names import NEGATED, decision_text
from workbench.policy.terms import Parameter, PolicyTerms


@dataclass(frozen=True, slots=True)
class NewRule:
    """A rule to add: ``condition`` is the text of an expression over the arguments."""

    name: str
    condition: str
    message: str
    requirements: tuple[str, ...] = ()

    @property
    def forbids(self) -> bool:
        """Whether no call that meets the condition of the rule is allowed."""
        return self.name.startswith(NEGATED)

    @property
    def comment(self) -> str:
        """The comment above its clause, which names its requirements."""
        ids = f"{', '.join(self.requirements)}: " if self.requirements else ""
        return f"{ids}{_one_line(self.message)}"


def with_rule(source: str, rule: NewRule, declared: Sequence[Parameter]) -> str:
    """The policy with the rule as its last rule; ``declared`` are the arguments that the rule may use.

    Arguments that the policy does not take yet are added after its own. A rule that forbids gets a clause of
    the contract. Raises WorkbenchError if the rule cannot be added to the file, and PolicyError with the
    problems of the condition.
    """
    text = format_policy(source)
    policy = check(text)
    _check_effect(rule, policy)
    argument_by_name = {argument.name: argument for argument in policy.arguments}
    known_parameters = [
        *policy.arguments,
        *(parameter for parameter in declared if parameter.name not in argument_by_name),
    ]
    rule_parameters = used_parameters(rule.condition, known_parameters)
    new_parameters = [parameter for parameter in rule_parameters if parameter.name not in argument_by_name]
    tree = ast.parse(text)
    last = tree.body[-1]
    assert isinstance(last, ast.FunctionDef)
    lines = text.split("\n")
    above = _above(
        lines, next(statement for statement in tree.body if isinstance(statement, ast.FunctionDef))
    )
    constants, functions = _without_imports(lines[:above], tree), lines[above : _above(lines, last)]
    enums = _enums(tree)
    records = [
        record_type
        for record_type in records_of(parameter.type for parameter in new_parameters)
        if record_type.name not in policy.records
    ]
    parts = ["\n".join(constants), *(record_text(record, enums) for record in records)]
    parts += ["\n".join(functions).strip(), _function(rule, rule_parameters, enums)]
    parts.append(_decision(rule, policy, rule_parameters, new_parameters, lines, last, enums))
    body = "\n\n\n".join(part for part in parts if part.strip())
    doc, _, code_text = _apart(body, tree)
    new_source = format_policy(f"{doc}\n\n{imports_for(code_text)}\n\n{code_text}\n")
    check(new_source)
    return new_source


def _check_effect(rule: NewRule, policy: PolicyTerms) -> None:
    permits = any(not policy_rule.forbids for policy_rule in policy.rules)
    if rule.name in {policy_rule.name for policy_rule in policy.rules} | set(policy.helpers):
        raise WorkbenchError(
            f"The policy has a rule or helper called {rule.name}; give the rule another name."
        )
    if not rule.forbids and policy.default_allow:
        raise WorkbenchError(
            "The policy allows what no rule forbids, so a rule that allows would forbid all the rest; "
            "say what is forbidden instead."
        )
    if rule.forbids and not policy.default_allow and not permits:
        raise WorkbenchError("The policy denies everything, so nothing is left to forbid.")


def _above(lines: Sequence[str], function: ast.FunctionDef) -> int:
    """The number of lines before a function and the comments above it."""
    above = function.lineno - 1
    while above and lines[above - 1].startswith("#"):
        above -= 1
    return above


def _without_imports(lines: Sequence[str], tree: ast.Module) -> list[str]:
    gone = {
        line
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return [line for number, line in enumerate(lines, 1) if number not in gone]


def _apart(body: str, tree: ast.Module) -> tuple[str, str, str]:
    """The docstring of the file and the rest of it."""
    if ast.get_docstring(tree, clean=False) is None:
        return "", "", body
    first = ast.parse(body).body[0]
    lines = body.split("\n")
    return "\n".join(lines[: first.end_lineno]), "\n", "\n".join(lines[first.end_lineno :])


def _enums(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """The enums that the file names, by their names."""
    values_by_enum: dict[str, tuple[str, ...]] = {}
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Subscript)
        ):
            held = node.value.slice
            members = held.elts if isinstance(held, ast.Tuple) else [held]
            values = tuple(str(member.value) for member in members if isinstance(member, ast.Constant))
            values_by_enum[node.targets[0].id] = values
    return values_by_enum


def _header(parameters: Sequence[Parameter], enums: dict[str, tuple[str, ...]]) -> str:
    return ", ".join(f"{parameter.name}: {render_type(parameter.type, enums)}" for parameter in parameters)


def _function(rule: NewRule, rule_parameters: Sequence[Parameter], enums: dict[str, tuple[str, ...]]) -> str:
    return (
        f"def {rule.name}({_header(rule_parameters, enums)}) -> bool:\n"
        f'    """{rule.comment}"""\n    return ({rule.condition})'
    )


def _decision(
    rule: NewRule,
    policy: PolicyTerms,
    rule_parameters: Sequence[Parameter],
    new_parameters: Sequence[Parameter],
    lines: Sequence[str],
    last: ast.FunctionDef,
    enums: dict[str, tuple[str, ...]],
) -> str:
    """The deciding function with a call of the rule, and with a clause for a rule that forbids."""
    first, returned = last.body[0], last.body[-1]
    above = first.lineno - 1
    while lines[above - 1].strip().startswith("#"):
        above -= 1
    contract_text = "\n".join(lines[above : returned.lineno - 1]) if first is not returned else ""
    parameters_text = ", ".join(filter(None, [ast.unparse(last.args), _header(new_parameters, enums)]))
    calls = [
        (policy_rule.name, [held.name for held in policy_rule.parameters]) for policy_rule in policy.rules
    ]
    calls.append((rule.name, [parameter.name for parameter in rule_parameters]))
    written = [f"{name}({', '.join(names)})" for name, names in calls]
    clause = f"    # {rule.comment}\n    Ensures(Implies(({rule.condition}), not Result()))"
    return "\n".join(
        filter(
            None,
            [
                f"def {last.name}({parameters_text}) -> bool:",
                contract_text.rstrip(),
                clause if rule.forbids else "",
                f"    return {decision_text(written)}",
            ],
        )
    )


def _one_line(text: str) -> str:
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.split()).replace("\\", "/").replace('"', "'")
