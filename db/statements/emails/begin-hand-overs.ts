import { z } from 'zod';
import { isKeySql } from '../../fragments/join-by-key.ts';
import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';

export interface BeginningHandOver {
  emailId: string;
  token: string;
  /** Prolongs the claim. */
  uploadSeconds?: number;
}

const begunRow = z.object({ id: z.uuid() });

const beginSql = `
update emails e
set hand_over_begun = true, attempts = e.attempts + 1, claimed_at = e.claimed_at + make_interval(secs => b.upload)
-- In the common lock order of emails.
from (select * from unnest($1::uuid[], $2::uuid[], $3::int[]) as t(id, token, upload) order by id) b
where ${isKeySql('e.id', 'b.id')} and e.claim_token = b.token and e.status = 'SENDING' and e.hand_over_begun is false
returning e.id`;

/**
 * Records that the hand-over of these emails begins: if the process dies after this, they become UNKNOWN.
 *
 * @returns for each email, whether it may be handed over; false when another run has claimed it or a provider event has
 * changed its status
 */
export async function beginHandOvers(em: Em, beginnings: readonly BeginningHandOver[]): Promise<boolean[]> {
  const parameters = [
    beginnings.map(({ emailId }) => emailId),
    beginnings.map(({ token }) => token),
    beginnings.map(({ uploadSeconds = 0 }) => uploadSeconds),
  ];
  const rows = await preparedQuery(em, 'begin_hand_overs', begunRow, beginSql, parameters);
  const begun = new Set(rows.map(({ id }) => id));
  return beginnings.map(({ emailId }) => begun.has(emailId));
}
