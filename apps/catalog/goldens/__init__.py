"""Golden sessions: captured conversations and their versions.

Stores versions, and says which one is in force.
Tables: GoldenSession, GoldenVersion, StoredFile.
Doors: the admin, the pages and the API of golden sessions.
Imports: connections (agents).
"""
