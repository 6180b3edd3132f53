import { setTimeout as delay } from 'node:timers/promises';
import { createCallSlots } from '../../activities/campaigns/call-slots.ts';
import { createClaimedRenderer } from '../../activities/emails/render-claimed.ts';
import { createEmailParser } from '../../activities/inbound/email-parser.ts';
import {
  type ActivityDependencies,
  createActivities,
  createCampaignBatchActivities,
} from '../../activities/index.ts';
import { createTellOwners } from '../../activities/sweeps/tell-owners.ts';
import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { accountMailSettings } from '../../core/config/account-mail.ts';
import { publicApiUrl } from '../../core/config/public-api-url.ts';
import { sitePages } from '../../core/config/site-pages.ts';
import { deriveKey } from '../../core/crypto/derive-key.ts';
import { createContactLinks } from '../../core/public-links.ts';
import { createOutboundHttp } from '../../providers/outbound/outbound-http.ts';
import { openImageStores } from '../../runtime/image-stores.ts';
import { warnTo } from '../../runtime/logger.ts';
import { openMailBucket } from '../../runtime/mail-bucket.ts';
import type { ProductMetrics } from '../../runtime/product-metrics.ts';
import type { Resources } from '../../runtime/resources.ts';
import { createSendRates } from '../../runtime/send-rates.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { createWebhookSecrets } from '../../runtime/webhook-secrets.ts';
import { createExecutionWorkflows } from '../client/execution-commands.ts';
import { ensureSchedules } from '../client/schedules.ts';
import { startCampaignThread } from './campaign-thread/start.ts';
import { type RunningWorker, startTemporalWorker } from './start.ts';

export interface WorkerParts {
  metrics: ProductMetrics;
  clickhouse: ClickHouse;
  /** Woken after commits that left rows in the journal. */
  wakeJournal: () => void;
}

/** No email carries the links of a webhook. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** Received emails in memory at a time, of up to 30 MB each. */
const inboundAtATime = 2;

const firstRetryMs = 500;
const longestRetryMs = 10_000;

/**
 * Starts the worker of this process and adds it to the shutdown. While Temporal is away it keeps trying, so that
 * the order in which processes start does not matter.
 */
export async function runWorker(
  resources: Resources,
  parts: WorkerParts,
  shutdown: Shutdown,
): Promise<RunningWorker> {
  const { config, log, orm, relay } = resources;
  const [apiUrl, linkKey] = [publicApiUrl(config), deriveKey(config.APP_SECRET, 'public-link')];
  const accountLinkKey = deriveKey(config.APP_SECRET, 'account-link');
  const webhookSecrets = createWebhookSecrets(config.APP_SECRET);
  const parser = createEmailParser();
  shutdown.add('inbound parser', () => parser.stop());
  const dependencies: ActivityDependencies = {
    orm,
    clickhouse: parts.clickhouse,
    provider: resources.provider,
    identities: resources.identities,
    removeImage: openImageStores(config).remove,
    billing: resources.billing,
    inbound: { bucket: openMailBucket(config), parser, slots: createCallSlots(inboundAtATime) },
    render: createClaimedRenderer(apiUrl, linkKey, accountLinkKey),
    executions: createExecutionWorkflows(resources.temporal),
    repaired: parts.metrics.countRepairs,
    countEndless: parts.metrics.countEndless,
    compared: parts.metrics.countComparisons,
    webhooks: {
      send: createOutboundHttp({ allowHosts: config.OUTBOUND_ALLOW_HOSTS }),
      secretsOf: async (projectId) => {
        const { current, previous } = await webhookSecrets.read(orm.em.fork(), projectId);
        return previous === null ? [current] : [current, previous.secret];
      },
      linksOf: (subject) => createContactLinks(apiUrl, linkKey, { ...subject, emailId: nobody }),
    },
    rates: createSendRates(config, resources.provider, warnTo(log)),
    unknownSeconds: config.UNKNOWN_OUTCOME_SECONDS,
    bodyRetentionDays: config.EMAIL_BODY_RETENTION_DAYS,
    autoDisable: config.AUTO_PROJECT_DISABLE,
    tellOwners: createTellOwners({
      from: accountMailSettings(config).from,
      pageOf: sitePages(config).security,
      linkKey: accountLinkKey,
    }),
    committed: () => {
      relay.wake();
      parts.wakeJournal();
    },
    wakeRelay: relay.wakeIn,
    journaled: parts.wakeJournal,
    miscounted: parts.metrics.countMiscounts,
    countHandOver: parts.metrics.countHandOver,
    tracing: resources.tracing,
  };

  const campaigns = startCampaignThread({
    config,
    warn: warnTo(log),
    recorded(outcomes) {
      for (const [outcome, emails] of Object.entries(outcomes)) parts.metrics.countHandOver(outcome, emails);
      parts.wakeJournal();
    },
  });
  shutdown.add('campaign thread', () => campaigns.stop());

  const activities = createActivities(dependencies);
  let stopped = false;
  let running: RunningWorker | undefined;
  shutdown.add('worker', async () => {
    stopped = true;
    await running?.stop();
  });

  for (let pause = firstRetryMs; ; pause = Math.min(pause * 2, longestRetryMs)) {
    try {
      await ensureSchedules(resources.temporal, config.TEMPORAL_TASK_QUEUE, {
        segmentComputation: config.SEGMENT_COMPUTE_INTERVAL_MINUTES,
        segmentCount: config.SEGMENT_COUNT_INTERVAL_MINUTES,
      });
      running = await startTemporalWorker({
        environment: resources.environment,
        taskQueue: config.TEMPORAL_TASK_QUEUE,
        activities,
        emailActivities: { dispatchEmails: activities.dispatchEmails },
        campaignActivities: createCampaignBatchActivities(campaigns.send),
        dataConverter: resources.dataConverter,
        shutdownGraceSeconds: config.SHUTDOWN_GRACE_SECONDS,
        cachedWorkflows: config.TEMPORAL_CACHED_WORKFLOWS,
        log,
      });
      // A worker without its thread would look alive and send no campaign.
      const ended = Promise.race([running.ended, campaigns.ended]);
      ended.catch(() => undefined);
      return { ...running, ended };
    } catch (err) {
      if (stopped) throw err;
      log.warn({ err }, 'Temporal does not answer; trying again');
      await delay(pause);
    }
  }
}
