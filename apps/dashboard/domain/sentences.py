"""The first line of each page: the answer to the question the page is for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.dashboard.domain.figures import just_below, many, plus_minus, score_text, span
from apps.dashboard.domain.measured import VerdictSplit
from apps.statistics.decision import LEAST_CASES


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """First sentence of a page: `text`, then the bad part in red. `note` is the line below."""

    text: str
    but: str = ""
    note: str = ""


def evaluation_headline(
    *,
    subject: str,
    status: str,
    score: float | None,
    interval: tuple[float, float] | None,
    in_mean: int,
    counts: Mapping[str, int],
    failing: tuple[str, float, float] | None,
    mark: float | None = None,
    blocked: Mapping[str, int] | None = None,
    cases: int | None = None,
    judges: int = 1,
    by_fallback: str = "",
    split: VerdictSplit | None = None,
    measured: str = "",
    resting_on: str = "",
) -> Headline:
    """Is the agent good, and can I believe it? `failing` is the worst criterion that is surely below its mark: name,
    mean, mark; `blocked` counts the conversations that each blocking criterion stops, `cases` the scenarios behind the
    mean; `by_fallback` says how many another model judged, `measured` how many could be judged where these are too few,
    `resting_on` how many criteria the score rests on where these are not all.

    Few cases, several judges and a run that was stopped are said in the sentence, and then no mean is called failing; a
    conversation that was stopped is a fact however few."""
    total = sum(counts.values())
    if score is None:
        return _without_score(subject, status, counts, total)
    figure = _figure(score, mark, interval) + resting_on
    if status in ("pending", "running") and counts["pending"]:
        so_far = f"{total - counts['pending']} of {many(total, 'conversation')} judged; so far {score:.1f}"
        return Headline(text=so_far, note=_note(split, by_fallback))
    text = _told(subject, status, figure, counts=counts, in_mean=in_mean, cases=cases)
    doubts = [f"{judges} judges mixed"] if judges > 1 else []
    doubts += ["too few to tell"] if cases is not None and cases < LEAST_CASES else []
    surely = failing if status == "completed" and not doubts else None
    but = _but(surely, blocked or {}, measured)
    return Headline(text=", ".join((text, *doubts)) + (", " if but else ""), but=but, note=_note(split, by_fallback))


def _told(subject: str, status: str, figure: str, *, counts: Mapping[str, int], in_mean: int, cases: int | None) -> str:
    """The figure and over how many; of an evaluation that was stopped, how far it came."""
    total = sum(counts.values())
    if status not in ("completed", "pending", "running"):
        return (
            f"{status.capitalize()}: {counts['scored']} of {many(total, 'conversation')} were judged; {figure} so far"
        )
    of_scenarios = f" of {many(cases, 'scenario')}" if cases is not None and cases < in_mean else ""
    return f"{subject} scores {figure} on {many(in_mean, 'conversation')}{of_scenarios}"


def _figure(score: float, mark: float | None, interval: tuple[float, float] | None) -> str:
    width = plus_minus(interval)
    if just_below(score, mark):
        return f"{score:.1f} {width}".strip() + ", just below the mark,"
    return f"{score_text(score, mark)} {width}".strip()


def _but(failing: tuple[str, float, float] | None, blocked: Mapping[str, int], measured: str) -> str:
    """The bad part of the headline: blocking criteria, the worst criterion below its mark, and too few measurements."""
    parts = [f"{name} stops {many(n, 'conversation')}" for name, n in blocked.items()]
    if failing and failing[0] not in blocked:
        fails = f"{failing[0]} ({score_text(*failing[1:])})"
        parts.append(f"it fails {fails}" if parts else f"fails {fails}")
    parts += [f"only {measured}"] if measured else []
    return f"but {_and(parts)}" if parts else ""


def _note(split: VerdictSplit | None, by_fallback: str) -> str:
    text = split.sentence() if split else ""
    return f"{text} {by_fallback}.".strip() if by_fallback else text


def _without_score(subject: str, status: str, counts: Mapping[str, int], total: int) -> Headline:
    if status in ("pending", "running"):
        done = total - counts["pending"]
        return Headline(text=f"{done} of {many(total, 'conversation')} judged" if total else "Nothing to judge yet")
    if not total:
        return Headline(text="This evaluation has no conversations", note="Its run had nothing that could be judged.")
    if status == "cancelled":
        return Headline(text=f"Cancelled: {counts['scored']} of {many(total, 'conversation')} were judged")
    if counts["scored"]:
        text = f"{counts['scored']} of {many(total, 'conversation')} scored, none of them counts in the mean"
        return Headline(text=f"{subject} has no weighted score", note=f"{text}: see each criterion.")
    return Headline(text=f"{subject} has no score: ", but=f"none of {many(total, 'conversation')} could be judged")


def run_headline(
    *,
    kind: str,
    status: str,
    counts: Mapping[str, int],
    seconds: float | None,
    done_per_second: float,
    judged: Sequence[str] = (),
    replayed: str = "",
    stuck: int = 0,
) -> Headline:
    """Say how far the run is, why it does not move, and the bad news of its evaluations.

    `judged` are phrases, `replayed` one about replays; `stuck` of them, where only the words differ, are no failure.
    """
    total, left = sum(counts.values()), counts["pending"] + counts["running"]
    noun = {"battle": "battle", "replay": "replay"}.get(kind, "conversation")
    failures = [f"{many(bad, noun)} failed"] if (bad := counts["failed"] + counts["timeout"] - stuck) else []
    if not total:
        return Headline(text="This run has no conversations")
    if status in ("pending", "running"):
        togo = f", about {span(left / done_per_second)} to go" if done_per_second > 0 and left else ""
        text = f"{total - left} of {many(total, noun)} done{togo}"
    elif status == "paused":
        text = f"Paused: {total - left} of {many(total, noun)} done"
    elif status == "cancelled":
        text = f"Cancelled: {total - left - counts['cancelled']} of {many(total, noun)} were played"
    elif status == "timeout":
        text = f"Stopped by the watchdog: {counts['ended']} of {many(total, noun)} were played"
    elif bad == total:
        return Headline(text="", but=f"All {many(total, noun)} failed" if total > 1 else f"The {noun} failed")
    else:
        took = f" in {span(seconds)}" if seconds and kind != "imported" else ""
        done = f"{'All ' if total > 1 else ''}{many(total, noun)}"
        text = f"{done} {'imported' if kind == 'imported' else 'done'}{took}"
        text = f"{counts['ended']} of {total} done{took}" if bad else text
        text = (replayed if total == 1 else f"{text}: {replayed}") if replayed else text
        text += f", {many(stuck, noun)} stopped at a reply in other words" if stuck else ""
    but = ("" if failures else "but ") + _and([*failures, *judged]) if failures or judged else ""
    return Headline(text=text + (", " if but else ""), but=but)


def report_headline(*, sign: str, verdict: str, sentence: str, checked: bool, judged: Sequence[str]) -> Headline:
    """The headline of a run's report: its checks, and in red the bad news from evaluations of the run."""
    text = f"{sign} {verdict.capitalize()}: {sentence}" if checked else "No check was measured in this run"
    return Headline(text=text.rstrip(".") + ", " if judged else text, but=f"but {_and(judged)}" if judged else "")


