"""Label files in and out: `human_labelled.yaml`, and JSON lines of conversations that carry their ratings.

scale: 1-5                      # of every criterion; or scales: {criterion: scale}
decides: quadratic              # which kappa decides; or by criterion. Declared beforehand.
bins: {safety: {No: 0, Yes: 6}} # which of the judge's 0-10 belong to which label. Declared beforehand.
items:
  - id: c-1
    language: sw
    turns: [{role: user, content: …}, …]
    ratings:
      response_naturalness:
        - {rater: amina, value: 4, reason: "…"}
        - 3                     # nobody wrote down by whom
        - null                  # somebody could not say
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.calibration.domain.agreement_with_people import Kappa
from apps.calibration.domain.labels import HumanRating, LabelledItem, LabelSet, masked
from apps.catalog.domain.catalog_yaml import dump, load
from apps.core.document_parsing import DocumentLimits, document_as_json, parse_document
from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json
from apps.evaluations.figures.domain.rating_scale import RatingScale, read_scale

LIMITS = DocumentLimits(turns=2_000)
MAX_ITEMS = 20_000
MAX_PROBLEMS = 20
MISSING = frozenset(("", "n/a", "na", "none", "null", "-", "?"))
_KEYS = frozenset(("human_labelled", "scale", "scales", "decides", "bins", "items"))
_ITEM_KEYS = frozenset(("ratings", "scales"))
_WORDS = {True: ("true", "yes"), False: ("false", "no")}  # YAML reads yes and no as booleans


@dataclass(slots=True)
class _Problems:
    """The problems of a file, each with its line and field; at most MAX_PROBLEMS are kept."""

    line: Callable[[str], int]
    entries: list[dict[str, Any]] = field(default_factory=list)
    count: int = 0

    def add(self, pointer: str, message: str) -> None:
        self.count += 1
        if len(self.entries) < MAX_PROBLEMS:
            self.entries.append({"line": self.line(pointer), "pointer": pointer, "message": message})

    def refuse(self, file: str) -> None:
        if not self.count:
            return
        lines = [f"line {entry['line']}, {entry['pointer']}: {entry['message']}" for entry in self.entries]
        more = [f"and {self.count - len(self.entries)} more"] if self.count > len(self.entries) else []
        raise BadInput(f"{file}: " + "\n".join([*lines, *more]), code="bad_labels", problems=self.entries)


def read_labels(text: str, *, file: str) -> LabelSet:
    """The labels of a file; by its name YAML (.yaml, .yml) or JSON lines (.jsonl), masked. Pure.

    All or nothing: raises BadInput (`bad_labels`) naming the line and field of everything that is wrong, the first 20.
    """
    return masked(_read_lines(text, file) if file.endswith((".jsonl", ".ndjson")) else _read_yaml(text, file))


def write_labels(labels: LabelSet) -> str:
    """Write labels as YAML, masked. Reading the text gives the same labels."""
    safe = masked(labels)
    head: dict[str, Any] = {"human_labelled": 1}
    head["scales"] = {
        name: scale.name if scale.ordered and "|" not in scale.name else list(scale.points)
        for name, scale in safe.scales.items()
    }
    if safe.decides:
        head["decides"] = {name: kappa.value for name, kappa in safe.decides.items()}
    if safe.bins:
        head["bins"] = {name: dict(bins) for name, bins in safe.bins.items()}
    return dump({**head, "items": [_item_as_json(item) for item in safe.items]})


def _item_as_json(item: LabelledItem) -> dict[str, Any]:
    document: dict[str, Any] = {"id": item.id, "language": item.language}
    if item.document is not None:
        document["turns"] = document_as_json(item.document)["turns"]
    document["ratings"] = {name: [rating.as_json() for rating in ratings] for name, ratings in item.ratings.items()}
    return document


def _read_yaml(text: str, file: str) -> LabelSet:
    documents = load(text, file)
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        raise BadInput(f"{file}: one YAML document with `items` is needed", code="bad_labels")
    whole = documents[0].value
    problems = _Problems(documents[0].line)
    for name in set(whole) - _KEYS:
        problems.add(f"/{name}", "unknown field")
    raw = whole.get("items")
    if not isinstance(raw, list) or not raw:
        problems.add("/items", "must be a list of labelled conversations")
    problems.refuse(file)
    rows = [(f"/items/{place}", item, item) for place, item in enumerate(raw or [])]
    items = _items(rows, shared=whole, problems=problems)
    problems.refuse(file)
    return items


def _read_lines(text: str, file: str) -> LabelSet:
    """One conversation a line, its ratings in `labels.ratings`, its scales in `labels.scales`."""
    problems = _Problems(lambda pointer: int(pointer.split("/")[1]))
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = decoded_json(line)
        except BadInput as error:
            problems.add(f"/{number}{error.pointer}", "stands twice in one object")
            continue
        except (ValueError, RecursionError) as error:
            problems.add(f"/{number}", f"not JSON: {error}")
            continue
        labels = value.get("labels") if isinstance(value, dict) else None
        if not isinstance(labels, dict) or not isinstance(labels.get("ratings"), dict):
            problems.add(f"/{number}/labels/ratings", "must be an object of criteria and ratings")
            continue
        rows.append((f"/{number}", value, labels))
    if not rows and not problems.count:
        problems.add("/1", "holds no labelled conversation")
    problems.refuse(file)
    items = _items(rows, shared={}, problems=problems)
    problems.refuse(file)
    return items


def _items(rows: Iterable[tuple[str, Any, Any]], *, shared: Mapping[str, Any], problems: _Problems) -> LabelSet:
    """Items from (pointer, conversation, where its ratings stand). Scales come from the file, the item, or what
    occurs."""
    rows = list(rows)
    if len(rows) > MAX_ITEMS:
        problems.add(rows[MAX_ITEMS][0], f"more than {MAX_ITEMS:,} conversations")
        return LabelSet(items=(), scales={})
    scales = _Scales(shared, problems)
    raw: list[tuple[str, Any, dict[str, list[Any]]]] = []
    seen: dict[str, str] = {}
    for pointer, item, labels in rows:
        ratings = labels.get("ratings") if isinstance(labels, dict) else None
        if not isinstance(item, dict) or not isinstance(ratings, dict) or not ratings:
            problems.add(f"{pointer}/ratings", "must be an object of criteria and ratings")
            continue
        id = str(item.get("id") or "").strip()
        if not id or id in seen:
            problems.add(f"{pointer}/id", f"the id {id!r} stands at {seen[id]} already" if id in seen else "is missing")
            continue
        seen[id] = pointer
        at = f"{pointer}/ratings" if labels is item else f"{pointer}/labels/ratings"
        for name, ratings_of_name in ratings.items():
            scales.note(str(name), ratings_of_name, labels.get("scales"), at)
        raw.append((pointer, item, {str(name): ratings_of_name for name, ratings_of_name in ratings.items()}))
    read = [_item(pointer, item, ratings, scales, problems) for pointer, item, ratings in raw]
    known = scales.known
    return LabelSet(
        items=tuple(item for item in read if item is not None),
        scales=known,
        decides=_decides(shared.get("decides"), known, problems),
        bins=_bins(shared.get("bins"), known, problems),
    )


class _Scales:
    """The scale of every criterion: as written, else the different values that occur, as words."""

    def __init__(self, shared: Mapping[str, Any], problems: _Problems) -> None:
        self.problems = problems
        self.everywhere = shared.get("scale")
        by_name = shared.get("scales")
        self.by_name = by_name if isinstance(by_name, dict) else {}
        self.written: dict[str, RatingScale | None] = {}
        self.occurring: dict[str, set[Any]] = {}

    def note(self, name: str, ratings: Any, of_item: Any, pointer: str) -> None:
        if name not in self.written:
            of_item = of_item if isinstance(of_item, dict) else {}
            text = self.by_name.get(name) or of_item.get(name) or of_item.get("other") or self.everywhere
            self.written[name] = None
            if text is not None:
                try:
                    self.written[name] = read_scale(text)
                except BadInput as error:
                    self.problems.add(f"{pointer}/{name}", error.message)
        if self.written[name] is None and isinstance(ratings, list):
            values = [rating.get("value") if isinstance(rating, dict) else rating for rating in ratings]
            plain = (value for value in values if isinstance(value, str | int | float) and not _is_missing(value))
            self.occurring.setdefault(name, set()).update(plain)

    @property
    def known(self) -> dict[str, RatingScale]:
        return {name: self[name] for name in self.written}

    def __getitem__(self, name: str) -> RatingScale:
        scale = self.written[name]
        if scale is None:
            points = sorted(self.occurring.get(name, ()), key=str)
            return RatingScale(points=tuple(points), ordered=False)
        return scale


def _item(
    pointer: str, item: Mapping[str, Any], raw: Mapping[str, Any], scales: _Scales, problems: _Problems
) -> LabelledItem | None:
    ratings = {}
    for name, values in raw.items():
        at = f"{pointer}/ratings/{name}"
        if not isinstance(values, list):
            problems.add(at, "must be a list of ratings")
            continue
        read = [_rating(value, scales[name], f"{at}/{place}", problems) for place, value in enumerate(values)]
        ratings[name] = tuple(one for one in read if one is not None)
        raters = [rating.rater for rating in ratings[name] if rating.rater]
        if len(raters) != len(set(raters)):
            problems.add(at, "a rater stands here twice")
    document = None
    if "turns" in item or "messages" in item:
        shown = {key: value for key, value in item.items() if key not in _ITEM_KEYS}
        try:
            document = parse_document(shown, pointer=pointer, limits=LIMITS)
        except BadInput as error:
            problems.add(error.pointer or pointer, error.message)
    language = str(item.get("language") or item.get("lang") or "")
    return LabelledItem(id=str(item["id"]).strip(), language=language, ratings=ratings, document=document)


def _rating(one: Any, scale: RatingScale, pointer: str, problems: _Problems) -> HumanRating | None:
    whole = one if isinstance(one, dict) else {"value": one}
    unknown = set(whole) - {"rater", "value", "reason"}
    if unknown or "value" not in whole:
        problems.add(pointer, f"unknown field {sorted(unknown)[0]!r}" if unknown else "has no value")
        return None
    value = whole["value"]
    rater, reason = str(whole.get("rater") or ""), str(whole.get("reason") or "")
    if value is None or _is_missing(value):
        return HumanRating(value=None, rater=rater, reason=reason)
    point = _point(value, scale)
    if point is None:
        problems.add(pointer, f"{value!r} is not on the scale {scale.name}")
        return None
    return HumanRating(value=point, rater=rater, reason=reason)


def _is_missing(value: Any) -> bool:
    return isinstance(value, str) and value.strip().casefold() in MISSING


def _point(value: Any, scale: RatingScale) -> Any:
    """The point a written value is; None where it is none. True is not 1."""
    for point in scale.points:
        if isinstance(point, bool) == isinstance(value, bool) and point == value:
            return point
        words = _WORDS[value] if isinstance(value, bool) else (str(value).strip().casefold(),)
        if isinstance(point, str) and isinstance(value, str | bool) and point.casefold() in words:
            return point
    return None


def _decides(raw: Any, scales: Mapping[str, RatingScale], problems: _Problems) -> dict[str, Kappa]:
    named = dict.fromkeys(scales, raw) if isinstance(raw, str) else raw or {}
    by_name = {}
    for name, kappa in named.items() if isinstance(named, dict) else [("", named)]:
        if name not in scales or kappa not in set(Kappa):
            problems.add(f"/decides/{name}", f"names a labelled criterion, and one of {', '.join(Kappa)}")
        else:
            by_name[name] = Kappa(kappa)
    return by_name


def _bins(raw: Any, scales: Mapping[str, RatingScale], problems: _Problems) -> dict[str, dict[Any, float]]:
    by_name = {}
    for name, lows in (raw or {}).items() if isinstance(raw or {}, dict) else [("", raw)]:
        if name not in scales or not isinstance(lows, dict):
            problems.add(f"/bins/{name}", "names a labelled criterion, and the lowest score of every point")
        else:
            by_name[name] = lows
    return by_name
