"""The ledger of model calls, row by row."""

from django.contrib import admin
from django.utils.safestring import SafeString

from apps.budgets.models import ModelCall
from apps.dashboard.domain.figures import milliseconds
from apps.dashboard.history_lists import HistoryAdmin, RecentValuesFilter
from apps.dashboard.templatetags.ratiba import ago


@admin.register(ModelCall)
class ModelCallAdmin(HistoryAdmin):
    """Every call that was paid for or tried, failed ones too."""

    list_display = ("made", "purpose", "requested_model", "answered", "outcome", "cost", "tokens", "took", "fallback")
    list_display_links = ("made",)
    list_filter = ("purpose", ("outcome", RecentValuesFilter), ("provider", RecentValuesFilter), "fallback", "cached")
    search_fields = ("requested_model", "model", "request_id", "error")

    @admin.display(description="made", ordering="id")
    def made(self, row: ModelCall) -> SafeString:
        return ago(row.created_at)

    @admin.display(description="answered by", ordering="model")
    def answered(self, row: ModelCall) -> str:
        return row.model or "–"

    @admin.display(description="cost", ordering="cost_usd")
    def cost(self, row: ModelCall) -> str:
        return f"${row.cost_usd:.6f}" if row.cost_usd is not None else "unknown"

    @admin.display(description="tokens in / out")
    def tokens(self, row: ModelCall) -> str:
        return f"{row.input_tokens:,} / {row.output_tokens:,}"

    @admin.display(description="took", ordering="latency_ms")
    def took(self, row: ModelCall) -> str:
        return milliseconds(row.latency_ms)
