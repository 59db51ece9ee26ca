"""Judges of the evaluations that a worker has claimed: one for all that ask the same, of however many evaluations.

A test runner posts a hundred conversations a second, each as an evaluation of its own with the same frozen snapshot.
"""

import json
import uuid
from collections.abc import Collection, Hashable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection

from apps.catalog.configs.domain.judging_rules import JudgingRules, PanelRule
from apps.catalog.configs.domain.snapshots import ConfigSnapshot
from apps.connectors.cool_downs import CoolDowns
from apps.core.errors import NotFound, RatibaError
from apps.evaluations.domain.panel import PANEL_JUDGES
from apps.evaluations.judging.services.judge import Judge, PanelMember
from apps.runs.services.model_roles import models_of, retry_policy

CROWDED = timedelta(seconds=0.25)  # until a worker looks again whether a model has a free place
MAX_JUDGES = 100  # judges of one worker that are held ready for further evaluations

# What a judge is made of: the snapshot (told by a digest, so that it need not travel), how to ask, and the providers'
# rows as they are now, for their keys and addresses.
_DEPENDENCIES = """
SELECT m.*, CASE WHEN row_number() OVER (PARTITION BY m.version, m.digest, m.options, m.providers) = 1
  THEN (SELECT e.snapshot::text FROM evaluations_evaluation e WHERE e.id = m.id) END
FROM (
  SELECT e.id, e.config_version_id AS version, jsonb_hash_extended(e.snapshot, 0) AS digest, e.options::text AS options,
    (SELECT string_agg(p.xmin::text || p.ctid::text, ' ' ORDER BY p.name) FROM catalog_modelprovider p) AS providers
  FROM evaluations_evaluation e WHERE e.id = ANY(%s)
) m
"""


class JudgeFactory:
    """Judges by evaluation; one that cannot be made is a RatibaError, which fails its judgements alone."""

    def __init__(self, cool_downs: CoolDowns | None = None) -> None:
        self.cool_downs = cool_downs
        self.judges: dict[uuid.UUID, Judge | RatibaError] = {}
        self._by_dependencies: dict[Hashable, Judge | RatibaError] = {}

    def limited(self) -> list[uuid.UUID]:
        """Return the evaluations whose models must not be called now."""
        judges = ((id, judge) for id, judge in self.judges.items() if isinstance(judge, Judge))
        return [id for id, judge in judges if judge.policy.must_wait(judge.primary, judge.fallback)]

    def next_place(self, now: datetime) -> datetime | None:
        """Return when to claim again, where work is left because a model is asked as fast as it answers."""
        judges = {id(judge): judge for judge in self.judges.values() if isinstance(judge, Judge)}
        crowded = any(
            judge.fallback is None and judge.policy.cool_downs.backlog(judge.primary.spec) for judge in judges.values()
        )
        return now + CROWDED if crowded else None

    def load(self, evaluation_ids: Collection[uuid.UUID]) -> None:
        """Make a judge for each of these evaluations.
        One query where some are new, and those of `make_judge` for each new setup. Safe to repeat."""
        new = [id for id in set(evaluation_ids) if id not in self.judges]
        if not new:
            return
        with connection.cursor() as cursor:
            cursor.execute(_DEPENDENCIES, [new])
            rows = cursor.fetchall()
        if len(self._by_dependencies) >= MAX_JUDGES:
            self._by_dependencies.clear()
        for _, *dependencies, snapshot in rows:
            key = tuple(dependencies)
            if snapshot is not None and key not in self._by_dependencies:
                self._by_dependencies[key] = judge_or_error(
                    json.loads(snapshot), json.loads(dependencies[2]), self.cool_downs
                )
        self.judges |= {id: self._by_dependencies[tuple(dependencies)] for id, *dependencies, _ in rows}
        for id in set(new) - self.judges.keys():
            self.judges[id] = NotFound(f"There is no evaluation {id}.")


def judge_or_error(
    snapshot: Mapping[str, Any], options: Mapping[str, Any], cool_downs: CoolDowns | None = None
) -> Judge | RatibaError:
    """The judge, or why there is none: a broken snapshot fails its judgements, not the worker."""
    try:
        return make_judge(snapshot, options, cool_downs)
    except RatibaError as error:
        return error
    except DatabaseError:  # says nothing about the snapshot: the worker tries again
        raise
    except Exception as error:  # whatever else is wrong with one version is wrong with that one alone
        return RatibaError(f"The snapshot cannot be used: {error!r}"[:2000], code="broken_snapshot")


def make_judge(frozen: Mapping[str, Any], options: Mapping[str, Any], cool_downs: CoolDowns | None = None) -> Judge:
    """The judge of evaluations with this frozen snapshot and these options. Raises BadInput where its provider cannot
    be used. Costs one query for each provider that it names.
    """
    snapshot = ConfigSnapshot.from_json(frozen)
    roles = frozen["llm_config"]
    primary, fallback = models_of(roles["judge"])
    panel_judges = {role: _panel_member(roles[role], role) for role in ("cross_check", "panel") if role in roles}
    sits = JudgingRules.of(snapshot.parameters).panel is not PanelRule.OFF and len(panel_judges) == PANEL_JUDGES - 1
    return Judge(
        snapshot=snapshot,
        primary=primary,
        fallback=fallback,
        policy=retry_policy(cool_downs),
        timeout_s=settings.MODEL_TIMEOUT_S,
        use_cache=options.get("use_cache", True) is not False,
        repeat=int(options.get("repeat") or 1),
        cross_check=panel_judges.get("cross_check"),
        panel=tuple(panel_judges.values()) if sits else (),
        share=float(options.get("cross_check_share") or 0.0),
    )


def _panel_member(role: Mapping[str, Any], name: str) -> PanelMember:
    llm, _ = models_of({**role, "fallback": None})
    return PanelMember(llm=llm, role=name)
