"""House rules for the coding agent."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import (
    DeletePath,
    GitCommit,
    GitPush,
    HttpRequest,
    InstallPackages,
    OpenPullRequest,
    Path,
    ReadFile,
    Run,
    RunShell,
    SearchCode,
    WriteFiles,
)

DEFAULT = "allow"

# What looks, tests and builds.
LISTED = {
    "[", "awk", "base64", "basename", "bash", "cat", "cd", "cut", "date", "diff", "dirname", "du", "echo", "egrep",
    "env", "eslint", "false", "fgrep", "file", "find", "grep", "head", "jest", "jq", "ls", "nl", "prettier", "printf",
    "pwd", "realpath", "rg", "sed", "sh", "sort", "stat", "tail", "test", "time", "tr", "tree", "true", "tsc",
    "vitest", "wc", "which", "xargs",
    "git blame", "git branch", "git branch --list", "git branch --show-current", "git branch -a", "git branch -r",
    "git branch -v", "git diff", "git grep", "git log", "git ls-files", "git ls-tree", "git rebase", "git rev-parse",
    "git shortlog", "git show", "git status",
    "make build", "make check", "make lint", "make test",
    "npm run build", "npm run check", "npm run format", "npm run lint", "npm run test", "npm run typecheck", "npm test",
    "npx eslint", "npx jest", "npx prettier", "npx tsc", "npx vitest",
}
# Options, or their beginnings, by which they change files.
CHANGING = {"find -delete", "git --ou", "sed -i", "sed --i", "sort -o", "sort --o", "tree -o"}
TESTS = {"npm test", "npx vitest run"}
REBASES = {"git rebase main", "git rebase develop", "git rebase origin/main", "git rebase origin/develop"}
PEOPLE = {"robin", "sam", "kim"}
SITES = {"github.com", "nodejs.org", "wiki.example.com"}


def is_secret(path: Path) -> bool:
    """whether a file is one of our secrets"""
    variant = any(name.startswith(".env.") and name != ".env.example" for name in path.names)
    key = path.suffix in {".pem", ".key"} or path.name in {".pem", ".key"}
    return path.name == ".env" or variant or key or "/repo/config/secrets" in path.inside


def is_closed(path: Path) -> bool:
    """whether a file is secret, or neither in the checkout nor in /tmp"""
    is_outside = not ("/repo" in path.inside or "/tmp" in path.inside or path.absolute == "/dev/null")
    return is_outside or is_secret(path)


def was_made(path: Path, run: Run) -> bool:
    """whether the agent made the file earlier in the run"""
    return any(
        c.succeeded and any(file.mode == "create" and file.path.absolute == path.absolute for file in c.files)
        for c in run.earlier(WriteFiles)
    )


def overwrites_migration(call: WriteFiles, run: Run) -> bool:
    """whether a database migration is overwritten that the agent did not make"""
    return any(
        "/repo/db/migrations" in file.path.inside and file.mode != "create" and not was_made(file.path, run)
        for file in call.files
    )


def changes_files(call: RunShell) -> bool:
    """whether the command changes files, apart from those in /tmp"""
    by_option = any(any(flag.startswith(option) for option in CHANGING) for flag in call.command.flags)
    return by_option or any(
        not ("/tmp" in file.inside or file.absolute == "/dev/null") for file in call.command.writes
    )


def names_closed(call: RunShell) -> bool:
    """whether the command names a file that is closed"""
    return any(is_closed(path) for path in call.command.paths)


def is_inexact(call: InstallPackages) -> bool:
    """whether a package has no exact version"""
    return any(package.version is None or not package.version.exact for package in call.packages)


def installed(call: InstallPackages, run: Run) -> int:
    """how many packages are installed in the run, with these"""
    return len(call.packages) + sum(len(c.packages) for c in run.earlier(InstallPackages) if c.succeeded)


def is_own_branch(call: GitPush) -> bool:
    """whether a branch of the agent is pushed to, at origin"""
    is_plain = not (":" in call.branch or ".." in call.branch or " " in call.branch)
    return call.branch.startswith("agent/") and is_plain and (call.remote is None or call.remote == "origin")


def is_forced(call: GitPush) -> bool:
    """whether the push overwrites the branch"""
    return call.force is not None and call.force


def rebased(run: Run) -> bool:
    """whether a rebase succeeded"""
    return any(c.command in REBASES and c.result.exit_code == 0 for c in run.earlier(RunShell))


def tested(run: Run) -> bool:
    """whether the tests passed with the code as it is"""
    unchanged = run.since(c for c in run.earlier(WriteFiles, DeletePath, InstallPackages) if c.succeeded)
    return any(c.command in TESTS and c.result.exit_code == 0 for c in unchanged.earlier(RunShell))


def opened(run: Run) -> bool:
    """whether a pull request was opened"""
    return any(c.succeeded for c in run.earlier(OpenPullRequest))


def has_reviewer(call: OpenPullRequest) -> bool:
    """whether one of us reviews"""
    return any(reviewer.login.lower() in PEOPLE for reviewer in call.reviewers)


def is_documentation(call: HttpRequest) -> bool:
    """whether the page is on one of the sites, over https"""
    url = call.url
    return url.scheme == "https" and url.host in SITES and url.port == 443 and not url.has_userinfo


def only_reads(call: HttpRequest) -> bool:
    """whether the page is only read"""
    return call.method is None or call.method == "GET" or call.method == "HEAD"


def forbid_closed_file(call: ReadFile | DeletePath) -> bool:
    """R6: Everything else on the machine is closed to it, apart from /tmp, which is scratch space."""
    return is_closed(call.path)


def forbid_search_of_closed(call: SearchCode) -> bool:
    """R7: Our secrets (the .env files, everything in config/secrets, and private keys, i.e. *.pem and *.key) are not to be opened at all, by no means whatsoever;"""
    return call.path is not None and is_closed(call.path)


def forbid_write_of_closed(call: WriteFiles) -> bool:
    """R6, R7: So it is with what is written."""
    return any(is_closed(file.path) for file in call.files)


def forbid_commit_of_closed(call: GitCommit) -> bool:
    """R6, R7: So it is with what is committed."""
    return any(is_closed(path) for path in call.paths)


def forbid_workflows(call: WriteFiles) -> bool:
    """R10: The CI workflows under .github/workflows stay with people, and so do the database migrations in db/migrations - adding a new one is fine, touching an old one is not."""
    return any("/repo/.github/workflows" in file.path.inside for file in call.files)


def forbid_old_migrations(call: WriteFiles, run: Run) -> bool:
    """R10: A database migration is made, and only in the same run changed."""
    return overwrites_migration(call, run)


def forbid_delete(call: DeletePath, run: Run) -> bool:
    """R11: It must not delete anything, except files it made itself in the same run."""
    return not was_made(call.path, run)


def forbid_programs(call: RunShell) -> bool:
    """R13: Meant for running the tests, linters, the build, and having a look at things (ls, cat, grep, git log and friends)."""
    return not call.command.calls <= LISTED


def forbid_changes_by_shell(call: RunShell) -> bool:
    """R14: No sudo, nothing that talks to the network (curl, wget, ssh and the like) and nothing that changes or removes files behind our back."""
    return changes_files(call)


def forbid_files_of_shell(call: RunShell) -> bool:
    """R16: What is said above about files holds here as well."""
    return names_closed(call)


def forbid_inexact_packages(call: InstallPackages) -> bool:
    """R18: New ones only with an exact version, and not more than three in a run, otherwise reviews get painful."""
    return is_inexact(call)


def forbid_many_packages(call: InstallPackages, run: Run) -> bool:
    """R18: At most three packages are new in a run."""
    return installed(call, run) > 3


def forbid_other_managers(call: InstallPackages) -> bool:
    """R19: We only use npm."""
    return call.manager != "npm"


def forbid_other_branches(call: GitPush) -> bool:
    """R21: Work is pushed to branches whose name begins with agent/ and nowhere else;"""
    return not is_own_branch(call)


def forbid_force(call: GitPush, run: Run) -> bool:
    """R23: No force-pushing, ever."""
    return is_forced(call) and not rebased(run)


def forbid_other_bases(call: OpenPullRequest) -> bool:
    """R25: Pull requests go against main or develop and need at least one of us (Robin, Sam or Kim) as a reviewer."""
    return call.base != "main" and call.base != "develop"


def forbid_no_reviewer(call: OpenPullRequest) -> bool:
    """R25: One of us reviews a pull request."""
    return not has_reviewer(call)


def forbid_untested(call: OpenPullRequest, run: Run) -> bool:
    """R26: Before opening one the tests must have passed, with the code as it is then."""
    return not tested(run)


def forbid_second_pull_request(call: OpenPullRequest, run: Run) -> bool:
    """R27: One pull request per run is plenty."""
    return opened(run)


def forbid_other_sites(call: HttpRequest) -> bool:
    """R29: For documentation the agent may read pages on github.com, nodejs.org and our own wiki at wiki.example.com."""
    return not is_documentation(call)


def forbid_sending(call: HttpRequest) -> bool:
    """R30: Only reading, and over https please."""
    return not only_reads(call)


def contract_look(call: ReadFile) -> None:
    # R5: The agent may look around the checkout as it likes.
    Ensures(Implies("/repo" in call.path.inside and not is_secret(call.path), Result()))
    # R6, R7: What is closed is not read.
    Ensures(Result() == (not is_closed(call.path)))


def contract_search(call: SearchCode) -> None:
    # R5, R7: The checkout is searched as a whole, or a part of it that is not secret.
    Ensures(Result() == (call.path is None or not is_closed(call.path)))


def contract_write(call: WriteFiles, run: Run) -> None:
    is_closed_one = any(is_closed(file.path) for file in call.files)
    is_workflow = any("/repo/.github/workflows" in file.path.inside for file in call.files)
    # R9: It can edit code, tests and docs freely.
    Ensures(Implies(not is_closed_one and not is_workflow and not overwrites_migration(call, run), Result()))
    # R6, R7: What is closed is not written.
    Ensures(Implies(is_closed_one, not Result()))
    # R10: Neither is a workflow or an old migration.
    Ensures(Implies(is_workflow or overwrites_migration(call, run), not Result()))


def contract_commit(call: GitCommit) -> None:
    # R7: What is closed is not committed.
    Ensures(Result() == (not any(is_closed(path) for path in call.paths)))


def contract_delete(call: DeletePath, run: Run) -> None:
    # R11: What the agent did not make is not deleted.
    Ensures(Result() == (was_made(call.path, run) and not is_closed(call.path)))


def contract_shell(call: RunShell) -> None:
    # R14: sudo, curl and rm are not run, and git neither pushes nor fetches.
    Ensures(
        Implies(
            any(program in {"sudo", "curl", "rm", "git push", "git fetch"} for program in call.command.calls),
            not Result(),
        )
    )
    is_fine = call.command.calls <= LISTED and not changes_files(call) and not names_closed(call)
    # R15: Piping is fine as long as each part would be fine alone.
    Ensures(Implies(is_fine, Result()))
    # R13, R14, R16: A command is not fine that does something else, changes files or names a closed one.
    Ensures(Implies(not is_fine, not Result()))


def contract_install(call: InstallPackages, run: Run) -> None:
    # R18, R19: At most three packages in a run, each with an exact version, by npm.
    Ensures(Result() == (call.manager == "npm" and not is_inexact(call) and installed(call, run) <= 3))


def contract_push(call: GitPush, run: Run) -> None:
    # R21: Nothing is pushed to main or another remote.
    Ensures(Implies(call.branch == "main" or call.remote == "fork", not Result()))
    # R24: After a rebase the agent will have to overwrite its own branch.
    Ensures(Implies(is_own_branch(call) and rebased(run), Result()))
    # R23: Without a rebase no branch is overwritten.
    Ensures(Implies(not rebased(run), Result() == (is_own_branch(call) and not is_forced(call))))


def contract_open(call: OpenPullRequest, run: Run) -> None:
    # R25: The base is main or develop.
    Ensures(Implies(Result(), call.base == "main" or call.base == "develop"))
    # R25, R26, R27: One of us reviews it, the tests have passed, and it is the only one.
    Ensures(
        Implies(
            call.base == "main" or call.base == "develop",
            Result() == (has_reviewer(call) and tested(run) and not opened(run)),
        )
    )


def contract_web(call: HttpRequest) -> None:
    # R29, R30: Pages of the sites are read, and nothing else is done.
    Ensures(Result() == (is_documentation(call) and only_reads(call)))
