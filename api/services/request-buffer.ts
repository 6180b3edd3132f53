import { v7 as uuidv7 } from 'uuid';
import { type LoggedRequest, toRequestLine } from '../../analytics/tables/request-log.ts';

export interface FinishedRequest extends Omit<LoggedRequest, 'id' | 'at'> {
  projectId: string;
  endedAtMs: number;
}

/** Why requests are missing from the log: the project's limit, the process's limit, or a failed insert. */
export type LeftOutReason = 'project' | 'process' | 'clickhouse';

export type RequestBuffer = ReturnType<typeof createRequestBuffer>;

export interface RequestBufferOptions {
  write(lines: string): Promise<void>;
  leftOut(reason: LeftOutReason, requests: number): void;
  warn(message: string, error: unknown): void;
}

/** Limit per project in this process, separate for successful and failed requests. */
export const loggedPerSecond = 20;
/** Limit once half of the buffer is full, so that many busy projects leave space for the quiet ones. */
const loggedPerSecondWhenFull = 2;
/** Rows have at most 300 bytes: 0.3 MB here; written at this rate for a week, 10 GB in ClickHouse. */
const mostRows = 1_000;
const writeEveryMs = 2_000;

/** Collects finished requests and writes them to the log in batches. Requests held by a killed process are lost. */
export function createRequestBuffer({ write, leftOut, warn }: RequestBufferOptions) {
  let rows: FinishedRequest[] = [];
  let writing: Promise<void> | undefined;
  let isAway = false;
  let second = 0;
  const succeeded = new Map<string, number>();
  const failed = new Map<string, number>();

  async function writeRows(batch: FinishedRequest[]): Promise<void> {
    try {
      await write(batch.map(toLine).join('\n'));
      isAway = false;
    } catch (error) {
      leftOut('clickhouse', batch.length);
      if (!isAway) warn('Requests are missing from the request log until ClickHouse accepts them', error);
      isAway = true;
    }
    writing = undefined;
  }

  async function flush(): Promise<void> {
    if (writing !== undefined || rows.length === 0) return;
    writing = writeRows(rows);
    rows = [];
    await writing;
  }

  const timer = setInterval(() => void flush(), writeEveryMs).unref();

  return {
    /** Never waits and never throws. */
    add(request: FinishedRequest) {
      const { projectId, endedAtMs, status } = request;
      const now = Math.floor(endedAtMs / 1000);
      if (now !== second) {
        second = now;
        succeeded.clear();
        failed.clear();
      }
      const counts = status < 400 ? succeeded : failed;
      const count = counts.get(projectId) ?? 0;
      if (rows.length >= mostRows) return leftOut('process', 1);
      if (count >= (rows.length < mostRows / 2 ? loggedPerSecond : loggedPerSecondWhenFull)) {
        return leftOut('project', 1);
      }
      counts.set(projectId, count + 1);
      rows.push(request);
    },
    async close() {
      clearInterval(timer);
      await writing;
      if (isAway) leftOut('clickhouse', rows.length);
      else await flush();
    },
  };
}

function toLine({ projectId, endedAtMs, ...request }: FinishedRequest): string {
  const at = new Date(endedAtMs - request.durationMs);
  const durationMs = Math.round(request.durationMs * 100) / 100;
  return toRequestLine(projectId, { ...request, id: uuidv7({ msecs: at.getTime() }), at, durationMs });
}
