import { createHmac, randomBytes } from 'node:crypto';

export type ApiKeyKind = 'public' | 'secret';

const prefixes = { public: 'pk_', secret: 'sk_' } as const satisfies Record<ApiKeyKind, string>;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 40 of 62 characters: 238 bits. */
const randomCharacters = 40;

/** A new random key, such as `sk_` and 40 letters and digits. */
export function createApiKey(kind: ApiKeyKind): string {
  let key: string = prefixes[kind];
  const length = key.length + randomCharacters;
  while (key.length < length) {
    for (const byte of randomBytes(length - key.length)) {
      // Bytes from 248 on would make the first letters of the alphabet likelier than the others.
      if (byte < 248) key += alphabet[byte % 62];
    }
  }
  return key;
}

/** The kind that a key claims to be by its prefix; whether it exists is another question. */
export function apiKeyKind(key: string): ApiKeyKind | undefined {
  if (key.startsWith(prefixes.public)) return 'public';
  if (key.startsWith(prefixes.secret)) return 'secret';
  return undefined;
}

/** The value by which a key is found in the database: HMAC-SHA256, so that a stolen table holds no keys. */
export function apiKeyLookupHash(lookupKey: Buffer, key: string): Buffer {
  return createHmac('sha256', lookupKey).update(key).digest();
}
