"""The room's place in Django."""

from django.apps import AppConfig


class BudgetsConfig(AppConfig):
    name = "apps.budgets"
    label = "budgets"
