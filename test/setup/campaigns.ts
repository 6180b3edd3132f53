import { randomUUID } from 'node:crypto';
import { newId } from '../../core/new-id.ts';
import type { CampaignRow } from '../../db/entities/campaign.ts';
import type { Em } from '../../db/orm.ts';
import { insertCampaign } from '../../db/repositories/campaigns/campaign-records.ts';
import { startSending } from '../../db/repositories/campaigns/campaigns.ts';
import { freezeAudience } from '../../db/repositories/campaigns/freeze-audience.ts';
import { sql } from '../../db/sql.ts';

/** A project that may send, straight in the database. */
export async function insertProject(em: Em): Promise<string> {
  const id = newId();
  await sql(
    em,
    `insert into projects (id, name, public_key_hash, secret_key_hash, public_key_encrypted, secret_key_encrypted)
     values ($1, 'Project', $2, $3, '', '')`,
    [id, Buffer.from(randomUUID()), Buffer.from(randomUUID())],
  );
  return id;
}

/** Subscribed contacts `reader-<n>@example.com` with `data.n`, created one after the other, the last one now. */
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

/** A draft to everyone; what a test does not name is ordinary. */
export async function insertDraft(
  em: Em,
  projectId: string,
  changes: Partial<CampaignRow> = {},
): Promise<string> {
  const id = newId();
  await insertCampaign(em, id, projectId, {
    name: 'News',
    description: null,
    subject: 'For {{ n }}',
    body: '<p>Hello {{ n }}</p>',
    fromEmail: 'news@sender.example',
    fromName: 'Shop',
    replyTo: null,
    type: 'MARKETING',
    audienceType: 'ALL',
    audienceCondition: null,
    segmentId: null,
    ...changes,
  });
  return id;
}

/** A campaign that is sending, with its audience frozen. */
export async function startCampaign(
  em: Em,
  projectId: string,
  changes: Partial<CampaignRow> = {},
): Promise<string> {
  const id = await insertDraft(em, projectId, changes);
  await startSending(em, { id, contentId: newId(), outboxId: newId() }, 'at once');
  while (!(await freezeAudience(em, id, 10_000)));
  return id;
}
