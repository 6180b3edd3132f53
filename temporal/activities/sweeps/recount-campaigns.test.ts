import { expect, it } from 'vitest';
import { withinTime } from '../../../db/limit-statements.ts';
import { recountCampaign } from '../../../db/statements/campaigns/campaign-figures.ts';
import { insertDraft } from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { recountCampaigns } from './recount-campaigns.ts';

const database = useTestDatabase();
const { em, sql } = database;
const ignore = () => undefined;

it('recounts a campaign while it is sending and at three times after its end, even beside one that takes too long', async () => {
  const projectId = await insertProject(em());
  const insert = (name: string, status: string, hoursAgo: number | null) =>
    insertDraft(em(), projectId, { name }).then((id) =>
      sql(
        `update campaigns set status = $2, sent_at = now() - make_interval(secs => $3::float8 * 3600) where id = $1`,
        [id, status, hoursAgo],
      ),
    );
  await insert('draft', 'DRAFT', null);
  await insert('sending', 'SENDING', null);
  for (const hours of [0.5, 1.5, 23.5, 24.5, 46.5, 47.5, 48.5]) await insert(`${hours}`, 'SENT', hours);
  const due = ['0.5', '24.5', '47.5', 'sending'];

  const blocker = em();
  await blocker.begin();
  await blocker.execute('lock table emails in access exclusive mode');
  const tried: string[] = [];
  const result = await recountCampaigns(em(), ignore, async (id) => {
    const [campaign] = await sql<{ name: string }>('select name from campaigns where id = $1', [id]);
    tried.push(campaign?.name ?? '');
    return tried.length === 2 ? withinTime(em(), 100, (own) => recountCampaign(own, id)) : 0;
  });
  await blocker.rollback();
  expect(tried.toSorted()).toEqual(due);
  expect(result).toEqual({ campaigns: 3, differences: 0 });
  expect(await recountCampaigns(em(), ignore)).toEqual({ campaigns: 4, differences: 0 });
});
