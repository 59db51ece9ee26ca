"""The shape of a turn that a runner answers (see apps.runs.pulled.services.runner)."""

from apps.api.schema_building import ANY, COUNT, ID, TEXT, THEN, Schema, listed, made

COMPONENTS: dict[str, Schema] = {
    "PulledTurns": made(
        {
            "turns": listed(
                made(
                    {
                        "id": ID,
                        "lease": {**ID, "description": "Goes with the reply, and with each extension."},
                        "conversation_id": ID,
                        "attempt": {**COUNT, "description": "Which time the conversation is played; from 1."},
                        "position": COUNT,
                        "session": {**TEXT, "description": "The same for all turns of one attempt, and for no other."},
                        "messages": listed(
                            ANY,
                            description="The conversation so far, as its document has turns; the last one is to be "
                            "answered. Files are named, with digest and size.",
                        ),
                        "context": made(
                            {
                                "language": TEXT,
                                "scenario": TEXT,
                                "now": TEXT,
                                "vars": ANY,
                                "metadata": ANY,
                            }
                        ),
                        "expires_at": {**THEN, "description": "Extend the lease before, or reply."},
                        "answer_by": {**THEN, "description": "No extension goes beyond: the agent's own timeout."},
                    }
                ),
                description="Oldest first; empty where there is nothing to do now.",
            )
        }
    ),
    "PulledLease": made({"expires_at": THEN}),
}
