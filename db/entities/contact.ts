import { defineEntity, p, raw } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import { fieldTypes } from '../../core/contact-data/infer-field-type.ts';
import { mostRecordedNames } from '../../core/project-limits.ts';
import { suppressionReasons } from '../../core/suppression-reasons.ts';
import { laterThanSql } from '../fragments/later-than-sql.ts';
import { addressIndex } from './address-index.ts';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';

const ContactSchema = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  repository: () => ContactRepository,
  uniques: [{ name: 'contacts_project_email', properties: ['projectId', 'email'] }],
  indexes: [
    { name: 'contacts_project_created', properties: ['projectId', 'createdAt', 'id'] },
    { name: 'contacts_project_subscribed', properties: ['projectId', 'subscribed', 'createdAt', 'id'] },
    { name: addressIndex.name, expression: `create index ${addressIndex.name} ${addressIndex.text}` },
    {
      name: 'contacts_snoozed',
      properties: ['projectId', 'createdAt', 'id'],
      where: 'snoozed_until is not null',
    },
    { name: 'contacts_snooze_end', properties: ['snoozedUntil'], where: 'snoozed_until is not null' },
    {
      name: 'contacts_suppressed',
      properties: ['projectId', 'suppressionReason', 'suppressedAt', 'id'],
      where: 'suppression_reason is not null',
    },
    {
      name: 'contacts_suppressed_email',
      expression:
        'create index contacts_suppressed_email on contacts (project_id, suppression_reason, email collate "C") where suppression_reason is not null',
    },
  ],
  checks: [{ name: 'contacts_data_size', expression: 'json_text_bytes(data) <= 65536' }],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    email: p.text(),
    subscribed: p.boolean().default(true),
    /** Non-null only while snoozed; every write to `subscribed` clears it. */
    snoozedUntil: instant().nullable(),
    data: p.json().$type<Record<string, unknown>>().defaultRaw(`'{}'`),
    suppressionReason: p.enum(suppressionReasons).nullable(),
    suppressedAt: instant().nullable(),
    suppressedEmailId: p.uuid().nullable(),
    /**
     * Workflow hops for events that follow from the last change, if a workflow made it; null after any other change
     * made by id.
     */
    movedHops: p.smallint().nullable(),
    movedAt: instant().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/**
 * Tables written while sending have no foreign keys: every email would lock the same project row. Deleting a project
 * deletes these rows explicitly.
 */
export class Contact extends ContactSchema.class {}
ContactSchema.setClass(Contact);

const ContactFieldSchema = defineEntity({
  name: 'ContactField',
  tableName: 'contact_fields',
  repository: () => ContactFieldRepository,
  properties: {
    projectId: p.uuid().primary(),
    key: p.text().primary(),
    type: p.enum(fieldTypes),
    createdAt: createdAt(),
  },
});

/**
 * The type of a custom field, inferred from its first value in the project and then fixed. At most 10,000 per project
 * (db/functions/limit-project-rows.sql).
 */
export class ContactField extends ContactFieldSchema.class {}
ContactFieldSchema.setClass(ContactField);

export class ContactRepository extends EntityRepository<Contact> {
  async findEmails(contactIds: readonly (string | null | undefined)[]): Promise<Map<string, string>> {
    const ids = [...new Set(contactIds.filter((id) => id != null))];
    if (ids.length === 0) return new Map();
    const contacts = await this.find({ id: { $in: ids } }, { fields: ['email'] });
    return new Map(contacts.map(({ id, email }) => [id, email]));
  }

  async findKnown(emails: string[]): Promise<string[]> {
    const contacts = await this.find({ email: { $in: emails } }, { fields: ['email'] });
    return contacts.map(({ email }) => email);
  }

  /**
   * Leaves the subscription unchanged: lifting a suppression is not consent.
   *
   * @returns whether the address was suppressed
   */
  async liftSuppression(email: string): Promise<boolean> {
    const lifted = await this.nativeUpdate(
      { email, suppressionReason: { $ne: null } },
      {
        suppressionReason: null,
        suppressedAt: null,
        suppressedEmailId: null,
        updatedAt: raw(laterThanSql('now()', 'updated_at')),
      },
    );
    return lifted > 0;
  }
}

export class ContactFieldRepository extends EntityRepository<ContactField> {
  /** Returns plain rows: 10,000 entities would block the process for 200 ms. */
  listTypes(projectId: string): Promise<Pick<ContactField, 'key' | 'type'>[]> {
    return this.createQueryBuilder()
      .select(['key', 'type'])
      .where({ projectId })
      .orderBy({ [raw('key collate "C"')]: 'asc' })
      .limit(mostRecordedNames)
      .execute('all');
  }
}
