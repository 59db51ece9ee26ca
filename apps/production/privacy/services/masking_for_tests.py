"""A conversation as promotion reads it: its document, masked, and what the second check finds afterwards."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.contrib.auth import get_user_model

from apps.core.errors import Conflict
from apps.core.listed_names import listed_names
from apps.production.conversations.models import Feedback, ProductionConversation
from apps.production.domain.base_masking import ARGUMENTS_DIGEST
from apps.production.privacy.domain.masked_conversation import MaskedConversation, blob_of, masked_conversation
from apps.production.privacy.domain.second_check import Residue, residues
from apps.production.privacy.services.pseudonyms import pseudonyms
from apps.production.promote_to_scenario import mask_for_eval
from apps.runs.domain.states import Kind
from apps.runs.models import Conversation, Turn
from apps.tenants.context import current_slug
from apps.tenants.queries import find_tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskingScope:
    """Context that masking needs of a tenant's conversations."""

    vertical: str
    names: Sequence[str]
    arguments_key: bytes | None = field(default=None, repr=False)


def mask_and_check(document: Mapping[str, Any], tenant: MaskingScope) -> tuple[MaskedConversation, tuple[Residue, ...]]:
    """The conversation after masking, and what the second check finds in it. Raises Conflict (`vertical_blocked`),
    BadInput (`unknown_vertical`)."""
    customer = document.get("customer")
    own = customer.get("names") if isinstance(customer, Mapping) else ()
    names = (*tenant.names, *(one for one in own or () if isinstance(one, str)))
    try:
        blob = asyncio.run(mask_for_eval(blob_of(document), replace(tenant, names=names)))
    except NotImplementedError as error:
        raise Conflict(str(error), code="vertical_blocked") from error
    conversation = masked_conversation(blob)
    hits = residues(
        [turn.text for turn in conversation.turns], speakers=[turn.role for turn in conversation.turns], names=names
    )
    arguments = [turn.arguments for turn in conversation.turns]
    in_calls = residues(arguments, speakers=[str(place) for place in range(len(arguments))], names=names)
    return conversation, (*hits, *in_calls)


def comment_of(feedback: Feedback) -> str:
    """A customer's comment beside a rating, as the reason of a candidate; left out where the second check finds
    anything in it. No query."""
    comment = feedback.comment[:500]
    return "a comment that may tell who wrote it: read it on the conversation" if residues([comment]) else comment


def masking_scope() -> MaskingScope:
    """Return this tenant's vertical, the names of its people, and the key of digests.

    The names are of accounts and of the identity list. Four queries at most.
    """
    users = get_user_model().objects.exclude(first_name="", last_name="").values_list("first_name", "last_name")
    names = tuple(" ".join(filter(None, user)) for user in users[:500]) + listed_names()
    vertical, key = str(find_tenant(current_slug()).vertical), pseudonyms().arguments_key
    return MaskingScope(vertical=vertical, names=names, arguments_key=key)


def document_of(row: Conversation) -> dict[str, Any]:
    """Return the conversation's document.

    It says what was said, by whom, with which calls of tools, in which language, with the customer it names.

    Raises Conflict (`no_transcript`) where nothing of it is kept. Three queries.
    """
    turns = Turn.objects.transcript().filter(conversation=row).order_by("position")
    real = row.kind == Kind.PRODUCTION
    spoken = [
        {"role": role, "content": content, "tool_calls": [_call(call, real=real) for call in calls]}
        for role, content, calls in turns.values_list("role", "content", "tool_calls")
    ]
    if not spoken:
        message = "Nothing was said in this conversation, or it is kept no longer: there is nothing to make a test of."
        raise Conflict(message, code="no_transcript")
    customer = row.extra.get("customer") or {}
    own = customer.get("names") if isinstance(customer, Mapping) else None
    names = [*(own if isinstance(own, list) else ()), *_own_names(row, spoken)]
    customer = {**customer, "names": names} if names and isinstance(customer, Mapping) else customer
    return {"language": row.language, "turns": spoken, **({"customer": customer} if customer else {})}


def _own_names(row: Conversation, spoken: Sequence[Mapping[str, Any]]) -> list[str]:
    """Words that are a name of a real conversation's people, by the digests that stay when the names are gone."""
    production = (
        ProductionConversation.objects.filter(conversation=row).first() if row.kind == Kind.PRODUCTION else None
    )
    if production is None or not production.name_digests:
        return []
    return pseudonyms().names_in("\n".join(str(turn["content"]) for turn in spoken), production.name_digests)


def _call(call: Mapping[str, Any], *, real: bool) -> dict[str, Any]:
    """A real conversation's arguments were masked when it came, and their digest stands beside them since."""
    arguments, digest = call.get("arguments") or {}, call.get(ARGUMENTS_DIGEST)
    known = {"masked": arguments, "hmac_sha256": digest} if real and digest else arguments
    return {"name": call.get("name", ""), "arguments": known}
