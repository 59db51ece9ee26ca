"""Which prompt version answered one conversation, told by the room above that keeps it; else its evaluation's subject
says which one was tested."""

_COLUMNS: list[str] = []


def register_prompt_column(sql: str) -> None:
    """Once, when Django starts. `sql` is the version that answered conversation `c`, or "" or null."""
    _COLUMNS.append(sql)


def prompt_sql() -> str:
    """Of conversation `c` in evaluation `e`; "" where nobody said."""
    told = "".join(f"nullif({one}, ''), " for one in _COLUMNS)
    return f"coalesce({told}e.subject->>'prompt_version', '')"
