"""The guard of several exported policies in one file, each in a module of its own.

The file holds the text of each policy's own exported file, and one copy of the modules that read calls.
"""

# What is not defined here comes from the exported file, which checkers of this file cannot see.
# pyright: basic, reportUndefinedVariable=false, reportOptionalMemberAccess=false
# ruff: noqa: F821, ANN001, ANN003, ANN201, ANN202

import types as _types


def _opened(name, text):
    """The module of one policy."""
    module = _types.ModuleType(f"{_PACKAGE}_{name}")
    place = f"{__file__}/{name}"
    vars(module).update(__file__=place, _PACKAGE=_PACKAGE, _MODULES=_MODULES, _DATA=_DATA)
    exec(compile(text, place, "exec"), vars(module))  # noqa: S102  the text is a part of this file
    return module


_PARTS = {name: _opened(name, text) for name, text in _POLICIES.items()}


def decide(arguments):
    """Decide on a mapping of the policies' arguments, each named ``POLICY:ARGUMENT``.

    The answer has the form of ``decide`` of one policy, for all policies together; rules and reasons begin
    with the policy's name. Deny if a policy denies; otherwise cannot-evaluate if a policy cannot be
    evaluated; otherwise ask if one asks.
    """
    answers = {}
    for name, part in _PARTS.items():
        own_arguments = {
            key[len(name) + 1 :]: value for key, value in arguments.items() if key.startswith(f"{name}:")
        }
        answers[name] = part.decide(own_arguments)
    verdicts = [answer["verdict"] for answer in answers.values()]
    return {
        "verdict": next(
            verdict for verdict in ("deny", "cannot-evaluate", "ask", "allow") if verdict in verdicts
        ),
        "violations": [
            {**violation, "rule": f"{name}:{violation['rule']}"}
            for name, answer in answers.items()
            for violation in answer["violations"]
        ],
        "reasons": [f"{name}: {reason}" for name, answer in answers.items() for reason in answer["reasons"]],
        "permitted_by": [
            f"{name}:{rule}" for name, answer in answers.items() for rule in answer["permitted_by"]
        ],
    }


def _carried(name):
    return next(iter(_PARTS.values()))._module(name)


def guard(**options):
    """A guard of all policies, which reads calls as their sessions do: ``Guard`` with these options.

    ``ToolCall``, ``DecisionLog``, ``Strategy`` and the other names of ``workbench.guard`` are attributes of
    this file too. Needs Python 3.12.
    """
    named = _carried("guard").NamedPolicy
    parts = [named(name, part._decider(), part._reader()) for name, part in _PARTS.items()]
    return _carried("guard").Guard(parts, **options)


def __getattr__(name):
    if not name.startswith("_") and name in _carried("guard").__all__:
        return getattr(_carried("guard"), name)
    raise AttributeError(f"an exported file of policies has no {name}")
