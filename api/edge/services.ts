import type { SnsVerifier } from '../../providers/sns/verifier.ts';
import type { AccountsService } from '../services/accounts.ts';
import type { ActivityService } from '../services/activity.ts';
import type { CampaignSendingService } from '../services/campaign-sending.ts';
import type { CampaignsService } from '../services/campaigns.ts';
import type { ContactFieldsService } from '../services/contact-fields.ts';
import type { ContactJobsService } from '../services/contact-jobs.ts';
import type { ContactListService } from '../services/contact-list.ts';
import type { ContactsService } from '../services/contacts.ts';
import type { DomainsService } from '../services/domains.ts';
import type { EventsService } from '../services/events.ts';
import type { ProjectSecurityService } from '../services/project-security.ts';
import type { ProjectsService } from '../services/projects.ts';
import type { NotificationOutcome, ProviderEventsService } from '../services/provider-events.ts';
import type { PublicLinksService } from '../services/public-links.ts';
import type { SegmentMembersService } from '../services/segment-members.ts';
import type { SegmentsService } from '../services/segments.ts';
import type { SendService } from '../services/send.ts';
import type { SuppressionsService } from '../services/suppressions.ts';
import type { TemplatesService } from '../services/templates.ts';
import type { TrackService } from '../services/track.ts';
import type { VerifyService } from '../services/verify.ts';
import type { WorkflowExecutionsService } from '../services/workflow-executions.ts';
import type { WorkflowFieldsService } from '../services/workflow-fields.ts';
import type { WorkflowGraphsService } from '../services/workflow-graphs.ts';
import type { WorkflowsService } from '../services/workflows.ts';

/** The use cases that handlers may call; one property per file in `api/services/`. */
export interface Services {
  accounts: AccountsService;
  projects: ProjectsService;
  projectSecurity: ProjectSecurityService;
  activity: ActivityService;
  campaigns: CampaignsService;
  campaignSending: CampaignSendingService;
  contacts: ContactsService;
  contactFields: ContactFieldsService;
  contactList: ContactListService;
  contactJobs: ContactJobsService;
  domains: DomainsService;
  events: EventsService;
  segments: SegmentsService;
  segmentMembers: SegmentMembersService;
  send: SendService;
  templates: TemplatesService;
  track: TrackService;
  verify: VerifyService;
  workflows: WorkflowsService;
  workflowFields: WorkflowFieldsService;
  workflowGraphs: WorkflowGraphsService;
  workflowExecutions: WorkflowExecutionsService;
  sns: SnsVerifier;
  providerEvents: ProviderEventsService;
  publicLinks: PublicLinksService;
  suppressions: SuppressionsService;
  /** Counts what came in at `/webhooks/sns`, for the metrics. */
  notifications: { count(outcome: NotificationOutcome | 'refused'): void };
}
