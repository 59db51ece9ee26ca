"""Templates of the questions to the optimizer and the analyzer.

The built-in texts, and the versions that a tenant wrote.
Tables: PromptTemplate.
Doors: the admin and the settings.
Imports: nothing of this room but its `domain`.
"""
