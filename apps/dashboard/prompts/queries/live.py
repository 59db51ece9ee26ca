"""The content of a prompt's page: its text, its versions, and its differences from another version."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from apps.catalog.models import PromptLine, PromptVersion
from apps.core.errors import NotFound
from apps.dashboard.domain.side_by_side import LinePair, side_by_side

MOST = 200  # versions listed; older ones are found by their address


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPage:
    prompt: PromptVersion
    versions: Sequence[PromptVersion]
    other: PromptVersion | None
    rows: Sequence[LinePair]
    live: PromptLine | None

    @property
    def is_live(self) -> bool:
        """Tell whether the version is played where nobody names a version."""
        return self.live is not None and self.live.live_id == self.prompt.pk


def prompt_page(prompt_id: uuid.UUID, *, other: str) -> PromptPage:
    """A prompt version compared with `other`, a version of the same name; without one, with the version before it.

    Four queries. Raises NotFound.
    """
    prompt = PromptVersion.objects.filter(pk=prompt_id).first()
    if prompt is None:
        raise NotFound(f"There is no prompt version {prompt_id}.")
    rows = list(PromptVersion.objects.filter(name=prompt.name).defer("text").order_by("-created_at", "-id")[:MOST])
    if other:
        chosen = next((row for row in rows if str(row.pk) == other and row.pk != prompt.pk), None)
        if chosen is None:
            raise NotFound(f"{other} is no other version of {prompt.name}.")
    else:
        at = next((place for place, row in enumerate(rows) if row.pk == prompt.pk), len(rows))
        chosen = next(iter(rows[at + 1 :]), None)
    return PromptPage(
        prompt=prompt,
        versions=rows,
        other=chosen,
        rows=side_by_side(chosen.text, prompt.text) if chosen else (),
        live=PromptLine.objects.select_related("live").filter(name=prompt.name).first(),
    )
