"""A coding agent in a repository."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import (
    Agent,
    AskUserQuestion,
    Bash,
    DeleteFile,
    Edit,
    ExitPlanMode,
    Glob,
    Grep,
    Path,
    Read,
    Run,
    Skill,
    TaskCreate,
    TaskGet,
    TaskList,
    TaskOutput,
    TaskStop,
    TaskUpdate,
    TodoWrite,
    UpdatePlan,
    UpdateTopic,
    WebFetch,
    WebSearch,
    Write,
)

DEFAULT = "deny"

# What looks, builds, formats, tests, and edits the files that it names.
LISTED = {
    "[", "alembic", "awk", "base64", "basename", "bash", "black", "bundle exec", "cargo bench", "cargo build",
    "cargo check", "cargo clippy", "cargo doc", "cargo fmt", "cargo run", "cargo test", "cargo tree", "cat",
    "cd", "chmod", "clang", "cmp", "column", "comm", "cp", "crontab", "ctest", "curl", "cut", "date", "df", "diff",
    "dirname", "dotnet build", "dotnet test", "dpkg", "du", "echo", "egrep", "enscript", "env", "eslint", "exiftool",
    "exit", "export", "expr", "false", "fgrep", "file", "find", "flake8", "flask", "fold", "free",
    "fuser", "g++", "gcc", "git add", "git bisect", "git blame", "git branch", "git branch --list",
    "git branch --show-current", "git branch -a", "git branch -r", "git branch -v", "git cat-file",
    "git checkout", "git cherry-pick", "git commit", "git config --get", "git describe", "git diff",
    "git fetch", "git grep", "git init", "git log", "git ls-files", "git ls-tree", "git merge",
    "git merge-base", "git mv", "git name-rev", "git pull", "git rebase", "git reflog", "git remote", "git remote -v",
    "git rev-list", "git rev-parse", "git revert", "git rm", "git shortlog", "git show", "git stash",
    "git stash list", "git stash pop", "git stash push", "git stash show", "git status", "git switch",
    "git tag", "git tag --list", "git tag -l", "git whatchanged", "git worktree list",
    "go build", "go fmt", "go list", "go mod tidy", "go run", "go test", "go vet", "gofmt", "gradle",
    "gradle build", "gradle test", "grep", "gunzip", "gzip", "head", "hostname", "id", "isort", "javac",
    "jest", "jobs", "join", "jq", "ls", "lsblk", "lsof", "make", "make all", "make build", "make check",
    "make lint", "make test", "md5sum", "mkdir", "mktemp", "mocha", "mv", "mvn", "mvn package", "mvn test",
    "mypy", "netstat", "nl", "node", "nohup", "npm ls", "npm outdated", "npm run", "npm run build",
    "npm run check", "npm run dev", "npm run format", "npm run lint", "npm run start", "npm run test",
    "npm run test:unit", "npm run typecheck", "npm start", "npm test", "npm why", "nproc", "npx eslint",
    "npx jest", "npx prettier", "npx tsc", "npx vitest", "npx vitest run", "od", "paste", "patch",
    "pdftohtml", "pdftotext", "pgrep", "pip check", "pip freeze", "pip list", "pip show", "pip3 list",
    "pip3 show", "pnpm build", "pnpm lint", "pnpm run", "pnpm test", "poetry run", "popd", "prettier",
    "printf", "ps", "ps2pdf", "pushd", "pwd", "pyright", "pytest", "python", "python3", "readlink", "realpath", "rev",
    "rg", "rm", "rmdir", "rspec", "ruby", "ruff check", "ruff format", "rustc", "sed", "seq", "sh", "sha1sum", "sha256sum",
    "sleep", "sort", "ss", "stat", "strings", "tac", "tail", "tee", "test", "time", "timeout", "touch", "tr",
    "tree", "true", "tsc", "type", "ulimit", "uname", "uniq", "unzip", "uptime", "uv run", "vitest", "wait",
    "wc", "wget", "which", "whoami", "xargs", "xclip", "xxd", "yarn build", "yarn lint", "yarn run", "yarn test",
    "zbarimg",
}
PUSHES = {"git push", "git send-pack"}
INSTALLS = {
    "apt", "apt-get", "apk", "brew", "cargo add", "cargo install", "cargo publish", "dnf", "gem install", "go get",
    "go install", "npm add", "npm ci", "npm i", "npm install", "npm publish", "npx", "pip install", "pip3 install",
    "pip uninstall", "pipx", "pnpm add", "pnpm install", "poetry add", "poetry install", "poetry publish",
    "poetry update", "twine", "uv add", "uv pip install", "uv sync", "yarn", "yarn add", "yarn install", "yum",
}
RIGHTS = {"sudo", "su", "doas", "pkexec", "chown", "setcap"}
# Programs that tell of files which there are, and not what is in them.
NAMING = {"[", "basename", "cd", "chmod", "dirname", "du", "echo", "file", "find", "ls", "mkdir", "pushd", "pwd", "readlink",
    "realpath", "rmdir", "stat", "test", "touch", "tree", "type", "which"}
# Sub-commands and options of git that rewrite what others have, or lose work.
REWRITES = {
    "git clean", "git filter-branch", "git filter-repo", "git gc", "git prune",
    "git reflog delete", "git reflog expire", "git replace", "git reset", "git restore", "git stash clear",
    "git stash drop", "git update-ref", "git symbolic-ref", "git worktree remove",
}
REWRITING = {
    "--amend", "--force", "--force-with-lease", "--force-if-includes", "--force-create", "--hard", "--mirror", "--delete",
    "-D", "-d", "-f", "--discard-changes",
}
DELETES = {"rmdir", "shred", "truncate", "unlink", "wipe"}
FOLDERS = {"-r", "-R", "--recursive", "-d", "--dir"}
SEARCHES = {"grep", "egrep", "fgrep", "diff"}
RECURSIVE = {"-r", "-R", "--recursive", "--dereference-recursive", "-d", "--directories"}
UNHIDDEN = {"--hidden", "-u", "--no-ignore", "--no-ignore-vcs", "--no-ignore-parent", "--unrestricted", "-.", "-L", "--follow"}
# Kinds of files in which a client may search: its search reads hidden files, too.
SOURCES = {
    "*.c", "*.cc", "*.cpp", "*.cs", "*.css", "*.go", "*.h", "*.hpp", "*.html", "*.java", "*.js", "*.jsx", "*.kt", "*.md", "*.php",
    "*.proto", "*.py", "*.rb", "*.rs", "*.rst", "*.scala", "*.scss", "*.sh", "*.sql", "*.svelte", "*.swift", "*.ts", "*.tsx",
    "*.vue", "*.{js,jsx}", "*.{js,ts}", "*.{ts,tsx}",
}
TYPES = {
    "c", "cpp", "cs", "css", "go", "html", "java", "js", "kotlin", "md", "php", "protobuf", "py", "ruby", "rust", "scala", "sql",
    "swift", "ts",
}
UNTRACKED = {"--no-index", "--untracked", "--no-exclude-standard"}
SENDING = {
    "--data", "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode", "--form", "--form-string", "--json",
    "--upload-file", "--request", "--post-data", "--post-file", "--body-data", "--body-file", "--method",
}
# Listed programs that reach other machines; about all others that do a person is asked anyway.
REACHING = {"curl", "wget", "git"}
SITES = {
    "127.0.0.1", "localhost", "::1", "github.com", "raw.githubusercontent.com", "docs.python.org", "pypi.org",
    "registry.npmjs.org", "developer.mozilla.org", "docs.rs",
}
# Files that say what git and searches pass over.
IGNORING = {".gitignore", ".ignore", ".rgignore"}
GENERATED = {"node_modules", "dist", "build", "target", "vendor"}
LOCKS = {
    "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "Cargo.lock", "go.sum",
    "Gemfile.lock", "composer.lock",
}
SECRET_FOLDERS = {"secrets", ".ssh", ".aws", ".gnupg", ".kube", ".docker"}
SECRET_FILES = {
    ".env", ".envrc", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", "credentials.json",
    "service-account.json", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "master.key", "terraform.tfstate",
}
SECRET_SUFFIXES = {".env", ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx"}
GUARD_FOLDERS = {".claude", ".codex", ".gemini", ".opencode", "policy-workbench", ".workbench"}
GUARD_FILES = {"accepted.toml", "grants.toml", "opencode.json", "opencode.jsonc", ".mcp.json", "AGENTS.override.md"}


def is_within(path: Path, run: Run) -> bool:
    """whether a file is in the repository"""
    return any(any(place == folder for place in run.context.folders) for folder in path.inside)


def is_outside(path: Path, run: Run) -> bool:
    """whether a file is outside the repository and /tmp"""
    return not (is_within(path, run) or "/tmp" in path.inside or path.absolute == "/dev/null")


def is_secret(path: Path) -> bool:
    """whether a file is secret"""
    is_variant = any(name.startswith(".env") and name != ".env.example" for name in path.names)
    is_in_folder = any(name in SECRET_FOLDERS for name in path.names)
    return is_variant or is_in_folder or path.name in SECRET_FILES or path.suffix in SECRET_SUFFIXES


def is_generated(path: Path) -> bool:
    """whether a file is generated, or of git's own"""
    is_in_folder = any(name in GENERATED for name in path.names)
    return is_in_folder or path.name in LOCKS or any(name == ".git" for name in path.names)


