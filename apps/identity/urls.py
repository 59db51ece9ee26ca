"""Addresses of the sign-in by a provider; allauth asks for them by these names."""

from django.urls import path

from apps.identity import views

urlpatterns = [
    path("sign-in/<slug:provider_id>/", views.sign_in, name="openid_connect_login"),
    path("sign-in/<slug:provider_id>/callback/", views.callback, name="openid_connect_callback"),
]
