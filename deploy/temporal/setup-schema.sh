#!/bin/sh
# Creates or upgrades Temporal's tables to those of this version. Runs at every `docker compose up` before the
# server; without a new version it changes nothing. The password comes from SQL_PASSWORD.
set -eu

setup() {
  for step in 'setup-schema --version 0.0' "update-schema --schema-name postgresql/v12/$2"; do
    # shellcheck disable=SC2086 # a step is a command with its options
    temporal-sql-tool --plugin postgres12_pgx --endpoint "$SQL_HOST" --port "$SQL_PORT" --user "$SQL_USER" \
      --database "$1" $step
  done
}

setup temporal temporal
setup temporal_visibility visibility
