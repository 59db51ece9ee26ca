"""Personas made and tested by models: generation, validation, probe dialogues; the verdict on a simulator."""
