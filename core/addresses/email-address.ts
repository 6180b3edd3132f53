import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** RFC 5321: octets of a whole address and of its local part. */
export const maxAddressLength = 254;
export const maxLocalPartLength = 64;

// RFC 5322 dot-atom. Quoted local parts and address literals are legal on paper only; SES rejects them.
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/;
// Characters allowed in an international name before `domainToASCII`, which parses a URL host and would cut
// at a slash, decode percent signs and rewrite IP addresses. Also the marks that RFC 5892 allows between some letters.
const internationalName =
  /^[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61\u00b7\u0375\u05f3\u05f4\u30fb\u200c-\u200d-]+$/u;

/**
 * Normalizes an email address for storage and comparison: trimmed, lower-case, an international domain in ASCII
 * (`xn--`). Rejects display names, quoted local parts, address literals and non-ASCII local parts.
 *
 * @returns the normalized address, which parses to itself, or undefined
 */
export function parseEmailAddress(input: string): string | undefined {
  const text = input.length > 4 * maxAddressLength ? '' : input.trim();
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  // Lower-casing first would turn a Kelvin sign into a plain k.
  if (!/^[\x21-\x7e]+$/.test(local) || local.length > maxLocalPartLength) return undefined;
  const domain = parseDomainName(text.slice(at + 1));
  const address = `${local.toLowerCase()}@${domain}`;
  if (domain === undefined || address.length > maxAddressLength) return undefined;
  return localPart.test(local.toLowerCase()) ? address : undefined;
}

export function parseDomainName(input: string): string | undefined {
  if (input.length > maxAddressLength) return undefined;
  const isAscii = /^[\x21-\x7e]*$/.test(input);
  if (!isAscii && !internationalName.test(input)) return undefined;
  const ascii = isAscii ? input.toLowerCase() : domainToASCII(input);
  return ascii.length <= 253 && domainName.test(ascii) ? ascii : undefined;
}

/**
 * Converts search text to the form of stored addresses: lower-case, an international domain (or whole labels of one) in
 * ASCII.
 */
export function toAddressPart(text: string): string {
  const domain = text.slice(text.lastIndexOf('@') + 1);
  const isInternational = /[^\x21-\x7e]/.test(domain) && internationalName.test(domain);
  const ascii = isInternational ? domainToASCII(domain) : '';
  return ascii === '' ? text.toLowerCase() : text.slice(0, -domain.length).toLowerCase() + ascii;
}

export function domainOfAddress(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** Why a text is refused that `parseEmailAddress` does not accept; `otherwise` if it is simply no address. */
export function addressFault(input: string, otherwise: string): string {
  const at = input.lastIndexOf('@');
  const isInternational =
    at > 0 && input.length <= 4 * maxAddressLength && /[^\s!-~]/.test(input.slice(0, at));
  // Mail servers may accept it (RFC 6531); SES does not.
  return isInternational && parseDomainName(input.slice(at + 1).trim()) !== undefined
    ? 'Before the @, only ASCII letters are supported'
    : otherwise;
}

export const emailAddressSchema = z
  .string()
  .meta({ format: 'email', maxLength: maxAddressLength })
  .transform((input, context) => {
    const address = parseEmailAddress(input);
    if (address !== undefined) return address;
    const message = addressFault(input, 'Invalid email address');
    context.issues.push({ code: 'invalid_format', format: 'email', message, input });
    return z.NEVER;
  });
