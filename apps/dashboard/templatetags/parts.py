"""Load every part of a page from one library: `{% load parts %}`. Each theme is a module of `apps.dashboard.parts`."""

from django import template

from apps.dashboard.parts import dialogues, figures, forms, lists, page, views

register = template.Library()
for theme in (page, figures, lists, views, forms, dialogues):
    register.tags.update(theme.register.tags)
    register.filters.update(theme.register.filters)
