import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { addressIndex } from '../../../db/entities/address-index.ts';
import { notificationPartitions, partitionName, stepAt } from '../../../db/partitioned-table.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { createSweepActivities, type SweepActivityDependencies } from './create-sweep-activities.ts';

const database = useTestDatabase();
const { em, sql } = database;

const metrics = { expectSweep: () => undefined, noteSweep: () => undefined };

it('partitions are created in time even while the address index waits for a transaction', async () => {
  const { keepPartitions } = createSweepActivities({
    orm: database.orm,
    eventRetentionMonths: 0,
    metrics,
  } as unknown as SweepActivityDependencies);
  const keep = () => new MockActivityEnvironment().run(() => keepPartitions());
  // The database may be a day old.
  await keep();
  const next = partitionName(notificationPartitions, stepAt(notificationPartitions, new Date(), 5));
  const isThere = async () => {
    const [found] = await sql<{ isThere: boolean }>('select to_regclass($1) is not null as "isThere"', [
      next,
    ]);
    return found?.isThere;
  };
  await sql(`drop table ${next}`);
  await sql(`drop index ${addressIndex.name}`);
  const open = em();
  await open.begin();
  await open.execute(
    `insert into contacts (id, project_id, email) values (uuidv7(), uuidv7(), 'ada@example.com')`,
  );
  const kept = keep();
  await eventually(isThere, true);
  await open.commit();
  expect(await kept).toMatchObject({ added: 1 });
});

it('an erasure that waits for the stream ends when it is canceled, and is retried later', async () => {
  const { eraseContacts } = createSweepActivities({
    orm: database.orm,
    clickhouse: { isConfigured: true, ping: async () => true },
    metrics,
  } as unknown as SweepActivityDependencies);
  await sql('insert into contact_erasures (contact_id, project_id) values (uuidv7(), uuidv7())');
  const environment = new MockActivityEnvironment();
  const erasing = environment.run(() => eraseContacts());
  const markers = () => sql(`select from events where name = 'contacts.erased'`);
  await eventually(markers, ({ length }) => length === 1);
  environment.cancel();
  await expect(erasing).rejects.toThrow('aborted');
  expect(await markers()).toEqual([]);
  expect(await sql('select from contact_erasures')).toHaveLength(1);
});
