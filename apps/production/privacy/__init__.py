"""Privacy: who a text speaks of, and what has to go from it.

Masks names and numbers, keeps the list of identities, and makes pseudonyms of ids.
Tables: ListedPerson, PseudonymKey.
Doors: the identity list in the admin, `import_people`, `rotate_pseudonym_key`.
Imports: conversations.
"""
