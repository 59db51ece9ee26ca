"""What the catalog lets others hear. It knows nobody who listens.

`prompt_went_live` is sent, in the tenant and in the transaction that did it, with `name`, `version` and `digest` of the
prompt that is live from now on.
"""

from django.dispatch import Signal

prompt_went_live = Signal()
