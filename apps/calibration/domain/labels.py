"""People's labels of conversations: ratings by item, criterion and rater, with scales and what was declared."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from apps.calibration.domain.agreement_with_people import Kappa
from apps.core import document_masking
from apps.core.conversation import ConversationDocument
from apps.core.digest import sha256_hex
from apps.core.redaction import redact
from apps.evaluations.figures.domain.rating_scale import Rating, RatingScale


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanRating:
    """One person's rating; `value` None means they could not say. `rater` is "" where nobody wrote it down."""

    value: Rating | None
    rater: str = ""
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"rater": self.rater, "value": self.value, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledItem:
    """One conversation and its ratings by criterion. `document` is None where the file holds ratings only."""

    id: str
    language: str
    ratings: Mapping[str, tuple[HumanRating, ...]]
    document: ConversationDocument | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSet:
    """Labelled conversations. `decides` and `bins` are what the file declares, by criterion."""

    items: tuple[LabelledItem, ...]
    scales: Mapping[str, RatingScale]
    decides: Mapping[str, Kappa] = field(default_factory=dict)
    bins: Mapping[str, Mapping[Any, float]] = field(default_factory=dict)

    @property
    def criteria(self) -> list[str]:
        return list(self.scales)

    @property
    def digest(self) -> str:
        """The digest of ratings and scales: the same labels have the same digest."""
        return sha256_hex(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """Ratings and scales without the conversations, for keeping beside a certificate."""
        return {
            "scales": {name: scale.as_json() for name, scale in self.scales.items()},
            "items": [
                {
                    "id": item.id,
                    "language": item.language,
                    "ratings": {
                        name: [rating.as_json() for rating in ratings] for name, ratings in item.ratings.items()
                    },
                }
                for item in self.items
            ],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "LabelSet":
        return cls(
            scales={name: RatingScale.from_json(scale) for name, scale in stored["scales"].items()},
            items=tuple(
                LabelledItem(
                    id=item["id"],
                    language=item["language"],
                    ratings={
                        name: tuple(HumanRating(**rating) for rating in ratings)
                        for name, ratings in item["ratings"].items()
                    },
                )
                for item in stored["items"]
            ),
        )

    def renamed(self, names: Mapping[str, str]) -> "LabelSet":
        """Return labels of the named criteria alone, under their new names."""

        def chosen(values: Mapping[str, Any]) -> dict[str, Any]:
            return {names[name]: value for name, value in values.items() if name in names}

        return LabelSet(
            scales=chosen(self.scales),
            decides=chosen(self.decides),
            bins=chosen(self.bins),
            items=tuple(replace(item, ratings=chosen(item.ratings)) for item in self.items),
        )

    def about(self, names: Collection[str]) -> "LabelSet":
        """Return labels of these criteria alone, with the conversations in which somebody rated one of them."""
        chosen = self.renamed({name: name for name in self.criteria if name in names})
        return replace(chosen, items=tuple(item for item in chosen.items if any(item.ratings.values())))


def masked(labels: LabelSet, *, names: Sequence[str] = ()) -> LabelSet:
    """Mask every text of the labels: turns, tool arguments, reasons.

    Masking twice changes nothing. Raters keep their names: they are the tenant's own people.
    """
    return replace(labels, items=tuple(_mask_item(item, tuple(names)) for item in labels.items))


def mask_document(document: ConversationDocument, *, names: Sequence[str] = ()) -> ConversationDocument:
    """A conversation with the floor over what was said and what tools were given, without what its source recorded
    beside. Ids and times stay."""
    masked = document_masking.mask_document(document, names=names)
    return replace(masked, turns=tuple(replace(turn, extra={}) for turn in masked.turns), extra={})


def _mask_item(item: LabelledItem, names: tuple[str, ...]) -> LabelledItem:
    ratings = {
        name: tuple(replace(rating, reason=redact(rating.reason, names=names)) for rating in answers)
        for name, answers in item.ratings.items()
    }
    document = mask_document(item.document, names=names) if item.document is not None else None
    return replace(item, ratings=ratings, document=document)
