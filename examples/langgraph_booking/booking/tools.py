"""What the model may call, as it sees it."""

from typing import Any


def _tool(name: str, description: str, **properties: dict[str, Any]) -> dict[str, Any]:
    required = [key for key, value in properties.items() if not value.pop("optional", False)]
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


DAYS = ["friday", "saturday"]
TOOLS = [
    _tool("find_slots", "Free times of a day.", day={"type": "string", "enum": DAYS}),
    _tool(
        "choose_slot",
        "Holds a time and asks the customer to pay KES 800.",
        day={"type": "string", "enum": DAYS},
        time={"type": "string", "pattern": "^[0-9]{2}:[0-9]{2}$"},
        rail={"type": "string", "enum": ["mpesa", "pesapal"]},
        phone={"type": "string", "optional": True},
    ),
    _tool("cancel_payment", "Cancels the payment that is pending and frees the time."),
    _tool("ask_human", "Hands the conversation over to a person.", reason={"type": "string"}),
]
