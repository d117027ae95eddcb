"""Disagreements that no round settled: questions about their inputs, and a policy that is strict until then.

If the policy allows what a clause of the contract denies, a rule is added that forbids everything that this
clause denies. The rule is part of the policy until a person has answered and the next draft includes the
answer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.author.doubts import short_hash
from workbench.author.model.draft_findings import show
from workbench.author.model.whole_file.critics import Critic, CriticFinding, WrittenPart
from workbench.author.model.whole_file.design import Design
from workbench.author.model.whole_file.reply_parts import (
    Definition,
    ReplyParts,
    enum_names,
)
from workbench.model import Arguments, Case, Doubt, Question, Requirement, Span, Verdict
from workbench.policy.render import render_type
from workbench.question_wording import phrase, question_about


def disputes(findings: Iterable[CriticFinding], design: Design) -> Iterator[Question]:
    """A question for each input that policy and contract, or policy and a case, decide differently."""
    requirements = {requirement.id: requirement for requirement in design.requirements}
    for finding in findings:
        if finding.arguments is None or finding.against is None:
            continue
        about = [requirements[id_] for id_ in finding.requirements if id_ in requirements]
        yield _question(finding, about, finding.arguments)


def _question(finding: CriticFinding, about: Sequence[Requirement], arguments: Arguments) -> Question:
    decided = Verdict.ALLOW if finding.allowed else Verdict.DENY
    other_verdict = Verdict.DENY if finding.allowed else Verdict.ALLOW
    of_case = finding.against is WrittenPart.CASES
    closed = finding.allowed and not of_case
    doubt = Doubt(
        id=f"input:{short_hash(finding.key + show(arguments))}",
        kind="model-file-input",
        quote=about[0].quote if about else "",
        span=about[0].span if about else Span(0, 0),
        values=(Verdict.DENY, Verdict.ALLOW),
        requirements=tuple(requirement.id for requirement in about),
        facts={
            "shown": show(arguments),
            "decided": decided,
            "against": phrase("model-file-input", "case" if of_case else "contract"),
            "other": other_verdict,
            "until": phrase("model-file-input", "closed") if closed else "",
        },
    )
    return question_about(doubt, arguments)


def answered_case(question: Question, value: str) -> Case | None:
    """A person's answer about an input as a case; None for an answer that is no decision."""
    if value not in tuple(Verdict) or question.example is None:
        return None
    return Case(
        question.id.replace(":", "-"),
        question.example,
        Verdict(value),
        "decided by a person",
        question.requirements,
        "model",
    )


# --- strict until answered --------------------------------------------------------


def closed(policy: ReplyParts, text: str, findings: Sequence[CriticFinding], design: Design) -> ReplyParts:
    """The policy with a rule for each refuted clause that denies more; ``text`` is the file of both."""
    clauses = _postconditions(text)
    file_parts = policy
    for number, finding in enumerate(_loose(findings), 1):
        place = int(finding.clause.removeprefix("C") or 0) - 1
        clause = clauses[place] if 0 <= place < len(clauses) else None
        condition = None if clause is None else _denied(clause)
        file_parts = _with_rule(file_parts, f"forbid_contested_{number}", condition, finding, design)
    return file_parts


def _loose(findings: Iterable[CriticFinding]) -> Iterator[CriticFinding]:
    """The refuted clauses that deny what the policy allows."""
    seen_clauses: set[str] = set()
    for finding in findings:
        if (
            finding.critic in (Critic.PREVIEW, Critic.NAGINI)
            and finding.allowed
            and finding.clause not in seen_clauses
        ):
            seen_clauses.add(finding.clause)
            yield finding


def _postconditions(text: str) -> list[ast.expr]:
    tree = ast.parse(text)
    allow = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "allow")
    return [
        node.value.args[0]
        for node in allow.body
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "Ensures"
        and node.value.args
    ]


