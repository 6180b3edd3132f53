import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId } from './columns.ts';

export type OutboxKind =
  | 'email.dispatch'
  | 'domain.verify'
  | 'campaign.changed'
  | 'contact.snooze'
  | 'contacts.import'
  | 'contacts.bulk'
  | 'events.delete'
  | 'project.erase'
  | 'billing.end'
  | 'execution.start'
  | 'execution.wake'
  | 'execution.cancel';

/**
 * A command to Temporal, committed together with the state that asks for it. A relay in every process sends it
 * and then deletes it, so it is delivered at least once; every command is idempotent by its ids.
 */
export const OutboxCommand = defineEntity({
  name: 'OutboxCommand',
  tableName: 'outbox',
  indexes: [
    {
      name: 'outbox_due',
      expression: 'create index outbox_due on outbox (next_attempt_at, id) where dead_at is null',
    },
    {
      name: 'outbox_dead',
      expression: 'create index outbox_dead on outbox (dead_at) where dead_at is not null',
    },
  ],
  properties: {
    id: primaryId(),
    kind: p.text().$type<OutboxKind>(),
    /** What the command is about: an email, a domain. */
    subjectId: p.uuid(),
    /** Of an execution whose contact is being erased: its row does not tell any more. */
    contactId: p.uuid().nullable(),
    attempts: p.smallint().default(0),
    nextAttemptAt: instant().defaultRaw('now()'),
    lastError: p.text().nullable(),
    /** Given up on; stays for the operator, and `outbox_dead` counts it. */
    deadAt: instant().nullable(),
    createdAt: createdAt(),
  },
});
