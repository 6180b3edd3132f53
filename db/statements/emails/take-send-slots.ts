import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, queryRow } from '../../sql.ts';

const slotsRow = z.object({
  granted: z.int(),
  startInMs: z.number(),
  retryInMs: z.number(),
});

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
/** Slots are granted at most this far ahead, so that no process hoards them. */
const usualHorizonSeconds = 5;

/**
 * Takes up to `wanted` slots from the bucket `key`, which refills at `ratePerSecond` (above 0). Exact across
 * processes.
 *
 * @param horizonSeconds how far ahead slots may be granted
 */
export function takeSendSlots(
  em: Em,
  key: string,
  wanted: number,
  ratePerSecond: number,
  horizonSeconds = usualHorizonSeconds,
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
