"""The clauses that the program wrote, beside rules that were added to the policy after them.

A draft's clauses say which calls are allowed by the rules of that draft. A rule that somebody adds to the
policy file, by the builder or by hand, is an exception to them: it is put into each clause that the program
wrote and that the rule would break. A clause that a person edited is left alone, and so is one of which the
rule would leave nothing, since rule and clause then contradict each other.

A clause is the program's if it has the text that the draft has, or the text that this module made of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from workbench.check.pinned_clause import with_contract_words
from workbench.engines.smt.preview import left_side, satisfiable
from workbench.engines.smt.rule_by_rule import with_result
from workbench.model import WorkbenchError
from workbench.policy.check import check
from workbench.policy.connectives import FALSE, TRUE, conjunction, negate
from workbench.policy.render import format_policy, render_term
from workbench.policy.terms import (
    And,
    Clause,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    ImpliesTerm,
    Member,
    Not,
    PolicyTerms,
    ResultTerm,
    Rule,
    Term,
    Variable,
)


def agreeing(text: str, before: Iterable[str], drafted: str) -> str:
    """``text``, an edit of the policies ``before``, with the program's clauses narrowed by its added rules.

    ``drafted`` is the policy file of the draft, empty if there is none.
    """
    return narrowed(as_written(text, before, drafted), drafted)


def narrowed(text: str, drafted: str) -> str:
    """A policy in which the program's clauses are as they were written, with these clauses narrowed.

    A text that is not in the dialect is returned as it is.
    """
    contract = _contract(text, drafted)
    if contract is None or not contract.added:
        return text
    sources = {clause: contract.narrowed(clause) for clause in contract.own_clauses()}
    return _with_clauses(text, sources)


def as_written(text: str, before: Iterable[str], drafted: str) -> str:
    """A policy with the program's clauses as they were written, without what narrowed them.

    ``before`` are the policies whose rules narrowed them; ``text`` is an edit of these.
    """
    for policy in before:
        text = _as_written(text, policy, drafted)
    return text


def _as_written(text: str, before: str, drafted: str) -> str:
    contract, file = _contract(before, drafted), _checked(text)
    if contract is None or file is None or not contract.added:
        return text
    source_by_narrowed = {
        _plain(contract.narrowed(clause)): clause.source for clause in contract.written.values()
    }
    sources = {
        clause: source_by_narrowed[plain]
        for clause in file.clauses
        if (plain := _plain(clause.source)) in source_by_narrowed
    }
    return _with_clauses(text, sources)


@lru_cache(maxsize=64)
def not_narrowed(text: str, before: tuple[str, ...], drafted: str) -> tuple[Clause, ...]:
    """The program's clauses in a policy that do not follow the rules which it has beside its draft.

    ``before`` are the policies that the text is an edit of by other programs.
    """
    file, agreed = _checked(text), _checked(agreeing(text, before, drafted))
    if file is None or agreed is None:
        return ()
    pairs = zip(file.clauses, agreed.clauses, strict=True)
    return tuple(clause for clause, other in pairs if _plain(clause.source) != _plain(other.source))


def added_rules(text: str, drafted: str) -> Mapping[str, Term]:
    """The conditions of the rules that a policy has beside those of its draft, by their names."""
    contract = _contract(text, drafted)
    return {} if contract is None else {rule.name: rule.body for rule in contract.added}


def permission(rule: Rule, file: PolicyTerms) -> str:
    """The clause that the program writes for an added rule that permits, before it is narrowed."""
    return f"Implies({_text(rule.body, file)}, Result())"


@dataclass(frozen=True)
class _Contract:
    """A policy file, the rules in it that were added to its draft, and the program's clauses.

    ``written`` has each clause as the program wrote it, by its plain text; ``permits`` are the plain texts of
    those for added rules that permit, which all rules that forbid narrow.
    """

    file: PolicyTerms
    added: tuple[Rule, ...]
    written: Mapping[str, Clause]
    permits: frozenset[str]

    def own_clauses(self) -> Iterable[Clause]:
        """The clauses of the file that are the program's, as it wrote them."""
        return (clause for clause in self.file.clauses if _plain(clause.source) in self.written)

    def narrowed(self, clause: Clause) -> str:
        """The text of a clause with the exceptions that the rules make to it."""
        demand = _Demand.of(clause, self.file)
        if demand is None:
            return clause.source
        is_permission = _plain(clause.source) in self.permits
        for rule in self.file.rules if is_permission else self.added:
            if rule.forbids:
                demand = demand.except_forbidden(rule.body)
            elif not is_permission:
                demand = demand.except_permitted(rule.body)
        return demand.source


