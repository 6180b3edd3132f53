import { badRequest } from './ses-error.ts';

const maximumLocalPart = 64;
const maximumAddress = 320;
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const quotedLocalPart = /^"([\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])+"$/;
export const domainName =
  /^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * Extracts the bare address from `address`, `<address>` or `Display name <address>`. SES accepts neither UTF-8 local
 * parts (no SMTPUTF8) nor bare UTF-8 in a display name (it requires RFC 2047 encoded words), so both are rejected here,
 * as are control characters.
 * @throws SesError BadRequestException when the address is malformed
 */
export function parseMailbox(mailbox: string): string {
  const fault = (reason: string) => badRequest(`Illegal address ${JSON.stringify(mailbox)}: ${reason}`);
  if (mailbox.length > maximumAddress) throw fault('it has more than 320 bytes, with its display name');
  if (!/^[\x20-\x7e]*$/.test(mailbox)) throw fault('only printable ASCII is allowed, encode the rest');
  const named = /^\s*(.*?)\s*<([^<>]*)>\s*$/.exec(mailbox);
  const name = named?.[1] ?? '';
  const address = (named?.[2] ?? mailbox).trim();
  if (!isDisplayName(name)) throw fault('the display name has to be quoted');
  const at = address.lastIndexOf('@');
  if (at < 1) throw fault('missing final @domain');
  const local = address.slice(0, at);
  if (local.length > maximumLocalPart) throw fault('too long');
  if (!localPart.test(local) && !quotedLocalPart.test(local)) throw fault('the local part is malformed');
  if (!domainName.test(address.slice(at + 1))) throw fault('the domain is malformed');
  return address;
}

/** A quoted string, or words without the characters reserved by RFC 5322 (dots are common and harmless). */
function isDisplayName(name: string): boolean {
  return /^"([^"\\]|\\.)*"$/.test(name) || !/[()<>[\]:;@\\,"]/.test(name);
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
