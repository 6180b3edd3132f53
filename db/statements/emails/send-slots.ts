import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { columnsOf, execute, query, queryRow } from '../../sql.ts';

const slotsRow = z.object({ granted: z.int(), startInMs: z.number(), retryInMs: z.number() });

export type SendSlots = z.output<typeof slotsRow>;

/** Bucket keys. `account` and `project` are shared with the database function `reserve_email_slots`. */
export const sendBuckets = {
  account: 'account',
  project: (projectId: string) => projectId,
  campaignsOfAccount: 'account/campaigns',
  campaignShare: (projectId: string) => `account/campaigns/${projectId}`,
  campaignsOfProject: (projectId: string) => `${projectId}/campaigns`,
};

/** An idle bucket allows a burst of this many seconds' worth of emails. */
const burstSeconds = 1;

/**
 * Takes up to `wanted` slots from the bucket `key`, which refills at `ratePerSecond` (above 0). Exact across processes.
 *
 * @param horizonSeconds how far ahead slots may be granted: no process is to hoard them
 */
export function takeSendSlots(
  em: Em,
  key: string,
  wanted: number,
  ratePerSecond: number,
  horizonSeconds: number,
): Promise<SendSlots> {
  const sql = `select granted, start_in_ms as "startInMs", retry_in_ms as "retryInMs"
     from take_send_slots($1, $2, $3, $4, $5)`;
  return queryRow(em, slotsRow, sql, [key, wanted, ratePerSecond, burstSeconds, horizonSeconds]);
}

export async function returnSendSlots(
  em: Em,
  key: string,
  count: number,
  ratePerSecond: number,
): Promise<void> {
  await execute(em, 'select return_send_slots($1, $2, $3)', [key, count, ratePerSecond]);
}

export interface SlotRequest {
  projectId: string;
  emails: number;
  firstId: string;
}

export interface ReservedSlots {
  /** Send times of each project's granted emails, in milliseconds from now, ascending. */
  inMs: Map<string, number[]>;
  retryInMs: Map<string, number>;
  askingProjects: number;
}

const reservedRow = z.object({
  project: z.uuid(),
  inMs: z.number().nullable(),
  retryInMs: z.number().nullable(),
  asking: z.int(),
});

/**
 * Reserves send slots for transactional emails from the buckets of the projects and the account (database function
 * `reserve_email_slots`). Exact across processes.
 *
 * @param askingProjects the value returned last time; pass null about once a second to have it recounted
 */
export async function reserveEmailSlots(
  em: Em,
  requests: readonly SlotRequest[],
  rates: { account: number | null; project: number | null },
  askingProjects: number | null,
): Promise<ReservedSlots> {
  // Sorted, so that concurrent calls do not deadlock.
  const sorted = requests.toSorted((one, other) => (one.projectId < other.projectId ? -1 : 1));
  const sql = `select project, in_ms as "inMs", retry_in_ms as "retryInMs", asking_now as asking
     from reserve_email_slots($1, $2, $3, $4, $5, $6)`;
  const rows = await query(em, reservedRow, sql, [
    ...columnsOf(sorted, 'projectId', 'emails', 'firstId'),
    rates.account,
    rates.project,
    askingProjects,
  ]);
  const slots: ReservedSlots = {
    inMs: new Map(),
    retryInMs: new Map(),
    askingProjects: rows[0]?.asking ?? 1,
  };
  for (const { project, inMs, retryInMs } of rows) {
    if (inMs === null) slots.retryInMs.set(project, retryInMs ?? 0);
    else {
      const times = slots.inMs.get(project);
      if (times === undefined) slots.inMs.set(project, [inMs]);
      else times.push(inMs);
    }
  }
  return slots;
}

/** More older emails than this are not counted. */
export const mostOlderCounted = 10_000;

const olderRow = z.object({ projectId: z.uuid(), older: z.int() });

/**
 * Records that these emails are held back by the send rate, until they are claimed.
 *
 * @returns per project, how many waiting emails are older than these, at most 10,000
 */
export async function waitForRate(
  em: Em,
  emails: readonly { id: string; projectId: string }[],
): Promise<Map<string, number>> {
  const sql = `with held as materialized (
       select * from unnest($1::uuid[], $2::uuid[]) as t(project_id, email_id)
     ),
     noted as (
       insert into waiting_emails (project_id, email_id)
       select project_id, email_id from held order by project_id, email_id
       on conflict (project_id, email_id) do update set seen_at = now()
     )
     select h.project_id as "projectId", (
         select count(*)::int from (
           select from waiting_emails w where w.project_id = h.project_id and w.email_id < h.first limit $3
         ) older
       ) as older
     from (select project_id, (array_agg(email_id order by email_id))[1] as first from held group by project_id) h`;
  const rows = await query(em, olderRow, sql, [...columnsOf(emails, 'projectId', 'id'), mostOlderCounted]);
  return new Map(rows.map(({ projectId, older }) => [projectId, older]));
}
