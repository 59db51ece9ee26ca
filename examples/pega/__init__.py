"""A loopback Pega: a campaign agent behind AgentX, the DX API, A2A and one plain HTTP call, with one finished session.

It serves what a Pega node serves to a client of its AI agents: OAuth2, conversations, attachments, data views, cases,
assignments and the A2A card. No model and no network: a small state machine speaks. `--fault NAME` spoils one thing,
`--variant NAME` takes the other form where public sources differ about the real one.
"""
