import { raw } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import type { Contact } from '../entities/contact.ts';
import { laterThanSql } from '../fragments/later-than-sql.ts';

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
