import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { type ClickHouse, withoutClickHouse } from '../../../analytics/clickhouse.ts';
import { ClickHouseUnavailable } from '../../../analytics/client/errors.ts';
import { eventNames } from '../../../analytics/questions/event-names.ts';
import { EventDeletion } from '../../../db/entities/event.ts';
import { completeDeletion, deleteEvents } from '../../../db/statements/events/delete-events.ts';
import {
  type DeletedName,
  recordEventDeletion,
} from '../../../db/statements/events/record-event-deletion.ts';
import { useJournalStage } from '../../../journal/testing/journal-stage.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { eraseDeletedEvents } from './erase-events.ts';

const stage = useJournalStage();

const name = 'page viewed';
const record = () => recordEventDeletion(stage.em(), stage.projectId, name);
const erase = ({ id }: DeletedName, clickhouse: ClickHouse = stage.clickhouse, limitMs = 180_000) =>
  eraseDeletedEvents(stage.em(), clickhouse, id, { endsAt: Infinity }, limitMs);
const ids = async () => (await stage.streamed()).map((row) => row.id).toSorted();
const inPostgres = async () => {
  const { rows } = await stage.client.query(`select id from events where kind <> 'activity' order by id`);
  return rows.map((row) => row.id);
};

/** What the call does before its response. */
async function deleteInPostgres(): Promise<DeletedName> {
  const em = stage.em();
  const deletion = await record();
  await deleteEvents(em, deletion);
  await completeDeletion(em, deletion);
  return deletion;
}

it('completes a deletion whose call died right after it was recorded', async () => {
  stage.stream();
  await stage.write([{}, {}, { name: 'another' }]);
  await eventually(ids, (found) => found.length === 3);
  const deletion = await record();
  await erase(deletion);
  await erase(deletion);
  expect((await stage.streamed()).map((row) => row.name)).toEqual(['another']);
  expect(await eventNames(stage.clickhouse, stage.projectId)).toEqual(['another']);
  expect(await ids()).toEqual(await inPostgres());
  await stage.em().nativeDelete(EventDeletion, { id: deletion.id });
  await stage.write([{}]);
  await eventually(ids, (found) => found.length === 2);
  await erase(deletion);
  expect(await ids()).toHaveLength(2);
});

it('waits for rows that the journal reader is still holding', async () => {
  const gate = Promise.withResolvers<void>();
  let isHeld = false;
  await stage.write([{}, {}]);
  stage.stream({
    around: async (_, insert) => {
      isHeld = true;
      await gate.promise;
      return insert();
    },
  });
  await eventually(
    async () => isHeld,
    (held) => held,
  );
  const deletion = await deleteInPostgres();
  const erasure = erase(deletion);
  await delay(500);
  gate.resolve();
  await erasure;
  const [later] = await stage.write([{ name: 'another' }]);
  await eventually(ids, (found) => later !== undefined && found.includes(later));
  expect(await ids()).toEqual([later]);
  const names = () => eventNames(stage.clickhouse, stage.projectId);
  expect(await eventually(names, (found) => found.length > 0)).toEqual(['another']);
});

it('fails, to be retried, while nobody reads the journal', async () => {
  await stage.write([{}]);
  const deletion = await deleteInPostgres();
  await expect(erase(deletion, stage.clickhouse, 500)).rejects.toThrow('has not yet received');
  stage.stream();
  await erase(deletion);
  expect(await ids()).toEqual([]);
});

it('is not undone by a reader that crashed between its insert and its position and rereads', async () => {
  let crashes = 0;
  const streamer = stage.stream({
    around: async (_, insert) => {
      await insert();
      crashes += 1;
      throw new Error('the reader dies before it has stored its position');
    },
  });
  await stage.write([{}, {}]);
  await eventually(ids, (found) => found.length >= 2);
  await streamer.stop();
  expect(crashes).toBeGreaterThan(0);
  const deletion = await deleteInPostgres();
  stage.stream();
  await erase(deletion);
  expect(await ids()).toEqual([]);
  await stage.write([{}]);
  await eventually(ids, (found) => found.length === 1);
});

it('needs no ClickHouse if none is configured', async () => {
  await stage.write([{}, {}]);
  await erase(await record(), withoutClickHouse(), 1_000);
  expect(await inPostgres()).toEqual([]);
});

it('completes after ClickHouse was away', async () => {
  stage.stream();
  await stage.write([{}, {}]);
  await eventually(ids, (found) => found.length === 2);
  const deletion = await deleteInPostgres();
  let commands = 0;
  /** Goes away in the middle. */
  const flaky: ClickHouse = {
    ...stage.clickhouse,
    command: async (...call) => {
      commands += 1;
      if (commands === 2) throw new ClickHouseUnavailable('gone');
      await stage.clickhouse.command(...call);
    },
  };
  await expect(erase(deletion, flaky)).rejects.toThrow('gone');
  await erase(deletion, flaky);
  expect(await ids()).toEqual([]);
  expect(await eventNames(stage.clickhouse, stage.projectId)).toEqual([]);
});

it('keeps, in both stores, what was committed meanwhile with an older id', async () => {
  stage.stream();
  await stage.write([{}]);
  const session = await stage.openSession();
  await session.query('begin');
  const [late] = await stage.write([{ data: '{"big":12345678901234567890123456789}' }], session);
  const deletion = await deleteInPostgres();
  await session.query('commit');
  const [later] = await stage.write([{ id: uuidv7({ msecs: Date.now() - 3_600_000 }) }]);
  await eventually(ids, (found) => [late, later].every((id) => id !== undefined && found.includes(id)));
  await erase(deletion);
  expect(await ids()).toEqual([late, later].toSorted());
  expect(await inPostgres()).toEqual([late, later].toSorted());
  const names = () => eventNames(stage.clickhouse, stage.projectId);
  expect(await eventually(names, (found) => found.length > 0)).toEqual([name]);
});
