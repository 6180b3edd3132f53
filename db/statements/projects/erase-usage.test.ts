import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { type Slice, SliceOver, wholeWork } from '../../../core/slice.ts';
import { insertContacts, insertDraft, startSending } from '../../../test/setup/campaigns.ts';
import { sql } from '../../testing/sql.ts';
import { freezeAudience } from '../campaigns/freeze-audience.ts';
import {
  beginMonthBefore,
  claim,
  database,
  em,
  projectId,
  record,
  start,
  statuses,
  usage,
  useCampaignStage,
} from '../campaigns/testing/campaign-stage.ts';
import { recordHandOvers } from '../emails/hand-overs.ts';
import { eraseProject } from './erase-project.ts';
import { findErasure, recordErasure } from './erasure-orders.ts';

useCampaignStage();

async function orderReset(): Promise<string> {
  const id = newId();
  await em.transactional((own) => recordErasure(own, { id, projectId, isReset: true }));
  return id;
}
async function erase(id: string, slice: Slice = wholeWork): Promise<void> {
  const erasure = await findErasure(database.em(), id);
  if (erasure === undefined) throw new Error('There is no erasure');
  await eraseProject(database.em(), erasure, slice);
}
/** A new slice after each deletion. */
async function eraseInSlices(id: string): Promise<number> {
  for (let slices = 1; ; slices += 1) {
    const isOver = await erase(id, { endsAt: 0 }).then(
      () => false,
      (error) => {
        if (error instanceof SliceOver) return true;
        throw error;
      },
    );
    if (!isOver) return slices;
  }
}

describe('a reset', () => {
  it('gives back queued emails of a campaign in its month, but not those being handed over', async () => {
    const id = await start(7);
    await beginMonthBefore(id);
    const token = uuidv7();
    const claimed = await claim(id, 3, token);
    const reset = await orderReset();
    expect(await eraseInSlices(reset)).toBeGreaterThan(1);
    expect(await usage()).toEqual([{ isNow: false, emails: 3 }]);
    await recordHandOvers(
      em,
      token,
      claimed.map((email) => record(email, {})),
    );
    await erase(reset);
    expect(await usage()).toEqual([{ isNow: false, emails: 3 }]);
    expect(await statuses(id)).toEqual({});
  });

  it('gives back the emails of a draft sent since, whose audience is being frozen', async () => {
    await insertContacts(em, projectId, 10);
    const id = await insertDraft(em, projectId);
    const reset = await orderReset();
    await startSending(em, id);
    await freezeAudience(em, id, 4);
    const { erasing } = await em.transactional(async (own) => {
      await freezeAudience(own, id, 4);
      const erasing = erase(reset);
      await Promise.race([erasing, delay(500)]);
      return { erasing };
    });
    await erasing;
    expect(await statuses(id)).toEqual({ CANCELLED: 8 });
    expect(await usage()).toEqual([{ isNow: true, emails: 0 }]);
  });

  it('gives back queued emails of other kinds once, in the month of each', async () => {
    // More than one transaction deletes; every sixth is queued and of this month, every sixth queued and of the last.
    const each = 1_000;
    for (const source of ['TRANSACTIONAL', 'WORKFLOW', 'TEST']) {
      await sql(
        em,
        `insert into emails (id, project_id, source, status, to_email, from_email, created_at)
         select uuidv7(), $1, $2, case n % 3 when 0 then 'QUEUED' when 1 then 'SENDING' else 'SENT' end,
           'a@example.com', 'b@example.com', now() - (n % 2) * interval '1 month'
         from generate_series(1, 6 * $3) n`,
        [projectId, source, each],
      );
    }
    await sql(
      em,
      `insert into billing_usage (project_id, month, category, lane, emails)
       select $1, usage_month(now() - ago * interval '1 month'), category, 0, 3 * $2
       from unnest('{0,1}'::int[]) ago, unnest('{transactional,workflows,campaigns}'::text[]) category`,
      [projectId, each],
    );
    const reset = await orderReset();
    expect(await eraseInSlices(reset)).toBeGreaterThan(3);
    await erase(reset);
    const left = await sql(
      em,
      `select usage_month(now()) = month as "isNow", category, sum(emails)::int as emails from billing_usage
       where project_id = $1 group by month, category order by 1, 2`,
      [projectId],
    );
    expect(left).toEqual(
      [false, true].flatMap((isNow) => [
        { isNow, category: 'campaigns', emails: 3 * each },
        { isNow, category: 'transactional', emails: 2 * each },
        { isNow, category: 'workflows', emails: 2 * each },
      ]),
    );
  });

  it('does not give back an email that is claimed while the erasure waits for its row', async () => {
    await sql(
      em,
      `insert into emails (id, project_id, source, to_email, from_email)
       select uuidv7(), $1, 'TRANSACTIONAL', 'a@example.com', 'b@example.com' from generate_series(1, 3)`,
      [projectId],
    );
    await sql(em, `select count_emails($1, 'transactional', 3)`, [projectId]);
    const reset = await orderReset();
    const { erasing } = await em.transactional(async (own) => {
      await sql(
        own,
        `update emails set status = 'SENDING'
         where id = (select id from emails where project_id = $1 order by id limit 1)`,
        [projectId],
      );
      const erasing = erase(reset);
      await Promise.race([erasing, delay(500)]);
      return { erasing };
    });
    await erasing;
    const left = await sql(em, 'select sum(emails)::int as emails from billing_usage where project_id = $1', [
      projectId,
    ]);
    expect(left).toEqual([{ emails: 1 }]);
  });
});
