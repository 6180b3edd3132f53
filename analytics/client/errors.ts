/**
 * ClickHouse is unreachable or temporarily unable to answer (starting, not migrated yet, overloaded, out of memory).
 * A retry may succeed; neither the data nor the query is at fault.
 */
export class ClickHouseUnavailable extends Error {
  override readonly name: string = 'ClickHouseUnavailable';
}

/** ClickHouse gave up on a question at its time limit. A smaller question may be answered. */
export class ClickHouseTimedOut extends ClickHouseUnavailable {
  override readonly name = 'ClickHouseTimedOut';
}

/** The statement or a row is invalid; a retry fails too. */
export class ClickHouseRefused extends Error {
  override readonly name = 'ClickHouseRefused';
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Error codes that depend on the server's state (ClickHouse, `src/Common/ErrorCodes.cpp`). */
const transientCodes = new Set([
  '3', // UNEXPECTED_END_OF_FILE
  '32', // ATTEMPT_TO_READ_AFTER_EOF
  '60', // UNKNOWN_TABLE: not migrated yet
  '81', // UNKNOWN_DATABASE: the same
  '75', // CANNOT_WRITE_TO_FILE_DESCRIPTOR: the disk is full
  '76', // CANNOT_OPEN_FILE
  '160', // TOO_SLOW
  '164', // READONLY
  '192', // UNKNOWN_USER
  '193', // WRONG_PASSWORD
  '194', // REQUIRED_PASSWORD
  '198', // DNS_ERROR
  '201', // QUOTA_EXPIRED
  '202', // TOO_MANY_SIMULTANEOUS_QUERIES
  '203', // NO_FREE_CONNECTION
  '209', // SOCKET_TIMEOUT
  '210', // NETWORK_ERROR
  '218', // TABLE_IS_DROPPED
  '225', // NO_ZOOKEEPER
  '236', // ABORTED
  '241', // MEMORY_LIMIT_EXCEEDED
  '242', // TABLE_IS_READ_ONLY
  '243', // NOT_ENOUGH_SPACE
  '252', // TOO_MANY_PARTS
  '285', // TOO_FEW_LIVE_REPLICAS
  '319', // UNKNOWN_STATUS_OF_INSERT
  '341', // UNFINISHED: a deletion
  '394', // QUERY_WAS_CANCELLED
  '439', // CANNOT_SCHEDULE_TASK
  '497', // ACCESS_DENIED
  '499', // S3_ERROR
  '516', // AUTHENTICATION_FAILED
  '745', // SERVER_OVERLOADED
  '999', // KEEPER_EXCEPTION
]);

/**
 * Distinguishes a rejection from an outage. The client throws errors with the server's number in `code`; any other
 * error (refused connection, timeout, proxy response) means the server was not reached.
 */
export function toClickHouseError(error: unknown): ClickHouseUnavailable | ClickHouseRefused {
  if (error instanceof ClickHouseUnavailable || error instanceof ClickHouseRefused) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  // TIMEOUT_EXCEEDED
  if (code === '159') return new ClickHouseTimedOut(`ClickHouse took too long: ${message}`, { cause: error });
  if (/^\d+$/.test(code) && !transientCodes.has(code)) {
    return new ClickHouseRefused(`ClickHouse refused: ${message}`, code, error);
  }
  return new ClickHouseUnavailable(`ClickHouse is not available: ${message}`, { cause: error });
}
