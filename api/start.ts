import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ClickHouse } from '../analytics/clickhouse.ts';
import { domainOfAddress } from '../core/addresses/email-address.ts';
import { accountMailSettings } from '../core/config/account-mail.ts';
import { publicApiUrl } from '../core/config/public-api-url.ts';
import { sitePages } from '../core/config/site-pages.ts';
import { deriveKey } from '../core/crypto/derive-key.ts';
import { createKeyVault } from '../core/crypto/project-keys.ts';
import { createTemplateCache } from '../core/rendering/template-cache.ts';
import { createDomainFacts } from '../providers/domains/domain-facts.ts';
import { createSnsVerifier } from '../providers/sns/verifier.ts';
import { openImageStores } from '../runtime/image-stores.ts';
import { openOAuthProviders } from '../runtime/oauth-providers.ts';
import type { ProductMetrics } from '../runtime/product-metrics.ts';
import type { Resources } from '../runtime/resources.ts';
import type { Shutdown } from '../runtime/shutdown.ts';
import { createWebhookSecrets } from '../runtime/webhook-secrets.ts';
import { createApp } from './app.ts';
import { createApiServer } from './edge/api-server.ts';
import { createEdge, type Edge } from './edge/create-edge.ts';
import type { ApiMetrics } from './edge/metrics.ts';
import type { Services } from './edge/services.ts';
import { routes } from './routes/index.ts';
import { createAccountLinksService } from './services/account-links.ts';
import { createAccountMail } from './services/account-mail.ts';
import { createAccountsService } from './services/accounts.ts';
import { createActivityService } from './services/activity.ts';
import { createAnalyticsService } from './services/analytics.ts';
import { createBillingService } from './services/billing.ts';
import { createBillingEventsService } from './services/billing-events.ts';
import { createBillingLimitsService } from './services/billing-limits.ts';
import { createCampaignSendingService } from './services/campaign-sending.ts';
import { createCampaignsService } from './services/campaigns.ts';
import { createContactFieldsService } from './services/contact-fields.ts';
import { createContactJobsService } from './services/contact-jobs.ts';
import { createContactListService } from './services/contact-list.ts';
import { createContactsService } from './services/contacts.ts';
import { createDomainsService } from './services/domains.ts';
import { createEventsService } from './services/events.ts';
import { createHeavyReads } from './services/heavy-reads.ts';
import { createInboundService } from './services/inbound.ts';
import { createOAuthService } from './services/oauth.ts';
import { createPasswords } from './services/passwords.ts';
import { createProjectErasureService } from './services/project-erasure.ts';
import { createProjectMembersService } from './services/project-members.ts';
import { createProjectNames } from './services/project-names.ts';
import { createProjectSecurityService } from './services/project-security.ts';
import { createProjectWebhookSecretService } from './services/project-webhook-secret.ts';
import { createProjectsService } from './services/projects.ts';
import { createProviderEventsService } from './services/provider-events.ts';
import { publicConfig } from './services/public-config.ts';
import { createPublicLinksService } from './services/public-links.ts';
import { createSegmentMembersService } from './services/segment-members.ts';
import { createSegmentsService } from './services/segments.ts';
import { createSendService } from './services/send.ts';
import { createSenderDomains } from './services/sender-domains.ts';
import { createSignInGuard } from './services/sign-in-guard.ts';
import { createSuppressionsService } from './services/suppressions.ts';
import { createTemplateContents } from './services/template-contents.ts';
import { createTemplatesService } from './services/templates.ts';
import { createTrackService } from './services/track.ts';
import { createUploadsService } from './services/uploads.ts';
import { createVerifyService } from './services/verify.ts';
import { createWorkflowExecutionsService } from './services/workflow-executions.ts';
import { createWorkflowFieldsService } from './services/workflow-fields.ts';
import { createWorkflowGraphsService } from './services/workflow-graphs.ts';
import { createWorkflowsService } from './services/workflows.ts';

const temporalCheckMs = 2_000;

