import { Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

/** One level below the SDK's: it logs each step of each workflow as DEBUG. */
const severities = { TRACE: 'trace', DEBUG: 'trace', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Installs Temporal's native runtime: logs through `log` and handles no signals. Call once per process, before the
 * first worker.
 *
 * @param metricsAddress `host:port` at which the SDK answers `/metrics`; none by default
 */
export function installTemporalRuntime(log: Logger, metricsAddress?: string): void {
  const child = log.child({ component: 'temporal' });
  Runtime.install({
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: 'ERROR', forward: {} },
      ...(metricsAddress !== undefined && { metrics: { prometheus: prometheusAt(metricsAddress) } }),
    },
    logger: {
      log: (level, message, meta) => child[severities[level]](meta ?? {}, message),
      trace: (message, meta) => child.trace(meta ?? {}, message),
      debug: (message, meta) => child.trace(meta ?? {}, message),
      info: (message, meta) => child.debug(meta ?? {}, message),
      warn: (message, meta) => child.warn(meta ?? {}, message),
      error: (message, meta) => child.error(meta ?? {}, message),
    },
  });
}

/** Names as Prometheus wants them: `_total`, `_seconds`. */
function prometheusAt(bindAddress: string) {
  return { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
}