def next_step(counts: Mapping[str, int], *, judged: bool, terminal: bool, stuck: int = 0) -> str:
    """The next step for a run that has ended; "" where nothing is left to do. `counts` are its conversations by state,
    `stuck` of the failed ones stopped at a reply in other words."""
    if not terminal or not sum(counts.values()):
        return ""
    other = f"See in the report whether {many(stuck, 'reply', 'replies')} in other words did the same step."
    steps = [other] if stuck else []
    if bad := counts["failed"] + counts["timeout"] - stuck:
        steps.append(f"Play the {many(bad, 'failed one')} again.")
    if counts["ended"] and not judged:
        steps.append("Not judged yet: choose a config under Evaluations.")
    return " ".join(steps)


def cancelling(counts: Mapping[str, int]) -> str:
    """The effect of cancelling a run, with its numbers."""
    left, ended = counts["pending"] + counts["running"], counts["ended"]
    text = f"{many(left, 'unfinished conversation')} will be dropped; nobody can resume the run."
    return f"{text} {many(ended, 'conversation')} that ended {'stays' if ended == 1 else 'stay'}." if ended else text


def home_headline(needs: int, *, empty: bool, worst: Sequence[str] = (), others: int = 0) -> Headline:
    """The first sentence of Home: the number of things that need the reader, else of those that wait for `others`; then
    the agents that fail or got worse. `worst` are phrases with their subject; three are shown."""
    if empty and not needs + others:
        return Headline(text="Nothing has been run yet")
    if others and not needs:
        waiting = _things(others, "waits", "wait")
        text = f"Nothing needs you; {waiting[0].lower()}{waiting[1:]} for others"
    else:
        text = f"{_things(needs, 'needs', 'need')} you"
    more = [f"{many(len(worst) - 3, 'more agent')} need a look"] if len(worst) > 3 else []
    return Headline(text=f"{text}: ", but=_and([*worst[:3], *more])) if worst else Headline(text=text)


