import type { Locale } from './messages/messages.ts';

export interface EmailBrand {
  language: Locale;
  /** Postal address, plain text of several lines. */
  footerAddress: string | null;
}

export const defaultEmailBrand: EmailBrand = { language: 'en', footerAddress: null };

export const maxFooterAddressLength = 300;
