"""A small rule-based booking agent for a Nairobi salon, served over A2A: something real to test against.

It speaks English, Swahili and the mix of both, offers real slots, states prices in KES and takes M-Pesa by a push to
the customer's phone. `--weakness NAME` spoils exactly one quality of it, so that a judge can be seen to notice.
No model, no network and no clock inside the dialogue: the day and a seed come in from the command line.
"""
