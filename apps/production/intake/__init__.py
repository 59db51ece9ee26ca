"""Intake: conversations and feedback of production come in, and are settled.

Reads what was posted, masks it, and stores each conversation once.
Tables: none of its own.
Doors: the webhook of production, `import_production`, the task `settle`.
Imports: whatsapp (asks the customer), privacy, conversations.
"""
