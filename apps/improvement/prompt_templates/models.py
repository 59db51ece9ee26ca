"""The tenant's own versions of the texts that ask the workshop's models."""

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.core.models import Row
from apps.core.states import choices
from apps.improvement.prompt_templates.domain.texts import TemplatePurpose


class PromptTemplate(Row):
    """One numbered version for one purpose and language, the same for ever: what it asked stays explained. At most one
    of a purpose and language is `active`; where none is, the text that ships is in force."""

    purpose = models.CharField(max_length=20, choices=choices(TemplatePurpose))
    language = models.CharField(max_length=2, choices=[("en", "English"), ("sw", "Swahili"), ("it", "Italian")])
    number = models.PositiveIntegerField(editable=False)
    system = models.TextField()
    ask = models.TextField()
    note = models.CharField(max_length=500, blank=True, default="")
    active = models.BooleanField(default=False, editable=False)
    created_by = models.CharField(max_length=150, blank=True, default="", editable=False)

    class Meta:
        verbose_name = "prompt template"
        ordering = ["purpose", "language", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["purpose", "language", "number"], name="one_template_per_number"),
            models.UniqueConstraint(
                fields=["purpose", "language"], name="one_active_template_per_language", condition=Q(active=True)
            ),
        ]
        triggers = [
            pgtrigger.ReadOnly(
                name="template_stays",
                fields=["purpose", "language", "number", "system", "ask", "note", "created_by", "created_at"],
            ),
            pgtrigger.Protect(name="template_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.language} {self.number}"
