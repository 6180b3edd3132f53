import { beforeEach, describe, expect, it } from 'vitest';
import { createRests, keepLooking } from './take-over.ts';

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

/** Looks until `rounds` pauses are over. @returns the pauses in milliseconds, and in which of them there was a look */
async function play(rounds: { isIdle?: boolean; isOpen?: boolean; sends?: number }[]) {
  const pauses: number[] = [];
  const looks: number[] = [];
  let sent = 0;
  const over = new Error('over');
  const now = () => rounds[pauses.length - 1];
  await keepLooking({
    async look() {
      looks.push(pauses.length);
      sent += now()?.sends ?? 0;
      return now()?.isOpen ?? false;
    },
    isIdle: () => now()?.isIdle ?? true,
    sent: () => sent,
    async wait(ms) {
      if (pauses.length === rounds.length) throw over;
      pauses.push(ms);
    },
  }).catch((error) => expect(error).toBe(over));
  return { pauses, looks };
}

const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);

describe('looking for campaigns to send', () => {
  it('goes on twice a second while nothing is open, and while something leaves', async () => {
    expect(await play(times(4, {}))).toEqual({ pauses: times(4, 500), looks: [1, 2, 3, 4] });
    expect((await play(times(4, { isOpen: true, sends: 1 }))).pauses).toEqual(times(4, 500));
  });

  it('waits longer each time that nothing leaves of what is open, and not once something does', async () => {
    const inVain = { isOpen: true };
    const { pauses } = await play([...times(8, inVain), { isOpen: true, sends: 1 }, inVain, inVain]);
    expect(pauses).toEqual([500, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 500]);
  });

  it('leaves it alone while there is other work', async () => {
    expect((await play([{}, { isIdle: false }, { isIdle: false }, {}])).looks).toEqual([1, 4]);
  });
});
