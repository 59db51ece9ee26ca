#!/bin/sh
# Run once by the image of Postgres, when the database is made (docker-compose.yml). The product's role owns its database and
# has no other right; the superuser has no password, so that it is reached from within the container alone.
set -eu
psql --no-psqlrc --quiet --username postgres --dbname postgres --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" <<'SQL'
CREATE ROLE ratiba LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE ratiba OWNER ratiba;
ALTER ROLE postgres PASSWORD NULL;
SQL