/** Version of the product, as `package.json` names it. */
export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;

export interface ApiParts {
  apiMetrics: ApiMetrics;
  metrics: ProductMetrics;
  /** Called after commits that left rows in the journal. */
  wakeJournal: () => void;
  clickhouse: ClickHouse;
}

export interface RunningApi {
  url: string;
  services: Services;
}

/** The use cases over the parts of one process. */
export function createServices(resources: Resources, edge: Edge, parts: ApiParts): Services {
  const { config, log, orm, relay, identities, billing, tracing } = resources;
  const committed = () => {
    relay.wake();
    parts.wakeJournal();
  };
  // These leave nothing for Temporal, and a relay that looks in vain takes a tenth of the CPU of a busy process.
  const journaled = parts.wakeJournal;
  const projectNames = createProjectNames(orm, edge.projectChanges);
  const heavyReads = createHeavyReads(config.HEAVY_READS_PER_PROJECT);
  const compiledTemplates = createTemplateCache();
  const passwords = createPasswords();
  const guard = createSignInGuard({
    orm,
    key: deriveKey(config.APP_SECRET, 'sign-in-source'),
    limit: config.LOGIN_ATTEMPTS_PER_ACCOUNT,
    isHttps: publicApiUrl(config).startsWith('https:'),
  });
  const { from, siteUrl } = accountMailSettings(config);
  const pages = sitePages(config);
  const shown = publicConfig(config, version);
  const accountMail = createAccountMail({
    from,
    siteUrl,
    tokenKey: deriveKey(config.APP_SECRET, 'one-time-token'),
    linkKey: deriveKey(config.APP_SECRET, 'account-link'),
  });
  const accountLinks = createAccountLinksService({
    orm,
    mail: accountMail,
    passwords,
    sessions: edge.sessions,
    guard,
    committed,
    warn: (message, err) => log.warn({ err }, message),
  });
  return {
    accounts: createAccountsService({
      orm,
      sessions: edge.sessions,
      passwords,
      mail: accountMail,
      links: accountLinks,
      guard,
      signupEnabled: config.SIGNUP_ENABLED,
    }),
    accountLinks,
    projects: createProjectsService({
      orm,
      vault: createKeyVault(config.APP_SECRET),
      projectKeys: edge.projectKeys,
      projectsPerUser: config.PROJECTS_PER_USER,
    }),
    oauth: createOAuthService({
      orm,
      sessions: edge.sessions,
      guard,
      providers: openOAuthProviders(config),
      signupEnabled: config.SIGNUP_ENABLED,
      key: deriveKey(config.APP_SECRET, 'oauth-attempt'),
      isHttps: publicApiUrl(config).startsWith('https:'),
      signedInUrl: pages.signedIn,
    }),
    projectErasure: createProjectErasureService({ orm, projectKeys: edge.projectKeys, committed }),
    projectMembers: createProjectMembersService({ orm, mail: accountMail, committed }),
    projectSecurity: createProjectSecurityService(orm, config.AUTO_PROJECT_DISABLE),
    projectWebhookSecret: createProjectWebhookSecretService(orm, createWebhookSecrets(config.APP_SECRET)),
    activity: createActivityService(parts.clickhouse, orm),
    analytics: createAnalyticsService(parts.clickhouse, orm),
    billing: createBillingService({ orm, billing, returnUrl: pages.billing }),
    billingEvents: createBillingEventsService(orm, billing),
    billingLimits: createBillingLimitsService(orm, edge.projectKeys),
    campaigns: createCampaignsService(orm, compiledTemplates, heavyReads),
    campaignSending: createCampaignSendingService(orm, committed),
    contacts: createContactsService(orm, projectNames, journaled),
    contactFields: createContactFieldsService(orm, heavyReads),
    contactList: createContactListService(orm, heavyReads),
    contactJobs: createContactJobsService(orm, committed),
    domains: createDomainsService({
      orm,
      identities,
      domainsPerProject: config.DOMAINS_PER_PROJECT,
      // The local SES verifies every domain, and nobody else's emails leave through it.
      reserved: config.SNS_LOCAL_HOST === undefined && from !== null ? domainOfAddress(from.email) : null,
      committed,
      warn: (message, err) => log.warn({ err }, message),
    }),
    events: createEventsService(orm, committed),
    inbound: createInboundService({
      orm,
      isEnabled: shown.features.inbound,
      buckets: config.INBOUND_S3_BUCKETS,
      committed: relay.wake,
    }),
    segments: createSegmentsService(orm, heavyReads),
    segmentMembers: createSegmentMembersService(orm, heavyReads, journaled),
    send: createSendService({
      orm,
      projectNames,
      senderDomains: createSenderDomains(orm, edge.projectChanges),
      templateContents: createTemplateContents(orm),
      templates: compiledTemplates,
      committed,
      trace: tracing?.batches('send'),
    }),
    templates: createTemplatesService(orm, compiledTemplates),
    track: createTrackService(projectNames, journaled, tracing?.batches('track')),
    publicConfig: shown,
    uploads: createUploadsService({
      orm,
      stores: openImageStores(config),
      quota: { files: config.UPLOADS_PER_PROJECT, bytes: config.UPLOAD_BYTES_PER_PROJECT },
    }),
    verify: createVerifyService(createDomainFacts(config.DNS_SERVERS)),
    workflows: createWorkflowsService(orm),
    workflowFields: createWorkflowFieldsService(orm),
    workflowGraphs: createWorkflowGraphsService(orm),
    workflowExecutions: createWorkflowExecutionsService(orm, committed),
    sns: createSnsVerifier({ topicArns: config.SNS_TOPIC_ARNS, localHost: config.SNS_LOCAL_HOST }),
    providerEvents: createProviderEventsService(orm, journaled, tracing?.batches('provider events')),
    suppressions: createSuppressionsService(orm),
    publicLinks: createPublicLinksService({
      orm,
      key: deriveKey(config.APP_SECRET, 'public-link'),
      limiter: edge.addressLimiter,
      committed,
    }),
    notifications: { count: (outcome) => parts.metrics.countNotification(outcome) },
  };
}

