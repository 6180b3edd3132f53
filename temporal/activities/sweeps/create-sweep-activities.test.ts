import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { createSweepActivities, type SweepActivityDependencies } from './create-sweep-activities.ts';

const database = useTestDatabase();
const { sql } = database;

const metrics = { expectSweep: () => undefined, noteSweep: () => undefined };

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
