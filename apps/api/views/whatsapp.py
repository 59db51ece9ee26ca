"""The webhook of WhatsApp's Cloud API: Meta's signature over the raw bytes is the only thing that opens it."""

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.production.whatsapp.services.intake import challenge_answer, store_post

HUB = ("hub.mode", "hub.verify_token", "hub.challenge")


class WhatsAppWebhook(ApiView):
    """GET answers Meta's subscription; POST stores a row and nothing else, so that it answers while workers are away.

    No key, no signature of ours and no session is asked for: Meta has none of them."""

    authentication_classes = []
    permission_classes = []
    query_names = HUB

    @operation(
        "verifyWhatsAppWebhook",
        "Meta's subscription: answers hub.challenge where the verify token is ours",
        answers={200: "WhatsAppChallenge"},
        media="text/plain",
        filters={
            "hub.mode": "subscribe",
            "hub.verify_token": "As it was entered under WhatsApp accounts.",
            "hub.challenge": "Is the answer.",
        },
    )
    def get(self, request: Request) -> HttpResponse:
        mode, token, challenge = (request.query_params.get(name, "") for name in HUB)
        answer = challenge_answer(mode=mode, token=token, challenge=challenge)
        if answer is None:
            raise PermissionDenied("This verify token is no WhatsApp account's.", "wrong_verify_token")
        return HttpResponse(
            answer, content_type="text/plain; charset=utf-8", headers={"x-content-type-options": "nosniff"}
        )

    @operation(
        "postWhatsAppWebhook",
        "What Meta posts, signed with X-Hub-Signature-256: stored, worked through later",
        body="WhatsAppPost",
        answers={200: "WhatsAppPostTaken"},
    )
    def post(self, request: Request) -> Response:
        signature = request.headers.get("X-Hub-Signature-256", "")
        store_post(body=request._request.body, signature=signature, now=timezone.now())
        return Response({"status": "stored"})