/**
 * Starts the API of this process: it listens when this answers. The shutdown stops taking connections first and
 * lets running requests finish.
 */
export async function startApi(
  resources: Resources,
  parts: ApiParts,
  shutdown: Shutdown,
): Promise<RunningApi> {
  const { config, log, orm } = resources;
  const edge = createEdge({ config, em: orm.em.fork(), logger: log });
  edge.projectChanges.onCommands(() => resources.relay.wake());
  edge.start();
  shutdown.add('edge', () => edge.close());
  const services = createServices(resources, edge, parts);
  const app = createApp({
    config,
    version,
    routes,
    services,
    edge,
    metrics: parts.apiMetrics,
    logger: log,
    tracing: resources.tracing,
    readiness: {
      postgres: () => orm.em.fork().execute('select 1'),
      // A call, because a connection that once stood counts as connected for ever.
      temporal: () =>
        resources.temporal.withDeadline(Date.now() + temporalCheckMs, () =>
          resources.temporal.workflowService.getSystemInfo({}),
        ),
      clickhouse: async () => {
        if (!(await parts.clickhouse.ping())) throw new Error('ClickHouse does not answer');
      },
    },
  });
  const server = createApiServer(app.callback());
  server.listen(config.PORT, config.HOST);
  await once(server, 'listening');
  shutdown.add('API', async () => {
    server.close();
    // A kept connection that is busy now is idle in a moment, and nobody else would close it then.
    const idle = setInterval(() => server.closeIdleConnections(), 100);
    server.closeIdleConnections();
    const force = setTimeout(() => server.closeAllConnections(), config.SHUTDOWN_GRACE_SECONDS * 1000);
    await once(server, 'close');
    clearTimeout(force);
    clearInterval(idle);
  });
  log.info({ url: publicApiUrl(config) }, 'the API listens');
  return { url: publicApiUrl(config), services };
}
