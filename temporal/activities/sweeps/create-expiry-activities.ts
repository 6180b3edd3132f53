import { ApplicationFailure } from '@temporalio/activity';
import { z } from 'zod';
import type { Em, Orm } from '../../../db/orm.ts';
import { createExpiries } from '../../../db/statements/sweeps/expiries.ts';
import type { Expire } from '../../../db/statements/sweeps/expiry.ts';
import type { ProductMetrics } from '../../../runtime/product-metrics.ts';
import type { ExpiryActivities } from '../../contracts/sweeps.ts';
import { type RemoveImage, sweepUploads } from '../projects/erase-uploads.ts';
import { withHeartbeat } from '../with-heartbeat.ts';

export interface ExpiryActivityDependencies {
  orm: Orm;
  removeImage: RemoveImage;
  metrics: Pick<ProductMetrics, 'expectSweep' | 'noteSweep'>;
  bodyRetentionDays: number;
}

/** Per expiry and round; the rest is left for the next hour. */
const budgetMs = 5 * 60_000;

export function createExpiryActivities({
  orm,
  removeImage,
  metrics,
  bodyRetentionDays,
}: ExpiryActivityDependencies): ExpiryActivities {
  const expiries: Readonly<Record<string, Expire>> = {
    ...createExpiries(bodyRetentionDays),
    unfinishedUploads: async (em) => ({ count: await sweepUploads(em, removeImage), cursor: null }),
  };
  const sweepsOf = (name: string) => [`expired/${name}`, 'expired'];
  for (const name of Object.keys(expiries)) for (const sweep of sweepsOf(name)) metrics.expectSweep(sweep);
  return {
    listExpiries: async () => Object.keys(expiries),
    expire: ({ expiry }) =>
      withHeartbeat(async (signal, note, heartbeat) => {
        const expire = expiries[expiry];
        // Happens during a roll-out; the next round reaches a newer worker.
        if (expire === undefined) throw ApplicationFailure.nonRetryable(`Unknown to this worker: ${expiry}`);
        const onSlice = (progress: Progress) => {
          note(progress);
          signal.throwIfAborted();
        };
        const result = await runExpiry(orm.em, expire, { heartbeat, budgetMs, onSlice });
        for (const sweep of sweepsOf(expiry)) metrics.noteSweep(sweep);
        return result;
      }),
    async sweepExpired() {
      const counts: Record<string, number> = {};
      for (const [name, expire] of Object.entries(expiries)) {
        counts[name] = (await runExpiry(orm.em, expire, { budgetMs: 0 })).count;
      }
      return counts;
    },
  };
}

const progressSchema = z.object({ count: z.int(), cursor: z.array(z.string()).nullable() });
type Progress = z.infer<typeof progressSchema>;

interface ExpiryRun {
  heartbeat?: unknown;
  /** Called after each slice with the details of the next heartbeat. */
  onSlice?: (progress: Progress) => void;
  /** Once it is exceeded, the current slice is the last. */
  budgetMs: number;
}

/**
 * Removes slice by slice, resuming where an earlier attempt stopped. `isFinished` is false when the budget ended it.
 */
export async function runExpiry(
  em: Em,
  expire: Expire,
  { heartbeat, onSlice, budgetMs }: ExpiryRun,
): Promise<{ count: number; isFinished: boolean }> {
  const from = progressSchema.safeParse(heartbeat);
  let { count, cursor }: Progress = from.success ? from.data : { count: 0, cursor: null };
  const deadline = performance.now() + budgetMs;
  do {
    const slice = await expire(em.fork(), cursor);
    count += slice.count;
    cursor = slice.cursor === null ? null : [...slice.cursor];
    onSlice?.({ count, cursor });
  } while (cursor !== null && performance.now() < deadline);
  return { count, isFinished: cursor === null };
}
