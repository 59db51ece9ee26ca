"""A conversation read once for all rules: turns, sentences, questions, and the phrases found in them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from apps.core.dialogue import clock, language, questions
from apps.core.dialogue.lexicon import BY_ROLE

MAX_CHARS = 8000
"""Characters of one turn that the rules look at: no message is longer, tool dumps are."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SENTENCE_END = re.compile(
    r"(?:(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bNo)(?<!\bno)(?<![\s.][A-Za-z])\.(?!\w)|[!?…\n])[.!?…\s\"')\]*]*"
)


class Sentence:
    """Part of a turn: its characters start:end, its words first:last, and its question, if any."""

    __slots__ = ("asks", "end", "first", "last", "start", "tag", "topics")

    def __init__(self, start: int, end: int, first: int, last: int) -> None:
        self.start, self.end, self.first, self.last = start, end, first, last
        self.asks = 0.0
        self.tag = False  # "Okay?", "Come again?": no question of its own beside another
        self.topics: frozenset[str] = frozenset()

    @property
    def words(self) -> int:
        return self.last - self.first


class SpokenTurn:
    """One message. `marks` maps a tag of the lexicon to the word ranges where it was found."""

    def __init__(self, index: int, role: str, text: str) -> None:
        self.index = index
        self.role = role
        self.text = text[:MAX_CHARS]
        self.words: list[str] = []
        self.spans: list[tuple[int, int]] = []
        for match in _WORD.finditer(self.text):
            self.words.append(match.group().lower().replace("’", "'"))
            self.spans.append(match.span())
        self.marks: dict[str, list[tuple[int, int]]] = {}
        for tag, first, last in BY_ROLE[role].find(self.words):
            self.marks.setdefault(tag, []).append((first, last))
        self.sentences = self._split()
        for sentence in self.sentences:
            questions.read(self, sentence)
        if any(sentence.asks and not sentence.tag for sentence in self.sentences):
            for sentence in self.sentences:
                sentence.asks = 0.0 if sentence.tag else sentence.asks

    def _split(self) -> list[Sentence]:
        ends = [m.end() for m in _SENTENCE_END.finditer(self.text)]
        if not ends or ends[-1] < len(self.text):
            ends.append(len(self.text))
        sentences: list[Sentence] = []
        start, word, count = 0, 0, len(self.words)
        for end in ends:
            first = word
            while word < count and self.spans[word][0] < end:
                word += 1
            if word > first:
                sentences.append(Sentence(start, end, first, word))
                start = end
        return sentences

    def has(self, *tags: str) -> bool:
        return any(tag in self.marks for tag in tags)

    def within(self, tag: str, sentence: Sentence) -> bool:
        return any(sentence.first <= first < sentence.last for first, _ in self.marks.get(tag, ()))

    def position(self, tag: str) -> int:
        """Character where the first match of `tag` begins (0 when there is none)."""
        position = self.marks.get(tag)
        return self.spans[position[0][0]][0] if position else 0

    @cached_property
    def times(self) -> tuple[clock.Time, ...]:
        return clock.times(self.text)

    @cached_property
    def weekdays(self) -> frozenset[int]:
        return clock.weekdays(self.words)

    @cached_property
    def names_a_day(self) -> bool:
        return clock.speaks_of_a_day(self.words)

    @cached_property
    def language(self) -> str | None:
        return language.detect(self.words)

    @property
    def asks(self) -> float:
        """The number of things asked in this message; the same thing asked again in other words counts once."""
        return self._count(self.sentences)

    @property
    def asks_plainly(self) -> float:
        """The number of things asked in sentences that have a question mark, counted as in `asks`."""
        return self._count([s for s in self.sentences if "?" in self.text[s.start : s.end]])

    def _count(self, sentences: list[Sentence]) -> float:
        total, seen = 0.0, frozenset[str]()
        for sentence in sentences:
            again = bool(sentence.topics and sentence.topics <= seen) or (
                total > 0 and questions.elaborates(self, sentence)
            )
            if sentence.asks and not again:
                total += sentence.asks
                seen |= sentence.topics
        return total


class Transcript:
    """All turns, with the agent's and the customer's picked out. Empty messages (bare tool calls) are skipped."""

    def __init__(self, turns: Iterable[Mapping[str, Any]]) -> None:
        self.turns: list[SpokenTurn] = []
        self.tools: list[tuple[int, str]] = []
        for index, raw in enumerate(turns):
            role, content = str(raw.get("role", "")), raw.get("content")
            text = content if isinstance(content, str) else ""
            if role in ("user", "assistant") and text.strip():
                self.turns.append(SpokenTurn(index, role, text))
            elif role == "tool" and text:
                self.tools.append((index, text[:MAX_CHARS]))
        self.agent = [turn for turn in self.turns if turn.role == "assistant"]
        self.customer = [turn for turn in self.turns if turn.role == "user"]

    @cached_property
    def exchanges(self) -> Sequence[tuple[SpokenTurn, SpokenTurn]]:
        """The pairs of a customer's message and the agent's answer, wherever an answer follows directly."""
        return [(a, b) for a, b in pairwise(self.turns) if a.role == "user" and b.role == "assistant"]

    @cached_property
    def farewell_at(self) -> int | None:
        """Index of the customer's first farewell (goodbye, or "that's all"), not counting the opening message."""
        for turn in self.customer[1:]:
            if turn.asks == 0 and turn.has("customer.goodbye", "customer.nomore"):
                return turn.index
        return None

    def before_farewell(self) -> list[SpokenTurn]:
        """The agent's messages up to the customer's farewell."""
        limit = self.farewell_at
        return self.agent if limit is None else [turn for turn in self.agent if turn.index < limit]
