"""A policy as one Python file without dependencies, for enforcement without the workbench.

The file is the readable policy with its contract stripped, followed by a short ``decide``
that checks the types of arguments exactly as ``CompiledPolicy.decide`` does. Its header carries
the hash of what follows, the session, and what was proved.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping
from importlib import resources

from workbench.guard.policy_file import HEADER_END
from workbench.model import ArgumentType, Kind, Proof, ProofStatus
from workbench.policy.terms import PolicyTerms

_CONTRACT = {"Ensures", "Requires"}
_CONTRACT_MODULE = "nagini_contracts.contracts"


def export_policy(terms: PolicyTerms, header: Mapping[str, str]) -> str:
    """The text of the exported file; ``header`` holds single-line facts (session, proof)."""
    body = "\n\n".join(
        (_stripped(terms.source), _tables(terms), _preconditions(terms), _runtime_source())
    ) + "\n"  # fmt: skip
    facts = {"sha256": hashlib.sha256(body.encode()).hexdigest(), **header}
    lines = ["# A policy exported by the policy workbench. Change the session and export again."]
    lines += [f"# {name}: {' '.join(str(value).split())}" for name, value in facts.items()]
    return "\n".join(lines) + "\n" + HEADER_END + body


def proof_summary(proof: Proof) -> str:
    """One line for the header: only a contract of which every clause is proved counts as proved."""
    clauses = len(proof.clauses)
    proved = sum(clause.status is ProofStatus.PROVED for clause in proof.clauses)
    engines = ", ".join(sorted({clause.engine.value for clause in proof.clauses}))
    match proof.status:
        case ProofStatus.PROVED:
            return f"proved: all {clauses} clauses, by {engines}"
        case ProofStatus.REFUTED:
            refuted = [clause.clause for clause in proof.clauses if clause.status is ProofStatus.REFUTED]
            return f"REFUTED: {', '.join(refuted)}, by {engines}"
        case ProofStatus.UNKNOWN:
            return f"not proved: {proved} of {clauses} clauses proved"


def _stripped(source: str) -> str:
    """The source without contract and contract imports; comments of the contract go with it."""
    tree = ast.parse(source)
    for node in list(tree.body):
        if isinstance(node, ast.ImportFrom) and node.module == _CONTRACT_MODULE:
            tree.body.remove(node)
        elif isinstance(node, ast.FunctionDef):
            node.body = [statement for statement in node.body if not _is_contract(statement)]
    return ast.unparse(tree)


def _is_contract(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id in _CONTRACT
    )


def _tables(terms: PolicyTerms) -> str:
    """What ``decide`` needs to know of the arguments and rules."""
    arguments = ", ".join(f"{item.name!r}: {_type(item.type)}" for item in terms.arguments)
    rules = ", ".join(
        f"({rule.name}, {rule.message!r}, {tuple(parameter.name for parameter in rule.parameters)!r})"
        for rule in terms.rules
    )
    return (
        f"_ARGUMENTS = {{{arguments}}}\n_RULES = ({rules}{',' if rules else ''})\n"
        f"_DEFAULT_ALLOW = {terms.default_allow!r}"
    )


def _type(kind: ArgumentType) -> str:
    values = kind.values if kind.kind is Kind.ENUM else ()
    return repr((kind.kind.value, values, kind.optional, kind.places))


def _preconditions(terms: PolicyTerms) -> str:
    """The preconditions as one function, since a decision must not be made where one is broken."""
    names = ", ".join(item.name for item in terms.arguments)
    held = " and ".join(f"({_condition(clause.source)})" for clause in terms.preconditions) or "True"
    return f"def _preconditions_hold({names}):\n    return {held}"


def _condition(source: str) -> str:
    """The condition of ``Requires(condition)``, with ``Implies`` written as Python."""
    tree = ast.parse(source, mode="eval").body
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "Requires":
        tree = tree.args[0]
    return ast.unparse(_Implications().visit(tree))


class _Implications(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "Implies":
            return ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), node.args[0]), node.args[1]])
        return node


def _runtime_source() -> str:
    """The text of ``exported_runtime.py``, which stands alone."""
    return resources.files("workbench.guard").joinpath("exported_runtime.py").read_text("utf-8").strip()
