import { createHmac, randomBytes } from 'node:crypto';

/** What a mailed link is for; a token of one purpose is worth nothing for another. */
export type OneTimePurpose = 'verify-email' | 'reset-password' | 'invitation';

/** A new token of 256 random bits, for a link. */
export function createOneTimeToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The value by which a token is found in the database: a stolen table holds no tokens.
 *
 * @param key derived for the purpose `one-time-token`
 */
export function oneTimeTokenHash(key: Buffer, purpose: OneTimePurpose, token: string): Buffer {
  return createHmac('sha256', key).update(`${purpose} ${token}`).digest();
}
