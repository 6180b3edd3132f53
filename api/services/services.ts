import { domainOfAddress } from '../../core/addresses/email-address.ts';
import { publicApiUrl, sitePages } from '../../core/config/urls.ts';
import { deriveKey } from '../../core/crypto/derive-key.ts';
import { createKeyVault } from '../../core/crypto/project-keys.ts';
import { createDomainFacts } from '../../providers/domains/domain-facts.ts';
import { createSnsVerifier } from '../../providers/sns/verifier.ts';
import { openImageStores } from '../../runtime/image-stores.ts';
import { openOAuthProviders } from '../../runtime/oauth-providers.ts';
import { createWebhookSecrets } from '../../runtime/webhook-secrets.ts';
import type { ProcessResources } from '../../temporal/client/open-temporal.ts';
import { createAccountsService } from './accounts.ts';
import { createActivityService } from './activity.ts';
import { createAnalyticsService } from './analytics.ts';
import { createAudiencePreviewService } from './audience-preview.ts';
import { createBillingService } from './billing.ts';
import { createBillingEventsService } from './billing-events.ts';
import { createBillingLimitsService } from './billing-limits.ts';
import { createCampaignRecipientsService } from './campaign-recipients.ts';
import { createCampaignSendingService } from './campaign-sending.ts';
import { createCampaignsService } from './campaigns.ts';
import { createContactExportService } from './contact-export.ts';
import { createContactFieldsService } from './contact-fields.ts';
import { createContactJobsService } from './contact-jobs.ts';
import { createContactListService } from './contact-list.ts';
import { createContactsService } from './contacts.ts';
import { createDomainsService } from './domains.ts';
import { createEmailDetailService } from './email-detail.ts';
import { createEmailLogService } from './email-log.ts';
import { createEmailPreviewService } from './email-preview.ts';
import { createEventsService } from './events.ts';
import { createExecutionRetriesService } from './execution-retries.ts';
import { createInboundService } from './inbound.ts';
import { createOAuthService } from './oauth.ts';
import { createProjectErasureService } from './project-erasure.ts';
import { createProjectMembersService } from './project-members.ts';
import { createProjectSecurityService } from './project-security.ts';
import { createProjectWebhookSecretService } from './project-webhook-secret.ts';
import { createProjectsService } from './projects.ts';
import { createProviderEventsService } from './provider-events.ts';
import { createPublicLinksService } from './public-links.ts';
import { createRequestLogService } from './request-log.ts';
import { createSegmentMembersService } from './segment-members.ts';
import { createSegmentsService } from './segments.ts';
import { createSendService } from './send.ts';
import { createSenderDomains } from './sender-domains.ts';
import {
  createServiceContext,
  type EdgeParts,
  type ServiceContext,
  type ServiceParts,
} from './service-context.ts';
import { createSnsNotificationsService } from './sns-notifications.ts';
import { createSuppressionsService } from './suppressions.ts';
import { createTemplateContents } from './template-contents.ts';
import { createTemplatesService } from './templates.ts';
import { createTemporalRuns } from './temporal-runs.ts';
import { createTrackService } from './track.ts';
import { createUploadsService } from './uploads.ts';
import { createVerifyService } from './verify.ts';
import { createWorkflowExecutionsService } from './workflow-executions.ts';
import { createWorkflowFieldsService } from './workflow-fields.ts';
import { createWorkflowGraphsService } from './workflow-graphs.ts';
import { createWorkflowStatisticsService } from './workflow-statistics.ts';
import { createWorkflowsService } from './workflows.ts';

export type Services = ReturnType<typeof createServices>;

export function createServices(resources: ProcessResources, edge: EdgeParts, parts: ServiceParts) {
  const context = createServiceContext(resources, edge, parts);
  return {
    ...accountServices(context),
    ...projectServices(context),
    ...contactServices(context),
    ...emailServices(context),
    ...campaignServices(context),
    ...workflowServices(context),
    ...readServices(context),
  };
}

function accountServices(context: ServiceContext) {
  const { sessions, accountLinks, linkMailer, linkRequests, config } = context;
  const pages = sitePages(config);
  return {
    accounts: createAccountsService(context),
    accountLinks,
    linkMailer,
    linkRequests,
    sessions,
    oauth: createOAuthService({
      ...context,
      providers: openOAuthProviders(config),
      key: deriveKey(config.APP_SECRET, 'oauth-attempt'),
      signedInUrl: pages.signedIn,
      signInUrl: pages.signIn,
    }),
  };
}

