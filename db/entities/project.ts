import { defineEntity, p } from '@mikro-orm/core';
import { maxFooterAddressLength } from '../../core/email-brand.ts';
import { maxLogoUrlLength } from '../../core/logo-url.ts';
import { locales } from '../../core/messages/messages.ts';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';

const ProjectSchema = defineEntity({
  name: 'Project',
  tableName: 'projects',
  properties: {
    id: primaryId(),
    name: p.text(),
    publicKeyHash: p.blob().unique(),
    secretKeyHash: p.blob().unique(),
    /** The keys, encrypted with AES-256-GCM, so that administrators can see them; look-ups use the hashes. */
    publicKeyEncrypted: p.blob(),
    secretKeyEncrypted: p.blob(),
    /** Signs the requests of WEBHOOK steps. Encrypted with AES-256-GCM; null until the first one. */
    webhookSecretEncrypted: p.blob().nullable(),
    /** Also signs during a grace period, so that receivers can rotate. */
    webhookSecretPreviousEncrypted: p.blob().nullable(),
    webhookSecretPreviousUntil: instant().nullable(),
    disabled: p.boolean().default(false),
    disabledReason: p.text().nullable(),
    /** Whether suppressed contacts are excluded from transactional email too. */
    suppressTransactional: p.boolean().default(false),
    /** Button color on the public pages, `#rrggbb` in lower case; null for the default. */
    brandColor: p.text().nullable().check(`brand_color ~ '^#[0-9a-f]{6}$'`),
    /** Logo on the public pages: https, or http on localhost. */
    logoUrl: p.text().nullable().check(`char_length(logo_url) <= ${maxLogoUrlLength}`),
    /** Postal address in the footer of marketing email; plain text of several lines. */
    footerAddress: p.text().nullable().check(`char_length(footer_address) <= ${maxFooterAddressLength}`),
    /** Language of footers and public pages, for contacts without a `locale`. */
    language: p.enum(locales).default('en'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export class Project extends ProjectSchema.class {
  suspend(reason: string): boolean {
    if (this.disabled) return false;
    this.disabled = true;
    this.disabledReason = reason;
    return true;
  }
}
ProjectSchema.setClass(Project);
