"""Rule `brevity`: short answers. Per agent message the worse of its sentences and its words; the mean of all.

Parameters: `max_sentences` (3), `max_words` (40). Interjections of one or two words ("Sawa!") are not sentences, a list
counts each two lines as one, fields with labels ("Date: Friday. Time: 10:00.") count a third each, questions after the
first are the business of `one_question`, demands for money of `payment_safety`. Swahili packs more into a word, so a
word has at least one per 6.5 characters.
"""

import re
from collections.abc import Mapping
from typing import Any

from apps.core.dialogue.transcript import Sentence, SpokenTurn, Transcript
from apps.offline.rules.answers import RuleAnswer, bounded, quote, ramp, unique
from apps.offline.rules.reasons import reason

_CHARS_PER_WORD = 6.5
_FIELD = re.compile(r"\W*[^\W\d_][\w' /-]{1,30}:\s+\S")
_FIELD_WORDS = 9
_DEMANDS = ("agent.demand", "agent.secret")
_OVER_SENTENCES = ((0.0, 10.0), (1.0, 8.8), (2.0, 5.0), (3.0, 3.0), (5.0, 1.0), (7.0, 0.0))
"""One sentence too many is within what a good receptionist does; from two on it is a habit."""
_OVER_WORDS = ((1.0, 10.0), (1.4, 7.5), (2.0, 4.5), (2.75, 2.0), (4.0, 0.0))


def _size(turn: SpokenTurn) -> tuple[float, float]:
    sentences = [s for s in turn.sentences if s.words > 2]
    lines = sum(1 for s in sentences if turn.text[s.start : s.end].lstrip()[:1] in ("-", "*", "•"))
    fields = sum(1 for s in sentences if s.words <= _FIELD_WORDS and _FIELD.match(turn.text, s.start) and not s.asks)
    words = max(float(len(turn.words)), len(turn.text) / _CHARS_PER_WORD)
    questions = sum(1 for s in sentences if s.asks)
    demands = sum(1 for s in sentences if not s.asks and _demands(turn, s))
    return len(sentences) - lines / 2 - fields * 2 / 3 - max(0, questions - 1) - demands, words


def _demands(turn: SpokenTurn, sentence: Sentence) -> bool:
    """Money or a secret is demanded, or pressure is put beside such a demand."""
    tags = (*_DEMANDS, "agent.pressure") if turn.has(*_DEMANDS) else ()
    return any(turn.within(tag, sentence) for tag in tags)


def brevity(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    limit = float(parameters.get("max_sentences", 3))
    most_words = max(1.0, float(parameters.get("max_words", 40)))
    marks: list[tuple[float, float, float, SpokenTurn]] = []
    for turn in transcript.agent:
        sentences, words = _size(turn)
        score = min(ramp(sentences - limit, _OVER_SENTENCES), ramp(words / most_words, _OVER_WORDS))
        marks.append((score, sentences, words, turn))
    worst = sorted(marks, key=lambda mark: mark[0])
    shown = [quote(turn) for score, _, _, turn in worst if score < 8][:2] or [quote(worst[-1][3])]
    return RuleAnswer(
        bounded(sum(mark[0] for mark in marks) / len(marks)),
        reason(
            "brevity",
            "scored",
            language,
            good=sum(1 for m in marks if m[1] <= limit),
            total=len(marks),
            limit=int(limit) if limit.is_integer() else limit,
            sentences=max(1, round(max(m[1] for m in marks))),
            words=max(len(m[3].words) for m in marks),
        ),
        unique(shown),
    )