@dataclass(frozen=True)
class _Demand:
    """What a clause demands: on ``left`` the call is allowed exactly if ``allowed`` holds.

    ``allowing`` and ``denying`` say on which of its inputs something is demanded: a clause with ``Result()``
    demands nothing of the inputs on which its own condition is false. ``source`` is its text.
    """

    file: PolicyTerms
    left: Term
    allowed: Term
    source: str

    @classmethod
    def of(cls, clause: Clause, file: PolicyTerms) -> _Demand | None:
        """The demand of a clause of one of the forms that the program writes; None for any other."""
        left = left_side(clause.term)
        right = clause.term.consequence if isinstance(clause.term, ImpliesTerm) else clause.term
        if with_result(left, TRUE) is not left:
            return None
        match right:
            case ResultTerm():
                return cls(file, left, TRUE, clause.source)
            case Not(ResultTerm()):
                return cls(file, left, FALSE, clause.source)
            case Compare(Comparison.EQ, ResultTerm(), allowed) if with_result(allowed, TRUE) is allowed:
                return cls(file, left, allowed, clause.source)
            case _:
                return None

    def except_forbidden(self, condition: Term) -> _Demand:
        """The demand without the inputs that a rule forbids."""
        demanded = conjunction((self.left, self.allowed))
        if not self._is_exception(demanded, condition, TRUE):
            return self
        exception = negate(_without(condition, (self.left, self.allowed)))
        if self.allowed == TRUE:
            return self._with_left(exception)
        source = _with_right(self.source, _text(exception, self.file))
        return _Demand(self.file, self.left, conjunction((self.allowed, exception)), source)

    def except_permitted(self, condition: Term) -> _Demand:
        """The demand without the inputs that a rule permits, unless rules forbid all of these."""
        denied = conjunction((self.left, negate(self.allowed)))
        unforbidden = conjunction(negate(rule.body) for rule in self.file.rules if rule.forbids)
        if not self._is_exception(denied, condition, unforbidden):
            return self
        return self._with_left(negate(_without(condition, (self.left,))))

    def _with_left(self, exception: Term) -> _Demand:
        source = _with_left(self.source, _text(exception, self.file))
        return _Demand(self.file, conjunction((self.left, exception)), self.allowed, source)

    def _is_exception(self, demanded: Term, condition: Term, where: Term) -> bool:
        """Whether a rule with this condition breaks the demand on some inputs, and leaves some of it."""
        broken = conjunction((demanded, condition, where))
        return _may_hold(self.file, broken) and _may_hold(self.file, And((demanded, Not(condition))))


def _contract(text: str, drafted: str) -> _Contract | None:
    """The contract of a policy beside its draft; None if the policy is not in the dialect."""
    file, draft = _checked(text), _checked(drafted)
    if file is None:
        return None
    drafted_names = {rule.name for rule in draft.rules} if draft is not None else set[str]()
    added = tuple(rule for rule in file.rules if rule.name not in drafted_names)
    written = {} if draft is None else {_plain(clause.source): clause for clause in draft.clauses}
    permits = {_plain(permission(rule, file)): rule for rule in added if not rule.forbids}
    for plain, rule in permits.items():
        term = ImpliesTerm(rule.body, ResultTerm())
        source = permission(rule, file)
        written[plain] = Clause("", term, rule.requirements, rule.message, source, rule.line, rule.end_line)
    return _Contract(file, added, written, frozenset(permits))


