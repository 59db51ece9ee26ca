"""A production address in another spelling is still the production address."""

import pytest

from apps.catalog.connections.domain.fields import address_key

LIVE = "https://bot.example/chat"


@pytest.mark.parametrize(
    "spelled",
    ["https://BOT.example/chat/", "https://bot.example:443/chat", "https://bot.example/chat#s", "https://bot.example./chat",
     "https://bot.example/./chat", "https://bot.example//chat", "https://bot.example/%63hat", "https://u@bot.example/chat",
     " https://bot.example/x/../chat "],
)  # fmt: skip
def test_it_is_the_same_address(spelled: str) -> None:
    assert address_key(spelled) == address_key(LIVE)


@pytest.mark.parametrize(
    "other", ["https://bot.example/chat?x=1", "https://bot.example:8443/chat", "https://staging.bot.example/chat",
              "https://bot.example/chat/v2", "not an address", "https://[bad/chat"]
)  # fmt: skip
def test_it_is_another_one(other: str) -> None:
    assert address_key(other) != address_key(LIVE)
