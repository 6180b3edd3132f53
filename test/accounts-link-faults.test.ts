import { expect, it } from 'vitest';
import type { Em } from '../db/orm.ts';
import { sql } from '../db/testing/sql.ts';
import { eventually } from './setup/eventually.ts';
import { callApi, createTestPerson } from './setup/people.ts';
import { useProcessStack } from './setup/process-stack.ts';

const stack = useProcessStack({
  ACCOUNT_EMAIL_FROM: 'service@accounts.test',
  DATABASE_LOCK_TIMEOUT_SECONDS: '1',
  DATABASE_POOL_SIZE: '20',
});

async function requestReset({ email }: { email: string }): Promise<void> {
  const { status } = await callApi(stack.url, 'POST', '/auth/request-password-reset', { email });
  expect(status).toBe(200);
}

const countLinks = async ({ id }: { id: string }) => {
  const links = await stack.sql(
    `select from account_tokens where user_id = $1 and purpose = 'reset-password'`,
    [id],
  );
  return links.length;
};

/** Holds the lock of the user's row while the work runs. */
const whileLocked = (
  id: string,
  work: (untilWaited: (count?: number) => Promise<unknown>) => Promise<void>,
) =>
  stack.em().transactional(async (em) => {
    await sql(em, 'select from users where id = $1 for update', [id]);
    await work((count = 1) => eventually(() => countBlocked(em), count));
  });

const countBlocked = async (own: Em) =>
  (await sql(own, 'select distinct pid from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))'))
    .length;

it('a link for an account whose row stays locked is created once the lock is over', async () => {
  await stack.startApi();
  const person = await createTestPerson(stack.url);
  await whileLocked(person.id, async (untilWaited) => {
    await requestReset(person);
    await untilWaited();
    // Its lock timeout has passed.
    await untilWaited(0);
  });
  await eventually(() => countLinks(person), 1);
});

it('links for other accounts do not wait for one whose row is locked', async () => {
  const [locked, other] = [await createTestPerson(stack.url), await createTestPerson(stack.url)];
  const [api] = stack.running('api');
  await api?.stop();
  await stack.startApi({ DATABASE_LOCK_TIMEOUT_SECONDS: '120' });
  await whileLocked(locked.id, async (untilWaited) => {
    await requestReset(locked);
    await untilWaited();
    await requestReset(other);
    await eventually(() => countLinks(other), 1);
    expect(await countLinks(locked)).toBe(0);
    // The first one still waits.
    await untilWaited();
  });
  await eventually(() => countLinks(locked), 1);
});

it('a link that was promised is created before the process ends', async () => {
  const person = await createTestPerson(stack.url);
  const [patient] = stack.running('api');
  await patient?.stop();
  const api = await stack.startApi();
  let ended: Promise<number | null> | undefined;
  await whileLocked(person.id, async (untilWaited) => {
    await requestReset(person);
    // Between two tries it holds no connection, for whose end the process would wait anyway.
    await untilWaited();
    await untilWaited(0);
    ended = api.stop();
    const isClosed = () =>
      fetch(`${stack.url}/health`).then(
        () => false,
        () => true,
      );
    await eventually(isClosed, true);
  });
  expect(await ended).toBe(0);
  expect(await countLinks(person)).toBe(1);
});