def says_ignored(path: Path) -> bool:
    """whether a file says what git and searches ignore"""
    return path.name in IGNORING


def is_of_guard(path: Path) -> bool:
    """whether a file belongs to the agent's guard"""
    return any(name in GUARD_FOLDERS for name in path.names) or path.name in GUARD_FILES


def names_outside(call: Bash, run: Run) -> bool:
    """whether the command names a file outside the repository and /tmp"""
    return any(is_outside(path, run) for path in call.command.paths)


def reads_secret(call: Bash) -> bool:
    """whether the command reads a secret"""
    return any(is_secret(path) for path in call.command.reads)


def changes_secret(call: Bash) -> bool:
    """whether the command changes a secret"""
    return any(is_secret(path) for path in call.command.writes)


def opens_secret(call: Bash) -> bool:
    """whether a program of the command gets the name of a secret"""
    return any(p.name not in NAMING and any(is_secret(path) for path in p.paths) for p in call.command.started)


def searches_all(call: Bash) -> bool:
    """whether the command searches whole folders with their hidden files"""
    return any(
        p.name in SEARCHES and any(option in RECURSIVE for option in p.options)
        or p.name == "diff" and any(option in {"-N", "--new-file"} for option in p.options)
        or p.name == "diff" and any(path.suffix == "" and path.absolute != "/dev/null" for path in p.paths)
        or p.name in {"gzip", "gunzip"} and any(option in {"-r", "--recursive"} for option in p.options)
        or p.name == "rg" and any(option in UNHIDDEN for option in p.options)
        or p.name == "git" and any(option in UNTRACKED for option in p.options)
        for p in call.command.started
    )


