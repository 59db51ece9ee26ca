"""Register the parts of this room when Django starts."""

from apps.core.events import EventType
from apps.jobs.deliveries import DeliveryKind, register_delivery
from apps.jobs.work import Work, register

# How people are told: kind -> (what it is called, dotted path of its adapter). A new channel is its module, its line
# here, and what its address must look like (domain.channels).
CHANNELS = {
    "email": ("e-mail", "apps.alerts.services.email_channel.email_channel"),
    "slack": ("Slack-compatible webhook", "apps.alerts.services.slack_channel.slack_channel"),
    "webhook": ("signed webhook", "apps.alerts.services.webhook_channel.webhook_channel"),
}

register(
    Work(
        name="alerts",
        label="look at the rules of alerts",
        serve="apps.alerts.tasks.look",
        table="alerts_alertround",
        every_s=60.0,
    )
)
register_delivery(
    *(
        DeliveryKind(
            name=f"alert_{kind}",
            label=f"alert by {called}",
            work=f"alerts_by_{kind}",
            adapter=adapter,
            sent=EventType.ALERT_SENT,
            failed=EventType.ALERT_FAILED,
            at_once=10,
            page="/alerts/",
        )
        for kind, (called, adapter) in CHANNELS.items()
    )
)
