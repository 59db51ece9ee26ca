"""Drafts and trials: a new prompt, played against the live one.

Guards and stores drafts, plays trials on held-out scenarios, decides and releases.
Tables: PromptDraft, FixProposal, Trial, TrialSide.
Doors: the pages and the API of drafts and trials, `compare_prompts`, `record_prompt`.
Imports: analysis (the findings that a draft answers), holdout.
"""
