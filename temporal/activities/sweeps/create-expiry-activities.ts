import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Orm } from '../../../db/orm.ts';
import { createExpiries } from '../../../db/statements/sweeps/expiries.ts';
import type { Expire } from '../../../db/statements/sweeps/expiry.ts';
import type { ProductMetrics } from '../../../runtime/product-metrics.ts';
import type { ExpiryActivities } from '../../contracts/sweeps.ts';
import { type RemoveImage, sweepUploads } from '../projects/erase-uploads.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { runExpiry } from './run-expiry.ts';

export interface ExpiryActivityDependencies {
  orm: Orm;
  removeImage: RemoveImage;
  metrics: Pick<ProductMetrics, 'noteSweep'>;
  bodyRetentionDays: number;
}

/** Per expiry and round; what is left is for the next hour. */
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
  const note = (name: string) => {
    metrics.noteSweep(`expired/${name}`);
    metrics.noteSweep('expired');
  };
  return {
    listExpiries: async () => Object.keys(expiries),
    expire: ({ expiry }) =>
      withHeartbeat(async (signal, heartbeatWith) => {
        const expire = expiries[expiry];
        // While a release is rolled out; the next round finds a worker that knows it.
        if (expire === undefined) throw ApplicationFailure.nonRetryable(`Unknown to this worker: ${expiry}`);
        const { heartbeatDetails } = Context.current().info;
        // The first heartbeat of this attempt would overwrite them.
        if (heartbeatDetails !== undefined) heartbeatWith(heartbeatDetails);
        const result = await runExpiry(orm.em, expire, {
          heartbeat: heartbeatDetails,
          budgetMs,
          onSlice: (progress) => {
            heartbeatWith(progress);
            signal.throwIfAborted();
          },
        });
        note(expiry);
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
