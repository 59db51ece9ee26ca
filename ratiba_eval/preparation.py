"""Prepare what `up` and `demo` need: schemas, the tenant `demo`, somebody who may sign in.

python -m ratiba_eval.preparation --web 8000 --agent 8123 --pega 8124 # what `up` runs; prints what to tell people
"""

import argparse
import os
import secrets
import sys
from pathlib import Path

if __name__ == "__main__":
    import django

    from ratiba_eval.env import stop_unless_configured

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
    stop_unless_configured()
    django.setup(set_prefix=False)

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone

from apps.core.actor import acting, os_user
from apps.tenants.context import in_public, in_tenant
from apps.tenants.errors import OtherDatabase
from apps.tenants.queries import known_slugs
from apps.tenants.services import add_tenant
from apps.tenants.upgrading import upgrade_all, usual_parallel
from ratiba_eval import demo_campaign, demonstration, local_stack, programs
from ratiba_eval.start_checks import stop_where_sessions_mix

DEMO = "demo"
DEMO_VERTICAL = "spa"
ADMIN = "admin"


def migrate() -> bool:
    """Bring the public schema and every tenant's up to this code; whether anything was owed. 0.2 s when nothing is.

    Safe to repeat. Tenants that are behind are closed to work until they are migrated; a broken one stays closed and is
    in the log, and keeps nothing from starting.
    """
    done = upgrade_all(parallel=usual_parallel())
    return done.public or bool(done.migrated or done.broken)


def demo_tenant() -> bool:
    """Make the tenant `demo` where there is none; whether it was made. Safe to repeat."""
    with in_public():
        if DEMO in known_slugs():
            return False
        add_tenant(slug=DEMO, name="Demo", vertical=DEMO_VERTICAL)
        return True


def admin_password(state: Path) -> str | None:
    """The password of `admin` in the tenant `demo` and on the public host, made on the first call.

    It is kept in `var/admin_password` (mode 600). None where `admin` exists and the file does not, or no longer fits:
    then somebody chose a password of their own, which is left alone. Safe to repeat.
    """
    path = state / "admin_password"
    stored = path.read_text().strip() if path.exists() else None
    password = stored or secrets.token_urlsafe(12)
    users = get_user_model().objects
    with in_public():
        if not users.filter(username=ADMIN).exists():
            users.create_superuser(username=ADMIN, email="", password=password)
    with in_tenant(DEMO):
        user = users.filter(username=ADMIN).first()
        if user is None:
            users.create_superuser(username=ADMIN, email="", password=password)
        elif stored is None or not user.check_password(stored):
            return None
    if stored is None:
        _keep(path, password)
    return password


def _keep(path: Path, password: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as handle:
        handle.write(password + "\n")


def prepare(*, web: int, agent: int, pega: int) -> str:
    """Everything `up` needs before its programs start; the words that greet the user. Safe to repeat.

    The addresses of the example agents in the demo catalog follow their ports. Says on stderr what it changed.
    """
    state = local_stack.state_dir()
    with programs.taking_turns(state):
        migrate()
        demo_tenant()
        password = admin_password(state)
        with in_tenant(DEMO):
            if demonstration.first_catalog(port=agent, now=timezone.now()):
                print("the tenant demo has its catalog", file=sys.stderr)
            elif address := demonstration.agent_moved(port=agent, answers=programs.accepts):
                print(f"the agent booking is now at {address}", file=sys.stderr)
            if demo_campaign.first_campaign(port=pega):
                print("the tenant demo has the agent campaign", file=sys.stderr)
            elif address := demo_campaign.campaign_moved(port=pega, answers=programs.accepts):
                print(f"the agent campaign is now at {address}", file=sys.stderr)
    return (
        f"\n  http://{DEMO}.localhost:{web}/admin/   (also http://127.0.0.1:{web}/admin/)\n"
        f"  {ADMIN} / {password or 'the password you chose'}\n"
        f"  example agents: booking at http://{programs.ADDRESS}:{agent}, campaign at http://{programs.ADDRESS}:{pega}\n"
        f"  logs in {settings.LOG_DIR}, Ctrl-C stops\n"
    )


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ratiba_eval.preparation")
    parser.add_argument("--web", type=int, required=True)
    parser.add_argument("--agent", type=int, required=True)
    parser.add_argument("--pega", type=int, required=True)
    options = parser.parse_args(argv)
    try:
        with acting(f"command up by {os_user()}"):
            print(prepare(web=options.web, agent=options.agent, pega=options.pega))
    except OtherDatabase as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    stop_where_sessions_mix()
    raise SystemExit(main())
