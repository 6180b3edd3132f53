import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { insertContacts, insertDraft, startSending } from '../../../test/setup/campaigns.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../testing/sql.ts';
import { cancelBatches } from './cancel-batches.ts';
import { claimCampaignEmails } from './claim-campaign-emails.ts';
import { freezeAudience } from './freeze-audience.ts';
import { readCampaignBatch } from './read-campaign-batch.ts';
import { undecided } from './send-event-evidence.ts';
import { settleBatch } from './settle-batch.ts';
import { em, projectId, unknownSeconds, useCampaignStage } from './testing/campaign-stage.ts';

useCampaignStage();

const readEmails = (own: Em) =>
  sql<{ rows: number }>(
    own,
    `select idx_tup_fetch::int as rows from pg_stat_xact_user_tables where relname = 'emails'`,
  );

it('no statement about a batch reads the emails of other projects that lie between its ids', async () => {
  await insertContacts(em, projectId, 20);
  const id = await insertDraft(em, projectId);
  await startSending(em, id);
  await freezeAudience(em, id, 10);
  await sql(
    em,
    `insert into emails (id, project_id, source, campaign_id, to_email, from_email)
     select uuidv7(), p, 'CAMPAIGN', k, 'a@example.com', 'b@example.com'
     from (select gen_random_uuid() p, gen_random_uuid() k from generate_series(1, 50)) other, generate_series(1, 100)`,
  );
  await freezeAudience(em, id, 10);
  await sql(em, 'analyze emails');
  const batch = await readCampaignBatch(em, id, 1);
  if (batch === undefined) throw new Error('There is a first batch');
  const statements = {
    read: (own: Em) => readCampaignBatch(own, id, 1),
    settle: (own: Em) => settleBatch(own, id, 1, unknownSeconds, undecided),
    claim: (own: Em) => claimCampaignEmails(own, batch, 500, uuidv7()),
    cancel: (own: Em) => cancelBatches(own, id, 0, 2),
  };
  for (const [name, run] of Object.entries(statements)) {
    await em.fork().transactional(async (own) => {
      await run(own);
      const [read] = await readEmails(own);
      expect(read?.rows, name).toBeLessThan(200);
    });
  }
});
