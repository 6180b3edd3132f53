import { createHmac, randomBytes } from 'node:crypto';

export type OneTimePurpose = MailedPurpose | 'sign-in';
export type MailedPurpose = 'verify-email' | 'reset-password' | 'invitation';

export function createOneTimeToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * HMAC under which a token is stored, so that a stolen table contains no tokens.
 *
 * @param key derived for the purpose `one-time-token`
 */
export function oneTimeTokenHash(key: Buffer, purpose: OneTimePurpose, token: string): Buffer {
  return createHmac('sha256', key).update(`${purpose} ${token}`).digest();
}
