import { expect, it, vi } from 'vitest';
import { freePort } from './free-port.ts';

it('returns no port twice, however long it stays free', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const ports: number[] = [];
  for (let minute = 0; minute < 4; minute += 1) {
    ports.push(await freePort());
    vi.advanceTimersByTime(60_000);
  }
  vi.useRealTimers();
  expect(new Set(ports).size).toBe(4);
});
