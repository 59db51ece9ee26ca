"""Addresses of a Postgres, with the settings that pin a connection to one schema."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from pytest_ratiba.environment.errors import EvalEnvironmentError

_IN_THE_URL = ("user", "password", "host", "port", "dbname")


def with_settings(address: str, settings: Mapping[str, str], *, application_name: str) -> str:
    """The same server and database as a URL, each connection of which starts with these settings.

    Takes a URL or libpq's `key=value` form. Raises EvalEnvironmentError where libpq cannot read it.
    """
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = {key: str(value) for key, value in conninfo_to_dict(address).items() if value is not None}
    except psycopg.ProgrammingError as error:
        raise EvalEnvironmentError(f"RATIBA_TEST_DATABASE_URL is not an address of Postgres: {error}") from error
    options = [parts.pop("options", ""), *(f"-c {name}={value}" for name, value in settings.items())]
    parts |= {"options": " ".join(filter(None, options)), "application_name": application_name}
    return _url(parts)


def _url(parts: dict[str, str]) -> str:
    query = {key: value for key, value in parts.items() if key not in _IN_THE_URL}
    host, port = parts.get("host", ""), parts.get("port", "")
    if host.startswith("/") or "," in host:  # a folder of sockets, or several hosts
        query |= {"host": host} | ({"port": port} if port else {})
        host = port = ""
    who = quote(parts.get("user", ""), safe="")
    if "password" in parts:
        who += ":" + quote(parts["password"], safe="")
    place = f"[{host}]" if ":" in host else host
    authority = (f"{who}@" if who else "") + place + (f":{port}" if port else "")
    return f"postgresql://{authority}/{quote(parts.get('dbname', ''), safe='')}?{urlencode(query, quote_via=quote)}"
