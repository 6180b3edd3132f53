#!/bin/sh
# Writes `.env` from `.env.example` with fresh random secrets. Never touches a `.env` that is there already.
set -eu
cd "$(dirname "$0")/.."

[ ! -e .env ] || { echo '.env exists already; nothing changed' >&2; exit 1; }

secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

umask 077
while IFS= read -r line; do
  case $line in
    APP_SECRET= | POSTGRES_PASSWORD= | DATABASE_PASSWORD= | TEMPORAL_DATABASE_PASSWORD= | CLICKHOUSE_PASSWORD= | \
      GRAFANA_PASSWORD=)
      echo "$line$(secret)" ;;
    *) printf '%s\n' "$line" ;;
  esac
done <.env.example >.env.new
mv .env.new .env
echo 'Wrote .env'
