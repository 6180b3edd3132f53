import { createHmac, randomBytes } from 'node:crypto';

export type ApiKeyKind = 'public' | 'secret';

const prefixes = { public: 'pk_', secret: 'sk_' } as const satisfies Record<ApiKeyKind, string>;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 40;

export function createApiKey(kind: ApiKeyKind): string {
  let key: string = prefixes[kind];
  const length = key.length + randomCharacters;
  while (key.length < length) {
    for (const byte of randomBytes(length - key.length)) {
      // Bytes from 248 on would bias toward the first letters of the alphabet.
      if (byte < 248) key += alphabet[byte % 62];
    }
  }
  return key;
}

export function apiKeyKind(key: string): ApiKeyKind | undefined {
  if (key.startsWith(prefixes.public)) return 'public';
  if (key.startsWith(prefixes.secret)) return 'secret';
  return undefined;
}

/** HMAC-SHA256 under which a key is stored, so that a stolen table contains no keys. */
export function apiKeyLookupHash(lookupKey: Buffer, key: string): Buffer {
  return createHmac('sha256', lookupKey).update(key).digest();
}
