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

/**
 * Whether an error says that Postgres can't be reached, rather than that a statement was wrong. Looks through
 * wrapping errors.
 */
export function isDatabaseAway(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const code: unknown = Reflect.get(current, 'code');
    if (typeof code === 'string' && (networkCodes.has(code) || sqlState.test(code))) return true;
    if (driverMessage.test(current.message)) return true;
    if (current instanceof AggregateError && current.errors.some(isDatabaseAway)) return true;
    current = current.cause ?? Reflect.get(current, 'previous');
  }
  return false;
}
