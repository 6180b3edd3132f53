import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { accountEmailSettings } from '../../core/config/account-email.ts';
import type { Config } from '../../core/config/schema.ts';
import { publicApiUrl, sitePages } from '../../core/config/urls.ts';
import { deriveKey } from '../../core/crypto/derive-key.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { nilId } from '../../core/nil-id.ts';
import { createContactLinks } from '../../core/public-links.ts';
import type { Orm } from '../../db/orm.ts';
import { createOutboundHttp } from '../../providers/outbound/outbound-http.ts';
import { createHostResolver } from '../../providers/outbound/resolve-host.ts';
import { openMailBucket } from '../../runtime/email-providers.ts';
import { openImageStores } from '../../runtime/image-stores.ts';
import { warnTo } from '../../runtime/logger.ts';
import type { ProductMetrics } from '../../runtime/product-metrics.ts';
import { createSendRates } from '../../runtime/send-rates.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { createWebhookSecrets } from '../../runtime/webhook-secrets.ts';
import { createEmailDispatcher, type EmailDispatcher } from '../activities/emails/email-dispatcher.ts';
import { EmailParser } from '../activities/inbound/email-parser.ts';
import { createClaimedRenderer } from '../activities/sending/render-claimed.ts';
import { RenderTurns } from '../activities/sending/render-turns.ts';
import { createOwnerNotifier } from '../activities/sweeps/notify-owners.ts';
import type { WebhookCaller } from '../activities/workflows/call-webhook.ts';
import { createCallLimit } from '../activities/workflows/limit-calls.ts';
import { createExecutionWorkflows } from '../client/execution-workflows.ts';
import type { ProcessResources } from '../client/open-temporal.ts';
import type { ActivityDependencies } from './create-activities.ts';

export interface WorkerParts {
  metrics: ProductMetrics;
  clickhouse: ClickHouse;
  wakeJournal: () => void;
}

/** Maximum received emails in memory, up to 30 MB each. */
const inboundAtATime = 2;

export function openActivityDependencies(
  resources: ProcessResources,
  { metrics, clickhouse, wakeJournal }: WorkerParts,
  headStart: ActivityDependencies['headStart'],
  shutdown: Shutdown,
): ActivityDependencies {
  const { config, orm, relay, identities, billing } = resources;
  const turns = new RenderTurns(2);
  const executions = createExecutionWorkflows(resources.temporal, config.TEMPORAL_TASK_QUEUE);
  const parser = new EmailParser();
  shutdown.add('inbound parser', () => parser.stop());
  return {
    orm,
    clickhouse,
    identities,
    billing,
    removeImage: openImageStores(config).remove,
    inbound: { bucket: openMailBucket(config), parser, slots: new FairSemaphore(inboundAtATime) },
    emails: createEmails(resources, turns, metrics, wakeJournal),
    executions,
    metrics,
    webhooks: createWebhookCaller(config, orm, turns, executions.signal),
    unknownSeconds: config.UNKNOWN_OUTCOME_SECONDS,
    headStart,
    bodyRetentionDays: config.EMAIL_BODY_RETENTION_DAYS,
    eventRetentionMonths: config.EVENT_RETENTION_MONTHS,
    autoDisable: config.AUTO_PROJECT_DISABLE,
    notifyOwners: createOwnerNotifier({
      from: accountEmailSettings(config).from,
      pageOf: sitePages(config).security,
      linkKey: deriveKey(config.APP_SECRET, 'account-link'),
    }),
    committed: () => {
      relay.wake();
      wakeJournal();
    },
    wakeRelay: relay.wakeIn,
    journaled: wakeJournal,
  };
}

function createEmails(
  { config, log, orm, provider }: ProcessResources,
  turns: RenderTurns,
  metrics: ProductMetrics,
  journaled: () => void,
): EmailDispatcher {
  const warn = warnTo(log);
  return createEmailDispatcher({
    orm,
    provider,
    render: createClaimedRenderer(config, 'one'),
    turns,
    rates: createSendRates(config, provider, warn),
    unknownSeconds: config.UNKNOWN_OUTCOME_SECONDS,
    count: metrics.countHandOver,
    warn,
    journaled,
  });
}

function createWebhookCaller(
  config: Config,
  orm: Orm,
  turns: RenderTurns,
  wake: (temporalId: string) => Promise<boolean>,
): WebhookCaller {
  const secrets = createWebhookSecrets(config.APP_SECRET);
  const apiUrl = publicApiUrl(config);
  const linkKey = deriveKey(config.APP_SECRET, 'public-link');
  return {
    send: createOutboundHttp({
      allowHosts: config.OUTBOUND_ALLOW_HOSTS,
      resolve: createHostResolver(config.OUTBOUND_ALLOW_HOSTS, config.DNS_SERVERS),
    }),
    secretsOf: async (projectId) => {
      const { current, previous } = await secrets.read(orm.em.fork(), projectId);
      return previous === null ? [current] : [current, previous.secret];
    },
    turns,
    limit: createCallLimit(wake),
    // Links in a webhook belong to no email.
    linksOf: (subject) => createContactLinks(apiUrl, linkKey, { ...subject, emailId: nilId }),
  };
}
