import { beforeEach, describe, expect, it } from 'vitest';
import { linksPerHour, linkWaitMinutes } from '../core/accounts/limits.ts';
import { sql } from '../db/testing/sql.ts';
import { eventually } from './setup/eventually.ts';
import { callApi, createTestPerson, testPassword } from './setup/people.ts';
import { useProcessStack } from './setup/process-stack.ts';
import type { TestProcess } from './setup/processes.ts';

const stack = useProcessStack({
  ACCOUNT_EMAIL_FROM: 'service@accounts.test',
  DATABASE_POOL_SIZE: '20',
});

async function requestReset({ email }: { email: string }): Promise<void> {
  const { status } = await callApi(stack.url, 'POST', '/auth/request-password-reset', { email });
  expect(status).toBe(200);
}

const countLinks = async ({ email }: { email: string }, purpose = 'reset-password') => {
  const links = await stack.sql(
    `select from account_tokens t join users u on u.id = t.user_id where u.email = $1 and t.purpose = $2`,
    [email, purpose],
  );
  return links.length;
};

const countEmails = async ({ email }: { email: string }) =>
  (await stack.sql('select from emails where to_email = $1', [email])).length;

const countWaiting = async ({ email }: { email: string }) =>
  (await stack.sql('select from link_requests where email = $1', [email])).length;

const countPutOff = async ({ email }: { email: string }) =>
  (await stack.sql('select from link_requests where email = $1 and next_attempt_at > created_at', [email]))
    .length;

/** A person who has the link of the sign-up, so that no other one is on its way. */
async function createPerson() {
  const person = await createTestPerson(stack.url);
  await eventually(() => countLinks(person, 'verify-email'), 1);
  return person;
}

/** Holds the lock of the user's row while the work runs. */
const whileLocked = ({ id }: { id: string }, work: () => Promise<void>) =>
  stack.em().transactional(async (em) => {
    await sql(em, 'select from users where id = $1 for update', [id]);
    await work();
  });

/** The database refuses the emails to an address while the work runs. */
async function whileRefused({ email }: { email: string }, work: () => Promise<void>): Promise<void> {
  await stack.sql(`alter table emails add constraint refused check (to_email <> '${email}') not valid`);
  await work();
  await stack.sql('alter table emails drop constraint refused');
}

let api: TestProcess;
beforeEach(async () => {
  api = stack.running('api')[0] ?? (await stack.startApi());
});

describe('a link that was promised is mailed by the next process', () => {
  it('after kill -9 between the answer and the link', async () => {
    const person = await createPerson();
    await whileLocked(person, async () => {
      await requestReset(person);
      await api.kill();
    });
    expect(await countLinks(person)).toBe(0);
    await stack.startApi();
    await eventually(() => countLinks(person), 1);
    // That of the sign-up and this one.
    expect([await countEmails(person), await countWaiting(person)]).toEqual([2, 0]);
  });

  it('after kill -9 right after a sign-up', async () => {
    const email = 'killed@example.com';
    await stack.em().transactional(async (em) => {
      await sql(em, 'lock table account_tokens in access exclusive mode');
      const answer = await callApi(stack.url, 'POST', '/auth/signup', { email, password: testPassword });
      expect(answer.status).toBe(201);
      await api.kill();
    });
    expect(await countLinks({ email }, 'verify-email')).toBe(0);
    await stack.startApi();
    await eventually(() => countLinks({ email }, 'verify-email'), 1);
    expect(await countEmails({ email })).toBe(1);
  });

  it('after SIGTERM, which does not wait for a locked account', async () => {
    const person = await createPerson();
    await whileLocked(person, async () => {
      await requestReset(person);
      expect(await api.stop()).toBe(0);
    });
    expect(await countWaiting(person)).toBe(1);
    await stack.startApi();
    await eventually(() => countLinks(person), 1);
  });
});

describe('the links of others do not wait', () => {
  it('for an account whose row is locked; its own follows once the lock is over', async () => {
    const [locked, other] = [await createPerson(), await createPerson()];
    await whileLocked(locked, async () => {
      await requestReset(locked);
      await requestReset(other);
      await eventually(() => countLinks(other), 1);
      expect([await countLinks(locked), await countWaiting(locked)]).toEqual([0, 1]);
    });
    await eventually(() => countLinks(locked), 1);
  });

  it('for one that fails, which is tried again', async () => {
    const [failing, other] = [await createPerson(), await createPerson()];
    await whileRefused(failing, async () => {
      await requestReset(failing);
      await requestReset(other);
      await eventually(() => countLinks(other), 1);
      await eventually(() => countPutOff(failing), 1);
      expect(await countLinks(failing)).toBe(0);
    });
    await eventually(() => countLinks(failing), 1);
    expect([await countEmails(failing), await countWaiting(failing)]).toEqual([2, 0]);
  });

  it('for a flood of requests for unknown addresses', async () => {
    const person = await createPerson();
    await stack.sql(
      `insert into link_requests (id, email, purpose, language)
       select uuidv7(), 'unknown-' || n || '@example.com', 'reset-password', 'en' from generate_series(1, 20000) n`,
    );
    const startedAt = performance.now();
    await requestReset(person);
    await eventually(() => countLinks(person), 1);
    // One transaction for each of them would take far longer.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    const flood = `select from link_requests where email like 'unknown-%'`;
    await eventually(async () => (await stack.sql(flood)).length, 0);
  });
});

it('a flood of requests for one account ends with as many links as an hour allows, and delays no other one', async () => {
  const [flooded, other] = [await createPerson(), await createPerson()];
  await stack.sql(
    `insert into link_requests (id, email, purpose, language)
     select uuidv7(), $1, 'reset-password', 'en' from generate_series(1, 20000) n`,
    [flooded.email],
  );
  await requestReset(other);
  await eventually(() => countLinks(other), 1);
  await eventually(() => countWaiting(flooded), 0);
  expect(await countLinks(flooded)).toBe(linksPerHour);
});

it('a request that can never be met is dropped in time, with a warning', async () => {
  const person = await createPerson();
  await whileRefused(person, async () => {
    await requestReset(person);
    await eventually(() => countPutOff(person), 1);
    expect(api.output).not.toContain('"An account email was not queued"');
    await stack.sql(
      `update link_requests set created_at = created_at - make_interval(mins => $2) where email = $1`,
      [person.email, linkWaitMinutes],
    );
    await eventually(() => countWaiting(person), 0);
    await eventually(async () => api.output.includes('"An account email was not queued"'), true);
  });
  expect([await countLinks(person), await countEmails(person)]).toEqual([0, 1]);
});
