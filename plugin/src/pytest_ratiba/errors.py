"""Errors a user can mend: each says where the mistake stands and what to do."""


class ProjectError(Exception):
    """Wrong use or configuration; pytest and `ratiba-ci` show it without a traceback and exit with 2.

    `where` is a file, with a line where known; `pointer` the JSON pointer of the key at fault (`/agents/booking/kind`).
    """

    def __init__(self, message: str, *, where: str = "", pointer: str = "") -> None:
        self.message, self.where, self.pointer = message, where, pointer
        super().__init__(": ".join(part for part in (where, pointer, message) if part))
