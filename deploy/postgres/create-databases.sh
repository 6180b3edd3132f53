#!/bin/bash
# Runs once, when Postgres starts on an empty volume: a role and a database for Posthaste, another role with its own
# two databases for Temporal. Neither can see the other's.
set -eu

psql --set ON_ERROR_STOP=1 --quiet --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv posthaste_password DATABASE_PASSWORD
\getenv temporal_password TEMPORAL_DATABASE_PASSWORD
create role posthaste login password :'posthaste_password';
create role temporal login password :'temporal_password';
create database posthaste owner posthaste;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke connect, temporary on database posthaste, temporal, temporal_visibility from public;
SQL
