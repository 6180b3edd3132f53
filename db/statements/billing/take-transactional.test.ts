import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type BillingCategory, billingCategories } from '../../../core/billing/categories.ts';
import { cancelCampaign, insertContacts, insertDraft, startSending } from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { BillingLimit } from '../../entities/billing.ts';
import type { Em } from '../../orm.ts';
import { preparedSql, sql } from '../../testing/sql.ts';
import { lockCampaignQuota } from '../campaigns/campaign-quota.ts';
import { cancelBatches } from '../campaigns/cancel-batches.ts';
import { freezeAudience } from '../campaigns/freeze-audience.ts';
import { giveBackTransactional, takeTransactional } from './monthly-quota.ts';
import { readConsumption } from './read-consumption.ts';

const connections = 16;
// Six of them are reserved for prepared statements.
const { em } = useTestDatabase(connections + 6);
let projectId: string;
beforeEach(async () => {
  projectId = await insertProject(em());
});

/** Number of transactions that wait for their client or a lock. */
async function waiting(type: 'Client' | 'Lock'): Promise<number> {
  // On a connection of another pool: the transactions may occupy this one.
  const [row] = await preparedSql<{ n: number }>(
    em(),
    'waiting',
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and xact_start is not null and wait_event_type = $1`,
    [type],
  );
  return row?.n ?? 0;
}
async function setLimit(project: string, limits: Partial<Record<BillingCategory, number>>): Promise<void> {
  for (const category of billingCategories.filter((name) => limits[name] !== undefined)) {
    await em().insert(BillingLimit, { projectId: project, category, emails: limits[category] ?? 0 });
  }
}
const takeOne = async (own: Em, spare: number | null) => {
  const text = `select take_emails($1, 'workflows', 1, $2) as taken`;
  return (await sql<{ taken: boolean }>(own, text, [projectId, spare]))[0]?.taken;
};
/** Changes the limit while as many callers wait for a caller that takes an email. @returns whether each takes one */
async function takeDuring(change: string, callers: number, spare: number | null) {
  let takers: Promise<boolean | undefined>[] = [];
  await em().transactional(async (own) => {
    await takeOne(own, null);
    takers = Array.from({ length: callers }, () => em().transactional((taking) => takeOne(taking, spare)));
    await eventually(() => waiting('Lock'), callers);
    await sql(em(), `${change} where project_id = $1`, [projectId]);
  });
  return Promise.all(takers);
}
const used = async () => (await readConsumption(em(), projectId)).used;

describe('emails taken concurrently', () => {
  it('never exceed the limit, and none below it is refused', async () => {
    const calls = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 0, max: 60 }), async (sizes, limit) => {
        projectId = await insertProject(em());
        await setLimit(projectId, { transactional: limit });
        const answers = await Promise.all(
          sizes.map((emails) => takeTransactional(em(), [{ projectId, emails }])),
        );
        const taken = sizes.filter((_, index) => answers[index]?.[0] !== null);
        const refused = sizes.filter((_, index) => answers[index]?.[0] === null);
        const sum = taken.reduce((total, size) => total + size, 0);
        expect(sum).toBeLessThanOrEqual(limit);
        expect((await used()).transactional).toBe(sum);
        for (const size of refused) expect(sum + size).toBeGreaterThan(limit);
      }),
      { numRuns: 15 },
    );
  });

  it('are granted in the order of the items, separately per project', async () => {
    const other = await insertProject(em());
    await setLimit(projectId, { transactional: 5 });
    await setLimit(other, { transactional: 1 });
    const items = [3, 3, 2, 1].flatMap((emails) => [
      { projectId, emails },
      { projectId: other, emails },
    ]);
    expect((await takeTransactional(em(), items)).map((takenAt) => takenAt !== null)).toEqual([
      true,
      false,
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  it('are given back to the month in which they were counted', async () => {
    const [takenAt] = await takeTransactional(em(), [{ projectId, emails: 5 }]);
    await sql(em(), "update billing_usage set month = month - interval '1 month' where project_id = $1", [
      projectId,
    ]);
    const lastMonth = new Date(takenAt ?? 0);
    lastMonth.setUTCDate(0);
    await giveBackTransactional(em(), { projectId, emails: 5, takenAt: lastMonth });
    expect(
      await sql(
        em(),
        'select sum(emails)::int as emails from billing_usage where project_id = $1 group by month',
        [projectId],
      ),
    ).toEqual([{ emails: 0 }]);
  });

  it('are just as exact far from the limit, where nobody waits', async () => {
    await setLimit(projectId, { workflows: 3 * connections });
    /** Takes one email in a transaction that ends on command. */
    const take = (end: Promise<void>) =>
      em().transactional(async (own) => {
        const taken = await takeOne(own, connections);
        await end;
        return taken;
      });
    const { promise: end, resolve: endSlow } = Promise.withResolvers<void>();
    const slow = Array.from({ length: 7 }, () => take(end));
    // Two whose connections share a shard wait for each other.
    await eventually(
      async () => (await waiting('Client')) + (await waiting('Lock')),
      (found) => found >= slow.length,
    );
    const inShards = await waiting('Lock');
    let isOver = false;
    const quick = Promise.all(Array.from({ length: 80 }, () => take(Promise.resolve()))).finally(() => {
      isOver = true;
    });
    // Near the limit, everybody waits for the slow ones.
    await eventually(
      async () => isOver || (await waiting('Lock')) > inShards,
      (isSo) => isSo,
    );
    endSlow();
    const answers = [...(await Promise.all(slow)), ...(await quick)];
    expect(answers.filter((taken) => taken === true)).toHaveLength(3 * connections);
    expect((await used()).workflows).toBe(3 * connections);
  });

  it('do not hold up a change of the limit', async () => {
    await setLimit(projectId, { workflows: 5_000 });
    await em().transactional(async (own) => {
      expect(await takeOne(own, 1_000)).toBe(true);
      await em().transactional(async (changing) => {
        await sql(changing, `set local lock_timeout = '2s'`);
        await sql(changing, 'update billing_limits set emails = 1 where project_id = $1', [projectId]);
        await sql(changing, 'delete from billing_limits where project_id = $1', [projectId]);
      });
    });
  });

  it('do not wait for each other when the limit is lowered meanwhile', async () => {
    await setLimit(projectId, { workflows: 5_000 });
    const taken = await takeDuring('update billing_limits set emails = 3', 4, 1_000);
    expect(taken.filter((isTaken) => isTaken === true)).toHaveLength(2);
    expect((await used()).workflows).toBe(3);
  });

  it('are all granted when the limit is removed meanwhile', async () => {
    await setLimit(projectId, { workflows: 2 });
    expect(await takeDuring('delete from billing_limits', 3, null)).toEqual([true, true, true]);
  });
});

describe('a campaign', () => {
  const start = async (recipientLimit: number | null) => {
    const id = await insertDraft(em(), projectId);
    await startSending(em(), id, recipientLimit);
    return id;
  };
  const freeze = async (id: string) => {
    while (!(await freezeAudience(em(), id, 4)));
    return sql<{ recipients: number; frozen: boolean }>(
      em(),
      'select total_recipients as recipients, frozen_at is not null as frozen from campaigns where id = $1',
      [id],
    );
  };
  const left = async () =>
    (await em().transactional((own) => lockCampaignQuota(own, projectId)))?.left ?? null;

  it('reserves its quota until its audience is frozen, and gets no more', async () => {
    await insertContacts(em(), projectId, 10);
    await setLimit(projectId, { campaigns: 12 });
    const id = await start(7);
    expect([await left(), (await used()).campaigns]).toEqual([5, 0]);
    await freezeAudience(em(), id, 4);
    expect([await left(), (await used()).campaigns]).toEqual([5, 4]);
    expect(await freeze(id)).toEqual([{ recipients: 7, frozen: true }]);
    expect([await left(), (await used()).campaigns]).toEqual([5, 7]);
  });

  it('returns its reserved and unsent quota when it is canceled', async () => {
    await insertContacts(em(), projectId, 10);
    await setLimit(projectId, { campaigns: 12 });
    const id = await start(10);
    await freezeAudience(em(), id, 4);
    await cancelCampaign(em(), id);
    expect([await left(), (await used()).campaigns]).toEqual([8, 4]);
    await cancelBatches(em(), id, 0, 10);
    expect([await left(), (await used()).campaigns]).toEqual([12, 0]);
  });

  it('is counted even without a limit', async () => {
    await insertContacts(em(), projectId, 10);
    expect(await freeze(await start(null))).toEqual([{ recipients: 10, frozen: true }]);
    expect([await left(), (await used()).campaigns]).toEqual([null, 10]);
  });
});
