import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { createExpiryActivities } from './create-expiry-activities.ts';

const database = useTestDatabase();
const { sql } = database;

/** For activities that are meant to fail: the environment reports failures as warnings. */
const quiet = { logger: new DefaultLogger('ERROR') };
const expected: string[] = [];
const noted: string[] = [];
const activities = () =>
  createExpiryActivities({
    orm: database.orm,
    removeImage: async () => undefined,
    metrics: { expectSweep: (sweep) => expected.push(sweep), noteSweep: (sweep) => noted.push(sweep) },
    bodyRetentionDays: 7,
  });

const addNotifications = (count: number) =>
  sql(
    `insert into provider_notifications (id, received_at)
     select uuidv7(), now() - interval '40 days' + n * interval '1 second' from generate_series(1, $1::int) n`,
    [count],
  );

const times = async () => {
  const rows = await sql<{ at: string }>(
    'select received_at::text as at from provider_notifications order by received_at',
  );
  return rows.map(({ at }) => at);
};

it('records its position after each slice, and a retry continues there', async () => {
  await addNotifications(6_000);
  const before = await times();
  const stopped = new MockActivityEnvironment({}, quiet);
  const details: unknown[] = [];
  stopped.on('heartbeat', (progress: unknown) => {
    details.push(progress);
    stopped.cancel();
  });
  const { expire } = activities();
  await expect(stopped.run(() => expire({ expiry: 'notifications' }))).rejects.toThrow();
  expect(details).toEqual([{ count: 5_000, cursor: [before[4_999], expect.any(String)] }]);
  expect(noted).toEqual([]);

  // Before the cursor: a retry from the start would remove them.
  await addNotifications(10);
  const retry = new MockActivityEnvironment({ attempt: 2, heartbeatDetails: details[0] });
  const result = await retry.run(() => expire({ expiry: 'notifications' }));
  expect(result).toEqual({ count: 6_000, isFinished: true });
  expect(await times()).toHaveLength(10);
  expect(noted).toEqual(['expired/notifications', 'expired']);
});

it('runs each expiry as its own activity', async () => {
  const { listExpiries, expire, sweepExpired } = activities();
  const names = await listExpiries();
  expect(expected).toEqual(expect.arrayContaining(['expired', ...names.map((name) => `expired/${name}`)]));
  expect(names).toContain('unfinishedUploads');
  const environment = new MockActivityEnvironment();
  for (const expiry of names) {
    const result = await environment.run(() => expire({ expiry }));
    expect([expiry, result]).toEqual([expiry, { count: expect.any(Number), isFinished: true }]);
  }
  expect(new Set(noted)).toEqual(new Set(['expired', ...names.map((name) => `expired/${name}`)]));
  expect(Object.keys(await sweepExpired())).toEqual(names);
});

it('refuses an unknown name without retries', async () => {
  const { expire } = activities();
  const failure: unknown = await new MockActivityEnvironment({}, quiet)
    .run(() => expire({ expiry: 'unheard' }))
    .catch((error) => error);
  expect(failure).toMatchObject({ nonRetryable: true });
});