def _things(n: int, one: str, several: str) -> str:
    two, three, four = (f"{number} things {several}" for number in ("Two", "Three", "Four"))
    words = (f"Nothing {one}", f"One thing {one}", two, three, four)
    return words[n] if n < len(words) else f"{n:,} things {several}"


def conversation_headline(
    *,
    name: str,
    score: float | None,
    worst: tuple[str, float, float] | None,
    state: str,
    passed: bool,
    mark: float | None = None,
    blockers: Sequence[str] = (),
) -> Headline:
    """Say why the conversation has this score.

    `worst` is the criterion furthest below or least above its mark: name, score, mark; `blockers` are the blocking
    criteria that fail the conversation whatever its score.
    """
    if score is None:
        return Headline(text=f"{name}: ", but=state)
    if worst is None:
        return Headline(text=f"{name} scores {score_text(score, mark)}")
    if blockers:
        return Headline(text=f"{name} scores {score_text(score, mark)}, ", but=f"but is stopped by {_and(blockers)}")
    weakest = f"weakest on {worst[0]} ({score_text(*worst[1:])})"
    if passed:
        return Headline(text=f"{name} scores {score_text(score, mark)}", note=f"{weakest.capitalize()}.")
    return Headline(text=f"{name} scores {score_text(score, mark)}, ", but=weakest)


def matrix_headline(
    *,
    every: int,
    total: int | None,
    criteria: int,
    chosen: Sequence[str],
    verdicts: Mapping[str, int],
    blocked: Mapping[str, int],
    wrong: Mapping[str, str],
    worst: tuple[str, float, float] | None = None,
) -> Headline:
    """Say which conversations the matrix shows, and on which criteria.

    `chosen` are the filters in words, `total` what they leave, None uncounted. `worst` is the criterion
    furthest below its mark, surely: name, mean, mark.
    """
    if wrong:
        return Headline(text="This view cannot be shown: ", but=_and([f"{name} {why}" for name, why in wrong.items()]))
    note = "A cell opens its reason and quote; a heading sorts. What you choose stays in the address."
    if not every:
        return Headline(text="This evaluation has no conversations", note="Its run had nothing that could be judged.")
    if chosen:
        counted = f"{total:,} of {every:,}" if total is not None else f"Part of {every:,}"
        return Headline(text=f"{counted} conversation{'' if every == 1 else 's'}: {_and(chosen)}", note=note)
    size = f"{many(every, 'conversation')} × {many(criteria, 'criterion', 'criteria')}"
    failing = verdicts.get("fail", 0)
    fails = [f"{failing:,} fail{'s' if failing == 1 else ''}"] if failing else []
    parts = [f"{name} stops {n:,}" for name, n in blocked.items()] or fails
    if worst and worst[0] not in blocked:
        parts.append(f"{worst[0]} scores {score_text(*worst[1:])}, where {worst[2]:.1f} passes")
    return Headline(text=size + (", " if parts else ""), but=_and(parts) if parts else "", note=note)


