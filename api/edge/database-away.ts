/** Codes of Node's network errors that mean that the server could not be reached or was lost. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** SQLSTATE: connection exceptions, shutdown and start of the server, no connection left. */
const sqlState = /^(08...|57P0[1-4]|53300)$/;

/** The driver has no codes for these. */
const driverMessage =
  /connection terminated|connection ended|timeout exceeded when trying to connect|connection error and is not queryable/i;

/** SQLSTATE: a statement or a wait for a lock that took longer than its limit. */
const timeouts: ReadonlySet<unknown> = new Set(['57014', '55P03']);

/**
 * Whether an error says that Postgres can't be reached, rather than that a statement was wrong. Looks through
 * wrapping errors.
 */
export function isDatabaseAway(error: unknown): boolean {
  return someCause(error, (cause) => {
    const code: unknown = Reflect.get(cause, 'code');
    if (typeof code === 'string' && (networkCodes.has(code) || sqlState.test(code))) return true;
    return (
      driverMessage.test(cause.message) ||
      (cause instanceof AggregateError && cause.errors.some(isDatabaseAway))
    );
  });
}

/** Whether Postgres ended a statement that ran or waited for too long; nothing of its transaction is left. */
export function isStatementTimeout(error: unknown): boolean {
  return someCause(error, (cause) => timeouts.has(Reflect.get(cause, 'code')));
}

function someCause(error: unknown, test: (cause: Error) => boolean): boolean {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (test(current)) return true;
    current = current.cause ?? Reflect.get(current, 'previous');
  }
  return false;
}
