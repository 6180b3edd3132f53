import { encodeWords, sanitizeHeaderValue } from '../headers/header-text.ts';

export interface Mailbox {
  email: string;
  name?: string | null | undefined;
}

const atoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*$/;

/** Amazon SES refuses longer ones, counting the name as it is written. */
export const longestMailbox = 320;

/**
 * Formats a mailbox for From, To or Reply-To (RFC 5322 name-addr): bare, quoted or as RFC 2047 encoded words,
 * as the display name requires. The result is always one line of printable ASCII with at most 320 characters, for which
 * the end of a long name is cut off. The name can't inject a second address.
 *
 * @param mailbox its `email` as returned by `parseEmailAddress`
 */
export function formatMailbox(mailbox: Mailbox): string {
  const email = mailbox.email.replace(/[^\x21-\x7e]|[<>,;"]/g, '');
  const name = shortenName(mailbox, longestMailbox - email.length - ' <>'.length);
  return name === '' ? email : `${encodeName(name)} <${email}>`;
}

/**
 * @returns the display name without control characters and repeated spaces, cut so that its encoded form has at most
 * `most` characters
 */
export function shortenName({ name }: Pick<Mailbox, 'name'>, most: number): string {
  let shown = sanitizeHeaderValue(name ?? '', longestMailbox).replace(/ {2,}/g, ' ');
  for (let length = encodeName(shown).length; length > most; length = encodeName(shown).length) {
    const characters = [...shown];
    const fitting = Math.floor((characters.length * most) / length);
    shown = characters
      .slice(0, Math.min(fitting, characters.length - 1))
      .join('')
      .trimEnd();
  }
  return shown;
}

function encodeName(name: string): string {
  if (name.includes('=?') || !/^[\x20-\x7e]*$/.test(name)) return encodeWords(name);
  return atoms.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}
