"""The offline provider's rules: written down, deterministic, and never mistaken for a model.

Plain data in and out, no Django, no network, no clock. `judge.judge(facts)` answers the judge's question,
`customer.next_message(facts)` plays a customer in a battle. docs/offline-rules.md says in plain words what each
rule looks at; VERSION is part of the model's name, so scores of two versions are never averaged unnoticed.
"""

VERSION = "9"
