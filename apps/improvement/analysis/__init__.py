"""Analysis: a model reads an evaluation and says what to mend.

Asks the analyzer, checks its findings against the conversations.
Tables: Analysis.
Doors: the page of an evaluation, the API, the task `analyse`.
Imports: prompt_templates, holdout.
"""
