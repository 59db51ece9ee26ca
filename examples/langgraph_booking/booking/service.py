"""The receptionist as a function, for whoever serves it or tests it."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg.rows import dict_row

from booking.model import ChatModel
from booking.orchestrator import BookingOrchestrator
from booking.rails import PaymentRails
from booking.store import BookingStore


async def reply(messages: Sequence[Mapping[str, Any]], context: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to the last message of a conversation, whose state is in the database at DATABASE_URL."""
    thread_id = str(context.get("conversation_id") or "conversation")
    return await asyncio.to_thread(_answered, thread_id, str(messages[-1]["content"]))


def _answered(thread_id: str, text: str) -> dict[str, Any]:
    address = os.environ["DATABASE_URL"]
    with (
        psycopg.connect(address, autocommit=True, prepare_threshold=0, row_factory=dict_row) as checkpoints,
        psycopg.connect(address, autocommit=True) as rows,
        httpx.Client(timeout=30) as client,
    ):
        orchestrator = BookingOrchestrator(
            PostgresSaver(checkpoints),
            BookingStore(rows),
            ChatModel(client, salon="Salon Amani"),
            PaymentRails(client),
            lambda event_type, **what: None,
        )
        return {"content": orchestrator.say(thread_id, text)}
