import { hkdfSync } from 'node:crypto';

/** What a derived key is for; each purpose gets a key that says nothing about the others. */
export type KeyPurpose =
  | 'api-key-encryption'
  | 'api-key-lookup'
  | 'session'
  | 'sign-in-source'
  | 'public-link'
  | 'one-time-token'
  | 'account-link'
  | 'oauth-attempt'
  | 'domain-proof'
  | 'identity-tag'
  | 'webhook-secret';

/**
 * 32 bytes for one purpose, derived from `APP_SECRET` by HKDF-SHA256 (RFC 5869). The same secret gives the same
 * key in every process; changing the secret makes stored keys unreadable and ends every session.
 */
export function deriveKey(secret: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'posthaste', `posthaste/${purpose}/1`, 32));
}
