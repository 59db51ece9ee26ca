"""What the agent says, by language and purpose. Several wordings each; `speech.py` picks one by a seeded hash."""

from collections.abc import Mapping

Bank = Mapping[str, tuple[str, ...]]
