import { IdempotencyKey, ProviderNotification, RateLimitWindow, Throttle } from './bookkeeping.ts';
import { Contact, ContactField } from './contact.ts';
import { Domain } from './domain.ts';
import { Email, EmailAttachment, EmailContent } from './email.ts';
import { ContactEventStat, Event, StreamPosition } from './event.ts';
import { Membership } from './membership.ts';
import { OutboxCommand } from './outbox-command.ts';
import { Project } from './project.ts';
import { User } from './user.ts';

/** Every entity, for the object-relational mapper and for the check that migrations and entities agree. */
export const entities = [
  User,
  Project,
  Membership,
  Domain,
  Contact,
  ContactField,
  EmailContent,
  EmailAttachment,
  Email,
  Event,
  ContactEventStat,
  StreamPosition,
  OutboxCommand,
  IdempotencyKey,
  RateLimitWindow,
  Throttle,
  ProviderNotification,
];
