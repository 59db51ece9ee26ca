"""What people keep of how they read: views of lists and pages by name."""

from django.db import models

from apps.core.models import Row


class SavedView(Row):
    """An address of this tenant's pages under a name: the list with its search, filters, order and open rows.

    A person's own, or shared with everybody of the tenant; what it shows is decided when it is opened, by the rights
    of whoever opens it.
    """

    user = models.CharField(max_length=150)
    name = models.CharField(max_length=80)
    path = models.CharField(max_length=300)
    query = models.TextField(blank=True)
    shared = models.BooleanField(default=False)

    class Meta:
        default_permissions = ()  # everybody's own
        constraints = [models.UniqueConstraint(fields=["user", "path", "name"], name="one_view_per_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def address(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path