def _with_rule(
    policy: ReplyParts, name: str, condition: ast.expr | None, finding: CriticFinding, design: Design
) -> ReplyParts:
    """The policy with one more rule; without ``condition`` the rule denies everything."""
    ids = ", ".join(finding.requirements) or (design.requirements[0].id if design.requirements else "R1")
    used_arguments = [] if condition is None else [
        argument for argument in design.spec.arguments
        if argument.name in {node.id for node in ast.walk(condition) if isinstance(node, ast.Name)}
    ]  # fmt: skip
    enums = enum_names(design.spec)
    header = ", ".join(f"{argument.name}: {render_type(argument.type, enums)}" for argument in used_arguments)
    body = "True" if condition is None else ast.unparse(condition)
    text = (
        f"def {name}({header}) -> bool:\n"
        f'    """{ids}: Contested: policy and contract differ here; it is denied until a person answers."""\n'
        f"    return {body}"
    )
    call = f"{name}({', '.join(argument.name for argument in used_arguments)})"
    arguments = tuple(dict.fromkeys((*policy.arguments, *(argument.name for argument in used_arguments))))
    definitions = (*policy.definitions, Definition(name, text, True))
    return replace(
        policy, definitions=definitions, arguments=arguments, decision=_forbidding(policy.decision, call)
    )


def _forbidding(decision: str, call: str) -> str:
    """The decision with one more rule that forbids."""
    node = ast.parse(decision, mode="eval").body
    if isinstance(node, ast.Constant):
        return f"not ({call})" if node.value is True else decision
    first = node.values[0] if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else node
    if isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.Not):
        inner = f"not ({ast.unparse(first.operand)} or {call})"
        remaining_operands = node.values[1:] if isinstance(node, ast.BoolOp) else []
        return " and ".join([inner, *(f"({ast.unparse(operand)})" for operand in remaining_operands)])
    return f"not ({call}) and ({decision})"


def _denied(clause: ast.expr) -> ast.expr | None:
    """The condition under which allowing breaks a clause; None if it cannot be derived from its form."""
    holds = _with_result(clause)
    if isinstance(holds, ast.Constant):
        return None if holds.value is False else ast.Constant(False)
    broken = _negated(holds)
    for node in ast.walk(broken):
        if isinstance(node, ast.Name) and node.id in ("Result", "Implies"):
            return None
    return broken


def _with_result(node: ast.expr) -> ast.expr:
    """The expression for the decision to allow: ``Result()`` is true, and the term is simplified."""
    match node:
        case ast.Call(func=ast.Name(id="Result")):
            return ast.Constant(True)
        case ast.Call(func=ast.Name(id="Implies"), args=[premise, then]):
            return _either(_negated(_with_result(premise)), _with_result(then))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _negated(_with_result(operand))
        case ast.BoolOp(op=ast.Or(), values=values):
            disjunction: ast.expr = ast.Constant(False)
            for value in values:
                disjunction = _either(disjunction, _with_result(value))
            return disjunction
        case ast.BoolOp(op=ast.And(), values=values):
            broken: ast.expr = ast.Constant(False)
            for value in values:
                broken = _either(broken, _negated(_with_result(value)))
            return _negated(broken)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as operator], comparators=[right]):
            return _compared(node, _with_result(left), operator, _with_result(right))
        case _:
            return node


def _compared(node: ast.expr, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
    for constant, operand in ((left, right), (right, left)):
        if isinstance(constant, ast.Constant) and constant.value is True and _was_result(node):
            return operand if isinstance(operator, ast.Eq) else _negated(operand)
    return node


def _was_result(node: ast.expr) -> bool:
    return any(isinstance(child, ast.Name) and child.id == "Result" for child in ast.walk(node))


def _either(left: ast.expr, right: ast.expr) -> ast.expr:
    for first, second in ((left, right), (right, left)):
        if isinstance(first, ast.Constant):
            return first if first.value is True else second
    return ast.BoolOp(ast.Or(), [left, right])


def _negated(node: ast.expr) -> ast.expr:
    match node:
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.BoolOp(op=ast.Or(), values=values):
            return ast.BoolOp(ast.And(), [_negated(value) for value in values])
        case _:
            return ast.UnaryOp(ast.Not(), node)


def decisions(questions: Iterable[Question], choices: Mapping[str, str]) -> tuple[str, ...]:
    """The answers of a person, each as one sentence that includes its subject."""
    sentences: list[str] = []
    for question in questions:
        value = choices.get(question.id, "").strip()
        if not value:
            continue
        option = next((option for option in question.options if option.value == value), None)
        quote = " ".join(question.quote.split())[:300]
        about = f"“{quote}”: " if quote else ""
        sentence = (
            option.statement
            if option is not None
            else f"{about}{question.text} The answer: {' '.join(value.split())}"
        )
        sentences.append(sentence)
    return tuple(sentences)
