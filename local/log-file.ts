import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { LocalStackError } from './failure.ts';

/** A log on disk of at most `2 * maxBytes`: the current file and the previous one. */
export interface LogFile {
  readonly path: string;
  /** Never throws, even when the disk fails. */
  writeLine(line: string): void;
  write(text: string): void;
  close(): void;
}

export interface LogFileOptions {
  path: string;
  maxBytes?: number;
  onError?: (error: unknown) => void;
}

/**
 * Opens a log file (mode 0600), keeping that of the last run as `<path>.1`. Writes are synchronous, so lines
 * survive a crash; these logs get a few lines a second.
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
