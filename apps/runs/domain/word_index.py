"""The conversations that search cannot find yet. Pure."""

from apps.runs.domain.states import CONVERSATION_TERMINAL

_OVER = ", ".join(f"'{status.value}'" for status in sorted(CONVERSATION_TERMINAL))

DUE = f"status IN ({_OVER}) AND (words_of_attempt IS NULL OR words_of_attempt <> attempt)"
"""SQL of those that are over and whose words nobody wrote down, or of an earlier attempt: what the index
`conversation_words_due` holds."""