def is_of_sources(call: Grep) -> bool:
    """whether a search is for one kind of source files"""
    is_by_type = call.glob is None and call.type is not None and call.type in TYPES
    return is_by_type or call.glob is not None and call.glob.removeprefix("**/") in SOURCES


def leaves(call: Glob) -> bool:
    """whether the pattern of a search for files may begin elsewhere than in the folder that is searched"""
    is_rooted = call.pattern.startswith("/") or "{/" in call.pattern or ",/" in call.pattern
    return is_rooted or "~" in call.pattern or ".." in call.pattern or "$" in call.pattern


def writes_generated(call: Bash) -> bool:
    """whether the command writes a generated file"""
    return any(is_generated(path) for path in call.command.writes)


def changes_ignored(call: Bash) -> bool:
    """whether the command changes what git and searches ignore"""
    return any(says_ignored(path) for path in call.command.writes)


def names_guard(call: Bash) -> bool:
    """whether the command names a file of the guard"""
    starts_module = any(p.name.startswith("python") and "workbench" in p.words for p in call.command.started)
    return starts_module or any(is_of_guard(path) for path in call.command.paths)


def checks_out(call: Bash) -> bool:
    """whether git checks out what is no new branch"""
    return any(p.name == "git" and "checkout" in p.words and not "-b" in p.options for p in call.command.started)


def deletes_folders(call: Bash) -> bool:
    """whether the command deletes folders, or more files than it names"""
    return any(
        p.name in DELETES
        or p.name == "rm" and any(option in FOLDERS for option in p.options)
        or p.name == "git" and p.first == "rm" and "-r" in p.options
        or p.name == "find" and "-delete" in p.words
        for p in call.command.started
    )


def forces(call: Bash) -> bool:
    """whether a push is forced, or deletes a branch"""
    return any(
        p.name == "git" and any(word.startswith("+") or word.startswith(":") for word in p.words)
        for p in call.command.started
    )


