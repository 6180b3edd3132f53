import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { presentError } from '../../runtime/logger.ts';

/**
 * Installs Temporal's native runtime: logs through `log` and handles no signals. Call once per process, before the
 * first worker.
 *
 * @param metricsAddress `host:port` at which the SDK answers `/metrics`; none by default
 */
export function installTemporalRuntime(log: Logger, metricsAddress?: string): void {
  Runtime.install({
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: 'ERROR', forward: {} },
      ...(metricsAddress !== undefined && { metrics: { prometheus: prometheusAt(metricsAddress) } }),
    },
    logger: createTemporalLogger(log),
  });
}

/**
 * Seconds. Alerts ask whether activities wait for more than 30 and workflow tasks for more than 5, and name the wait, which
 * Prometheus interpolates; the SDK has no bucket between 10 and 100.
 */
const waits = [0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 1000];

/** Metric names in Prometheus style: `_total`, `_seconds`. */
function prometheusAt(bindAddress: string) {
  return {
    bindAddress,
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
    histogramBucketOverrides: {
      temporal_activity_schedule_to_start_latency: waits,
      temporal_workflow_task_schedule_to_start_latency: waits,
    },
  };
}

/** One level below the SDK's own, because it logs each step of each workflow as DEBUG. */
const severities = { TRACE: 'trace', DEBUG: 'trace', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/** While Temporal is away, each of the dozens of pollers logs every retry, which would push out all other lines. */
const retries = /^gRPC call (\w+) retried \d+ times$/;
const retriesPauseMs = 60_000;

/** Every start warns about each task queue that is for activities only. */
const isExpected = (message: string) => message.startsWith('No workflows registered');

/** Writes the SDK's log to `log`. The SDK names errors `error`, which pino would write as `{}`. */
export function createTemporalLogger(log: Logger) {
  const child = log.child({ component: 'temporal' }, { serializers: { error: presentError } });
  const loggedAt = new Map<string, number>();
  const isRepeated = (message: string): boolean => {
    const call = retries.exec(message)?.[1];
    if (call === undefined) return false;
    const now = performance.now();
    if (now - (loggedAt.get(call) ?? -retriesPauseMs) < retriesPauseMs) return true;
    loggedAt.set(call, now);
    return false;
  };
  return new DefaultLogger('TRACE', ({ level, message, meta }) => {
    if (isRepeated(message)) return;
    child[isExpected(message) ? 'debug' : severities[level]](meta ?? {}, message);
  });
}
