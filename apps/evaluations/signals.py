"""The signals that judging sends. Judging does not know who receives them: certificates and analyses are pulled.

`evaluations_ended` is sent, in the tenant, when evaluations have ended; `tenant` is its slug. Losing one costs a tick.
`run_reconciled` is sent, in the tenant, with `run_id` and `now` when a person has a run put right: rooms that owe work
of it free what lost workers hold, and answer how many rows. `stuck_runs` is sent with `now`: rooms answer the ids of
runs of which they owe work though the run itself has ended.
"""

from django.dispatch import Signal

evaluations_ended = Signal()
run_reconciled = Signal()
stuck_runs = Signal()