def rewrites(call: Bash) -> bool:
    """whether an option of git rewrites history, or loses work"""
    return any(
        p.name == "git" and any(option in REWRITING for option in p.options)
        or p.name == "git" and p.first == "rebase" and not p.options <= {"--abort", "--continue", "-q", "--quiet"}
        or p.name == "git" and p.first == "branch" and any(option in {"-C", "-M"} for option in p.options)
        for p in call.command.started
    )


def reaches(call: Bash) -> bool:
    """whether a program of the command may reach another machine"""
    return any(program in REACHING for program in call.command.programs)


def sends(call: Bash) -> bool:
    """whether the command sends something"""
    return any(
        (p.name == "curl" or p.name == "wget") and any(option in SENDING for option in p.options)
        or p.name == "curl" and any(word.startswith("@") or "H@" in word or word.startswith("--header=@") for word in p.words)
        for p in call.command.started
    )


def permit_plain(
    call: Agent
    | AskUserQuestion
    | ExitPlanMode
    | Skill
    | TaskCreate
    | TaskGet
    | TaskList
    | TaskOutput
    | TaskStop
    | TaskUpdate
    | TodoWrite
    | UpdatePlan
    | UpdateTopic
    | WebSearch,
) -> bool:
    """R22: The agent may keep lists of its tasks, ask the person, load skills, search the web and give tasks to subagents."""
    return True


def permit_file(call: Read | Write | Edit | DeleteFile | Glob | Grep) -> bool:
    """R1: The agent works in the repository in which it was started."""
    return True


def permit_command(call: Bash) -> bool:
    """R9: Programs that look, build, format, test and edit the files that they name may run."""
    return True


def permit_page(call: WebFetch) -> bool:
    """R19: Pages may be read, by GET, from github.com, docs.python.org, pypi.org, registry.npmjs.org, developer.mozilla.org, docs.rs and this machine itself."""
    return True


def forbid_outside(call: Read | Write | Edit | DeleteFile, run: Run) -> bool:
    """R2: Everything outside of the repository is closed, apart from /tmp."""
    return is_outside(call.file_path, run)


def forbid_outside_search(call: Glob | Grep, run: Run) -> bool:
    """R2: Nothing outside of the repository is searched, apart from /tmp."""
    return call.path is not None and is_outside(call.path, run)


def forbid_outside_command(call: Bash, run: Run) -> bool:
    """R2: A command names no file outside of the repository, apart from /tmp."""
    return names_outside(call, run)


def forbid_outside_pattern(call: Glob) -> bool:
    """R2: A pattern for files begins in the folder that is searched: its path says where."""
    return leaves(call)


def forbid_secret(call: Read | Write | Edit | DeleteFile) -> bool:
    """R3: Secrets are closed to every tool and program: .env files, private keys, the folders secrets, .ssh, .aws and .gnupg, and files with credentials."""
    return is_secret(call.file_path)


def forbid_secret_search(call: Glob | Grep) -> bool:
    """R3: Secrets are not searched."""
    return call.path is not None and is_secret(call.path)


def forbid_secret_command(call: Bash) -> bool:
    """R3: A command opens no secret: .env files, keys, credentials."""
    return opens_secret(call) or reads_secret(call) or changes_secret(call)


def forbid_recursive_search(call: Bash) -> bool:
    """R4: A search through whole folders would read them, so it is done by git grep or rg, or for one kind of source files."""
    return searches_all(call)


def forbid_hidden_search(call: Grep) -> bool:
    """R4: A search by a client reads hidden files, too, so it is for one kind of source files."""
    return not is_of_sources(call)


def ask_history(call: Bash) -> bool:
    """R24: A person is asked before the contents of whole commits are printed."""
    return call.command.history


def ask_ignoring(call: Write | Edit | DeleteFile) -> bool:
    """R25: A person is asked before a file is changed that says what git and searches ignore."""
    return says_ignored(call.file_path)


def ask_ignoring_command(call: Bash) -> bool:
    """R25: A person is asked before a command changes what git and searches ignore."""
    return changes_ignored(call)


def forbid_generated(call: Write | Edit | DeleteFile) -> bool:
    """R5, R6: What tools generate is not edited: lock files, node_modules, dist, build, target and vendor."""
    return is_generated(call.file_path)


