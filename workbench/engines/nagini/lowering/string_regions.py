"""Finite representatives of strings: one for each way in which strings can differ.

A policy tests a string only by equality, prefixes, suffixes, substrings and lengths. Strings with the same
answers to all these tests are interchangeable, so finitely many representatives cover all of them. They are
found by walking the product of small automata (a trie for constants and prefixes, Aho-Corasick for suffixes
and substrings, a bounded counter for lengths) breadth first: complete, exact for Unicode, shortest words
first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from workbench.model import WorkbenchError

MAX_REGIONS = 512
MAX_STEPS = 2_000_000
_FILLERS = "xyzabcdefghijklmnopqrstuvwABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_WORDS = ("other", "another", "third", "fourth", "fifth")


class LoweringLimit(WorkbenchError):
    """The policy is in the dialect but cannot be translated for the proof."""


class LoweringFault(LoweringLimit):
    """An error of the lowering itself; nothing is proved when it occurs."""


@dataclass(frozen=True, slots=True)
class Atoms:
    """All tests of the strings of one family.

    ``lengths`` holds thresholds: the test is ``len(text) >= threshold``.
    """

    constants: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()
    suffixes: frozenset[str] = frozenset()
    infixes: frozenset[str] = frozenset()
    lengths: frozenset[int] = frozenset()

    @property
    def only_equality(self) -> bool:
        """Whether strings are only compared with constants."""
        return not (self.prefixes or self.suffixes or self.infixes or self.lengths)

    def signature(self, text: str) -> tuple[bool, ...]:
        """The answers of all tests except the equalities, in a fixed order."""
        return (
            *(text.startswith(prefix) for prefix in sorted(self.prefixes)),
            *(text.endswith(suffix) for suffix in sorted(self.suffixes)),
            *(infix in text for infix in sorted(self.infixes)),
            *(len(text) >= length for length in sorted(self.lengths)),
        )


@dataclass(slots=True)
class _Node:
    """A node of the trie of constants and prefixes, or of the Aho-Corasick automaton."""

    text: str
    children: dict[str, int] = field(default_factory=dict[str, int])
    fail: int = 0
    infixes: int = 0
    constant: bool = False


type _State = tuple[int, int, int, int]


class _Walker:
    """The product automaton; a state is (trie node or -1 - prefix, substring node, substrings seen, length).

    The first part is a trie node while the word read so far is in the trie. After that it is ``-1 - n``,
    where ``n`` is the last trie node that matters: the longest prefix test that the word passed, or the root.
    """

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        self.trie = _trie(sorted(atoms.constants | atoms.prefixes))
        for node in self.trie:
            node.constant = node.text in atoms.constants
        self.order = sorted(atoms.infixes)
        self.automaton = _aho_corasick(sorted(atoms.infixes | atoms.suffixes), self.order)
        patterns = (*atoms.prefixes, *atoms.suffixes, *atoms.infixes)
        self.saturation = sum(map(len, patterns)) + 1
        below = [length for length in atoms.lengths if length <= self.saturation]
        self.top = self.saturation if len(below) < len(atoms.lengths) else max(below, default=0)
        self.passed = [self._longest_prefix(node.text) for node in self.trie]

    def _longest_prefix(self, text: str) -> int:
        held = [prefix for prefix in self.atoms.prefixes if text.startswith(prefix)]
        longest = max(held, key=len, default="")
        return next(index for index, node in enumerate(self.trie) if node.text == longest)

    def step(self, state: _State, char: str) -> _State:
        trie, node, seen_infixes, length = state
        if trie >= 0:
            trie = self.trie[trie].children.get(char, -1 - self.passed[trie])
        while node and char not in self.automaton[node].children:
            node = self.automaton[node].fail
        node = self.automaton[node].children.get(char, 0)
        return trie, node, seen_infixes | self.automaton[node].infixes, min(length + 1, self.top)

    def alphabet(self, spare: int) -> list[str]:
        """Every character of a pattern, and ``spare`` characters that are in none."""
        atoms = self.atoms
        pattern_characters = set(
            "".join((*atoms.constants, *atoms.prefixes, *atoms.suffixes, *atoms.infixes))
        )
        return [*unused_characters(pattern_characters, spare), *sorted(pattern_characters)]

    def words(self, spare: int) -> Iterator[str]:
        """Words that reach every reachable state, each state by up to ``spare`` of them, shortest first.

        Constants are walked through but not yielded.

        Raises:
            LoweringLimit: the automaton is too large to walk.
        """
        alphabet = self.alphabet(spare)
        visits: dict[_State, int] = {}
        queue: deque[tuple[_State, str]] = deque([((0, 0, 0, 0), "")])
        steps = 0
        while queue:
            state, word = queue.popleft()
            visits[state] = visits.get(state, 0) + 1
            if visits[state] > spare:
                continue
            if state[0] < 0 or not self.trie[state[0]].constant:
                yield word
            steps += len(alphabet)
            if steps > MAX_STEPS:
                raise LoweringLimit(
                    "The string tests of the policy have too many combinations to be proved; use fewer."
                )
            for char in alphabet:
                after = self.step(state, char)
                if visits.get(after, 0) < spare:
                    queue.append((after, word + char))


def _trie(words: Iterable[str]) -> list[_Node]:
    nodes = [_Node("")]
    for word in words:
        place = 0
        for char in word:
            following = nodes[place].children.get(char)
            if following is None:
                following = len(nodes)
                nodes[place].children[char] = following
                nodes.append(_Node(nodes[place].text + char))
            place = following
    return nodes


def _aho_corasick(patterns: list[str], infixes: list[str]) -> list[_Node]:
    nodes = _trie(patterns)
    bits = {infix: 1 << place for place, infix in enumerate(infixes)}
    queue = deque([0])
    while queue:
        place = queue.popleft()
        node = nodes[place]
        node.infixes = bits.get(node.text, 0) | (nodes[node.fail].infixes if place else 0)
        for char, child in node.children.items():
            if place:
                back = node.fail
                while back and char not in nodes[back].children:
                    back = nodes[back].fail
                nodes[child].fail = nodes[back].children.get(char, 0)
            queue.append(child)
    return nodes


def unused_characters(known: set[str], count: int) -> list[str]:
    """``count`` printable characters outside of ``known``, letters first."""
    characters: list[str] = []
    for char in _FILLERS:
        if len(characters) == count:
            return characters
        if char not in known:
            characters.append(char)
    code = 0x4E00
    while len(characters) < count:
        if chr(code) not in known:
            characters.append(chr(code))
        code += 1
    return characters


def _candidates(atoms: Atoms) -> Iterator[str]:
    """Readable words to try before invented ones: tests combined with a word."""
    for word in _WORDS:
        yield word
        for prefix in sorted(atoms.prefixes):
            yield prefix + word
        for suffix in sorted(atoms.suffixes):
            yield word + suffix
        for infix in sorted(atoms.infixes):
            yield f"{word} {infix} {word}"


def _stretched(atoms: Atoms, word: str, spare: int) -> Iterator[str]:
    """Longer words with the same answers as ``word``, except to the tests of length.

    A word longer than all patterns together has a place that no test's match covers, so that characters of no
    pattern can be inserted there without changing another answer.
    """
    pattern_characters = set("".join((*atoms.constants, *atoms.prefixes, *atoms.suffixes, *atoms.infixes)))
    shape = Atoms(prefixes=atoms.prefixes, suffixes=atoms.suffixes, infixes=atoms.infixes)
    for length in sorted(atoms.lengths):
        if length <= len(word):
            continue
        for filler in unused_characters(pattern_characters, spare):
            for place in range(len(word) + 1):
                longer = word[:place] + filler * (length - len(word)) + word[place:]
                if shape.signature(longer) == shape.signature(word):
                    yield longer
                    break


def representatives(atoms: Atoms, copies: int) -> dict[tuple[bool, ...], list[str]]:
    """For each feasible combination of answers up to ``copies`` strings that are no constants.

    A combination with fewer strings than ``copies`` has all of its strings listed, so the result is exact.
    Readable words come first, then the shortest.

    Raises:
        LoweringLimit: there are more than ``MAX_REGIONS`` combinations, or the walk is too long.
    """
    words_by_signature: dict[tuple[bool, ...], list[str]] = {}

    def take(word: str) -> None:
        if word in atoms.constants:
            return
        words = words_by_signature.setdefault(atoms.signature(word), [])
        if len(words) < copies and word not in words:
            words.append(word)
        if len(words_by_signature) > MAX_REGIONS:
            raise LoweringLimit(
                f"The string tests of the policy divide strings into more than {MAX_REGIONS} kinds; "
                "use fewer prefix, suffix, contains and length tests."
            )

    for word in _candidates(atoms):
        take(word)
    if atoms.only_equality:
        for number in range(2, 2 + copies + len(atoms.constants)):
            take(f"other-{number}")
        return words_by_signature
    for word in _all_words(atoms, copies):
        take(word)
    return words_by_signature


def _all_words(atoms: Atoms, copies: int) -> Iterator[str]:
    walker = _Walker(atoms)
    far = max(atoms.lengths, default=0) > walker.top
    for word in walker.words(copies):
        yield word
        if far and len(word) >= walker.saturation:
            yield from _stretched(atoms, word, copies)
