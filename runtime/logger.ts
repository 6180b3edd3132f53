import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { serverVariables } from '../core/config/variables/server.ts';

/** Lines are buffered up to this size or time: a system call per line costs more than the line itself. */
const blockBytes = 8 * 1024;
const flushEveryMs = 500;
const maxCauses = 5;

export interface LoggedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: LoggedError;
}

/**
 * An error as it is logged: type, code, message, frames and causes only. Database errors carry row values in other
 * properties, and wrappers repeat the whole statement in their message; both are personal data.
 */
export function presentError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error).slice(0, 500) };
  const wrapped: unknown = Reflect.get(error, 'previous');
  const cause = wrapped ?? error.cause;
  const presented: LoggedError = {
    type: error.name,
    message: wrapped instanceof Error ? wrapped.message : error.message,
  };
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string') presented.code = code;
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  if (frames !== undefined) presented.stack = frames.join('\n');
  if (cause !== undefined && depth < maxCauses) presented.cause = presentError(cause, depth + 1);
  return presented;
}

export function restoreError({ type, cause, ...facts }: LoggedError): Error {
  return Object.assign(new Error(facts.message), {
    ...facts,
    name: type,
    ...(cause !== undefined && { cause: restoreError(cause) }),
  });
}

export type Warn = (message: string, err: unknown) => void;

export function warnTo(log: Logger): Warn {
  return (message, err) => log.warn({ err }, message);
}

/** The level of a process that has yet to check its configuration: the check reports an invalid one at `info`. */
export const initialLevel = (level: string | undefined) =>
  serverVariables.LOG_LEVEL.catch('info').parse(level);

/**
 * JSON lines, written in blocks and off the request path.
 *
 * @param destination standard output by default
 */
export function createLogger(level: LoggerOptions['level'], destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => presentError(error) },
    },
    destination ??
      pino.destination({ dest: 1, sync: false, minLength: blockBytes, periodicFlush: flushEveryMs }),
  );
}