function projectServices(context: ServiceContext) {
  const { from, projectKeys, config, orm, billing } = context;
  const pages = sitePages(config);
  return {
    projects: createProjectsService({
      ...context,
      vault: createKeyVault(config.APP_SECRET),
      projectsPerUser: config.PROJECTS_PER_USER,
    }),
    projectErasure: createProjectErasureService(context),
    projectMembers: createProjectMembersService(context),
    projectSecurity: createProjectSecurityService(orm, config.AUTO_PROJECT_DISABLE),
    projectWebhookSecret: createProjectWebhookSecretService(orm, createWebhookSecrets(config.APP_SECRET)),
    billing: createBillingService({ orm, billing, returnUrl: pages.billing }),
    billingEvents: createBillingEventsService(orm, billing),
    billingLimits: createBillingLimitsService(orm, projectKeys),
    domains: createDomainsService({
      ...context,
      domainsPerProject: config.DOMAINS_PER_PROJECT,
      // Not with the local SES: it verifies every domain, and no other deployment sends through it.
      reserved: config.SNS_LOCAL_HOST === undefined && from !== null ? domainOfAddress(from.email) : null,
    }),
    uploads: createUploadsService({
      orm,
      stores: openImageStores(config),
      quota: { files: config.UPLOADS_PER_PROJECT, bytes: config.UPLOAD_BYTES_PER_PROJECT },
    }),
  };
}

function contactServices(context: ServiceContext) {
  const { recordedNames, heavyReads, writes, committed, journaled, config, orm, tracing } = context;
  return {
    contacts: createContactsService(orm, recordedNames, writes, journaled),
    contactExport: createContactExportService(orm, heavyReads),
    contactFields: createContactFieldsService(orm, heavyReads),
    contactList: createContactListService(orm, heavyReads),
    contactJobs: createContactJobsService(orm, heavyReads, committed),
    suppressions: createSuppressionsService(orm),
    segments: createSegmentsService(orm, heavyReads, writes),
    segmentMembers: createSegmentMembersService(orm, heavyReads, journaled),
    verify: createVerifyService(createDomainFacts(config.DNS_SERVERS)),
    events: createEventsService(orm, heavyReads, committed),
    track: createTrackService(recordedNames, journaled, tracing?.batches('track')),
  };
}

function emailServices(context: ServiceContext) {
  const { emailsQueued, heavyReads, templateTurns, shown, linkKey, limiters, config, orm, tracing } = context;
  const inbound = createInboundService({
    orm,
    isEnabled: shown.features.inbound,
    buckets: config.INBOUND_S3_BUCKETS,
    committed: context.relay.wake,
  });
  const providerEvents = createProviderEventsService(
    orm,
    context.journaled,
    tracing?.batches('provider events'),
    ({ emailId, kind }) => tracing?.emailEvent(emailId, kind),
  );
  return {
    send: createSendService({
      ...context,
      senderDomains: createSenderDomains(orm, context.databaseListener),
      templateContents: createTemplateContents(orm),
      templates: templateTurns,
      committed: emailsQueued,
      trace: tracing?.batches('send'),
      accepted: tracing && ((emailIds) => tracing.emailsAccepted(emailIds)),
    }),
    emailPreview: createEmailPreviewService(orm, publicApiUrl(config), templateTurns),
    emailDetail: createEmailDetailService({
      orm,
      templates: templateTurns,
      links: { apiUrl: publicApiUrl(config), linkKey },
      viewsByLink: context.viewsByLink,
    }),
    emailLog: createEmailLogService(orm, heavyReads),
    templates: createTemplatesService(orm, templateTurns, context.writes, context.committed),
    inbound,
    snsNotifications: createSnsNotificationsService({
      verifier: createSnsVerifier({ topicArns: config.SNS_TOPIC_ARNS, localHost: config.SNS_LOCAL_HOST }),
      providerEvents,
      inbound,
      metrics: context.metrics,
    }),
    publicLinks: createPublicLinksService({ ...context, key: linkKey, limiter: limiters.address }),
  };
}

function campaignServices(context: ServiceContext) {
  const { heavyReads, templateTurns, writes, committed, orm, clickhouse } = context;
  return {
    audiencePreview: createAudiencePreviewService(orm, heavyReads),
    campaignRecipients: createCampaignRecipientsService(orm, clickhouse, heavyReads),
    campaigns: createCampaignsService(orm, templateTurns, { writes, heavyReads }),
    campaignSending: createCampaignSendingService(orm, { writes, heavyReads }, committed),
  };
}

function workflowServices(context: ServiceContext) {
  const { heavyReads, templateTurns, writes, committed, orm } = context;
  return {
    workflows: createWorkflowsService(orm, templateTurns),
    workflowStatistics: createWorkflowStatisticsService(orm, heavyReads),
    workflowFields: createWorkflowFieldsService(orm, heavyReads),
    workflowGraphs: createWorkflowGraphsService(orm, templateTurns, writes),
    workflowExecutions: createWorkflowExecutionsService(orm, writes, committed),
    executionRetries: createExecutionRetriesService(orm, writes, committed),
  };
}

function readServices(context: ServiceContext) {
  const { shown, orm, clickhouse, temporal } = context;
  const { temporalUi } = shown.urls;
  return {
    activity: createActivityService(clickhouse, orm),
    analytics: createAnalyticsService(clickhouse, orm),
    requestLog: createRequestLogService(clickhouse),
    publicConfig: shown,
    temporalRuns: createTemporalRuns(
      temporalUi === null ? null : { url: temporalUi, namespace: temporal.options.namespace },
    ),
  };
}
