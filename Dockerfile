# One image for web, workers, beat and one-off commands. Not built where this was written (no engine there); what can be
# checked by reading is checked in tests/docs/test_compose.py.

FROM python:3.12.11-slim-bookworm AS build
WORKDIR /app
COPY requirements/base.txt requirements/prod.txt requirements/
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --only-binary :all: \
        -r requirements/prod.txt
COPY . .
# The settings want good secrets beside a database; these two exist in this layer's shell only, and sign or encrypt nothing.
RUN DATABASE_URL=postgresql://nobody@localhost/none REDIS_URL=redis://localhost:6379/0 \
    SECRET_KEY="$(/venv/bin/python -c 'import secrets; print(secrets.token_urlsafe(50))')" \
    RATIBA_FIELD_KEY="$(/venv/bin/python -c 'import base64, secrets; print(base64.urlsafe_b64encode(secrets.token_bytes(32)).decode())')" \
    RATIBA_STATE_DIR=/state /venv/bin/python manage.py collectstatic --noinput \
    && /venv/bin/python -m compileall -q apps ratiba_eval

FROM python:3.12.11-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /state --shell /usr/sbin/nologin ratiba \
    && install -d -o ratiba -g ratiba /state /state/log /state/schema
COPY --from=build /venv /venv
COPY --from=build /app /app
COPY --from=build /state/static /state/static
# Celery's checks load every page and view at each start of a worker; the tests run them.
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 RATIBA_STATE_DIR=/state REMAP_SIGTERM=SIGQUIT CELERY_SKIP_CHECKS=1
WORKDIR /app
USER ratiba
EXPOSE 8000
CMD ["python", "-m", "ratiba_eval.web", "--host", "0.0.0.0", "--port", "8000"]
