import { z } from 'zod';
import { campaignPauseSql } from '../../fragments/campaign-pause-sql.ts';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/** Projects with a SENDING campaign that is not paused: they share the campaign rate. */
// A statement, because it counts distinct projects over a join.
export function countSendingProjects(em: Em): Promise<number> {
  const sql = `select count(distinct k.project_id)::int as projects
     from campaigns k join projects p on p.id = k.project_id
     where k.status = 'SENDING' and ${campaignPauseSql('k', 'p')} is null`;
  return queryValue(em, z.int(), sql);
}
