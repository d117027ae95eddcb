"""House rules for the coding agent."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import (
    DeletePath,
    GitCommit,
    GitPush,
    HttpRequest,
    InstallPackages,
    OpenPullRequest,
    ReadFile,
    Run,
    RunShell,
    SearchCode,
    WriteFiles,
)

DEFAULT = "allow"

# What looks, tests and builds.
LISTED = {
    "[",
    "awk",
    "base64",
    "basename",
    "bash",
    "cat",
    "cd",
    "cut",
    "date",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "eslint",
    "false",
    "fgrep",
    "file",
    "find",
    "git blame",
    "git branch",
    "git branch --list",
    "git branch --show-current",
    "git branch -a",
    "git branch -r",
    "git branch -v",
    "git diff",
    "git grep",
    "git log",
    "git ls-files",
    "git ls-tree",
    "git rebase",
    "git rev-parse",
    "git shortlog",
    "git show",
    "git status",
    "grep",
    "head",
    "jest",
    "jq",
    "ls",
    "make build",
    "make check",
    "make lint",
    "make test",
    "nl",
    "npm run build",
    "npm run check",
    "npm run format",
    "npm run lint",
    "npm run test",
    "npm run typecheck",
    "npm test",
    "npx eslint",
    "npx jest",
    "npx prettier",
    "npx tsc",
    "npx vitest",
    "prettier",
    "printf",
    "pwd",
    "realpath",
    "rg",
    "sed",
    "sh",
    "sort",
    "stat",
    "tail",
    "test",
    "time",
    "tr",
    "tree",
    "true",
    "tsc",
    "vitest",
    "wc",
    "which",
    "xargs",
}

# Options that make them change files.
CHANGING = {"find -delete", "git --output", "sed -i", "sort -o", "tree -o"}
TESTS = {"npm test", "npx vitest run"}
REBASES = {"git rebase main", "git rebase develop", "git rebase origin/main", "git rebase origin/develop"}
PEOPLE = {"robin", "sam", "kim"}
HOSTS = {"github.com", "nodejs.org", "wiki.example.com"}
MOST_PACKAGES = 3


def is_closed(path: str) -> bool:
    """whether a file is outside of the checkout and /tmp, or secret"""
    if path.endswith("/.env") or "/.env." in path and not path.endswith("/.env.example"):
        return True
    if path.endswith(".pem") or path.endswith(".key"):
        return True
    if path == "/repo/config/secrets" or path.startswith("/repo/config/secrets/"):
        return True
    return not (
        path == "/repo"
        or path.startswith("/repo/")
        or path == "/tmp"
        or path.startswith("/tmp/")
        or path == "/dev/null"
    )


def was_made(run: Run, path: str) -> bool:
    """whether the agent made the file earlier in the run"""
    return any(
        c.succeeded and any(file.mode == "create" and file.path.absolute == path for file in c.files)
        for c in run.earlier(WriteFiles)
    )


def overwrites_migration(call: WriteFiles, run: Run) -> bool:
    """whether a database migration is written that is neither new nor made in the run"""
    return any(
        file.path.absolute.startswith("/repo/db/migrations/")
        and file.mode != "create"
        and not was_made(run, file.path.absolute)
        for file in call.files
    )


def installed(call: InstallPackages, run: Run) -> int:
    """how many packages are installed in the run, with these"""
    return len(call.packages) + sum(len(c.packages) for c in run.earlier(InstallPackages) if c.succeeded)


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


def writes_elsewhere(call: RunShell) -> bool:
    """whether the command writes a file outside of /tmp"""
    return any(
        not file.absolute.startswith("/tmp/") and file.absolute != "/dev/null" for file in call.command.writes
    )


def names_closed_file(call: RunShell) -> bool:
    """whether the command names a file that is closed"""
    return any(is_closed(path.absolute) for path in call.command.paths)


def has_reviewer(call: OpenPullRequest) -> bool:
    """whether one of us reviews"""
    return any(reviewer.login.lower() in PEOPLE for reviewer in call.reviewers)


def forbid_closed_file(call: ReadFile | DeletePath) -> bool:
    """R6: Everything else on the machine is closed to it, apart from /tmp, which is scratch space."""
    return is_closed(call.path.absolute)


def forbid_search_of_closed(call: SearchCode) -> bool:
    """R7: Our secrets (the .env files, everything in config/secrets, and private keys, i.e. *.pem and *.key) are not to be opened at all, by no means whatsoever;"""
    return call.path is not None and is_closed(call.path.absolute)


def forbid_write_of_closed(call: WriteFiles) -> bool:
    """R6, R7: So it is with what is written."""
    return any(is_closed(file.path.absolute) for file in call.files)


def forbid_commit_of_closed(call: GitCommit) -> bool:
    """R6, R7: So it is with what is committed."""
    return any(is_closed(path.absolute) for path in call.paths)


def forbid_workflows(call: WriteFiles) -> bool:
    """R10: The CI workflows under .github/workflows stay with people, and so do the database migrations in db/migrations - adding a new one is fine, touching an old one is not."""
    return any(file.path.absolute.startswith("/repo/.github/workflows/") for file in call.files)


def forbid_old_migrations(call: WriteFiles, run: Run) -> bool:
    """R10: A database migration is made, and only in the same run changed."""
    return overwrites_migration(call, run)


def forbid_delete(call: DeletePath, run: Run) -> bool:
    """R11: It must not delete anything, except files it made itself in the same run."""
    return not was_made(run, call.path.absolute)


def forbid_programs(call: RunShell) -> bool:
    """R13: Meant for running the tests, linters, the build, and having a look at things (ls, cat, grep, git log and friends)."""
    return any(program not in LISTED for program in call.command.calls)


def forbid_changes_by_shell(call: RunShell) -> bool:
    """R14: No sudo, nothing that talks to the network (curl, wget, ssh and the like) and nothing that changes or removes files behind our back."""
    return any(
        flag in CHANGING
        or flag.startswith("sed --i")
        or flag.startswith("sort --o")
        or flag.startswith("git --ou")
        for flag in call.command.flags
    ) or writes_elsewhere(call)


def forbid_files_of_shell(call: RunShell) -> bool:
    """R16: What is said above about files holds here as well."""
    return names_closed_file(call)


def forbid_inexact_packages(call: InstallPackages) -> bool:
    """R18: New ones only with an exact version, and not more than three in a run, otherwise reviews get painful."""
    return any(package.version is None or not package.version.exact for package in call.packages)


def forbid_many_packages(call: InstallPackages, run: Run) -> bool:
    """R18: At most three packages are new in a run."""
    return installed(call, run) > MOST_PACKAGES


def forbid_other_managers(call: InstallPackages) -> bool:
    """R19: We only use npm."""
    return call.manager != "npm"


def forbid_other_branches(call: GitPush) -> bool:
    """R21: Work is pushed to branches whose name begins with agent/ and nowhere else;"""
    return (
        not call.branch.startswith("agent/")
        or ":" in call.branch
        or ".." in call.branch
        or " " in call.branch
        or call.remote is not None
        and call.remote != "origin"
    )


def forbid_force(call: GitPush, run: Run) -> bool:
    """R23: No force-pushing, ever."""
    return call.force is not None and call.force and not rebased(run)


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
    url = call.url
    return url.scheme != "https" or url.host not in HOSTS or url.port != 443 or url.has_userinfo


def forbid_sending(call: HttpRequest) -> bool:
    """R30: Only reading, and over https please."""
    return call.method is not None and call.method != "GET" and call.method != "HEAD"


def contract_files(call: ReadFile | DeletePath) -> None:
    # R6: What is outside of the checkout and /tmp is closed.
    Ensures(
        Implies(
            call.path.absolute == "/etc/passwd" or call.path.absolute.startswith("/repo-old"), not Result()
        )
    )
    # R7: So are secrets.
    Ensures(
        Implies(
            call.path.absolute == "/repo/config/secrets"
            or call.path.absolute.endswith("/.env")
            or call.path.absolute.endswith(".pem"),
            not Result(),
        )
    )


def contract_read(call: ReadFile) -> None:
    # R5: The agent may look around the checkout as it likes.
    Ensures(Implies(not is_closed(call.path.absolute), Result()))


def contract_search(call: SearchCode) -> None:
    # R7: Secrets are not searched.
    Ensures(Implies(call.path is not None and call.path.absolute == "/repo/config/secrets", not Result()))
    # R5: The agent may look around the checkout as it likes.
    Ensures(Implies(call.path is None, Result()))


def contract_write(call: WriteFiles, run: Run) -> None:
    # R6, R7: No file outside and no secret is written.
    Ensures(
        Implies(
            any(
                file.path.absolute.startswith("/repo-old")
                or file.path.absolute.startswith("/repo/config/secrets/")
                for file in call.files
            ),
            not Result(),
        )
    )
    # R10: No workflow is written.
    Ensures(
        Implies(
            any(file.path.absolute == "/repo/.github/workflows/test.yml" for file in call.files),
            not Result(),
        )
    )
    # R10: A migration that the agent did not make is not overwritten.
    Ensures(Implies(Result(), not overwrites_migration(call, run)))
    # R9: It can edit code, tests and docs freely.
    Ensures(
        Implies(
            not any(is_closed(file.path.absolute) for file in call.files)
            and not any(file.path.absolute.startswith("/repo/.github/") for file in call.files)
            and not overwrites_migration(call, run),
            Result(),
        )
    )


def contract_commit(call: GitCommit) -> None:
    # R7: No secret is committed.
    Ensures(Implies(any(path.absolute.endswith(".pem") for path in call.paths), not Result()))
    # R9: What is in order is allowed.
    Ensures(Implies(not any(is_closed(path.absolute) for path in call.paths), Result()))


def contract_delete(call: DeletePath, run: Run) -> None:
    # R11: What the agent did not make is not deleted.
    Ensures(Implies(not was_made(run, call.path.absolute), not Result()))
    # R11: What is in order is allowed.
    Ensures(Implies(was_made(run, call.path.absolute) and not is_closed(call.path.absolute), Result()))


def contract_shell(call: RunShell) -> None:
    # R13, R14: sudo, curl and rm are not run, and git neither pushes nor fetches.
    Ensures(
        Implies(
            any(program in {"sudo", "curl", "rm", "git push", "git fetch"} for program in call.command.calls),
            not Result(),
        )
    )
    # R14: sed does not edit in place, and find does not delete.
    Ensures(Implies("sed -i" in call.command.flags or "find -delete" in call.command.flags, not Result()))
    # R14: No redirect writes into the checkout.
    Ensures(Implies(Result(), not writes_elsewhere(call)))
    # R16: No path of a command is a secret or outside.
    Ensures(Implies(Result(), not names_closed_file(call)))
    # R15: Piping is fine as long as each part would be fine alone.
    Ensures(
        Implies(
            all(program in LISTED for program in call.command.calls)
            and not any("-" in flag for flag in call.command.flags)
            and not writes_elsewhere(call)
            and not names_closed_file(call),
            Result(),
        )
    )


def contract_install(call: InstallPackages, run: Run) -> None:
    # R18: A package without an exact version is not installed.
    Ensures(Implies(any(package.version is None for package in call.packages), not Result()))
    # R18: There are never more than three new ones.
    Ensures(Implies(Result(), installed(call, run) <= 3))
    # R19: Nothing but npm installs.
    Ensures(Implies(Result(), call.manager == "npm"))
    # R18: What is in order is allowed.
    Ensures(
        Implies(
            not any(package.version is None or not package.version.exact for package in call.packages)
            and installed(call, run) <= 3
            and call.manager == "npm",
            Result(),
        )
    )


def contract_push(call: GitPush, run: Run) -> None:
    # R21: main is not pushed to, and no other remote.
    Ensures(Implies(call.branch == "main" or call.remote == "fork", not Result()))
    # R24, R23: After a rebase the agent will have to overwrite its own branch.
    Ensures(Implies(call.force is not None and call.force and Result(), rebased(run)))
    # R21: What is in order is allowed.
    Ensures(Implies(call.branch == "agent/fix" and call.remote is None and call.force is None, Result()))


def contract_open(call: OpenPullRequest, run: Run) -> None:
    # R25: The base is main or develop.
    Ensures(Implies(Result(), call.base == "main" or call.base == "develop"))
    # R25: There is a reviewer.
    Ensures(Implies(Result(), has_reviewer(call)))
    # R26: The tests passed with the code as it is.
    Ensures(Implies(Result(), tested(run)))
    # R27: There is no second pull request.
    Ensures(Implies(opened(run), not Result()))
    # R25: What is in order is allowed.
    Ensures(
        Implies(
            call.base == "main"
            and has_reviewer(call)
            and tested(run)
            and not opened(run),
            Result(),
        )
    )


def contract_web(call: HttpRequest) -> None:
    # R29: An address of another site, or not over https, is not read.
    Ensures(Implies(Result(), call.url.host in HOSTS and call.url.scheme == "https"))
    # R30: Nothing is sent.
    Ensures(Implies(call.method == "PUT", not Result()))
    # R29: What is in order is allowed.
    Ensures(
        Implies(
            call.url.scheme == "https"
            and call.url.host in HOSTS
            and call.url.port == 443
            and not call.url.has_userinfo
            and call.method is None,
            Result(),
        )
    )
