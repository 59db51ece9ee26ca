"""Cases, their stages, and assignments (sheet §6). Handles have a space, which comes as %20."""

from urllib.parse import unquote

from examples.pega import case_pages, serving
from examples.pega.campaign import Step
from examples.pega.clock import pega_time
from examples.pega.conversations import CampaignConversation
from examples.pega.node import Node
from examples.pega.switches import Variant
from examples.pega.wire import Request, WireAnswer, refusal


def read_case(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """GET /cases/{handle}."""
    return _case_answer(request.node, _of_handle(request.node, parts[0]))


def read_stages(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """GET /cases/{handle}/stages: 404 at the first look at a young case, then one of two shapes."""
    node, conversation = request.node, _of_handle(request.node, parts[0])
    conversation.stage_looks += 1
    if conversation.live and conversation.stage_looks == 1:
        raise refusal(404, "Error_Resource_NotFound", "the case is still being created")
    return WireAnswer(body=case_pages.stages(conversation.campaign, shape_b=node.has(Variant.STAGES_B)))


def read_assignment(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """GET /assignments/{handle}: the case's envelope, with the fields of the assignment."""
    node, conversation = request.node, _of_assignment(request.node, parts[0])
    answer = _case_answer(node, conversation)
    if not node.has(Variant.FIELDS_ABSENT):
        fields = {
            one["name"]: [{"classID": case_pages.CASE_CLASS, "type": "Text", "label": one["name"]} | one]
            for one in case_pages.fields(conversation.campaign)
        }
        answer.body["uiResources"] = {"resources": {"fields": fields}}
    return answer


def act(request: Request, parts: tuple[str, ...]) -> WireAnswer:
    """PATCH /assignments/{handle}/actions/{action}: approves what waits, as a button of the portal does."""
    node, conversation = request.node, _of_assignment(request.node, parts[0])
    if parts[1] != "Approve":
        raise refusal(404, "Error_Resource_NotFound", f"there is no action {parts[1]}")
    tag = request.headers.get("if-match", "").strip('"')
    if not tag:
        raise refusal(412, "Error_Missing_Etag", "the header if-match is needed")
    if tag != _etag(conversation):
        raise refusal(409, "Error_Stale_Etag", "the assignment has changed since it was read")
    if conversation.campaign.step in (Step.BRIEF, Step.DATE, Step.APPROVAL):
        raise refusal(422, "Error_Validation", "a document or a day is needed, not an approval")
    serving.take(node, conversation, "I approve.", ())
    return _case_answer(node, conversation)


def _case_answer(node: Node, conversation: CampaignConversation) -> WireAnswer:
    created = pega_time(conversation.created, iso=node.has(Variant.ISO_DATES))
    info = case_pages.case_info(conversation.campaign, created=created)
    return WireAnswer(
        body={"data": {"caseInfo": info}, "uiResources": {}}, headers={"etag": f'"{_etag(conversation)}"'}
    )


def _etag(conversation: CampaignConversation) -> str:
    return f"r{conversation.revision}"


def _of_handle(node: Node, segment: str) -> CampaignConversation:
    handle = unquote(segment)
    business_id = handle.removeprefix(f"{case_pages.CASE_CLASS} ")
    found = node.archive.of_case(business_id) if business_id != handle else None
    if found is None or found.campaign.step is Step.NAMING:
        raise refusal(404, "Error_Resource_NotFound", f"there is no case {handle}")
    return found


def _of_assignment(node: Node, segment: str) -> CampaignConversation:
    handle = unquote(segment)
    inner = handle.removeprefix("ASSIGN-WORKLIST ").removesuffix(case_pages.FLOW)
    conversation = _of_handle(node, inner) if inner != handle else None
    if conversation is None or case_pages.assignment_id(conversation.campaign) != handle:
        raise refusal(404, "Error_Resource_NotFound", f"there is no assignment {handle}")
    if conversation.campaign.step is Step.DONE:
        raise refusal(404, "Error_Resource_NotFound", f"the assignment {handle} is done")
    return conversation
