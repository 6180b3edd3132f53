import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createContactLinks,
  createLinkToken,
  isGenuineToken,
  type LinkPurpose,
  readLinkToken,
} from './public-links.ts';

const key = randomBytes(32);
const subject = { projectId: randomUUID(), contactId: randomUUID(), emailId: randomUUID() };

it('names contact and email, and is genuine for its purpose and project only', () => {
  const token = createLinkToken(key, 'unsubscribe', subject);
  expect(readLinkToken(token)).toEqual({ contactId: subject.contactId, emailId: subject.emailId });
  expect(isGenuineToken(key, 'unsubscribe', subject, token)).toBe(true);
  for (const purpose of ['subscribe', 'manage'] satisfies LinkPurpose[]) {
    expect(isGenuineToken(key, purpose, subject, token)).toBe(false);
  }
  for (const part of ['projectId', 'contactId', 'emailId'] as const) {
    expect(isGenuineToken(key, 'unsubscribe', { ...subject, [part]: randomUUID() }, token)).toBe(false);
  }
  expect(isGenuineToken(randomBytes(32), 'unsubscribe', subject, token)).toBe(false);
});

it('cannot be guessed or changed: every changed character is detected', () => {
  const token = createLinkToken(key, 'manage', subject);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(...'ABCdef019-_'), (at, character) => {
      const changed = `${token.slice(0, at)}${character}${token.slice(at + 1)}`;
      fc.pre(changed !== token);
      const named = readLinkToken(changed);
      if (named === undefined) return;
      expect(isGenuineToken(key, 'manage', { ...subject, ...named }, changed)).toBe(false);
    }),
  );
});

it('refuses anything that is not a token', () => {
  for (const text of ['', 'x', 'a'.repeat(63), 'a'.repeat(65), `${'a'.repeat(63)}=`, '../../etc/passwd']) {
    expect(readLinkToken(text)).toBeUndefined();
  }
});

it('makes an address for each purpose', () => {
  const links = createContactLinks('https://mail.example', key, subject);
  expect(links.unsubscribeUrl).toMatch(/^https:\/\/mail\.example\/unsubscribe\/[\w-]{64}$/);
  expect(new Set(Object.values(links)).size).toBe(4);
});
