"""What judging lets others hear. It knows nobody who listens: certificates and analyses are pulled (law 3).

`evaluations_ended` is sent, in the tenant, when evaluations have ended; `tenant` is its slug. Losing one costs a tick.
"""

from django.dispatch import Signal

evaluations_ended = Signal()
