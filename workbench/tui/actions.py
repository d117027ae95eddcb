"""Every action of the screen that a key can start: one registry for bindings, help and palette."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Action:
    """An action: its stable id, the keys that start it, what it does, and where it belongs.

    ``call`` is the Textual action. ``scope`` is ``app`` or the id of a pane. ``footer``
    is the short label in the footer, empty if the action is not shown there; ``name``
    is the name of the pane that the action goes to.
    ``priority`` actions win over the focused widget, as they must inside the editor.
    """

    id: str
    keys: str
    call: str
    description: str
    group: str
    scope: str = "app"
    footer: str = ""
    name: str = ""
    priority: bool = False

    def binding(self) -> Binding:
        """The Textual binding of this action."""
        return Binding(
            self.keys,
            self.call,
            self.footer or self.description,
            show=bool(self.footer),
            priority=self.priority,
            tooltip=self.description,
            id=self.id,
        )


def _pane(key: str, pane: str, name: str, description: str) -> Action:
    return Action(f"go.{pane}", key, f"pane('{pane}')", description, "Panes", name=name, priority=True)


PANES = ("question", "policy", "cases", "proof", "replay", "details", "rail")

ACTIONS: tuple[Action, ...] = (
    Action("help", "f1", "help", "Help for the focused pane", "Workbench", footer="Help", priority=True),
    _pane("f2", "question", "Question", "Go to the open question"),
    _pane("f3", "policy", "Policy", "Go to the policy"),
    _pane("f4", "cases", "Cases", "Go to the cases"),
    _pane("f5", "proof", "Proof", "Go to the proof"),
    _pane("f6", "replay", "Replay", "Go to the replayed steps"),
    _pane("f7", "details", "Details", "Go to the details of the selected step"),
    _pane("f8", "rail", "Session", "Go to questions, assumptions, demonstrations, versions"),
    Action(
        "zoom",
        "f9,ctrl+o",
        "zoom",
        "Give the focused pane the whole screen, or back",
        "Panes",
        footer="Zoom",
        priority=True,
    ),
    Action("pane.wider", "alt+full_stop", "grow(True, 1)", "Make the pane wider", "Panes", priority=True),
    Action("pane.narrower", "alt+comma", "grow(True, -1)", "Make the pane narrower", "Panes", priority=True),
    Action("pane.higher", "alt+up", "grow(False, 1)", "Make the pane higher", "Panes", priority=True),
    Action("pane.lower", "alt+down", "grow(False, -1)", "Make the pane lower", "Panes", priority=True),
    Action(
        "pane.hide", "alt+h", "hide", "Put the pane away; its own key shows it again", "Panes", priority=True
    ),
    Action(
        "pane.reset", "alt+u,alt+0", "usual_layout", "All panes in their usual sizes", "Panes", priority=True
    ),
    Action("undo", "ctrl+z", "undo", "Undo the last change of the session", "Session", footer="Undo"),
    Action("redo", "ctrl+y", "redo", "Redo the last undone change", "Session"),
    Action(
        "save",
        "ctrl+s",
        "save",
        "Store the policy now (it is stored by itself too)",
        "Session",
        priority=True,
    ),
    Action("rerun", "ctrl+r", "rerun", "Test, prove and replay again", "Session", priority=True),
    Action(
        "theme",
        "ctrl+t",
        "next_theme",
        "Next theme: dark, light, high contrast, ansi",
        "Workbench",
        priority=True,
    ),
    Action(
        "palette", "ctrl+p", "command_palette", "All commands", "Workbench", footer="Commands", priority=True
    ),
    Action(
        "copy_or_leave",
        "ctrl+c",
        "how_to_quit",
        "Copy in the editor; elsewhere says how to quit",
        "Workbench",
    ),
    Action(
        "quit",
        "ctrl+q",
        "quit",
        "Quit; asks only if running work would be lost",
        "Workbench",
        footer="Quit",
        priority=True,
    ),
    Action(
        "lowered",
        "f11",
        "lowered",
        "The program that is handed to the verifier",
        "Policy",
        priority=True,
    ),
    Action(
        "links",
        "f12",
        "links",
        "From a rule, case, clause or step to all that belongs to it",
        "Policy",
        priority=True,
    ),
    Action("back", "alt+left", "jump_back", "Back to where you came from", "Panes", priority=True),
    Action(
        "compare",
        "alt+d",
        "compare",
        "What differs from another version of the policy",
        "Policy",
        priority=True,
    ),
    Action(
        "sessions",
        "alt+o",
        "sessions",
        "Other sessions: of this folder, and those opened last",
        "Session",
        priority=True,
    ),
    Action("tour", "alt+t", "tour", "The tour of the screen", "Workbench", priority=True),
    Action("jump", "ctrl+g", "jump", "Jump: a letter for each pane", "Panes", priority=True),
    Action(
        "edit.text",
        "alt+e",
        "edit_text",
        "Edit in $EDITOR: the text typed into, the marked record, or the policy",
        "Session",
        priority=True,
    ),
    Action("agent", "alt+a", "agent", "The agent spec: tools, arguments, words", "Session", priority=True),
    Action(
        "call.stop",
        "escape,alt+x",
        "stop_call",
        "Stop the model's calls that run",
        "Session",
        footer="Stop the model",
    ),
    Action("edit.request", "alt+r", "edit_request", "Edit the request in $EDITOR", "Session", priority=True),
    Action("copy.policy", "alt+c", "copy_policy", "Copy the whole policy", "Policy", priority=True),
    # --- tour
    Action("tour.next", "enter,right,space", "step(1)", "Next step", "Tour", "tour"),
    Action("tour.back", "backspace,left", "step(-1)", "Step before", "Tour", "tour"),
    Action("tour.end", "escape,q", "end", "End the tour", "Tour", "tour"),
    # --- reader
    Action("reader.close", "escape,q", "close", "Close", "Reader", "reader"),
    Action("reader.copy_all", "C", "copy_all", "Copy everything", "Reader", "reader"),
    # --- form
    Action("form.close", "escape", "close", "Close without storing", "Form", "form"),
    Action("form.store", "ctrl+enter,alt+s", "store", "Store", "Form", "form"),
    Action("form.next", "down", "move(1)", "Next field", "Form", "form"),
    Action("form.previous", "up", "move(-1)", "Previous field", "Form", "form"),
    Action("choice.next", "right,space", "turn(1)", "Next word of a choice", "Form", "choice"),
    Action("choice.take", "enter", "take", "Take the word, to the next field", "Form", "choice"),
    Action("choice.previous", "left", "turn(-1)", "Previous word of a choice", "Form", "choice"),
    Action(
        "area.first", "ctrl+home", "cursor_edge(-1)", "To the beginning of a text in a form", "Form", "area"
    ),
    Action("area.last", "ctrl+end", "cursor_edge(1)", "To the end of a text in a form", "Form", "area"),
    # --- the agent spec
    Action("agent.close", "escape,q", "close", "Close", "Agent spec", "agent"),
    Action("agent.add", "n", "add", "Add a part like the marked one", "Agent spec", "agent"),
    Action("agent.remove", "delete", "remove", "Remove the marked part", "Agent spec", "agent"),
    Action(
        "agent.undo", "ctrl+z,u", "app.undo", "Undo the last change of the session", "Agent spec", "agent"
    ),
    Action("agent.propose", "p", "propose", "To what the tools' schemas suggest", "Agent spec", "agent"),
    # --- question
    Action("question.up", "up,k", "cursor(-1)", "Previous option", "Question", "question"),
    Action("question.down", "down,j", "cursor(1)", "Next option", "Question", "question"),
    Action("question.take", "enter", "take", "Answer with the marked option", "Question", "question"),
    Action("question.skip", "s,right", "skip(1)", "Skip: next question", "Question", "question"),
    Action(
        "question.back", "backspace,left", "skip(-1)", "Back to the previous question", "Question", "question"
    ),
    Action("question.logs", "l", "effects", "What each answer changes in the logs", "Question", "question"),
    Action("question.neither", "n", "neither", "None of them: say it in other words", "Question", "question"),
    Action("question.why", "w", "why", "Why the answers differ, rule by rule", "Question", "question"),
    Action("question.undo", "u", "app.undo", "Undo the last answer", "Question", "question"),
    Action("question.later", "escape", "later", "Answer later", "Question", "question"),
    # --- lists
    Action("list.up", "up,k", "cursor(-1)", "Line up", "Lists", "list"),
    Action("list.down", "down,j", "cursor(1)", "Line down", "Lists", "list"),
    Action("list.page_up", "pageup,ctrl+b", "page(-1)", "Page up", "Lists", "list"),
    Action("list.page_down", "pagedown,space", "page(1)", "Page down", "Lists", "list"),
    Action("list.first", "home,g", "edge(-1)", "First line", "Lists", "list"),
    Action("list.last", "end,G", "edge(1)", "Last line", "Lists", "list"),
    Action("list.choose", "enter", "choose", "Open the marked line", "Lists", "list"),
    Action("list.search", "slash", "search", "Search; then n and N, Esc ends", "Lists", "list"),
    Action("list.copy", "c,y", "copy", "Copy the marked line", "Lists", "list"),
    # --- proof
    Action("proof.matrix", "m", "matrix", "The evidence matrix, or the clauses again", "Proof", "proof"),
    Action("proof.longer", "r", "prove_longer", "Prove again, with a longer time limit", "Proof", "proof"),
    Action("proof.report", "e", "report", "What to report where the engines disagree", "Proof", "proof"),
    Action("proof.case", "t", "keep_case", "Keep the counterexample or survivor as a case", "Proof", "proof"),
    Action("proof.ask", "a", "ask", "Ask: should this be allowed?", "Proof", "proof"),
    Action("proof.clause", "i", "add_clause", "Make a clause of the marked survivor", "Proof", "proof"),
    Action("proof.accept", "o", "accept", "Do not care about the marked survivor", "Proof", "proof"),
    # --- cases
    Action("cases.run", "r", "run_one", "Run the marked case", "Cases", "cases"),
    Action("cases.failing", "f", "run_failing", "Run the failing cases", "Cases", "cases"),
    Action("cases.output", "o", "output", "The test runner's own text", "Cases", "cases"),
    Action("cases.add", "n", "add", "Add a case like the marked one", "Cases", "cases"),
    Action("cases.edit", "e", "edit", "Edit the marked case", "Cases", "cases"),
    Action("cases.remove", "delete", "remove", "Remove the marked case", "Cases", "cases"),
    Action("cases.open", "right", "unfold(True)", "Show the cases of a requirement", "Cases", "cases"),
    Action("cases.close", "left", "unfold(False)", "Hide the cases of a requirement", "Cases", "cases"),
    Action("cases.fold", "z", "fold", "Hide the cases of all requirements, or show them", "Cases", "cases"),
    # --- replay
    Action("replay.filter", "slash", "filter", "Filter the steps", "Replay", "replay", footer="Filter"),
    Action("replay.deny", "d", "only('deny')", "Only denied steps", "Replay", "replay"),
    Action("replay.allow", "a", "only('allow')", "Only allowed steps", "Replay", "replay"),
    Action("replay.cannot", "e", "only('cannot')", "Only steps that cannot be evaluated", "Replay", "replay"),
    Action("replay.flipped", "f", "only('flipped')", "Only steps whose decision changed", "Replay", "replay"),
    Action(
        "replay.causes", "v", "view('causes')", "Denials by cause, or the steps again", "Replay", "replay"
    ),
    Action(
        "replay.strategies",
        "s",
        "view('strategies')",
        "What each strategy would have stopped",
        "Replay",
        "replay",
    ),
    Action("replay.next", "n", "play(1)", "Next step of the same run", "Replay", "replay"),
    Action("replay.previous", "p", "play(-1)", "Previous step of the same run", "Replay", "replay"),
    Action("replay.run", "t", "run", "Only the run of this step, or all steps again", "Replay", "replay"),
    Action(
        "replay.autoplay", "full_stop", "autoplay", "Play the run step by step, or stop", "Replay", "replay"
    ),
    Action("replay.rule", "o", "rule", "To the rule that fired", "Replay", "replay"),
    Action(
        "replay.demonstrate", "plus", "demonstrate", "Keep the step as a demonstration", "Replay", "replay"
    ),
    Action("replay.explain", "w", "explain", "Why, and what would have to differ", "Replay", "replay"),
    Action("replay.clear", "x", "only('')", "All steps again", "Replay", "replay"),
    Action("causes.right", "r", "judge(True)", "The marked group is denied rightly", "Replay", "causes"),
    Action("causes.wrong", "f", "judge(False)", "The marked group is a false alarm", "Replay", "causes"),
    # --- details
    Action("details.next", "n", "mark(1)", "Next place in the log", "Details", "details"),
    Action("details.previous", "p", "mark(-1)", "Previous place in the log", "Details", "details"),
    # --- rail
    Action(
        "rail.retract",
        "delete,u",
        "retract",
        "Take the marked assumption back, or remove the demonstration",
        "Session pane",
        "rail",
    ),
    Action(
        "rail.effects", "l", "effects", "What changing the marked assumption would do", "Session pane", "rail"
    ),
    Action("rail.edit", "e", "edit", "Edit the marked assumption or demonstration", "Session pane", "rail"),
    Action("rail.add", "n", "add", "Add a demonstration", "Session pane", "rail"),
    Action(
        "rail.switch", "x", "switch", "Retrieve the demonstration no more, or again", "Session pane", "rail"
    ),
    Action(
        "rail.import", "i", "move_memory(True)", "Import demonstrations from a file", "Session pane", "rail"
    ),
    Action("rail.export", "o", "move_memory(False)", "Export the demonstrations", "Session pane", "rail"),
    Action("rail.refined", "v", "refined", "The request as it is understood", "Session pane", "rail"),
    # --- policy
    Action(
        "editor.first", "ctrl+home", "document_edge(-1)", "To the beginning of the text", "Policy", "editor"
    ),
    Action("editor.last", "ctrl+end", "document_edge(1)", "To the end of the text", "Policy", "editor"),
    Action("policy.edit", "enter,i", "edit", "Edit the text; Escape leaves it", "Policy", "policy"),
    Action("policy.up", "up,k", "line(-1)", "Line up", "Policy", "policy"),
    Action("policy.down", "down,j", "line(1)", "Line down", "Policy", "policy"),
    Action("policy.first", "home,g", "edge(-1)", "First line", "Policy", "policy"),
    Action("policy.last", "end,G", "edge(1)", "Last line", "Policy", "policy"),
    Action("policy.page_up", "pageup,ctrl+b", "page(-1)", "Page up", "Policy", "policy"),
    Action("policy.page_down", "pagedown,space", "page(1)", "Page down", "Policy", "policy"),
    Action("policy.fold", "z", "fold", "Fold the contract, or unfold it", "Policy", "policy"),
    Action(
        "policy.complete",
        "ctrl+n,ctrl+at",
        "complete",
        "Words that fit at the cursor, to choose from",
        "Policy",
        "editor",
    ),
    Action(
        "policy.take",
        "tab",
        "take_offered",
        "Write the first word of an open list; else indent",
        "Completion",
        "editor",
    ),
    Action("completion.take", "enter,tab", "take", "Write the marked word", "Completion", "completion"),
    Action("completion.none", "escape", "none", "Write none", "Completion", "completion"),
    Action(
        "policy.leave", "escape", "leave", "Close the list of words, or leave the editor", "Policy", "editor"
    ),
    Action(
        "policy.problem", "f10,alt+n", "next_problem", "Next problem or refuted clause", "Policy", "policy"
    ),
)

BY_ID = {action.id: action for action in ACTIONS}


def bindings(scope: str = "app") -> list[Binding]:
    """The bindings of the app or of one kind of pane."""
    return [action.binding() for action in ACTIONS if action.scope == scope]


KEY_NAMES = {
    "pageup": "PgUp", "pagedown": "PgDn", "slash": "/", "escape": "Esc", "plus": "+", "full_stop": ".",
    "comma": ",", "at": "Space",  # terminals send Ctrl+Space as Ctrl+@
}  # fmt: skip
MODIFIERS = {"ctrl": "Ctrl", "alt": "Alt", "shift": "Shift"}


def keys_shown(action: Action) -> str:
    """The keys of an action as a person reads them."""
    return " or ".join(_key(key) for key in action.keys.split(","))


def _key(key: str) -> str:
    *modifiers, last = key.split("+")
    name = KEY_NAMES.get(last, last)
    if len(name) > 1:
        name = name.upper() if name[0] == "f" and name[1:].isdigit() else name[0].upper() + name[1:]
    elif modifiers:
        name = name.upper()
    return "+".join([*(MODIFIERS[modifier] for modifier in modifiers), name])
