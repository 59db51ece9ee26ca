"""May this pull request pass: the candidate beside its baseline, and the decision."""
