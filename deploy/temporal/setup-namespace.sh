#!/bin/sh
# Registers the namespace and the search attributes that Posthaste sets. Runs at every `docker compose up`; what
# exists already stays as it is, except for the retention if TEMPORAL_RETENTION is set. TEMPORAL_ADDRESS says where the
# server is.
set -eu

command -v temporal >/dev/null || { echo 'Install the temporal command: https://docs.temporal.io/cli' >&2; exit 1; }

namespace=${TEMPORAL_NAMESPACE:-default}
retention=${TEMPORAL_RETENTION:-}

# Tries a command for up to two minutes; its last failure is shown.
persist() {
  tries=60
  until output=$("$@" 2>&1); do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { echo "$output" >&2; exit 1; }
    sleep 2
  done
}

persist temporal operator cluster health

if ! temporal operator namespace describe --namespace "$namespace" >/dev/null 2>&1; then
  persist temporal operator namespace create --namespace "$namespace" --retention "${retention:-168h}"
elif [ -n "$retention" ]; then
  persist temporal operator namespace update --namespace "$namespace" --retention "$retention"
fi

# A new namespace is known to all parts of the server only after some seconds.
for name in ProjectId CampaignId WorkflowDefinitionId ContactId JobKind; do
  persist temporal operator search-attribute create --namespace "$namespace" --name "$name" --type Keyword
done
echo "The namespace $namespace is ready"
