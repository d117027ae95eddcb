"""s2."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import ReadFile, WriteFile, RunCommand, FetchUrl, GitPush, Run

# What is decided about a call of which no rule speaks: "deny" or "allow".
DEFAULT = "deny"

# A rule is a function of a call and of the run before it: forbid_, permit_ or ask_. Its docstring is a
# sentence of request.md with an id. A clause of the contract is about a sentence by the comment above it.
#
# def forbid_this(call: ReadFile, run: Run) -> bool:
#     """R1: The sentence."""
#     return False
#
# def contract_this(call: ReadFile, run: Run) -> None:
#     # R1: The sentence.
#     Ensures(Implies(False, not Result()))


def forbid_git_push(call: GitPush) -> bool:
    """R1: The agent must not make a git push if the branch is 'main'."""
    return call.branch == "main"


def forbid_git_push_remote_not_origin(call: GitPush) -> bool:
    """R2: The agent must not make a git push if the remote is not 'origin'."""
    return call.remote != "origin"


def permit_git_push(call: GitPush) -> bool:
    """R3: The agent may always make a git push."""
    return True


def contract_of_forbid_git_push(call: GitPush) -> None:
    # R1: The agent must not make a git push if the branch is 'main'.
    Ensures(Implies(call.branch == "main", not Result()))


def contract_of_forbid_git_push_remote_not_origin(call: GitPush) -> None:
    # R2: The agent must not make a git push if the remote is not 'origin'.
    Ensures(Implies(call.remote != "origin", not Result()))


def contract_of_permit_git_push(call: GitPush) -> None:
    # R3: The agent may always make a git push.
    Ensures(Implies(not call.branch == "main" and not call.remote != "origin", Result()))
