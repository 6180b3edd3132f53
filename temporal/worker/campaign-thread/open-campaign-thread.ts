import type { Logger } from 'pino';
import type { Config } from '../../../core/config/schema.ts';
import { warnTo } from '../../../runtime/logger.ts';
import type { Shutdown } from '../../../runtime/shutdown.ts';
import { CampaignThread } from './campaign-thread.ts';

/**
 * Call first: the thread loads its code while the rest of the process loads. After `takeOver()` it sends what a killed
 * worker left behind.
 */
export function openCampaignThread(config: Config, log: Logger, shutdown: Shutdown): CampaignThread {
  const thread = new CampaignThread(config, warnTo(log));
  shutdown.add('campaign thread', () => thread.stop());
  return thread;
}
