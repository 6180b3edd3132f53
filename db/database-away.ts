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

/**
 * SQLSTATEs: connection exceptions, server shutdown and startup, read-only (a standby, or a full disk at some providers),
 * idle-in-transaction timeout, disk full, too many connections.
 */
const sqlState = /^(08...|57P0[1-4]|25006|25P03|53100|53300)$/;

// The driver sets no code on these errors.
const driverMessage =
  /connection terminated|connection ended|timeout exceeded when trying to connect|timeout expired|connection error and is not queryable|query read timeout/i;

/** SQLSTATEs: statement timeout and lock timeout. */
const timeouts: ReadonlySet<unknown> = new Set(['57014', '55P03']);

/** True when Postgres can't be reached or accepts no writes, as opposed to a failed statement. Unwraps errors. */
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

/** True when Postgres canceled a statement for its statement or lock timeout; the transaction is rolled back. */
export function isTimedOut(error: unknown): boolean {
  return someCause(error, (cause) => timeouts.has(Reflect.get(cause, 'code')));
}

/**
 * For work that an answer does not depend on, such as after the commit of what it is about: undefined when Postgres is away
 * or has canceled a statement.
 */
export async function unlessAway<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isTimedOut(error) || isDatabaseAway(error)) return undefined;
    throw error;
  }
}

function someCause(error: unknown, test: (cause: Error) => boolean): boolean {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (test(current)) return true;
    current = current.cause ?? Reflect.get(current, 'previous');
  }
  return false;
}
