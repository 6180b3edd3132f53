import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ContactLinks } from './rendering/variables.ts';

/** What a link lets its holder do; a token of one purpose is worth nothing for another. */
export type LinkPurpose = 'unsubscribe' | 'subscribe' | 'manage';

/** Whom and which email a link is about. */
export interface LinkSubject {
  projectId: string;
  contactId: string;
  emailId: string;
}

const idBytes = 16;
const macBytes = 16;

const toBytes = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex');
const toId = (bytes: Buffer) =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

function macOf(key: Buffer, purpose: LinkPurpose, subject: LinkSubject): Buffer {
  return createHmac('sha256', key)
    .update(`${purpose} ${subject.projectId} ${subject.contactId} ${subject.emailId}`)
    .digest()
    .subarray(0, macBytes);
}

/** The token of a link: contact, email, and 128 bits of HMAC over them, the project and the purpose. */
export function createLinkToken(key: Buffer, purpose: LinkPurpose, subject: LinkSubject): string {
  const ids = Buffer.concat([toBytes(subject.contactId), toBytes(subject.emailId)]);
  return Buffer.concat([ids, macOf(key, purpose, subject)]).toString('base64url');
}

/** The ids that a token names. They mean nothing before `isGenuineToken` has said so. */
export function readLinkToken(token: string): Pick<LinkSubject, 'contactId' | 'emailId'> | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== 2 * idBytes + macBytes || bytes.toString('base64url') !== token) return undefined;
  return { contactId: toId(bytes.subarray(0, idBytes)), emailId: toId(bytes.subarray(idBytes, 2 * idBytes)) };
}

/** Whether a token was made for this subject and purpose; compared in constant time. */
export function isGenuineToken(
  key: Buffer,
  purpose: LinkPurpose,
  subject: LinkSubject,
  token: string,
): boolean {
  const given = Buffer.from(token, 'base64url').subarray(2 * idBytes);
  const wanted = macOf(key, purpose, subject);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The links of one email to one contact. They never expire. */
export function createContactLinks(apiUrl: string, key: Buffer, subject: LinkSubject): ContactLinks {
  const link = (purpose: LinkPurpose) => `${apiUrl}/${purpose}/${createLinkToken(key, purpose, subject)}`;
  return { unsubscribeUrl: link('unsubscribe'), subscribeUrl: link('subscribe'), manageUrl: link('manage') };
}
