import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { insertContacts, insertDraft, insertProject } from '../../../test/setup/campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { cancelBatches, cancelCampaign, startSending } from '../campaigns/campaigns.ts';
import { freezeAudience } from '../campaigns/freeze-audience.ts';
import { changeLimits, holdEmailsLeft, takeTransactional } from './limits.ts';
import { readConsumption } from './usage.ts';

const connections = 16;
let database: TestDatabase;
let em: Em;
let projectId: string;
beforeAll(async () => {
  // Six of them are kept for prepared statements.
  database = await createTestDatabase(connections + 6);
});
afterAll(() => database.close());
beforeEach(async () => {
  em = database.orm.em.fork();
  projectId = await insertProject(em);
});

const used = async () => (await readConsumption(em, projectId)).used;

describe('emails that are taken at once', () => {
  it('are never more than the limit, and none is refused that would have had room', async () => {
    const calls = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 0, max: 60 }), async (sizes, limit) => {
        projectId = await insertProject(em);
        await changeLimits(em, projectId, { transactional: limit });
        const answers = await Promise.all(
          sizes.map((emails) => takeTransactional(database.orm.em.fork(), [{ projectId, emails }])),
        );
        const taken = sizes.filter((_, index) => answers[index]?.[0] === true);
        const refused = sizes.filter((_, index) => answers[index]?.[0] === false);
        const sum = taken.reduce((total, size) => total + size, 0);
        expect(sum).toBeLessThanOrEqual(limit);
        expect((await used()).transactional).toBe(sum);
        for (const size of refused) expect(sum + size).toBeGreaterThan(limit);
      }),
      { numRuns: 15 },
    );
  });

  it('are granted in the order of the items of one statement, each project for itself', async () => {
    const other = await insertProject(em);
    await changeLimits(em, projectId, { transactional: 5 });
    await changeLimits(em, other, { transactional: 1 });
    const items = [3, 3, 2, 1].flatMap((emails) => [
      { projectId, emails },
      { projectId: other, emails },
    ]);
    expect(await takeTransactional(em, items)).toEqual([true, false, false, false, true, false, false, true]);
  });

  it('are as exact where far from the limit nobody waits for anybody', async () => {
    await changeLimits(em, projectId, { workflows: 100 });
    const take = () =>
      database.orm.em.fork().transactional(async (own) => {
        const [row] = await sql<{ taken: boolean }>(
          own,
          `select take_emails($1, 'workflows', 1, ${connections}) as taken`,
          [projectId],
        );
        // Some transactions take long to come to their end.
        await sql(own, 'select pg_sleep(random() * random() * 0.06)');
        return row?.taken;
      });
    const answers = await Promise.all(Array.from({ length: 160 }, take));
    expect(answers.filter((taken) => taken === true)).toHaveLength(100);
    expect((await used()).workflows).toBe(100);
  });
});

describe('a campaign', () => {
  const start = async (recipientLimit: number | null) => {
    const id = await insertDraft(em, projectId);
    await startSending(em, { id, contentId: newId(), outboxId: newId(), recipientLimit }, 'at once');
    return id;
  };
  const freeze = async (id: string) => {
    while (!(await freezeAudience(em, id, 4)));
    return sql<{ recipients: number; frozen: boolean }>(
      em,
      'select total_recipients as recipients, frozen_at is not null as frozen from campaigns where id = $1',
      [id],
    );
  };
  const left = () => em.fork().transactional((own) => holdEmailsLeft(own, projectId, 'campaigns'));

  it('keeps what it may have from others until its audience is frozen, and gets no more', async () => {
    await insertContacts(em, projectId, 10);
    await changeLimits(em, projectId, { campaigns: 12 });
    const id = await start(7);
    expect([await left(), (await used()).campaigns]).toEqual([5, 0]);
    await freezeAudience(em, id, 4);
    expect([await left(), (await used()).campaigns]).toEqual([5, 4]);
    expect(await freeze(id)).toEqual([{ recipients: 7, frozen: true }]);
    expect([await left(), (await used()).campaigns]).toEqual([5, 7]);
  });

  it('gives back what it had to itself when it is cancelled, and what it did not send', async () => {
    await insertContacts(em, projectId, 10);
    await changeLimits(em, projectId, { campaigns: 12 });
    const id = await start(10);
    await freezeAudience(em, id, 4);
    await cancelCampaign(em, { id, outboxId: newId() });
    expect([await left(), (await used()).campaigns]).toEqual([8, 4]);
    await cancelBatches(em, id, 0, 10);
    expect([await left(), (await used()).campaigns]).toEqual([12, 0]);
  });

  it('is counted without a limit as well', async () => {
    await insertContacts(em, projectId, 10);
    expect(await freeze(await start(null))).toEqual([{ recipients: 10, frozen: true }]);
    expect([await left(), (await used()).campaigns]).toEqual([null, 10]);
  });
});
