import { flag, integer, optionalUrl } from './types.ts';

/** Metrics, shutdown, tracing and checks. */
export const operationVariables = {
  METRICS_PORT: integer(9464).describe("Port of the worker's `/health`, `/ready` and `/metrics`; 0 = off."),
  TEMPORAL_METRICS_PORT: integer(0).describe(
    "Port of the worker on which `/metrics` has the Temporal SDK's metrics (task latency, failed tasks, free slots); 0 = off.",
  ),
  SHUTDOWN_GRACE_SECONDS: integer(20, 1).describe(
    'How long running work may take to finish at shutdown. Let the process run for longer before it is killed: ' +
      '20 seconds more for an API, 40 more for a worker.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalUrl.describe('OpenTelemetry collector. Tracing is off without it.'),
  VALIDATE_RESPONSES: flag(false).describe(
    'Check every response against its declared schema (development and tests).',
  ),
  VALIDATE_ROWS: flag(false).describe(
    'Check every row of a statement against its declared schema (development and tests).',
  ),
};
