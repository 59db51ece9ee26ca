"""The case behind a conversation: its stages in both shapes, its assignment, and the metadata of its fields."""

import json
from typing import Any

from examples.pega.campaign import STAGE_OF, STAGES, Campaign, Step

CASE_CLASS = "AMANI-CAMPAIGN-WORK"
FLOW = "!CAMPAIGN_FLOW"
_STEPS: dict[str, tuple[tuple[str, Step], ...]] = {
    "Setup": (("Collect campaign name", Step.BRIEF),),
    "Brief": (
        ("Upload brief", Step.FACTS),
        ("Auto-fill fields from brief", Step.FACTS),
        ("Confirm schedule", Step.AUDIENCE),
    ),
    "Audience": (("Audience Agent", Step.AUDIENCE), ("Approve audience", Step.CONTENT)),
    "Content": (("Query KB for content", Step.CONTENT), ("Approve content", Step.COSTS)),
    "Review": (("Estimate cost", Step.COSTS), ("Submit for approval", Step.APPROVAL)),
    "Launch": (("Upload approval", Step.LAUNCH), ("Launch campaign", Step.DONE)),
}
"""Stage -> its steps, each with the step of the campaign at which it is completed."""
_ASSIGNMENTS = {
    Step.NAMING: "Name the campaign",
    Step.BRIEF: "Upload brief",
    Step.FACTS: "Approve facts",
    Step.DATE: "Choose schedule",
    Step.SCHEDULE: "Confirm schedule",
    Step.AUDIENCE: "Approve audience",
    Step.CONTENT: "Approve content",
    Step.COSTS: "Submit for approval",
    Step.APPROVAL: "Upload approval",
    Step.LAUNCH: "Launch campaign",
}


def handle(campaign: Campaign) -> str:
    """The case's handle, with its space: AMANI-CAMPAIGN-WORK S-4081."""
    return f"{CASE_CLASS} {campaign.case_id}"


def assignment_id(campaign: Campaign) -> str:
    """The handle of the open assignment."""
    return f"ASSIGN-WORKLIST {handle(campaign)}{FLOW}"


def status(campaign: Campaign) -> str:
    """The case's pyStatusWork."""
    return "Resolved-Completed" if campaign.step is Step.DONE else "Open"


def fields(campaign: Campaign) -> list[dict[str, str]]:
    """The fields of the open assignment; those that an agent filled have a defaultValue."""
    start = campaign.start.isoformat() if campaign.start else ""
    table = {
        Step.FACTS: [("Product", "weekend savings account"), ("Channel", "SMS"), ("Budget", "80000")],
        Step.DATE: [("StartDate", ""), ("StartTime", "")],
        Step.SCHEDULE: [("StartDate", start), ("StartTime", campaign.clock)],
        Step.AUDIENCE: [("AudienceSize", "48000"), ("MatchRate", "82")],
        Step.CONTENT: [("ContentTitle", "Save & win")],
        Step.COSTS: [("CostEstimate", "72000"), ("Comment", "")],
        Step.APPROVAL: [("Approver", "")],
        Step.LAUNCH: [("ApprovalReference", f"APP-{campaign.number}"), ("Comment", "")],
        Step.DONE: [("ApprovalReference", f"APP-{campaign.number}"), ("Comment", "")],
    }
    return [{"name": name, "defaultValue": value} for name, value in table.get(campaign.step, [])]


def previous_fields(campaign: Campaign) -> list[dict[str, str]]:
    """What the assignment before held: at the end, what the audience and the estimate came to."""
    if campaign.step >= Step.APPROVAL:
        return [
            {"name": "AudienceSize", "defaultValue": "48000"},
            {"name": "CostEstimate", "defaultValue": "72000"},
        ]
    earlier = Step(max(campaign.step - 1, 0))
    return fields(Campaign(number=campaign.number, step=earlier, start=campaign.start, clock=campaign.clock))


def processing(campaign: Campaign) -> dict[str, str]:
    """The case as the transcript's page has it: metadata as JSON within JSON."""
    return {
        "pzCaseKey": handle(campaign),
        "pzAssignmentKey": "" if campaign.step is Step.DONE else assignment_id(campaign),
        "pzAssignmentFieldsMetaData": json.dumps(fields(campaign)),
        "pzPrevAssignmentFieldsMetaData": json.dumps(previous_fields(campaign)),
    }


def _visited(stage: int, campaign: Campaign) -> str:
    at = STAGE_OF[campaign.step]
    return "completed" if stage < at else "active" if stage == at else "future"


def stages(campaign: Campaign, *, shape_b: bool) -> dict[str, Any]:
    """The stages of the case, in shape A or B."""
    found: list[dict[str, Any]] = []
    for number, name in enumerate(STAGES):
        steps: list[dict[str, Any]] = []
        for place, (label, completed_at) in enumerate(_STEPS[name], 1):
            done = campaign.step >= completed_at
            visited = {"visited": done} if shape_b else {"visited_status": "completed" if done else "future"}
            steps.append({"ID": f"STEP{place}", "name": label, **visited})
        process: dict[str, Any] = {"ID": f"{name}_Flow", "name": f"{name} process"}
        stage: dict[str, Any] = {"ID": f"PRIM{number}", "name": name}
        if shape_b:
            stage["processes"] = [{**process, "steps": steps}]
        else:
            at = _visited(number, campaign)
            process |= {"visited_status": at, "startedBy": "stage", "steps": steps}
            stage |= {"visited_status": at, "processSequences": [{"processes": [process]}]}
        found.append(stage)
    return {"stages": found}


def case_info(campaign: Campaign, *, created: str) -> dict[str, Any]:
    """`data.caseInfo` of a case."""
    open_work = [] if campaign.step is Step.DONE else [_assignment(campaign)]
    return {
        "ID": handle(campaign),
        "businessID": campaign.case_id,
        "caseTypeID": CASE_CLASS,
        "name": campaign.campaign,
        "status": status(campaign),
        "owner": "campaign-tester",
        "createTime": created,
        "stages": [
            {"ID": f"PRIM{number}", "name": name, "visited_status": _visited(number, campaign)}
            for number, name in enumerate(STAGES)
        ],
        "assignments": open_work,
        "content": {
            "CampaignName": campaign.campaign,
            "StartDate": campaign.start.isoformat() if campaign.start else "",
        },
    }


def _assignment(campaign: Campaign) -> dict[str, Any]:
    return {
        "ID": assignment_id(campaign),
        "name": _ASSIGNMENTS[campaign.step],
        "processID": "CAMPAIGN_FLOW",
        "actions": [{"ID": "Approve", "name": "Approve", "type": "Assignment"}],
    }
