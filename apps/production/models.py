"""The tables of production, for the other rooms: each stands in the folder of its subject."""

from apps.production.conversations.models import Feedback, ProductionConversation, Promotion, PromotionRound
from apps.production.langfuse.models import LangfuseDeletion, LangfuseSource
from apps.production.otlp.models import OtlpReceiver
from apps.production.privacy.models import ListedPerson, PseudonymKey
from apps.production.rollouts.models import Rollout, RolloutConversation, RolloutEvent
from apps.production.sampling.models import AnchorGrading, AnchorSet, SampledConversation, SampleDraw, SamplingRule
from apps.production.traces.models import TraceNotice, TraceSpan
from apps.production.whatsapp.models import (
    FeedbackOptOut,
    FeedbackQuestion,
    PendingComment,
    WhatsAppAccount,
    WhatsAppContact,
    WhatsAppPost,
)

__all__ = [
    "AnchorGrading",
    "AnchorSet",
    "Feedback",
    "FeedbackOptOut",
    "FeedbackQuestion",
    "LangfuseDeletion",
    "LangfuseSource",
    "ListedPerson",
    "OtlpReceiver",
    "PendingComment",
    "ProductionConversation",
    "Promotion",
    "PromotionRound",
    "PseudonymKey",
    "Rollout",
    "RolloutConversation",
    "RolloutEvent",
    "SampleDraw",
    "SampledConversation",
    "SamplingRule",
    "TraceNotice",
    "TraceSpan",
    "WhatsAppAccount",
    "WhatsAppContact",
    "WhatsAppPost",
]
