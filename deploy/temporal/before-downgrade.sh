#!/bin/sh
# Removes the schedules and ends the workflows on the task queue of jobs, which older versions do not poll. Run it while API and
# workers are stopped; docs/deployment.md has what follows. TEMPORAL_ADDRESS says where the server is, the argument what the
# main task queue is called.
set -eu

command -v temporal >/dev/null || { echo 'Install the temporal command: https://docs.temporal.io/cli' >&2; exit 1; }

namespace=${TEMPORAL_NAMESPACE:-default}
queue=${1:-posthaste}-jobs
running="TaskQueue = '$queue' and ExecutionStatus = 'Running'"

# Temporal would start further runs. A worker creates its schedules when it starts.
schedules=$(temporal schedule list --namespace "$namespace")
for id in $(echo "$schedules" | awk '$1 ~ "^(sweep|segments)/" { print $1 }'); do
  temporal schedule delete --namespace "$namespace" --schedule-id "$id"
done

tries=60
while :; do
  # In the background; refused while another batch of the namespace is under way.
  temporal workflow terminate --namespace "$namespace" --query "$running" --reason 'older version' --yes >/dev/null 2>&1 || true
  sleep 2
  count=$(temporal workflow count --namespace "$namespace" --query "$running")
  [ "$count" != 'Total: 0' ] || break
  tries=$((tries - 1))
  [ "$tries" -gt 0 ] || { echo "Still on the task queue $queue: $count" >&2; exit 1; }
done
echo "No workflow is left on the task queue $queue"
