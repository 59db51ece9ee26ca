"""Tasks that workers call to do the work of production."""

from apps.jobs.work import TimeSlice
from apps.production.intake.services.settling import settle_due
from apps.production.langfuse.services.poll import poll_sources
from apps.production.promotion.services.promoting_feedback import enqueue_round, pay_rounds
from apps.production.retention.services.deleting import delete_all_expired
from apps.production.rollouts.services.watching_rollouts import look_at_rollouts
from apps.production.sampling.services.anchors import grade_due
from apps.production.sampling.services.drawing import draw_due
from apps.production.traces.services.traced_conversations import forget_spans, take_traced
from apps.production.whatsapp.services.comment_prompts import forget_prompted
from apps.production.whatsapp.services.posts import forget_old, work_through_posts
from apps.production.whatsapp.services.questions import forget_recipients
from apps.tenants.queries import workflow_config


def promote(time_slice: TimeSlice) -> bool:
    """Do one tenant's weekly promotion where it is due, and request the next one."""
    pay_rounds(now=time_slice.now())
    enqueue_round(now=time_slice.now())
    return False


def settle(time_slice: TimeSlice) -> bool:
    """Settle one tenant's conversations that nobody posted to for a while; return whether more are due."""
    return settle_due(now=time_slice.now()).more


def retain(time_slice: TimeSlice) -> bool:
    """Delete what one tenant has kept long enough; return whether more is due."""
    forget_old(now=time_slice.now(), keep_days=workflow_config(time_slice.tenant).keep_days)
    return delete_all_expired(now=time_slice.now(), seconds=lambda: time_slice.seconds).more


def work_through(time_slice: TimeSlice) -> bool:
    """Work through what Meta posted for one tenant; return whether more is due."""
    return work_through_posts(now=time_slice.now, until=time_slice.until)


def forget(time_slice: TimeSlice) -> bool:
    """Forget one tenant's numbers that nobody is asked at any more."""
    forget_recipients(now=time_slice.now())
    return False


def forget_prompts(time_slice: TimeSlice) -> bool:
    """Delete one tenant's phone numbers whose time for a comment is over."""
    forget_prompted(now=time_slice.now())
    return False


def trace(time_slice: TimeSlice) -> bool:
    """Put spans that came for one tenant into their conversations; return whether more are due."""
    return take_traced(now=time_slice.now, until=time_slice.until)


def forget_traces(time_slice: TimeSlice) -> bool:
    """Forget one tenant's spans whose conversations are over."""
    forget_spans(now=time_slice.now())
    return False


def watch_rollouts(time_slice: TimeSlice) -> bool:
    """Look at one tenant's running canaries; none is due again at once."""
    look_at_rollouts(now=time_slice.now())
    return False


def poll_langfuse(time_slice: TimeSlice) -> bool:
    """Read one tenant's Langfuse projects that are due."""
    poll_sources(now=time_slice.now)
    return False


def draw(time_slice: TimeSlice) -> bool:
    """Draw one tenant's samples whose window is over."""
    draw_due(now=time_slice.now())
    return False


def grade_anchors(time_slice: TimeSlice) -> bool:
    """Take one tenant's anchors a step further."""
    grade_due(now=time_slice.now())
    return False
