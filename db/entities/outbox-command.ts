import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { nilId } from '../../core/nil-id.ts';
import { createdAt, instant, primaryId } from './columns.ts';

export const outboxKinds = [
  'email.dispatch',
  'domain.verify',
  'campaign.changed',
  'contact.snooze',
  'contacts.import',
  'contacts.bulk',
  'events.delete',
  'project.erase',
  'billing.end',
  'inbound.receive',
  'execution.start',
  'execution.wake',
  'execution.cancel',
] as const;
export type OutboxKind = (typeof outboxKinds)[number];

export const noProject = nilId;

/**
 * A command to Temporal, committed together with the state change that needs it. The relay in every process sends it,
 * then deletes it: delivery is at least once, and each command is idempotent by its id.
 */
export const OutboxCommand = defineEntity({
  name: 'OutboxCommand',
  tableName: 'outbox',
  indexes: [
    {
      name: 'outbox_emails',
      properties: ['projectId', 'nextAttemptAt', 'id'],
      where: "dead_at is null and kind = 'email.dispatch'",
    },
    {
      name: 'outbox_work',
      properties: ['projectId', 'nextAttemptAt', 'id'],
      where: "dead_at is null and kind <> 'email.dispatch'",
    },
    { name: 'outbox_dead', properties: ['deadAt'], where: 'dead_at is not null' },
  ],
  properties: {
    id: primaryId(),
    kind: p.text().$type<OutboxKind>(),
    subjectId: p.uuid(),
    /** Projects take turns. The zero UUID means no project; rows added by hand get it too. */
    projectId: p.uuid().defaultRaw(`'${noProject}'`),
    /** Set for an execution whose contact is being erased: its own row no longer has the contact's id. */
    contactId: p.uuid().nullable(),
    attempts: p.smallint().default(0),
    nextAttemptAt: instant().defaultRaw('now()'),
    lastError: p.text().nullable(),
    /** Set after the last attempt. The row stays for the operator and is counted by `outbox_dead`. */
    deadAt: instant().nullable(),
    createdAt: createdAt(),
  },
});

export type OutboxCommand = InferEntity<typeof OutboxCommand>;
