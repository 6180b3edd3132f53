import { beforeEach, describe, expect, it } from 'vitest';
import { createOrm } from '../../../db/orm.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { createTakeOver, createTurns } from './take-over.ts';

let now: number;
let open: string[];
let turns: ReturnType<typeof createTurns>;
beforeEach(() => {
  now = 1_000_000;
  open = [];
  turns = createTurns(() => now);
});

const next = (limit = 4) =>
  turns.next(async (except) => open.filter((id) => !except.includes(id)).slice(0, limit));

/** Milliseconds until the next turn of the only open campaign, after a turn that sent nothing. */
async function restMs(id: string): Promise<number> {
  open = [id];
  turns.note(id, false);
  for (const since = now; ; now += 1) if ((await next()).length > 0) return now - since;
}

describe('the backoff of a campaign that could send nothing', () => {
  it('doubles every time, up to 30 seconds', async () => {
    const rests: number[] = [];
    for (let n = 0; n < 7; n += 1) rests.push(await restMs('a'));
    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('is short again once something was sent', async () => {
    await restMs('a');
    await restMs('a');
    turns.note('a', true);
    expect(await next()).toEqual(['a']);
    expect(await restMs('a')).toBe(1_000);
  });

  it('affects no other campaign', async () => {
    open = ['a', 'b'];
    turns.note('a', false);
    turns.note('b', true);
    expect(await next()).toEqual(['b']);
  });

  it('is forgotten after a while without attempts', async () => {
    await restMs('a');
    await restMs('a');
    now += 30_001;
    open = [];
    await next();
    expect(await restMs('a')).toBe(1_000);
  });
});

describe('turns of campaigns', () => {
  it('come again immediately while only one campaign is open', async () => {
    open = ['a'];
    for (let n = 0; n < 3; n += 1) {
      expect(await next()).toEqual(['a']);
      turns.note('a', true);
    }
  });

  it('reach the last of many, however rare the looks are', async () => {
    open = Array.from({ length: 50 }, (_, n) => `stuck-${n}`);
    const seen: string[] = [];
    while (!seen.includes('stuck-49')) {
      for (const id of await next()) {
        seen.push(id);
        turns.note(id, id === 'stuck-0');
      }
      now += 60_000;
    }
    expect(seen).toEqual(open);
  });
});

it('warns once a minute, not at every look, while Postgres is away', async () => {
  const orm = createOrm({ url: 'postgres://nobody@127.0.0.1:1/nothing', poolSize: 1, warn: () => undefined });
  const warnings: string[] = [];
  let looks = 0;
  const takeOver = createTakeOver({
    orm,
    start: () => undefined,
    isIdle: () => {
      looks += 1;
      return true;
    },
    warn: (message) => warnings.push(message),
  });
  await takeOver.begin();
  await eventually(
    async () => looks,
    (count) => count >= 3,
  );
  await takeOver.stop();
  await orm.close();
  expect(warnings).toEqual(['Could not look for campaigns to take over; Temporal will restart them']);
});
