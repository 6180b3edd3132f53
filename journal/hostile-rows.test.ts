import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isStorableText } from '../core/json-value.ts';
import { eventually } from '../test/setup/eventually.ts';
import { fileFixture, testFixture } from '../test/setup/fixtures.ts';
import { openJournalStage, type StagedEvent } from './testing/journal-stage.ts';

const deep = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;

describe('a row with odd data', () => {
  const stage = fileFixture(
    () => openJournalStage(),
    ({ close }) => close(),
  );
  beforeAll(() => {
    stage.stream();
  });
  beforeEach(async () => {
    await stage.client.query('truncate events');
    await stage.clickhouse.command('TRUNCATE TABLE event');
  });

  /** The rows by id when all of them have arrived. */
  async function deliver(events: StagedEvent[]) {
    const ids = await stage.write(events);
    const byId = await eventually(
      async () => new Map((await stage.streamed()).map((row) => [row.id, row])),
      (found) => ids.every((id) => found.has(id)),
    );
    return ids.map((id) => byId.get(id));
  }

  it.each([
    ['large numbers', '{"a":12345678901234567890123456789,"b":-9223372036854775809,"c":9007199254740993}'],
    ['a number beyond a double', `{"a":1${'0'.repeat(400)}}`],
    ['keys with dots and one path twice', '{"a.b":1,"a":{"b":2},"a.b.c":{"d":null}}'],
    ['odd keys', `{"":1," ":2,"\\t\\n":3,"'\\"\`":4,"%2E":5,"é😀":6,"\\\\N":7,"__proto__":8}`],
    ['odd texts', '{"a":"\\\\N","b":"\\t\\n\\r\\u0001\\u001f","c":"\\\\t","d":"😀\\u2028","e":"\\\\\\""}'],
    ['types that differ by element', '{"a":[1,true,null,"x",{"b":[{}]},[[]],2.5]}'],
    ['empty values', '{"a":null,"b":{},"c":[],"d":""}'],
    ['3,000 keys', JSON.stringify(Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`k${n}`, n])))],
    ['3,000 nested objects', deep(3000, '{"a":', '}')],
    ['3,000 nested arrays', `{"a":${deep(3000, '[', ']')}}`],
    ['a long text', JSON.stringify({ a: '\\"x\n'.repeat(500_000) })],
    ['a long key', JSON.stringify({ ['k'.repeat(200_000)]: 1 })],
  ])('arrives as Postgres has it: %s', async (_, data) => {
    const [row, other] = await deliver([{ data }, { data: '{"plain":true}' }]);
    expect(other?.data).toEqual({ plain: true });
    const stored = await stage.client.query('select data::text as data from events where id = $1', [row?.id]);
    // toStrictEqual descends, and so would overflow on the nested ones.
    expect(JSON.stringify(row?.data)).toBe(JSON.stringify(JSON.parse(stored.rows[0].data)));
    expect(stage.logged.filter((line) => line.level === 50)).toEqual([]);
  });

  it('arrives whatever JSON it is and whatever its name', async () => {
    const text = fc.string({ unit: 'binary' }).filter(isStorableText);
    const events = fc.array(
      fc.record({
        name: text,
        data: fc
          .dictionary(text, fc.jsonValue({ stringUnit: 'grapheme' }))
          .map((data) => JSON.stringify(data))
          .filter((json) => !json.includes('\\u0000')),
      }),
      // Many at once: each delivery rests before the next.
      { minLength: 1, maxLength: 40, size: 'max' },
    );
    await fc.assert(
      fc.asyncProperty(events, async (batch) => {
        const rows = await deliver(batch);
        expect(rows.map((row) => row?.name)).toEqual(batch.map((event) => event.name));
        expect(rows.map((row) => row?.data)).toEqual(batch.map((event) => JSON.parse(event.data)));
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });
});

describe('a row that ClickHouse refuses', () => {
  const stage = testFixture(
    () => openJournalStage(),
    ({ close }) => close(),
  );

  const refuse = (condition: string) =>
    stage.clickhouse.command(`ALTER TABLE event ADD CONSTRAINT ours CHECK NOT (${condition})`);
  const complaints = () =>
    stage.logged.filter((line) => line.level === 50).map(({ eventId, outcome }) => ({ eventId, outcome }));

  it('is stored without its data, and the others as they are', async () => {
    await refuse(`position(data, 'poison') > 0`);
    const events = Array.from({ length: 50 }, (_, n) => ({
      data: JSON.stringify(n % 20 === 7 ? { poison: n } : { n }),
    }));
    const ids = await stage.write(events);
    stage.stream();
    const rows = await eventually(stage.streamed, (found) => found.length === 50);
    const data = new Map(rows.map((row) => [row.id, row.data]));
    expect(ids.map((id) => data.get(id))).toEqual(events.map((_, n) => (n % 20 === 7 ? {} : { n })));
    const poisoned = [7, 27, 47].map((n) => ({ eventId: ids[n], outcome: 'data dropped' }));
    // They are logged once the whole batch is in.
    const logged = await eventually(
      async () => complaints(),
      (found) => found.length >= 3,
    );
    expect(logged).toEqual(poisoned);
  });

  it('is skipped when its data is not the cause, and the others are stored', async () => {
    await refuse(`name = 'poison'`);
    const ids = await stage.write([{}, { name: 'poison' }, {}]);
    stage.stream();
    const rows = await eventually(stage.streamed, (found) => found.length === 2);
    expect(rows.map((row) => row.id).toSorted()).toEqual([ids[0], ids[2]].toSorted());
    const logged = await eventually(
      async () => complaints(),
      (found) => found.length >= 1,
    );
    expect(logged).toEqual([{ eventId: ids[1], outcome: 'skipped' }]);
    await stage.write([{}]);
    await eventually(stage.streamed, (found) => found.length === 3);
  });

  it('blocks nothing even when many follow each other, and is counted', async () => {
    await refuse(`name = 'poison'`);
    const poisoned = await stage.write(Array.from({ length: 12 }, () => ({ name: 'poison' })));
    let looks = 0;
    const streamer = stage.stream({ now: () => new Date(Date.now() + 10_000 * looks++) });
    await eventually(
      async () => complaints(),
      (found) => found.length === poisoned.length,
    );
    const written = await stage.write([{}]);
    const rows = await eventually(stage.streamed, (found) => found.length > 0);
    expect(rows.map((row) => row.id)).toEqual(written);
    const lag = await eventually(
      async () => streamer.lag,
      ({ rowsBehind, refusedRows }) => rowsBehind === 0 && refusedRows > 0,
    );
    expect(lag).toMatchObject({ refusedRows: 12, refusedAt: expect.any(Date) });
  });

  it('costs no other row, even when ClickHouse begins to refuse all of them meanwhile', async () => {
    await refuse(`name = 'poison'`);
    const ids = await stage.write([{}, {}, {}, { name: 'poison' }]);
    let isFull = false;
    const { insert } = stage.clickhouse;
    const filling: typeof insert = async (target, lines) => {
      await insert(target, lines);
      if (!isFull) await stage.clickhouse.command('ALTER TABLE event ADD CONSTRAINT full CHECK 0');
      isFull = true;
    };
    stage.stream({ clickhouse: { ...stage.clickhouse, insert: filling } });
    await eventually(
      async () => stage.logged,
      (lines) => lines.some((line) => line.msg === 'the journal stream was interrupted'),
    );
    expect(complaints()).toEqual([]);
    await stage.clickhouse.command('ALTER TABLE event DROP CONSTRAINT full');
    const rows = await eventually(stage.streamed, (found) => found.length === 3);
    expect(rows.map((row) => row.id).toSorted()).toEqual(ids.slice(0, 3).toSorted());
    const logged = await eventually(
      async () => complaints(),
      (found) => found.length >= 1,
    );
    expect(logged).toEqual([{ eventId: ids[3], outcome: 'skipped' }]);
  });

  it('waits while ClickHouse refuses every row, and arrives when it accepts rows again', async () => {
    await refuse('1');
    await stage.write(Array.from({ length: 100 }, () => ({})));
    stage.stream();
    await eventually(
      async () => stage.logged,
      (lines) => lines.some((line) => line.msg === 'the journal stream was interrupted'),
    );
    expect(await stage.streamed()).toEqual([]);
    await stage.clickhouse.command('ALTER TABLE event DROP CONSTRAINT ours');
    await eventually(stage.streamed, (found) => found.length === 100);
    expect(complaints()).toEqual([]);
  });
});
