"""What `/design/` shows: every part with when, how and what it must do, and samples to fill it with. Made-up figures;
long words on purpose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from apps.dashboard.domain.badges import LOOKS, score_look
from apps.dashboard.domain.histogram import bars_of
from apps.dashboard.domain.list_view import ListColumn, ListFilter, ListSpec, ListView, read_list_view
from apps.dashboard.domain.marking import Piece
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.domain.trend import TrendPoint, trend
from apps.reports.domain.alignment import FoldedRows, align, folded, transcript_turns, with_quotes
from apps.reports.domain.heat_map import heat_map

LONG = "mteja_aliyechanganyikiwa_kuhusu_uthibitisho_wa_malipo_ya_M-Pesa_na_marejesho_ya_fedha_yaliyocheleweshwa"
_AT = datetime(2026, 11, 21, 9, tzinfo=UTC)
_MARK = 6.0


@dataclass(frozen=True, slots=True)
class DesignPart:
    """One part: its example template (`dashboard/design/KEY.html`), when to use it, how it is written, and what holds
    wherever it stands."""

    key: str
    title: str
    when: str
    how: str
    must: str


PARTS = (
    DesignPart(
        "page_header", "Page header and decision sentence", "At the top of every page, once.",
        '{% breadcrumb "Runs" run.name run_url "Matrix" as crumbs %}'
        "{% page_header headline crumbs %}…{% endpage_header %}",
        "The first line answers the page's question; what is bad stands last, in red. One main action, first. "
        "The breadcrumb begins with a word of the sidebar.",
    ),
    DesignPart(
        "figure", "Figure with interval and n", "For a number somebody decides by.",
        '{% figure "Score" 7.2 interval n=158 mark=6.0 url=rows %}',
        "Never without n; the interval beside the mean; the pass mark drawn on the scale; a link to the rows.",
    ),
    DesignPart(
        "badge", "Badge", "For a state, a verdict, a kind of evidence.", '{% badge "verdict" "fail" %}',
        "Word, shape and colour together. A new state is one line in badges.py.",
    ),
    DesignPart(
        "list", "List: search, filters, order, columns, saved view, pager", "For more rows than fit on a screen.",
        "{% list_controls view %} {% sort_heading view column %} {% pager view total 25 \"conversations\" %}",
        "The address says it all, defaults left out. A wrong filter shows no row. The order ends in the primary key. "
        "The score stays on a narrow screen.",
    ),
    DesignPart(
        "transcript", "Transcript", "Where a conversation is read.", "{% transcript turns %}",
        "What people and agents wrote is text, never markup; each turn has an address (#turn-3); j and k walk.",
    ),
    DesignPart(
        "matrix", "Matrix", "Conversations by criteria, to find where it goes wrong.", "{% matrix_rows found %}",
        "Each cell has shape, number and colour, and opens its reason beside the matrix; windowed on the server.",
    ),
    DesignPart(
        "heat", "Heat map", "Where groups are held against criteria.", "{% heat_map heat \"persona\" matrix_url %}",
        "Share, n, shape and colour in each cell, and each leads to its rows. Below five conversations a cell is grey "
        "and says too few. Worst first; the heading stays while the rest scrolls.",
    ),
    DesignPart(
        "pair", "Transcript pair with folded sameness", "Two trials of one case.", "{% transcript_pair rows a b %}",
        "What says the same is folded; every other row says in a word what differs; values that differ are named.",
    ),
    DesignPart(
        "evidence", "Evidence quote", "Under a reason.", "{% evidence_quote one turns_at %}",
        "Exact, pattern or unverified; a link to its turn.",
    ),
    DesignPart(
        "diff", "Text difference", "Two versions of a prompt, a criterion, a template.",
        '{% text_diff old new "@3" "@4" %}', "Long stretches without a change are folded; each change has a word.",
    ),
    DesignPart(
        "distribution", "Distribution", "How often each score was given.", "{% distribution bars mark look %}",
        "The pass mark stands in it; every bar says its count.",
    ),
    DesignPart(
        "trend", "Trend", "Scores of one agent over time.", "{% trend_chart found %}",
        "A new line where the judge changed; the figures as a table below.",
    ),
    DesignPart(
        "progress", "Live progress", "While work runs.", '{% progress 41 120 "battles played" "3 min to go" %}',
        'Morphs (hx-swap="morph:outerHTML"), so focus and open menus stay. Nothing polls once the work has ended.',
    ),
    DesignPart(
        "cost", "Cost estimate", "Before anything that asks a model.", "{% cost 1.92 \"120 battles\" left %}",
        "Stands beside the button that spends. An unknown price is said, not shown as nothing.",
    ),
    DesignPart(
        "form", "Form with help and errors at the field", "Wherever somebody types.",
        "{% form_errors form.errors %} {% form_field form.name %}",
        "What was typed stays. The error says what to do, at the field and above the form as a link to it.",
    ),
    DesignPart(
        "confirm", "Confirm with the consequence", "Before what cannot be undone.",
        '{% confirm "cancel" "Cancel" url "3 conversations are dropped." verb="Cancel the run" %}{% endconfirm %}',
        "Says what will happen with its number, then asks. The verb stands on the button. Escape closes.",
    ),
    DesignPart(
        "side_panel", "Side panel", "A row's details beside the list.",
        '{% side_panel "b-0412" back %}…{% endside_panel %}',
        "Has an address; focus goes into it; Escape and Close lead back.",
    ),
    DesignPart(
        "tabs", "Tabs", "Views of one thing.", '{% tabs every "Views of the run" %}',
        "Links with addresses; the open one is marked by weight and a line, not by colour alone.",
    ),
    DesignPart(
        "people", "Tag, note, person picker", "What people add to a result.",
        "{% tag_list tags %} {% notes every %} {% person_picker \"rater\" \"Rater\" people %}",
        "A note says who and when. Names come from the people of this tenant.",
    ),
    DesignPart(
        "secret", "Secret shown once", "After a key was made.", '{% secret_once secret "API key of the runner" back %}',
        "Never in an address, a log or the audit trail; a second look makes a new key.",
    ),
    DesignPart(
        "empty", "Empty state, loading", "A list or panel without rows; a part that arrives later.",
        '{% empty "No run has been started." %}<a …>Start a run</a>{% endempty %} {% loading "Comparing" %}',
        "A sentence of its own for each list, and what to do first. To a read-only role without the button.",
    ),
    DesignPart(
        "refusal", "Refusal", "Instead of a button that this person or this state does not allow.",
        '{% refusal "Cannot be published" "Run the judge check first." %}why{% endrefusal %}',
        "Says why and what to do. No dead button beside it.",
    ),
    DesignPart(
        "keys", "Keyboard help", "On pages that have keys of their own.", '{% keys j="next turn" k="previous turn" %}',
        "Opens with ?; closes with Escape; nothing works by key alone.",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTurn:
    role: str
    content: str
    tool_calls: Sequence[Mapping[str, Any]] = ()
    ts: datetime | None = None
    latency_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleShownTurn:
    turn: SampleTurn
    number: int | None
    who: str
    pieces: Sequence[Piece] = field(default_factory=tuple)


def sample_list(query: Mapping[str, str], *, search: str = "name or words said") -> ListView:
    """A list that answers to its address, so that its parts can be tried."""
    spec = ListSpec(
        columns=[
            ListColumn(name="conversation", label="Conversation", sorts=True),
            ListColumn(name="verdict", label="Verdict"),
            ListColumn(name="score", label="Score", sorts=True, number=True),
            ListColumn(name="persona", label="Persona", shown=False),
        ],
        filters=[
            ListFilter(
                name="verdict", label="Verdict",
                choices={"pass": "pass", "fail": "fail", "undecided": "undecided", "not_measured": "not measured"},
            ),
            ListFilter(name="persona", label="Persona"),
        ],
        sort="score", search=search, anchor="list",
    )  # fmt: skip
    return read_list_view(spec, query)


def samples(query: Mapping[str, str]) -> dict[str, Any]:
    """What the examples are filled with."""
    counts = (0, 1, 0, 2, 3, 1, 8, 21, 40, 31, 12)
    return {
        "headline": Headline(
            text="The booking agent scores 7.2 ± 0.3 on 158 conversations, ", but="but asks for the PIN in 4",
            note="Judged with booking-quality@4.",
        ),
        "long_headline": Headline(text=f"“{LONG}” scores 5.8, ", but=f"weakest on {LONG} (2.1)"),
        "nothing": Headline(text="Nothing has been run yet"),
        "interval": (6.9, 7.5), "wide_interval": (3.1, 9.4), "share": (84.0, 93.0),
        "looks": {kind: list(looks.values()) for kind, looks in LOOKS.items()},
        "bars": bars_of(counts, _MARK), "no_bars": bars_of((0,) * 11, _MARK), "mark": _MARK,
        "above": score_look(7.2, _MARK), "below": score_look(3.0, _MARK),
        "view": sample_list(query),
        "wrong": sample_list({"verdict": "maybe", "columns": "score,colour"}, search="name"),
        "rows": _rows(), "long": LONG, "turns": _turns(), "pair": _pair(), "evidence": _evidence(), "trend": _trend(),
        "old": "Greet by name.\nAsk one question.\nNever ask for the PIN.\nClose it.",
        "new": f"Greet by name.\nAsk one thing at a time.\nNever ask for the PIN.\nSay {LONG}.\nClose it.",
        "errors": {"name": ["Small letters and underscores: no blanks."], "weight": ["From 0 to 10."]},
        "tags": ["release 12", "swahili", LONG],
        "notes": [
            {"by": "Grace N.", "at": _AT, "text": "The judge is right; the customer had paid already."},
            {"by": "Otieno", "at": _AT + timedelta(hours=3), "text": LONG},
        ],
        "heat": heat_map(
            {("Wanjiru", "tono"): (9, 12), ("Otieno", "tono"): (1, 12), ("Wanjiru", "pagamento"): (2, 12),
             ("Otieno", "pagamento"): (0, 12), (LONG, "tono"): (2, 3)}, blocking=frozenset({"pagamento"}),
        ),
        "people": ["Amina W.", "Grace N.", "Otieno K."], "now": _AT,
    }  # fmt: skip


def _rows() -> list[dict[str, Any]]:
    names = (("b-0412", "fail", 2.8), ("b-0077", "undecided", 6.1), (LONG, "pass", 8.4))
    return [{"name": name, "verdict": verdict, "score": score, "persona": "Wanjiru"} for name, verdict, score in names]


def _turns() -> list[SampleShownTurn]:
    samples: list[tuple[str, str, str, list[Piece]]] = [
        ("user", "persona", "Nataka kusukwa nywele kesho saa tano.", []),
        ("tool", "tool", "", []),
        ("assistant", "agent", "", [Piece("Sawa, "), Piece("kesho saa tano imethibitishwa", "q0-0"), Piece(".")]),
        ("user", "persona", f"Asante! {LONG}", []),
    ]
    call = [{"name": "book", "arguments": {"slot": "11:00", "service": LONG}}]
    return [
        SampleShownTurn(
            turn=SampleTurn(
                role=role, content=text or ("x" if pieces else ""), tool_calls=call if role == "tool" else (),
                ts=_AT + timedelta(seconds=at), latency_ms=1900 if role == "assistant" else None,
            ),
            number=at, who=who, pieces=pieces or [Piece(text)],
        )
        for at, (role, who, text, pieces) in enumerate(samples)
    ]  # fmt: skip


def _pair() -> list[FoldedRows]:
    said = (
        ("user", "Saa nne na nusu, M-Pesa."),
        ("assistant", "Sawa, kesho 10:30. Bei ni KES 1,500."),
        ("user", "Sawa."),
    )
    left = [{"role": role, "content": text} for role, text in said]
    right = [dict(one) for one in left]
    right[1]["content"] = "Sawa, kesho 11:00 imethibitishwa. Bei ni KES 1,500."
    right.append({"role": "assistant", "content": LONG})
    pairs = align(transcript_turns(left), transcript_turns(right))
    return folded(with_quotes(pairs, {}, {1: ("Time confirmed",)}))


def _evidence() -> list[dict[str, Any]]:
    quotes = (("exact", "kesho saa tano imethibitishwa", 2, ""), ("pattern", "Asante…", 3, "ellipsis"))
    found = [{"kind": kind, "quote": quote, "turn": turn, "repair": repair} for kind, quote, turn, repair in quotes]
    return [*found, {"kind": "unverified", "quote": LONG, "turn": None, "repair": ""}]


def _trend() -> dict[str, Any]:
    scores = (6.4, 6.6, 7.1, 7.0, 7.4, 6.1, 6.8)
    points = [
        TrendPoint(
            id=UUID(int=at), name=f"PR {at + 8}", at=_AT + timedelta(days=at), score=score,
            interval=(score - 0.4, score + 0.4), judge="first" if at < 5 else "second", config="booking-quality@4",
        )
        for at, score in enumerate(scores)
    ]  # fmt: skip
    drawing = trend(points, mark=_MARK)
    return {
        "agent": "The booking agent",
        "count": len(points),
        "noun": "evaluation",
        "point": "Run",
        "drawing": drawing,
    }
