"""Real conversations: the rows that every other folder of this room reads.

A conversation with a real customer, what people said of it, and whether it was promoted.
Tables: ProductionConversation, Feedback, Promotion, PromotionRound.
Doors: none of its own.
Imports: nothing of this room but its `domain`.
"""
