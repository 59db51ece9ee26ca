"""Hold-out: which scenario families write drafts, choose among them, or decide.

Places families once, keeps what decides sealed, and says who reads it.
Tables: FamilyPart, FamilyMember.
Doors: every door that shows a conversation of a trial.
Imports: nothing of this room but its `domain`.
"""
