"""The short way through the API (docs/adr/0075): what test runners ask all the time, answered in one statement.

It gives answers that succeed, to callers with a bearer key, and nothing else. Whatever is not plain — a refusal, an
unknown id, a repeated request, a key whose use is to be noted, a process that knows nothing yet — has no effect here
and goes the whole way through Django, which knows how to say it.
"""
