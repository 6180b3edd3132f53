import type { CampaignStatus } from '../../../core/campaign-state.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** What a listing shows of a campaign besides its figures. */
export interface CampaignTitle {
  id: string;
  name: string;
  subject: string;
  status: CampaignStatus;
  sentAt: Date | null;
}

/** The titles of campaigns of a project by id; those that are gone or another project's are missing. */
export async function findCampaignTitles(
  em: Em,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, CampaignTitle>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<CampaignTitle>(
    em,
    `select id, name, subject, status, sent_at as "sentAt"
     from campaigns where project_id = $1 and id = any($2::uuid[])`,
    [projectId, ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
