import { AccountToken } from './account-token.ts';
import { BillingCustomer, BillingLimit, StripeEvent } from './billing.ts';
import { Campaign, CampaignBatch } from './campaign.ts';
import { Contact, ContactField } from './contact.ts';
import { Domain, DomainRemoval } from './domain.ts';
import { Email, EmailContent } from './email.ts';
import { Event, EventDeletion } from './event.ts';
import { InboundEmail } from './inbound-email.ts';
import { Job, JobChunk, JobRejection } from './job.ts';
import { LinkRequest } from './link-request.ts';
import { OutboxCommand } from './outbox-command.ts';
import { Invitation, Membership, Project } from './project.ts';
import { ProjectErasure, ProjectSuspension } from './project-security.ts';
import { Segment } from './segment.ts';
import { SignInSource } from './sign-in.ts';
import { Template } from './template.ts';
import { Upload, UploadTotal } from './upload.ts';
import { OAuthIdentity, User, UserSession } from './user.ts';
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
  LinkRequest,
  OAuthIdentity,
  Invitation,
  SignInSource,
  UserSession,
  ProjectSuspension,
  ProjectErasure,
  BillingLimit,
  BillingCustomer,
  StripeEvent,
  Domain,
  DomainRemoval,
  Contact,
  ContactField,
  Segment,
  Template,
  Campaign,
  CampaignBatch,
  Workflow,
  WorkflowStep,
  WorkflowTransition,
  WorkflowVersion,
  WorkflowVersionTemplate,
  WorkflowExecution,
  WorkflowStepRun,
  EventListener,
  EmailContent,
  Email,
  InboundEmail,
  Event,
  EventDeletion,
  OutboxCommand,
  Job,
  JobChunk,
  JobRejection,
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
