"""What judging lets others hear. It knows nobody who listens: certificates and analyses are pulled (law 3).

`evaluations_ended` is sent, in the tenant, when evaluations have ended; `tenant` is its slug. Losing one costs a tick.
`budget_freed` is sent, in the tenant, when a budget has been raised or its month is over: what waited for money may be
tried again. Losing one costs the wait that its room had set.
"""

from django.dispatch import Signal

evaluations_ended = Signal()
budget_freed = Signal()
