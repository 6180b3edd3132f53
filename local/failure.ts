/**
 * Why the local stack can't start or continue. `message` is one or two sentences for the user: what is wrong and what
 * to do. Printed without a stack trace.
 */
export class LocalStackError extends Error {
  override readonly name = 'LocalStackError';
}

function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return errorCode(error.cause);
}

const diskFullPattern = /No space left on device|ENOSPC|database or disk is full|SQLITE_FULL/i;

export function saysDiskFull(line: string): boolean {
  return diskFullPattern.test(line);
}

/** For while everything is still running. */
export function diskFullWarning(directory: string): string {
  return `The disk that holds ${directory} is full. Free some space, and everything continues without a restart; until then, requests that store something fail.`;
}

export function diskFullMessage(directory: string): string {
  return `The disk that holds ${directory} is full. Free some space, or set DATA_DIR to a folder on another disk, and start again.`;
}

/**
 * The message to print for a failure. Known causes (disk full, not writable) are found at any depth of `cause`; for
 * others it names the log file with the stack trace.
 */
export function describeFailure(error: unknown, dataDirectory: string, logFile: string | undefined): string {
  if (error instanceof LocalStackError) return error.message;
  if (error instanceof Error && error.name === 'ConfigError') return error.message;
  const text = error instanceof Error ? error.message : String(error);
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || saysDiskFull(text)) return diskFullMessage(dataDirectory);
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    return `Permission denied (${text}). Correct its permissions, or set DATA_DIR to a folder of your own.`;
  }
  const firstLine = text.split('\n', 1)[0] ?? '';
  return `Posthaste failed: ${firstLine}${logFile === undefined ? '' : `\nThe details are in ${logFile}.`}`;
}
