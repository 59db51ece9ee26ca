"""Read the words of a conversation: sentences, questions, times, languages, confirmations, secrets asked for.

Plain data in and out, deterministic, in English, Swahili and Italian. Nothing here scores: metrics and the offline
rules build on it.
"""
