import { loadConfig } from '../../core/config/load.ts';
import { createLogger, initialLevel } from '../../runtime/logger.ts';
import { newestDashboard } from '../../runtime/newest-dashboard.ts';
import { runProcess } from '../../runtime/run-process.ts';
import { openCampaignThread } from './campaign-thread/campaign-thread.ts';

/**
 * A standalone worker process. Any number may run; one of them streams the journal.
 *
 * Loading takes seconds, and a campaign whose only worker was killed waits for the next one. So the campaign thread
 * loads first, then the database, and Temporal while the thread is already sending.
 */
const log = createLogger(initialLevel(process.env.LOG_LEVEL));
await runProcess(log, async (shutdown) => {
  const config = loadConfig({
    ...process.env,
    DASHBOARD_DIR: process.env.DASHBOARD_DIR || newestDashboard(),
  });
  const campaigns = openCampaignThread(config, log, shutdown);
  const { openFoundation } = await import('./open-foundation.ts');
  const foundation = await openFoundation(config, process.env, log, shutdown);
  campaigns.takeOver();
  const { runWorkerProcess } = await import('./run-worker-process.ts');
  return runWorkerProcess(foundation, campaigns, shutdown);
});
