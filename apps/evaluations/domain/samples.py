"""Evaluations of a sample: some conversations of a run were chosen, and only they are judged."""

SAMPLE = "sample"  # an option, frozen with the evaluation
PAID_BY = "pull_request"  # an option: for what its calls are entered, a pull request or a share of the month
WHOLE_SQL = f"NOT jsonb_exists(e.options, '{SAMPLE}')"  # whether evaluation `e` owes its run's every conversation
