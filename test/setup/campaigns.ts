import { LockMode } from '@mikro-orm/core';
import { Campaign } from '../../db/entities/campaign.ts';
import { allProjects } from '../../db/entities/project-em.ts';
import type { Em } from '../../db/orm.ts';
import { freezeAudience } from '../../db/statements/campaigns/freeze-audience.ts';
import { startCampaign as startToSend } from '../../db/statements/campaigns/start-campaign.ts';
import { sql } from '../../db/testing/sql.ts';
import { insertDomain } from './projects.ts';

/**
 * Inserts subscribed contacts `reader-<n>@example.com` with `data.n`; their creation times ascend, the last one being
 * now.
 */
export async function insertContacts(em: Em, projectId: string, count: number): Promise<void> {
  await sql(
    em,
    `insert into contacts (id, project_id, email, data, created_at)
     select uuidv7(), $1, 'reader-' || n || '@example.com', jsonb_build_object('n', n),
       now() - make_interval(secs => ($2 - n) / 1000.0)
     from generate_series(1, $2) n`,
    [projectId, count],
  );
}

export async function insertDraft(
  em: Em,
  projectId: string,
  changes: Partial<Campaign> = {},
): Promise<string> {
  const own = em.fork();
  const { id } = own.create(Campaign, {
    projectId,
    name: 'News',
    description: null,
    subject: 'For {{ n }}',
    body: '<p>Hello {{ n }}</p>',
    fromEmail: `news@${await insertDomain(em, projectId)}`,
    fromName: 'Shop',
    replyTo: null,
    type: 'MARKETING',
    audienceType: 'ALL',
    audienceCondition: null,
    segmentId: null,
    ...changes,
  });
  await own.flush();
  return id;
}

export async function startSending(em: Em, id: string, recipientLimit: number | null = null): Promise<void> {
  await em.fork().transactional(async (own) => {
    const campaign = await own.findOneOrFail(Campaign, id, {
      lockMode: LockMode.PESSIMISTIC_WRITE,
      ...allProjects,
    });
    await startToSend(own, campaign, recipientLimit);
  });
}

/** In the entity manager's transaction, if it has one. */
export async function cancelCampaign(em: Em, id: string): Promise<void> {
  await em.fork({ keepTransactionContext: true }).transactional(async (own) => {
    const campaign = await own.findOneOrFail(Campaign, id, {
      lockMode: LockMode.PESSIMISTIC_WRITE,
      ...allProjects,
    });
    campaign.cancel();
  });
}

export const readCampaign = (em: Em, id: string) => em.fork().findOne(Campaign, id, allProjects);

export async function startCampaign(
  em: Em,
  projectId: string,
  changes: Partial<Campaign> = {},
): Promise<string> {
  const id = await insertDraft(em, projectId, changes);
  await startSending(em, id);
  while (!(await freezeAudience(em, id, 10_000)));
  return id;
}
