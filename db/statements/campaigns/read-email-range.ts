import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryFirst } from '../../sql.ts';

const rangeRow = z.object({ firstId: z.uuid(), lastId: z.uuid() });

/** The first and last email of a campaign; undefined before its first batch is frozen. */
export function readEmailRange(em: Em, projectId: string, campaignId: string) {
  const sql = `select first.first_email_id as "firstId", last.last_email_id as "lastId"
     from campaigns k
     cross join lateral (
       select first_email_id from campaign_batches where campaign_id = k.id order by number limit 1
     ) first
     cross join lateral (
       select last_email_id from campaign_batches where campaign_id = k.id order by number desc limit 1
     ) last
     where k.id = $2 and k.project_id = $1`;
  return queryFirst(em, rangeRow, sql, [projectId, campaignId]);
}
