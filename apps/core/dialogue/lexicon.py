"""The lexicons of all rules, compiled at import: one for what agents say, one for what customers say."""

from apps.core.dialogue.phrases import Lexicon
from apps.core.dialogue.words_agent import AGENT
from apps.core.dialogue.words_asked import FORMS, TOPICS
from apps.core.dialogue.words_customer import CUSTOMER

BY_ROLE = {
    "assistant": Lexicon({f"agent.{tag}": text for tag, text in AGENT.items()} | TOPICS | FORMS),
    "user": Lexicon({f"customer.{tag}": text for tag, text in CUSTOMER.items()} | TOPICS | FORMS),
}