def forbid_generated_command(call: Bash) -> bool:
    """R5, R6: A command writes nothing that tools generate, and nothing into .git."""
    return writes_generated(call)


def forbid_own_guard(call: Write | Edit | DeleteFile) -> bool:
    """R7: The settings, hooks and plugins of the coding agents, the sessions of the workbench and its program are closed to the agent: it does not change its own guard."""
    return is_of_guard(call.file_path)


def forbid_own_guard_command(call: Bash) -> bool:
    """R7: A command does not name the settings of a coding agent, or the workbench."""
    return "workbench" in call.command.programs or names_guard(call)


def ask_program(call: Bash) -> bool:
    """R10: A person is asked about any other program."""
    return any(not (program in LISTED or program in PUSHES or program in INSTALLS) for program in call.command.calls)


def forbid_rights(call: Bash) -> bool:
    """R11: Nothing gets other rights (sudo, su, doas)."""
    return any(program in RIGHTS for program in call.command.programs)


def forbid_deleting(call: Bash) -> bool:
    """R13: No folder is deleted, nor is anything by find -delete, shred or git clean."""
    return deletes_folders(call)


def ask_push(call: Bash) -> bool:
    """R15: A person is asked before a push."""
    return any(program in PUSHES for program in call.command.calls)


def forbid_rewriting(call: Bash) -> bool:
    """R16: No push is forced and none deletes a branch, and the history and the work of others are not rewritten: no reset --hard, amend, filter-branch, restore or checkout of files, no rebase other than onto a branch that is named, no deleting of branches, tags or stashes."""
    by_command = any(program in REWRITES for program in call.command.calls)
    is_lost = "git checkout" in call.command.calls and checks_out(call)
    return by_command or is_lost or rewrites(call) or "git push" in call.command.calls and forces(call)


def ask_install(call: Bash) -> bool:
    """R17: A person is asked before a package is installed or published."""
    return any(program in INSTALLS for program in call.command.calls)


def ask_host(call: Bash) -> bool:
    """R20: A person is asked about other hosts."""
    return reaches(call) and not call.command.hosts <= SITES


def ask_page(call: WebFetch) -> bool:
    """R20: A person is asked about pages of other hosts."""
    return call.url.host not in SITES


def forbid_sending(call: Bash) -> bool:
    """R21: Nothing is sent."""
    return sends(call)


def contract_look(call: Read, run: Run) -> None:
    # R23: An .env.example is harmless.
    Ensures(Implies(is_within(call.file_path, run) and call.file_path.name == ".env.example" and call.file_path.suffix == ".example" and call.file_path.names == {".env.example"}, Result()))
    # R1, R2, R3: What is read lies in the repository or /tmp, and is no secret.
    Ensures(Result() == (not is_outside(call.file_path, run) and not is_secret(call.file_path)))


def contract_change(call: Write | Edit | DeleteFile, run: Run) -> None:
    # R2, R3: What is outside, and what is secret, is not changed.
    Ensures(Implies(is_outside(call.file_path, run) or is_secret(call.file_path), not Result()))
    # R5, R6, R7: Neither is what is generated, nor the guard.
    Ensures(Implies(is_generated(call.file_path) or is_of_guard(call.file_path), not Result()))
    is_closed = is_outside(call.file_path, run) or is_secret(call.file_path)
    is_kept = is_generated(call.file_path) or is_of_guard(call.file_path)
    # R25: A person is asked before a file is changed that says what git and searches ignore.
    Ensures(Implies(says_ignored(call.file_path), not Result()))
    # R12: Everything else in the repository may be changed.
    Ensures(Implies(not is_closed and not is_kept and not says_ignored(call.file_path), Result()))
    # R8: The inside of .git is left to git.
    Ensures(Implies(any(name == ".git" for name in call.file_path.names), not Result()))


def contract_delete(call: DeleteFile, run: Run) -> None:
    is_plain = not says_ignored(call.file_path)
    is_kept = is_generated(call.file_path) or is_of_guard(call.file_path) or is_secret(call.file_path)
    # R18: Single files of the repository may be deleted.
    Ensures(Implies(is_within(call.file_path, run) and is_plain and not is_kept, Result()))


