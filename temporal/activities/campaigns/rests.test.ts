import { beforeEach, describe, expect, it } from 'vitest';
import { createRests } from './rests.ts';

let now: number;
let rests: ReturnType<typeof createRests>;
beforeEach(() => {
  now = 1_000_000;
  rests = createRests(() => now);
});

/** Milliseconds of the rest after a look that sent nothing. */
function restMs(id: string): number {
  rests.note(id, false);
  const since = now;
  while (rests.current().includes(id)) now += 1;
  return now - since;
}

describe('the rest of a campaign of which nothing could be sent', () => {
  it('is twice as long every time, up to 30 seconds', () => {
    expect(Array.from({ length: 7 }, () => restMs('a'))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
  });

  it('is short again once something was sent', () => {
    restMs('a');
    restMs('a');
    rests.note('a', true);
    expect(rests.current()).toEqual([]);
    expect(restMs('a')).toBe(1_000);
  });

  it('concerns no other campaign', () => {
    rests.note('a', false);
    rests.note('b', true);
    expect(rests.current()).toEqual(['a']);
  });

  it('is forgotten when nobody looked for a while', () => {
    restMs('a');
    restMs('a');
    now += 30_001;
    rests.current();
    expect(restMs('a')).toBe(1_000);
  });
});
