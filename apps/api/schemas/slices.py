"""The shape of an evaluation's slices (see apps.reports.queries.slices)."""

from apps.api.schema_building import COUNT, ID, INTERVAL, NUMBER, TEXT, Schema, known, listed, made, optional, words
from apps.reports.domain.heat_map import HeatLevel
from apps.reports.domain.slices import SliceDimension, SliceState

COMPONENTS: dict[str, Schema] = {
    "HeatRow": made(
        {
            "name": TEXT,
            "criteria": listed(
                made(
                    {
                        "criterion": TEXT,
                        "failing": {**COUNT, "description": "Scored below the pass mark."},
                        "scored": COUNT,
                        "level": words(HeatLevel),
                    }
                )
            ),
        }
    ),
    "SliceClaim": made(
        {
            "name": TEXT,
            "state": {
                **words(SliceState),
                "description": "worse: it scores lower than the others of this evaluation "
                "(one-sided, 5 % over all slices "
                "of the dimension). too_few: it shares too few scenarios with them.",
            },
            "conversations": COUNT,
            "scenarios": {**COUNT, "description": "Over how many it is compared."},
            "mean": NUMBER,
            "difference": {**NUMBER, "description": "From the others, in points, within scenarios."},
            "interval": {**INTERVAL, "description": "95 % of the difference, of this slice alone: `state` decides."},
            "p": {**NUMBER, "description": "One-sided, before it is adjusted for how many slices there are."},
        }
    ),
    "SliceDimension": made(
        {
            "dimension": words(SliceDimension),
            "claims": {"type": "boolean", "description": "false: its cells are shown, and nothing is claimed."},
            "scenarios_needed": optional(
                "integer", description="How many a slice must share; null where there are not two slices."
            ),
            "slices": listed(known("SliceClaim"), description="Those that score lower first; [] below two slices."),
            "cells": listed(known("HeatRow"), description="Coloured by the share below the mark, and no claim."),
        }
    ),
    "EvaluationSlices": made(
        {
            "evaluation_id": ID,
            "fingerprint": {**TEXT, "description": 'The judge whose scores are compared; "" before any is scored.'},
            "conversations": {**COUNT, "description": "Scored by this judge."},
            "by_other_judges": {**COUNT, "description": "Scored under another fingerprint: left out."},
            "by_fallback": {**COUNT, "description": "Scored by the fallback model: left out."},
            "level": {"type": "number"},
            "least_in_cell": COUNT,
            "dimensions": listed(known("SliceDimension")),
        }
    ),
}
