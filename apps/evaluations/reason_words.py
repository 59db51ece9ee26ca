"""The SQL by which a search finds a criterion's reason."""

from apps.core.search_words import words_sql

QUOTES = "jsonb_path_query_array({k}.evidence, '$[*].quote')"
_BREAK = r"\n"  # a line's end as JSON writes it


def reason_words_sql(score: str) -> str:
    """The words of the reason and quotes of a row of criterion scores, as the index `score_found_by_words` has them."""
    quotes = QUOTES.format(k=score)
    return words_sql(f"{score}.reason || ' ' || replace({quotes}::text, '{_BREAK}', ' ')")
