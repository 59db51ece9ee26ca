"""Personas: the simulated customers, and which of them may play.

What one consists of, its states, which are alike, and what is written and tested by models.
Tables: Persona, PersonaGeneration, GeneratedPersona, PersonaValidation.
Doors: the admin, the pages and the API of personas.
Imports: nothing of this room but what all subjects share.
"""
