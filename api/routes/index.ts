import type { HttpMethod, Route } from '../edge/route.ts';
import * as accountLinks from './account-links.ts';
import * as accountPages from './account-pages.ts';
import * as activity from './activity.ts';
import * as analytics from './analytics.ts';
import * as auth from './auth.ts';
import * as billing from './billing.ts';
import * as campaignAudience from './campaign-audience.ts';
import * as campaignRecipients from './campaign-recipients.ts';
import * as campaigns from './campaigns.ts';
import * as config from './config.ts';
import * as contactFields from './contact-fields.ts';
import * as contactJobs from './contact-jobs.ts';
import * as contacts from './contacts.ts';
import * as domains from './domains.ts';
import * as emailPreview from './email-preview.ts';
import * as emails from './emails.ts';
import * as events from './events.ts';
import * as inbound from './inbound.ts';
import * as oauth from './oauth.ts';
import * as projectErasure from './project-erasure.ts';
import * as projectMembers from './project-members.ts';
import * as projectOverview from './project-overview.ts';
import * as projectWebhookSecret from './project-webhook-secret.ts';
import * as projects from './projects.ts';
import * as publicPages from './public-pages.ts';
import * as requests from './requests.ts';
import * as segmentMembers from './segment-members.ts';
import * as segments from './segments.ts';
import * as send from './send.ts';
import * as sessions from './sessions.ts';
import * as suppressions from './suppressions.ts';
import * as templates from './templates.ts';
import * as track from './track.ts';
import * as uploads from './uploads.ts';
import * as users from './users.ts';
import * as verify from './verify.ts';
import * as webhooks from './webhooks.ts';
import * as workflowExecutions from './workflow-executions.ts';
import * as workflowGraphs from './workflow-graphs.ts';
import * as workflowOverview from './workflow-overview.ts';
import * as workflows from './workflows.ts';

/** The sections of the reference, in its order, and the files whose exports are their routes. */
const sections: Record<string, Record<string, Route>[]> = {
  'Public API': [send, track, verify],
  Emails: [emails],
  Contacts: [contacts, contactFields, contactJobs],
  Templates: [templates, emailPreview],
  Campaigns: [campaigns, campaignAudience, campaignRecipients],
  Segments: [segments, segmentMembers],
  Workflows: [workflows, workflowOverview, workflowGraphs, workflowExecutions],
  Events: [events, inbound],
  Activity: [activity],
  Analytics: [analytics],
  Requests: [requests],
  Domains: [domains],
  Uploads: [uploads],
  Configuration: [config],
  Authentication: [auth, sessions, oauth, accountLinks],
  Users: [users],
  Projects: [projects, projectErasure, projectOverview, projectWebhookSecret, projectMembers],
  Billing: [billing],
  Suppressions: [suppressions],
  'Account pages': [accountPages],
  'Public pages': [publicPages],
  Webhooks: [webhooks],
};

const methods: HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const placeOf = ({ path, method }: Route) => `${path} ${methods.indexOf(method)}`;

const tagged = Object.entries(sections).flatMap(([section, files]) =>
  files
    .flatMap((file) => Object.values(file))
    .map((route) => ({ ...route, tags: route.tags.length > 0 ? route.tags : [section] })),
);

export const routes: readonly Route[] = Object.keys(sections).flatMap((section) =>
  tagged
    .filter(({ tags }) => tags.includes(section))
    .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)),
);
