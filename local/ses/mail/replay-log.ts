import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Position } from './append-files.ts';
import { type LogRecord, logRecordSchema } from './records.ts';

const lineFeed = 0x0a;

/**
 * Reads `mail.log` from the start and passes each record to `onRecord` with its position.
 * @returns the number of valid bytes: up to the first line torn by a crash, or whose body never reached `bodies.log`.
 * The rest was never acknowledged and must be cut off. 0 without a log
 */
export async function replayLog(
  directory: string,
  onRecord: (record: LogRecord, place: Position) => void,
): Promise<number> {
  const path = join(directory, 'mail.log');
  if ((await sizeOf(path)) === 0) return 0;
  const bodiesSize = await sizeOf(join(directory, 'bodies.log'));
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    if (!(chunk instanceof Buffer)) throw new TypeError('The log must be read without an encoding.');
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = data.indexOf(lineFeed); end !== -1; end = data.indexOf(lineFeed, start)) {
      const record = parseLine(data.toString('utf8', start, end));
      if (record === null || isWithoutBody(record, bodiesSize)) return offset;
      onRecord(record, { offset, length: end - start });
      offset += end - start + 1;
      start = end + 1;
    }
    rest = data.subarray(start);
  }
  return offset;
}

function parseLine(line: string): LogRecord | null {
  try {
    return logRecordSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

function isWithoutBody(record: LogRecord, bodiesSize: number): boolean {
  return record.kind === 'message' && record.body.offset + record.body.length > bodiesSize;
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
