import type { Logger as TemporalLogger } from '@temporalio/worker';
import type { Logger } from 'pino';
import { presentError } from '../../runtime/logger.ts';

/** One level below the SDK's own, because it logs each step of each workflow as DEBUG. */
const severities = { TRACE: 'trace', DEBUG: 'trace', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/** Writes the SDK's log to `log`. The SDK names errors `error`, which pino would write as `{}`. */
export function createTemporalLogger(log: Logger): TemporalLogger {
  const child = log.child({ component: 'temporal' }, { serializers: { error: presentError } });
  return {
    log: (level, message, meta) => child[severities[level]](meta ?? {}, message),
    trace: (message, meta) => child.trace(meta ?? {}, message),
    debug: (message, meta) => child.trace(meta ?? {}, message),
    info: (message, meta) => child.debug(meta ?? {}, message),
    warn: (message, meta) => child.warn(meta ?? {}, message),
    error: (message, meta) => child.error(meta ?? {}, message),
  };
}