def _may_hold(file: PolicyTerms, term: Term) -> bool:
    """Whether a condition holds on some input, or the solver cannot tell."""
    try:
        return satisfiable(file, term) is not False
    except WorkbenchError:  # an edit of a person is stored, whatever the solver says of it
        return True


def _checked(text: str) -> PolicyTerms | None:
    try:
        return check(text)
    except WorkbenchError:
        return None


def _without(condition: Term, around: Iterable[Term]) -> Term:
    """A condition without the tests of a plain argument that hold around it anyway."""
    known = {part for term in around for part in _parts(term)}
    return conjunction(part for part in _parts(condition) if part not in known or not _is_plain(part))


def _parts(term: Term) -> tuple[Term, ...]:
    return term.operands if isinstance(term, And) else (term,)


def _is_plain(term: Term) -> bool:
    """Whether a term compares an argument that always has a value with constants."""
    match term:
        case Compare(_, Variable(_, type_), Constant()) | Member(Variable(_, type_), ConstantSet()):
            return not type_.optional
        case _:
            return False


# --- text -------------------------------------------------------------------


def _is_bound(condition: str) -> bool:
    """Whether another condition can be joined to this one by "and" without brackets."""
    match _expression(condition):
        case (
            ast.BoolOp(ast.And()) | ast.Compare() | ast.Call() | ast.Name() | ast.Attribute() | ast.UnaryOp()
        ):
            return True
        case _:
            return False


def _text(term: Term, file: PolicyTerms) -> str:
    return render_term(term, file.tables, as_listed=True, whole_sets=True)


@lru_cache(maxsize=4096)
def _plain(source: str) -> str:
    """The text of a clause without its layout."""
    text = format_policy(f"def allow() -> bool:\n    Ensures({source})\n    return True\n")
    return ast.unparse(ast.parse(text))


def _with_left(source: str, condition: str) -> str:
    """A clause with one more condition on its left side."""
    implication = _implication(source)
    if implication is None:
        return f"Implies({condition}, {source})"
    left, right = implication
    joined = left if _is_bound(left) else f"({left})"
    return f"Implies({joined} and ({condition}), {right})"


def _with_right(source: str, condition: str) -> str:
    """A clause ``Result() == allowed`` with one more condition on what is allowed."""
    left, right = _implication(source) or ("", source)
    compared = _expression(right)
    assert isinstance(compared, ast.Compare)
    allowed = ast.get_source_segment(f"({right})", compared.comparators[0]) or ""
    joined = allowed if _is_bound(allowed) else f"({allowed})"
    narrowed_right = f"Result() == ({joined} and ({condition}))"
    return f"Implies({left}, {narrowed_right})" if left else narrowed_right


def _implication(source: str) -> tuple[str, str] | None:
    """The two sides of an implication as text; None for another expression."""
    call = _expression(source)
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Implies"):
        return None
    left, right = (ast.get_source_segment(f"({source})", side) or "" for side in call.args)
    return left, right


def _expression(source: str) -> ast.expr:
    return ast.parse(f"({source})", mode="eval").body


def _with_clauses(text: str, sources: Mapping[Clause, str]) -> str:
    """A policy with other texts for some of its clauses; the text itself if none of them differs."""
    changed = {clause: source for clause, source in sources.items() if source != clause.source}
    if not changed:
        return text
    lines = text.split("\n")
    for clause in sorted(changed, key=lambda clause: clause.line, reverse=True):
        lines[clause.line - 1 : clause.end_line] = [f"    Ensures({changed[clause]})"]
    return format_policy(with_contract_words("\n".join(lines)))
