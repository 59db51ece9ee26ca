"""The businesses whose customers come in a pack, and which config judges them. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Business:
    """A pack by the words that a person chooses it by. `config` judges, `scenarios` are those whose id begins so."""

    words: str
    pack: str
    config: str
    scenarios: str


BUSINESSES: Mapping[str, Business] = {
    "salon": Business("a salon, spa or barbershop", "service-booking", "booking-quality", "booking_"),
    "dental": Business("the reception of a dentist or doctor", "dental-reception", "dental-reception", "dental_"),
    "hotel": Business("a hotel or guest house", "hotel", "hotel-stay", "hotel_"),
    "shop": Business("support of an online shop", "shop-support", "shop-support", "shop_"),
    "telecom": Business("support of a mobile or internet provider", "telecom", "telecom-support", "telecom_"),
}


def config_of_pack(scenarios: Collection[str]) -> str:
    """The config of the pack that all of these scenarios are of; "" where none is."""
    of_pack = (
        pack.config for pack in BUSINESSES.values() if all(slug.startswith(pack.scenarios) for slug in scenarios)
    )
    return next(of_pack, "") if scenarios else ""
