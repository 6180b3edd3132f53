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
  | 'inbound.receive'
  | 'execution.start'
  | 'execution.wake'
  | 'execution.cancel';

export const noProject = '00000000-0000-0000-0000-000000000000';

/**
 * A command to Temporal, committed together with the state that asks for it. A relay in every process sends it
 * and then deletes it, so it is delivered at least once; every command is idempotent by its ids.
 */
export const OutboxCommand = defineEntity({
  name: 'OutboxCommand',
  tableName: 'outbox',
  indexes: [
    {
      name: 'outbox_emails',
      expression:
        "create index outbox_emails on outbox (project_id, next_attempt_at, id) where dead_at is null and kind = 'email.dispatch'",
    },
    {
      name: 'outbox_work',
      expression:
        "create index outbox_work on outbox (project_id, next_attempt_at, id) where dead_at is null and kind <> 'email.dispatch'",
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
    /** Projects take turns. The zero UUID: of no project, or of a row that was added by hand. */
    projectId: p.uuid().defaultRaw(`'${noProject}'`),
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
