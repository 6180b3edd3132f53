import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apiKeyKind, apiKeyLookupHash, createApiKey } from './api-key.ts';
import { deriveKey } from './derive-key.ts';
import { decryptText, encryptText } from './encrypt.ts';
import { createHmacSha512 } from './hmac-sha512.ts';

const secret = 'a-secret-of-more-than-32-characters!';
const key = deriveKey(secret, 'api-key-encryption');

describe('derived keys', () => {
  it('are the same for the same secret and purpose, and differ otherwise', () => {
    expect(deriveKey(secret, 'session')).toEqual(deriveKey(secret, 'session'));
    expect(deriveKey(secret, 'session')).not.toEqual(deriveKey(secret, 'api-key-lookup'));
    expect(deriveKey(`${secret}x`, 'session')).not.toEqual(deriveKey(secret, 'session'));
    expect(deriveKey(secret, 'session')).toHaveLength(32);
  });
});

describe('encryption', () => {
  it('restores every text, and never produces the same bytes twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
        const sealed = encryptText(key, text, context);
        expect(decryptText(key, sealed, context)).toBe(text);
        expect(encryptText(key, text, context)).not.toEqual(sealed);
      }),
    );
  });

  it('refuses a changed byte, a short text, another key and another context', () => {
    const sealed = encryptText(key, 'sk_secret', 'project 1');
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => decryptText(key, changed, 'project 1')).toThrow();
    }
    expect(() => decryptText(key, sealed.subarray(0, 20), 'project 1')).toThrow();
    expect(() => decryptText(deriveKey(secret, 'session'), sealed, 'project 1')).toThrow(
      'another APP_SECRET',
    );
    expect(() => decryptText(key, sealed, 'project 2')).toThrow();
  });
});

describe('API keys', () => {
  it('carry their kind in the prefix and at least 32 random characters', () => {
    const keys = Array.from({ length: 500 }, () => createApiKey('secret'));
    for (const each of keys) expect(each).toMatch(/^sk_[0-9A-Za-z]{40}$/);
    expect(new Set(keys).size).toBe(500);
    expect(createApiKey('public')).toMatch(/^pk_[0-9A-Za-z]{40}$/);
    expect([apiKeyKind('pk_x'), apiKeyKind('sk_x'), apiKeyKind('xk_x')]).toEqual([
      'public',
      'secret',
      undefined,
    ]);
  });

  it('use every character of the alphabet', () => {
    const seen = new Set(Array.from({ length: 200 }, () => createApiKey('public').slice(3)).join(''));
    expect(seen.size).toBe(62);
  });

  it('are found by a hash that depends on the look-up key', () => {
    const lookup = deriveKey(secret, 'api-key-lookup');
    expect(apiKeyLookupHash(lookup, 'sk_a')).toEqual(apiKeyLookupHash(lookup, 'sk_a'));
    expect(apiKeyLookupHash(lookup, 'sk_a')).not.toEqual(apiKeyLookupHash(lookup, 'sk_b'));
    expect(apiKeyLookupHash(key, 'sk_a')).not.toEqual(apiKeyLookupHash(lookup, 'sk_a'));
  });
});

describe('the HMAC of many short texts', () => {
  it('is that of OpenSSL, for every key and text, one after the other', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 250 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), texts, (bytes, all) => {
        const ofKey = Buffer.from(bytes);
        const hmac = createHmacSha512(ofKey);
        for (const text of all) {
          expect(hmac(text)).toEqual(createHmac('sha512', ofKey).update(text).digest());
        }
      }),
    );
  });
});
