"""Disagreements that no round settled: questions about their inputs, and a policy that is strict until then.

If the policy allows what a clause of the contract denies, a rule is added that forbids everything that this
clause denies. The rule is part of the policy until a person has answered and the next draft includes the
answer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.model.context_questions import short_hash
from workbench.author.model.whole_file.critics import CheckedVersion, Critic, CriticFinding, WrittenPart
from workbench.author.model.whole_file.design import Design
from workbench.author.model.whole_file.model_cases import ModelCaseForm, RunCase
from workbench.author.model.whole_file.reply_parts import Definition, ReplyParts
from workbench.model import NOWHERE, Doubt, Question, Requirement, Verdict
from workbench.question_wording import phrase, question_about


def disputes(findings: Iterable[CriticFinding], design: Design) -> Iterator[ContestedInput]:
    """A question for each input that policy and contract, or policy and a case, decide differently."""
    requirements = {requirement.id: requirement for requirement in design.requirements}
    for finding in findings:
        if finding.arguments is None or finding.against is None:
            continue
        about = [requirements[id_] for id_ in finding.requirements if id_ in requirements]
        yield ContestedInput(_question(finding, about), finding.run)


@dataclass(frozen=True, slots=True)
class ContestedInput:
    """A question about an input, with a run that gives it; None if no run was found."""

    question: Question
    run: ModelCaseForm | None


def _question(finding: CriticFinding, about: Sequence[Requirement]) -> Question:
    decided = Verdict.ALLOW if finding.allowed else Verdict.DENY
    other_verdict = Verdict.DENY if finding.allowed else Verdict.ALLOW
    of_case = finding.against is WrittenPart.CASES
    closed = finding.allowed and not of_case
    doubt = Doubt(
        id=f"input:{short_hash(finding.key + finding.shown)}",
        kind="model-file-input",
        quote=about[0].quote if about else "",
        span=about[0].span if about else NOWHERE,
        values=(Verdict.DENY, Verdict.ALLOW),
        requirements=tuple(requirement.id for requirement in about),
        facts={
            "shown": finding.shown,
            "decided": decided,
            "against": phrase("model-file-input", "case" if of_case else "contract"),
            "other": other_verdict,
            "until": phrase("model-file-input", "closed") if closed else "",
        },
    )
    return question_about(doubt, finding.arguments)


def answered_case(contested: ContestedInput, value: str) -> RunCase | None:
    """A person's answer about an input as a case; None if it is no decision, or there is no run."""
    if value not in (Verdict.ALLOW, Verdict.DENY) or contested.run is None:
        return None
    question = contested.question
    form = contested.run.model_copy(update={"expected": value})
    return RunCase(case_id(contested), form, question.requirements, "as the question about it was answered")


def case_id(contested: ContestedInput) -> str:
    """The id of the case that an answer about an input becomes."""
    return contested.question.id.replace(":", "-")


# --- strict until answered --------------------------------------------------------


def closed(policy: ReplyParts, judged: CheckedVersion, design: Design) -> ReplyParts:
    """The policy with a rule for each refuted clause that denies more than it does."""
    terms = judged.terms
    if terms is None:
        return policy
    tree = ast.parse(judged.text)
    rules = list(policy.rules)
    for number, finding in enumerate(_loose(judged.findings), 1):
        clause = next((one for one in terms.clauses if one.id == finding.clause), None)
        line = 0 if clause is None else terms.file.part(clause).line
        text = _rule(f"forbid_contested_{number}", _contract_of(tree, line), line, finding, design)
        rules.append(Definition(f"forbid_contested_{number}", text))
    return replace(policy, rules=tuple(rules))


def _loose(findings: Iterable[CriticFinding]) -> Iterator[CriticFinding]:
    """The refuted clauses that deny what the policy allows."""
    seen_clauses: set[str] = set()
    for finding in findings:
        if (
            finding.critic in (Critic.PREVIEW, Critic.NAGINI)
            and finding.allowed
            and finding.clause
            and finding.key not in seen_clauses
        ):
            seen_clauses.add(finding.key)
            yield finding


def _contract_of(tree: ast.Module, line: int) -> ast.FunctionDef | None:
    """The function that has the clause at a line."""
    return next(
        (
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or node.lineno)
        ),
        None,
    )


def _rule(
    name: str, contract: ast.FunctionDef | None, line: int, finding: CriticFinding, design: Design
) -> str:
    """A rule that forbids what a clause denies; all calls where its form does not tell what that is."""
    ids = ", ".join(finding.requirements) or (design.requirements[0].id if design.requirements else "R1")
    says = f'"""{ids}: Contested: policy and contract differ here; it is denied until a person answers."""'
    clause = None if contract is None else _clause_at(contract, line)
    condition = None if clause is None else _denied(clause)
    if contract is None or condition is None:
        return f"def {name}(call: Call) -> bool:\n    {says}\n    return True"
    header = ast.unparse(contract.args)
    local_names = [node for node in contract.body if isinstance(node, ast.Assign) and node.lineno < line]
    body = [
        *(ast.unparse(node) for node in _needed(local_names, condition)),
        f"return {ast.unparse(condition)}",
    ]
    return "\n    ".join([f"def {name}({header}) -> bool:", says, *body])


def _needed(local_names: Sequence[ast.Assign], condition: ast.expr) -> list[ast.Assign]:
    """The definitions of the local names that a condition uses, in order."""
    needed: list[ast.Assign] = []
    used = _names(condition)
    for node in reversed(local_names):
        if used & {target.id for target in node.targets if isinstance(target, ast.Name)}:
            needed.insert(0, node)
            used |= _names(node.value)
    return needed


def _names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _clause_at(contract: ast.FunctionDef, line: int) -> ast.expr | None:
    """The condition of the clause of a contract that stands at a line."""
    for node in contract.body:
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        if node.lineno <= line <= (node.end_lineno or node.lineno) and node.value.args:
            return node.value.args[0]
    return None


def _denied(clause: ast.expr) -> ast.expr | None:
    """The condition under which allowing breaks a clause; None if it cannot be derived from its form."""
    holds = _with_result(clause)
    if isinstance(holds, ast.Constant):
        return ast.Constant(not holds.value)
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
