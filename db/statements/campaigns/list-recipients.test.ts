import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RecipientOutcome } from '../../../core/recipient-outcomes.ts';
import { insertProject } from '../../../test/setup/campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { sql } from '../../testing/sql.ts';
import { listRecipients } from './list-recipients.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(2);
});
afterAll(() => database.close());

const campaignId = '01900000-0000-7000-8000-000000000001';

it('looks at the recipients part by part until it has found the rare ones; what failed or was withheld is indexed', async () => {
  const em = database.orm.em.fork();
  const projectId = await insertProject(em);
  await sql(
    em,
    `insert into emails (id, project_id, campaign_id, contact_id, source, to_email, from_email, status, reason, sent_at, opened_at)
     select uuidv7(), $1, $2, uuidv7(make_interval(secs => n)), 'CAMPAIGN', n || '@example.com', 'a@b.example', status,
       case when status in ('FAILED', 'CANCELLED') then 'why' end, case when status = 'OPENED' then now() end,
       case when status = 'OPENED' then now() end
     from generate_series(1, 100) n
     cross join lateral (select case when n in (7, 95) then 'OPENED' when n in (50, 99) then 'FAILED' when n = 98
       then 'CANCELLED' else 'QUEUED' end as status) s`,
    [projectId, campaignId],
  );
  async function listAll(outcome: RecipientOutcome): Promise<{ names: string[]; looks: number }> {
    const names: string[] = [];
    let [after, looks]: [string | undefined, number] = [undefined, 0];
    do {
      const found = await listRecipients(em, { campaignId, outcome, after, limit: 3 }, 20);
      names.push(...found.recipients.map(({ email }) => email.replace('@example.com', '')));
      after = found.recipients.length === 3 ? found.recipients.at(-1)?.contactId : found.lookedUntil;
      looks += 1;
    } while (after !== undefined);
    return { names, looks };
  }
  expect(await listAll('opened')).toEqual({ names: ['7', '95'], looks: 6 });
  expect(await listAll('failed')).toEqual({ names: ['50', '99'], looks: 1 });
  expect(await listAll('skipped')).toEqual({ names: ['98'], looks: 1 });
  expect((await listAll('pending')).names).toHaveLength(95);
});
