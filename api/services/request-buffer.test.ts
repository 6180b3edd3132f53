import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRequestBuffer, type FinishedRequest } from './request-buffer.ts';

const second = 1_700_000_000_000;

function openBuffer(options: { write?: (lines: string) => Promise<void> } = {}) {
  const lines: string[] = [];
  const leftOut: Record<string, number> = {};
  const warnings: string[] = [];
  const buffer = createRequestBuffer({
    write: async (text) => {
      await options.write?.(text);
      lines.push(...text.split('\n'));
    },
    leftOut: (reason, requests) => {
      leftOut[reason] = (leftOut[reason] ?? 0) + requests;
    },
    warn: (message) => warnings.push(message),
  });
  const add = (projectId: string, changes: Partial<FinishedRequest> = {}, times = 1) => {
    for (let n = 0; n < times; n += 1) {
      buffer.add({
        projectId,
        endedAtMs: second,
        requestId: 'r1',
        method: 'GET',
        route: '/contacts/:id',
        status: 200,
        errorCode: null,
        credential: 'secretKey',
        durationMs: 1.234,
        ...changes,
      });
    }
  };
  const of = (projectId: string) => lines.filter((line) => line.startsWith(`${projectId}\t`));
  return { add, of, leftOut, warnings, close: buffer.close };
}

describe('the request log buffer', () => {
  it('keeps 20 successful and 20 failed requests per project and second, and counts the others', async () => {
    const { add, of, leftOut, close } = openBuffer();
    add('busy', {}, 100);
    add('busy', { status: 422, errorCode: 'VALIDATION_ERROR' }, 30);
    add('busy', { endedAtMs: second + 999 });
    add('busy', { endedAtMs: second + 1_000 });
    add('quiet');
    await close();
    expect([of('busy').length, of('quiet').length]).toEqual([41, 1]);
    expect(leftOut).toEqual({ project: 91 });
  });

  it('leaves space for quiet projects while many are busy, and never holds more than 1,000', async () => {
    const { add, of, leftOut, close } = openBuffer();
    for (let n = 0; n < 100; n += 1) add(`busy ${n}`, {}, 50);
    add('quiet');
    for (let n = 0; n < 600; n += 1) add(`other ${n}`);
    await close();
    expect([of('busy 0').length, of('busy 99').length, of('quiet').length]).toEqual([20, 2, 1]);
    // 25 projects with 20 rows, 75 with 2, and 350 with 1.
    expect([of('other 348').length, of('other 349').length]).toEqual([1, 0]);
    expect(leftOut).toEqual({ project: 5_000 - 650, process: 251 });
  });

  it('writes every two seconds, without being closed', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { add, of, close } = openBuffer();
    add('one');
    await vi.advanceTimersByTimeAsync(1_999);
    expect(of('one')).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(of('one')).toHaveLength(1);
    add('one');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(of('one')).toHaveLength(2);
    await close();
  });

  it('stores the arrival time of the request', async () => {
    const { add, of, close } = openBuffer();
    add('one', { durationMs: 1_500.678 });
    await close();
    const [, at, , requestId, method, route, status, errorCode, credential, durationMs] =
      of('one')[0]?.split('\t') ?? [];
    expect(at).toBe('2023-11-14 22:13:18.499');
    expect([requestId, method, route, status]).toEqual(['r1', 'GET', '/contacts/:id', '200']);
    expect([errorCode, credential, durationMs]).toEqual(['', 'secretKey', '1500.68']);
  });

  it('drops and counts requests that cannot be written', async () => {
    const { add, leftOut, warnings, close } = openBuffer({
      write: () => Promise.reject(new Error('away')),
    });
    add('one', {}, 3);
    await close();
    expect(leftOut).toEqual({ clickhouse: 3 });
    expect(warnings.length).toBe(1);
  });
});
