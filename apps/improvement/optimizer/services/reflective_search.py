"""One run of gepa, told again from kept answers: what it wants next, or that it is over.

The library is run from its first step each time. What it asks for (a draft's words, a trial's scores) stands in rows,
or is not there yet: then `Unanswered` leaves it, the row is owed, and the next visit runs it again. The same seed and
the same answers make the same steps, so that a lost worker costs nothing, and nothing is asked or played twice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from apps.improvement.optimizer.domain.reflective_rules import MINIBATCH, mean_or_none, spends_too_much

COMPONENT = "prompt"  # what gepa calls the one text that changes


class Unanswered(BaseException):
    """The search cannot go on before this is answered; `steps` are those it has made."""

    steps: "Sequence[SearchStep]" = ()


class SearchFailed(BaseException):
    """An answer could not be asked for; the cause comes out of `run_search` in its place."""


class SearchAnswers(Protocol):
    """Source of answers that were stored.

    A method may raise Unanswered when it has made sure that the answer is requested.
    """

    def words(self, number: int, parent: str, families: Sequence[str]) -> str:
        """The text of the draft of reflection `number`, from 1; the parent's where none came of it."""

    def scores(self, text: str, families: Sequence[str], *, chooses: bool) -> list[float]:
        """Draft minus live of each family, NaN where nobody could score it; 0 of the live text, unplayed."""


@dataclass(slots=True, kw_only=True)
class SearchStep:
    """One look at a minibatch: the draft that began from `parent`, both as they did there. None: not scored."""

    parent: str
    families: list[str]
    before: float | None
    draft: str = ""
    after: float | None = None


@dataclass(slots=True, kw_only=True)
class SearchAdapter:
    """gepa's adapter. `propose_new_texts` None: gepa asks its `reflection_lm` (without the name it fails silently)."""

    answers: SearchAnswers
    selection: Sequence[str]
    batch_of: Callable[..., Any]
    propose_new_texts: None = None
    reflections: int = 0
    reflected: bool = False
    steps: list[SearchStep] = field(default_factory=list)

    def evaluate(self, batch: list[str], candidate: dict[str, str], capture_traces: bool = False) -> Any:
        """Scores of these families: of a candidate that is chosen by, of the parent before a reflection, or of the
        draft after it."""
        text = candidate[COMPONENT]
        chooses = set(batch) <= set(self.selection)
        scores = self.answers.scores(text, batch, chooses=chooses)
        if self.reflected and not chooses:
            self.steps[-1].draft, self.steps[-1].after, self.reflected = text, mean_or_none(scores), False
        elif not chooses:
            self.steps.append(SearchStep(parent=text, families=list(batch), before=mean_or_none(scores)))
        return self.batch_of(outputs=list(batch), scores=scores, trajectories=list(batch))

    def make_reflective_dataset(
        self, candidate: dict[str, str], result: Any, names: list[str]
    ) -> dict[str, list[dict[str, str]]]:
        """Return the outputs of the families in this step.

        The transcripts go to the model by our own fenced question alone.
        """
        return {name: [{"Family": output} for output in result.outputs] for name in names}

    def reflect(self, prompt: str) -> str:
        """gepa's `reflection_lm`: the words of the next draft, in the fence that it looks for."""
        step = self.steps[-1]
        self.reflections += 1
        try:
            words = self.answers.words(self.reflections, step.parent, step.families)
        except Exception as error:
            raise SearchFailed from error
        self.reflected = True
        return f"```\n{words}\n```"


class QuietLog:
    """gepa's logger: rows and events say what happened, and a prompt belongs in no log."""

    def log(self, message: str) -> None:
        """Log nothing."""


def run_search(
    answers: SearchAnswers, *, live: str, train: Sequence[str], selection: Sequence[str], seed: int, most: int
) -> list[SearchStep]:
    """Every step of the search, once it is over: `most` reflections were made, or the plays are spent.

    Raises Unanswered, and whatever an answer raises. Some 10 ms, and what the answers cost. The same answers give the
    same steps.
    """
    from gepa.api import optimize  # noqa: PLC0415 - 0.2 s, in workers that take a reflective search on
    from gepa.core.adapter import EvaluationBatch  # noqa: PLC0415 - as above

    adapter: Any = SearchAdapter(answers=answers, selection=list(selection), batch_of=EvaluationBatch)
    minibatch = min(MINIBATCH, len(train))

    def over(gepa_state: Any) -> bool:
        plays = int(gepa_state.total_num_evals)
        return adapter.reflections >= most or spends_too_much(plays, minibatch=minibatch, selection=len(selection))

    try:
        optimize(
            seed_candidate={COMPONENT: live},
            trainset=list(train),
            valset=list(selection),
            adapter=adapter,
            reflection_lm=adapter.reflect,
            reflection_minibatch_size=minibatch,
            use_merge=False,
            skip_perfect_score=False,
            stop_callbacks=[over],
            logger=QuietLog(),
            seed=seed,
        )
    except Unanswered as owed:
        owed.steps = adapter.steps
        raise
    except SearchFailed as failed:
        raise failed.__cause__ or failed from None
    steps: list[SearchStep] = adapter.steps
    return steps


def step_documents(steps: Sequence[SearchStep], names: Mapping[str, int]) -> list[dict[str, Any]]:
    """Write the steps as the row, the API and the page have them.

    Drafts are named by position, parent 0 is the live prompt, draft None where no words came. A step that is not over
    is left out.
    """
    return [
        {
            "parent": names.get(step.parent.strip(), 0),
            "families": step.families,
            "before": step.before,
            "after": step.after,
            "draft": None if step.draft.strip() == step.parent.strip() else names.get(step.draft.strip()),
        }
        for step in steps
        if step.draft
    ]
