"""A request's bytes as JSON: strict about encoding, numbers and depth, so that nothing later has to be."""

import json
from typing import Any

from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json, first_fault


def parse_body(raw: bytes) -> Any:
    """The decoded body; an empty one is an empty object. Raises BadInput `malformed_json`, or `doubled_key` and
    `invalid` with a pointer.

    Refused beside bad syntax: NaN and infinities, NUL characters, half surrogate pairs, numbers too long to store,
    nesting beyond 64 levels, anything but UTF-8.
    """
    if not raw.strip():
        return {}
    try:
        body = decoded_json(raw.decode("utf-8"), numbers_only=True)
    except UnicodeDecodeError as error:
        raise BadInput(f"The body is not UTF-8 (byte {error.start}).", code="malformed_json") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadInput(f"The body is not JSON: {error.msg} ({where}).", code="malformed_json") from None
    except RecursionError:
        raise BadInput("The body is nested too deeply.", code="malformed_json") from None
    except ValueError as error:
        raise BadInput(f"The body is not usable JSON: {str(error)[:100]}.", code="malformed_json") from None
    fault = first_fault(body)
    if fault:
        raise BadInput(f"{fault[0] or 'the body'} {fault[1]}", pointer=fault[0])
    return body