def contract_search(call: Glob, run: Run) -> None:
    # R2, R3: A search for files keeps to the repository, and out of secret folders.
    is_open = call.path is None or not is_outside(call.path, run) and not is_secret(call.path)
    Ensures(Result() == (is_open and not leaves(call)))


def contract_grep(call: Grep, run: Run) -> None:
    # R2, R3: So does a search in files.
    Ensures(Implies(call.path is not None and (is_outside(call.path, run) or is_secret(call.path)), not Result()))
    # R4: A search through whole folders would read them, so it is done by git grep or rg, or for one kind of source files.
    Ensures(Implies(call.path is None, Result() == is_of_sources(call)))


def contract_command(call: Bash, run: Run) -> None:
    is_closed = names_outside(call, run) or opens_secret(call) or reads_secret(call) or changes_secret(call)
    # R2, R3: No command names a file outside, or opens a secret.
    Ensures(Implies(is_closed, not Result()))
    # R4, R6, R7: None searches hidden files, writes what is generated, or names the guard.
    Ensures(Implies(searches_all(call) or writes_generated(call) or names_guard(call), not Result()))
    # R11: None gets other rights.
    Ensures(Implies("sudo" in call.command.programs or "su" in call.command.programs, not Result()))
    # R13: None deletes folders.
    Ensures(Implies(deletes_folders(call), not Result()))
    # R16: None rewrites the work of others.
    Ensures(Implies(rewrites(call) or "git reset" in call.command.calls, not Result()))
    # R21: None sends anything.
    Ensures(Implies(sends(call), not Result()))
    # R10: No other program runs without a person.
    Ensures(Implies(not call.command.calls <= LISTED, not Result()))
    # R25: Nor is what git and searches ignore changed.
    Ensures(Implies(changes_ignored(call), not Result()))
    # R24: Nor are the contents of whole commits printed.
    Ensures(Implies(call.command.history, not Result()))
    # R15, R17: No push and no installation runs without a person.
    Ensures(Implies("git push" in call.command.calls or "npm install" in call.command.calls, not Result()))
    # R20: Nothing reaches another host without a person.
    Ensures(Implies(reaches(call) and not call.command.hosts <= SITES, not Result()))
    is_kept = searches_all(call) or writes_generated(call) or changes_ignored(call) or names_guard(call)
    is_loss = deletes_folders(call) or rewrites(call) or forces(call) or checks_out(call) or sends(call)
    is_plain = call.command.calls <= {"ls", "cat", "rg", "pytest", "git status", "git diff", "git commit", "npm test"}
    is_known = call.command.programs <= {"ls", "cat", "rg", "pytest", "git", "npm"} and call.command.hosts <= SITES
    # R14: Commits are fine, and so is looking at the history.
    is_history = call.command.calls <= {"git commit", "git add", "git log", "git show", "git status", "git diff"}
    Ensures(Implies(is_history and not call.command.history and is_known and not is_closed and not is_kept and not is_loss, Result()))
    # R9: Programs that look, build, format, test and edit the files that they name may run.
    Ensures(Implies(is_plain and not call.command.history and is_known and not is_closed and not is_kept and not is_loss, Result()))


def contract_page(call: WebFetch) -> None:
    # R19, R20: Pages of the listed sites are read, others by a person's leave.
    Ensures(Result() == (call.url.host in SITES))


def contract_plain(
    call: Agent
    | AskUserQuestion
    | ExitPlanMode
    | Skill
    | TaskCreate
    | TaskGet
    | TaskList
    | TaskOutput
    | TaskStop
    | TaskUpdate
    | TodoWrite
    | UpdatePlan
    | UpdateTopic
    | WebSearch,
) -> None:
    # R22: The agent may keep lists of its tasks, ask the person, load skills, search the web and give tasks to subagents.
    Ensures(Result())


def pushes(call: Bash) -> bool:
    """whether a command pushes"""
    return any(program in PUSHES for program in call.command.calls)


def secret_was_read(run: Run) -> bool:
    """whether a secret was read before"""
    by_client = any(not c.failed and is_secret(c.file_path) for c in run.earlier(Read))
    return by_client or any(not c.failed and opens_secret(c) for c in run.earlier(Bash))


def theorem_push_after_secret(run: Run) -> bool:
    """Nothing is pushed after a secret was read, unless a person approved."""
    return all(c.approved or not secret_was_read(run.before(c)) for c in run.calls(Bash) if pushes(c))