def usage_headline(*, month: str, spent: str, expected: str, current: bool) -> Headline:
    """The headline of the usage page: the money spent. `spent` is written as by `cost_text`."""
    if spent.startswith("unknown"):
        return Headline(text=f"What {month} cost is {spent}")
    tail = f", about {expected} expected by its end" if current else ""
    return Headline(text=f"{spent[:1].upper()}{spent[1:]} spent in {month}{tail}")


def comparison_headline(
    *, newer: str, older: str, changes: Mapping[str, int], wordings: int, template: bool
) -> Headline:
    """The headline of two versions compared: the differences between them. `changes` counts changed lines by part."""
    parts = []
    if changes["Criteria"]:
        parts.append(f"{many(changes['Criteria'], 'criterion', 'criteria')} in what is judged or how much it counts")
    if wordings:
        parts.append(f"the wording of {many(wordings, 'criterion', 'criteria')}")
    if changes["Models"]:
        parts.append("who judges")
    if template:
        parts.append("the prompt")
    if changes["Parameters"]:
        parts.append(many(changes["Parameters"], "parameter"))
    if not parts:
        return Headline(text=f"{newer} and {older} judge the same", note="Nothing that a score depends on differs.")
    return Headline(
        text=f"{newer} differs from {older} in {_and(parts)}",
        note="Their scores come from different judges: compare them with care, and never average them.",
    )


def trial_headline(*, ref: str, model: str, conversation: str, tokens: int, offline: bool, problem: str) -> Headline:
    """The sentence above a dry run: what the judge would be asked, or why the version cannot be tried."""
    if problem:
        return Headline(text=f"{ref} cannot be tried: ", but=problem)
    if not conversation:
        return Headline(
            text="There is no conversation to try it on", note="Import some, or let a battle end, then come back."
        )
    if offline:
        text = f"{ref} would judge “{conversation}” by the offline rules: no model is asked"
        return Headline(text=text, note="Below is what a model would be sent in its place.")
    return Headline(text=f"{ref} would ask {model} about “{conversation}”, with about {tokens:,} tokens")


def dry_run_headline(*, ref: str, conversation: str, status: str, score: float | None, why: str) -> Headline:
    """The headline of a dry run: the judge's answer."""
    if status == "scored" and score is not None:
        return Headline(text=f"“{conversation}” scores {score:.1f} with {ref}")
    if status == "scored":
        return Headline(text=f"“{conversation}”: ", but=f"no criterion of {ref} could be scored")
    reasons = {"parse_error": "the judge's reply could not be read", "pending": "the model makes us wait"}
    return Headline(text=f"“{conversation}”: ", but=reasons.get(status, "the model failed"), note=why)


def import_headline(*, kept: int, refused: int, problem: str, asked: bool) -> Headline:
    """The headline of an import: the rows that came in. `asked` is false before a file was given."""
    if problem:
        return Headline(text="", but=problem)
    if not asked:
        return Headline(text="Bring conversations in to be judged")
    if not kept:
        return Headline(text="", but=f"{many(refused, 'line')} refused; nothing imported")
    text = f"{many(kept, 'conversation')} imported"
    return Headline(text=f"{text}, ", but=f"{many(refused, 'line')} refused") if refused else Headline(text=text)


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
