import { encodeWords, sanitizeHeaderValue } from '../headers/header-text.ts';

export interface Mailbox {
  email: string;
  name?: string | null | undefined;
}

const atoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*$/;

/**
 * Formats a mailbox for From, To or Reply-To (RFC 5322 name-addr): bare, quoted or as RFC 2047 encoded words,
 * as the display name requires. The result is always one line of printable ASCII, and the name can't inject a
 * second address.
 *
 * @param mailbox its `email` as returned by `parseEmailAddress`
 */
export function formatMailbox(mailbox: Mailbox): string {
  const email = mailbox.email.replace(/[^\x21-\x7e]|[<>,;"]/g, '');
  const name = sanitizeHeaderValue(mailbox.name ?? '', 320);
  if (name === '') return email;
  if (name.includes('=?') || !/^[\x20-\x7e]*$/.test(name)) return `${encodeWords(name)} <${email}>`;
  if (atoms.test(name)) return `${name} <${email}>`;
  return `"${name.replace(/["\\]/g, '\\$&')}" <${email}>`;
}
