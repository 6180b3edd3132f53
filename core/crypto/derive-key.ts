import { hkdfSync } from 'node:crypto';

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
 * Derives 32 bytes from `APP_SECRET` by HKDF-SHA256 (RFC 5869), independent for each purpose. The same secret
 * yields the same key in every process; changing it makes stored keys unreadable and ends every session.
 */
export function deriveKey(secret: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'posthaste', `posthaste/${purpose}/1`, 32));
}
