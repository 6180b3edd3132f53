import type { FieldIssue } from '../errors.ts';
import { maxHeaderLength } from './header-text.ts';

export const maxHeaderNameLength = 126;
/** SES allows 15 headers per message; three are reserved for List-Unsubscribe, List-Unsubscribe-Post and Precedence. */
export const maxCustomHeaders = 12;

const fieldName = /^[\x21-\x39\x3b-\x7e]+$/; // RFC 5322 ftext

// Set from other request fields, by SES, or in transit. SES rejects bcc, cc, content-disposition,
// content-type, date, from, message-id, mime-version, reply-to, return-path, subject and to as custom headers
// (Amazon SES developer guide, "Header fields"); the others would forge a trace or redirect events.
const ownedNames = new Set([
  ...['authentication-results', 'bcc', 'bounces-to', 'cc', 'date', 'delivered-to', 'dkim-signature'],
  ...['domainkey-signature', 'errors-to', 'feedback-id', 'from', 'message-id', 'mime-version', 'received'],
  ...['received-spf', 'reply-to', 'return-path', 'return-receipt-to', 'sender', 'subject', 'to'],
]);
const ownedPrefixes = ['arc-', 'content-', 'resent-', 'x-amz-', 'x-amzn-', 'x-ses-'];

export function isOwnedHeader(name: string): boolean {
  const key = name.toLowerCase();
  return ownedNames.has(key) || ownedPrefixes.some((prefix) => key.startsWith(prefix));
}

/**
 * Validates the `headers` of a send request: name form, reserved names, duplicates that differ in case,
 * values over 998 characters or with CR, LF or NUL (header injection), and their number. Codes:
 * `invalid_string`, `too_big`, `too_small`, `reserved_header`, `duplicate_header`.
 */
export function findHeaderIssues(headers: Readonly<Record<string, string>>): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const seen = new Set<string>();
  const entries = Object.entries(headers);
  if (entries.length > maxCustomHeaders) {
    const message = `At most ${maxCustomHeaders} headers are accepted`;
    return [{ field: 'headers', message, code: 'too_big' }];
  }
  for (const [name, value] of entries) {
    const field = `headers.${name}`;
    const nameIssue = findNameIssue(name, seen);
    if (nameIssue) issues.push({ field, ...nameIssue });
    if (/[\r\n\0]/.test(value)) {
      const message = 'A header value must not contain CR, LF or NUL';
      issues.push({ field, message, code: 'invalid_string' });
    }
    if (value.length > maxHeaderLength && [...value].length > maxHeaderLength) {
      issues.push({ field, message: `At most ${maxHeaderLength} characters are accepted`, code: 'too_big' });
    }
    seen.add(name.toLowerCase());
  }
  return issues;
}

function findNameIssue(name: string, seen: ReadonlySet<string>): Omit<FieldIssue, 'field'> | undefined {
  if (name === '') return { message: 'A header needs a name', code: 'too_small' };
  if (name.length > maxHeaderNameLength) {
    return { message: `A header name has at most ${maxHeaderNameLength} characters`, code: 'too_big' };
  }
  if (!fieldName.test(name)) {
    return { message: 'A header name is printable ASCII without spaces and colons', code: 'invalid_string' };
  }
  if (isOwnedHeader(name)) {
    return { message: `The header ${name} can't be set by the caller`, code: 'reserved_header' };
  }
  if (seen.has(name.toLowerCase())) {
    return { message: `The header ${name} is given twice`, code: 'duplicate_header' };
  }
  return undefined;
}
