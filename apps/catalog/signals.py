"""The catalog's signals to other rooms. The catalog does not know its listeners.

`prompt_went_live` is sent, in the tenant and in the transaction that did it, with `name`, `version` and `digest` of the
prompt that is live from now on.
"""

from django.dispatch import Signal

prompt_went_live = Signal()
