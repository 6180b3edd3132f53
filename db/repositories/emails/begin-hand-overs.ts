import { amongSql, lookUpSql } from '../../look-up-sql.ts';
import type { Em } from '../../orm.ts';
import { preparedSql } from '../../sql.ts';

/** A claimed email that is about to be handed over. */
export interface BeginningHandOver {
  emailId: string;
  /** Of the claim. */
  token: string;
}

const beginSql = `
with held as materialized (
  select e.id
  from (select * from unnest($1::uuid[], $2::uuid[]) as t(id, token) order by id) b
  cross join lateral (${lookUpSql(
    `emails e where e.id = b.id and e.claim_token = b.token and e.status = 'SENDING' and e.hand_over_begun is false`,
    'for no key update',
  )}) e
)
update emails e
set hand_over_begun = true, attempts = e.attempts + 1
from held
where e.id = held.id and ${amongSql('e.id', 'select id from held')}
returning e.id`;

/**
 * Notes that the hand-over of these emails begins: from then on a run that dies leaves them UNKNOWN.
 *
 * @returns for each whether it may be handed over; not when its claim has gone to another run, or the provider has said
 *   something of it meanwhile
 */
export async function beginHandOvers(em: Em, beginnings: readonly BeginningHandOver[]): Promise<boolean[]> {
  const parameters = [beginnings.map(({ emailId }) => emailId), beginnings.map(({ token }) => token)];
  const rows = await preparedSql<{ id: string }>(em, 'begin_hand_overs', beginSql, parameters);
  const begun = new Set(rows.map(({ id }) => id));
  return beginnings.map(({ emailId }) => begun.has(emailId));
}
