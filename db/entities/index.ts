import {
  AccountToken,
  Invitation,
  InvitationHour,
  OAuthIdentity,
  SignInAttempts,
  SignInSource,
} from './account.ts';
import { BillingCustomer, BillingLimit, BillingUsage, StripeEvent } from './billing.ts';
import { IdempotencyKey, ProviderNotification, RateLimitWindow, Throttle } from './bookkeeping.ts';
import { Campaign, CampaignBatch, CampaignFigureChange, CampaignFigures } from './campaign.ts';
import { Contact, ContactErasure, ContactField, ContactFigure, ContactFigureChange } from './contact.ts';
import { Domain, DomainRemoval } from './domain.ts';
import { Email, EmailAttachment, EmailContent, WaitingEmail } from './email.ts';
import { ContactEventStat, Event, EventDeletion, EventName, StreamPosition } from './event.ts';
import { InboundEmail } from './inbound-email.ts';
import { Job, JobChunk } from './job.ts';
import { Membership } from './membership.ts';
import { OutboxCommand } from './outbox-command.ts';
import { Project } from './project.ts';
import {
  ProjectEmailChange,
  ProjectEmailDay,
  ProjectErasure,
  ProjectSuspension,
} from './project-security.ts';
import { Segment, SegmentMember } from './segment.ts';
import { Template } from './template.ts';
import { Upload, UploadTotal } from './upload.ts';
import { User } from './user.ts';
import {
  EventListener,
  Workflow,
  WorkflowExecution,
  WorkflowStep,
  WorkflowStepRun,
  WorkflowTransition,
  WorkflowVersion,
  WorkflowVersionTemplate,
} from './workflow.ts';

/** Every entity, for the object-relational mapper and for the check that migrations and entities agree. */
export const entities = [
  User,
  Project,
  Membership,
  AccountToken,
  OAuthIdentity,
  Invitation,
  InvitationHour,
  SignInAttempts,
  SignInSource,
  ProjectEmailDay,
  ProjectEmailChange,
  ProjectSuspension,
  ProjectErasure,
  BillingLimit,
  BillingUsage,
  BillingCustomer,
  StripeEvent,
  Domain,
  DomainRemoval,
  Contact,
  ContactField,
  ContactFigure,
  ContactFigureChange,
  ContactErasure,
  Segment,
  SegmentMember,
  Template,
  Campaign,
  CampaignBatch,
  CampaignFigures,
  CampaignFigureChange,
  Workflow,
  WorkflowStep,
  WorkflowTransition,
  WorkflowVersion,
  WorkflowVersionTemplate,
  WorkflowExecution,
  WorkflowStepRun,
  EventListener,
  EmailContent,
  EmailAttachment,
  Email,
  WaitingEmail,
  InboundEmail,
  Event,
  ContactEventStat,
  EventDeletion,
  EventName,
  StreamPosition,
  OutboxCommand,
  Job,
  JobChunk,
  IdempotencyKey,
  RateLimitWindow,
  Throttle,
  ProviderNotification,
  Upload,
  UploadTotal,
];
