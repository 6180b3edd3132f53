import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';

export type SuppressionReason = 'bounce' | 'complaint';

/**
 * A person of a project's audience. No foreign keys on the tables that sending writes to: each would lock the
 * same project row for every email. Deleting a project removes these rows explicitly.
 */
export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  uniques: [{ name: 'contacts_project_email', properties: ['projectId', 'email'] }],
  indexes: [
    { name: 'contacts_project_created', properties: ['projectId', 'createdAt', 'id'] },
    { name: 'contacts_project_subscribed', properties: ['projectId', 'subscribed', 'createdAt', 'id'] },
    {
      name: 'contacts_snoozed',
      expression:
        'create index contacts_snoozed on contacts (project_id, created_at, id) where snoozed_until is not null',
    },
    {
      name: 'contacts_snooze_end',
      expression:
        'create index contacts_snooze_end on contacts (snoozed_until) where snoozed_until is not null',
    },
    {
      name: 'contacts_suppressed',
      expression:
        'create index contacts_suppressed on contacts (project_id, suppression_reason, suppressed_at, id) where suppression_reason is not null',
    },
  ],
  checks: [{ name: 'contacts_data_size', expression: 'json_text_bytes(data) <= 65536' }],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    /** Trimmed and in lower case. */
    email: p.text(),
    subscribed: p.boolean().default(true),
    /** Set only while snoozed; every write to `subscribed` clears it. */
    snoozedUntil: instant().nullable(),
    data: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    /** Why no marketing goes out to this contact, set by a hard bounce or a complaint. */
    suppressionReason: p
      .text()
      .$type<SuppressionReason>()
      .nullable()
      .check(`suppression_reason in ('bounce', 'complaint')`),
    suppressedAt: instant().nullable(),
    suppressedEmailId: p.uuid().nullable(),
    /** Hops of what follows from the last change by a workflow, and its time; null after a change by its id otherwise. */
    movedHops: p.smallint().nullable(),
    movedAt: instant().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export type ContactRow = InferEntity<typeof Contact>;

export type FieldType = 'string' | 'number' | 'boolean' | 'date';

/**
 * The type of a custom field, inferred from its first value in the project and fixed from then on. A project may have
 * 10,000 (the trigger `contact_fields_limit`).
 */
export const ContactField = defineEntity({
  name: 'ContactField',
  tableName: 'contact_fields',
  properties: {
    projectId: p.uuid().primary(),
    key: p.text().primary(),
    type: p.text().$type<FieldType>().check(`type in ('string', 'number', 'boolean', 'date')`),
    createdAt: createdAt(),
  },
});

/**
 * Figures of a project's audience as of the last fold: `contacts`, `subscribed`, `snoozed`, and `data.<key>` for
 * the number of contacts with that key. The exact figure is this plus the changes that are not folded yet.
 */
export const ContactFigure = defineEntity({
  name: 'ContactFigure',
  tableName: 'contact_figures',
  properties: {
    projectId: p.uuid().primary(),
    figure: p.text().primary(),
    value: p.integer(),
  },
});

/**
 * Changes of the figures, appended by triggers on `contacts` in the transaction of the change, whoever makes it:
 * rows that are only added make no two writers wait for each other. A sweep folds them into the figures.
 */
export const ContactFigureChange = defineEntity({
  name: 'ContactFigureChange',
  tableName: 'contact_figure_changes',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    figure: p.text(),
    change: p.integer(),
  },
});

/**
 * A contact that was deleted. The row stays until what happened to it is gone everywhere, and with it what was
 * written by transactions that did not see the deletion.
 */
export const ContactErasure = defineEntity({
  name: 'ContactErasure',
  tableName: 'contact_erasures',
  properties: {
    contactId: p.uuid().primary(),
    projectId: p.uuid(),
    erasedAt: instant().defaultRaw('clock_timestamp()'),
  },
});
