import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { LocalStackError } from './failure.ts';

/** A log on disk that never grows beyond twice `maxBytes`: the current file and the one before it. */
export interface LogFile {
  readonly path: string;
  /** Adds one line; the end of line is added. A failing disk never fails the caller. */
  writeLine(line: string): void;
  /** Adds text that has its own ends of line (the shape that pino writes). */
  write(text: string): void;
  close(): void;
}

export interface LogFileOptions {
  path: string;
  /** Bytes after which the file becomes `<path>.1` and a new one begins. Default 10 MB. */
  maxBytes?: number;
  /** Told once when the file can't be written any more. */
  onError?: (error: unknown) => void;
}

/**
 * Opens a log file (mode 0600), keeping the one of the last run as `<path>.1`. Lines are written synchronously:
 * what was said before a crash is on disk, and these logs are few lines a second.
 */
export function openLogFile({ path, maxBytes = 10_000_000, onError }: LogFileOptions): LogFile {
  let file: number | undefined;
  let size = 0;
  let failed = false;

  function begin(): void {
    if (file !== undefined) closeSync(file);
    file = undefined;
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) renameSync(path, `${path}.1`);
    file = openSync(path, 'a', 0o600);
    size = 0;
  }

  try {
    begin();
  } catch (error) {
    throw new LocalStackError(
      `The log file ${path} can't be written (${error instanceof Error ? error.message : error}). Correct the permissions of the folder, or set DATA_DIR to another one.`,
      { cause: error },
    );
  }

  function write(text: string): void {
    if (failed || file === undefined) return;
    try {
      if (size > maxBytes) begin();
      size += writeSync(file, text);
    } catch (error) {
      failed = true;
      onError?.(error);
    }
  }

  return {
    path,
    write,
    writeLine: (line) => write(`${line}\n`),
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
