import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';

/** A tenant: owns contacts, emails, domains and exactly one public and one secret key. */
export const Project = defineEntity({
  name: 'Project',
  tableName: 'projects',
  properties: {
    id: primaryId(),
    name: p.text(),
    /** Look-up values: HMACs of the keys. */
    publicKeyHash: p.blob().unique(),
    secretKeyHash: p.blob().unique(),
    /** The keys themselves, AES-256-GCM, shown to administrators. */
    publicKeyEncrypted: p.blob(),
    secretKeyEncrypted: p.blob(),
    /** Signs what WEBHOOK steps send, AES-256-GCM; null before the first one. */
    webhookSecretEncrypted: p.blob().nullable(),
    /** The one before, which signs too for a while, so that receivers can change over. */
    webhookSecretPreviousEncrypted: p.blob().nullable(),
    webhookSecretPreviousUntil: instant().nullable(),
    disabled: p.boolean().default(false),
    disabledReason: p.text().nullable(),
    /** Whether suppressed contacts get no transactional email either. */
    suppressTransactional: p.boolean().default(false),
    /** Of the buttons on the public pages, as `#rrggbb` in lower case; null for our own. */
    brandColor: p.text().nullable().check(`brand_color ~ '^#[0-9a-f]{6}$'`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export type ProjectRow = InferEntity<typeof Project>;
