import { z } from 'zod';
import { isBrandColor } from '../../core/brand-color.ts';
import { maxFooterAddressLength } from '../../core/email-brand.ts';
import { maxLogoUrlLength, parseLogoUrl } from '../../core/logo-url.ts';
import { locales } from '../../core/messages/messages.ts';
import { refusal } from '../../core/zod-issues.ts';

const brandColorSchema = z
  .string()
  .toLowerCase()
  .refine(isBrandColor, refusal('Must be a color like #1d4ed8'));

const logoUrlSchema = z
  .string()
  .max(maxLogoUrlLength)
  .transform((text) => parseLogoUrl(text) ?? '')
  .refine((url) => url !== '', refusal('Must be an https address'))
  .describe('An image, such as an uploaded one, for public pages; https, or http on localhost.');

/** Control characters except line breaks, which are normalized. */
const unprintable = /[^\P{Cc}\n]/u;

const withPlainLines = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .join('\n');

const footerAddressSchema = z
  .string()
  .transform((text) => withPlainLines(text).trim())
  .pipe(
    z
      .string()
      .min(1)
      .max(maxFooterAddressLength)
      .refine((text) => !unprintable.test(text), refusal('Control characters are not accepted')),
  )
  .describe('Postal address for the footer of MARKETING emails: plain text with line breaks.');

export const brandFields = {
  brandColor: brandColorSchema.nullable().optional(),
  logoUrl: logoUrlSchema.nullable().optional(),
  footerAddress: footerAddressSchema.nullable().optional(),
  language: z.enum(locales).optional(),
};
