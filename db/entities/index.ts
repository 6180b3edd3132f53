import { AccountToken } from './account-token.ts';
import { BillingCustomer, BillingLimit, BillingUsage, StripeEvent } from './billing.ts';
import {
  HandledNotification,
  IdempotencyKey,
  ProviderNotification,
  RateLimitWindow,
  Throttle,
} from './bookkeeping.ts';
import { Campaign, CampaignBatch, CampaignFigureChange, CampaignFigures } from './campaign.ts';
import { Contact, ContactErasure, ContactField, ContactFigure, ContactFigureChange } from './contact.ts';
import { Domain, DomainRemoval } from './domain.ts';
import { Email, EmailAttachment, EmailContent, TemplateContent, WaitingEmail } from './email.ts';
import { ContactEventStat, Event, EventDeletion, EventName, StreamPosition } from './event.ts';
import { InboundEmail } from './inbound-email.ts';
import { Invitation, InvitationHour } from './invitation.ts';
import { Job, JobChunk } from './job.ts';
import { Membership } from './membership.ts';
import { OAuthIdentity } from './oauth-identity.ts';
import { OutboxCommand } from './outbox-command.ts';
import { Project } from './project.ts';
import {
  ProjectEmailChange,
  ProjectEmailDay,
  ProjectErasure,
  ProjectSuspension,
} from './project-security.ts';
import { Segment, SegmentChange, SegmentInput, SegmentMember, SegmentRound } from './segment.ts';
import { SignInAttempts, SignInSource } from './sign-in.ts';
import { Template } from './template.ts';
import { Upload, UploadTotal } from './upload.ts';
import { User } from './user.ts';
import { UserSession } from './user-session.ts';
import {
  Workflow,
  WorkflowStep,
  WorkflowTransition,
  WorkflowVersion,
  WorkflowVersionTemplate,
} from './workflow.ts';
import { EventListener, WorkflowExecution, WorkflowStepRun } from './workflow-execution.ts';

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
  UserSession,
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
  SegmentInput,
  SegmentChange,
  SegmentRound,
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
  TemplateContent,
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
  HandledNotification,
  ProviderNotification,
  Upload,
  UploadTotal,
];

/** Entities that users of a project address by id; see `projectEm`. */
export const projectRecords = [
  Campaign,
  Contact,
  Domain,
  Invitation,
  Job,
  Segment,
  Template,
  Upload,
  Workflow,
];
