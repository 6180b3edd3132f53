import { createHash, createHmac, hash } from 'node:crypto';

const blockBytes = 128;
const digestBytes = 64;
/** In bytes of UTF-8. */
const longestText = 512;

/**
 * HMAC-SHA-512 (RFC 2104) of many short texts under one key: 3 µs each. `createHmac` takes 6 µs, and each call leaves
 * an OpenSSL object to the garbage collector.
 */
export function createHmacSha512(key: Buffer): (text: string) => Buffer {
  const ofKey = key.length > blockBytes ? createHash('sha512').update(key).digest() : key;
  const inner = Buffer.alloc(blockBytes + longestText, 0x36);
  const outer = Buffer.alloc(blockBytes + digestBytes, 0x5c);
  for (const [index, byte] of ofKey.entries()) {
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  return (text) => {
    if (text.length * 3 > longestText) return createHmac('sha512', key).update(text).digest();
    const end = blockBytes + inner.write(text, blockBytes);
    outer.write(hash('sha512', inner.subarray(0, end), 'hex'), blockBytes, 'hex');
    return Buffer.from(hash('sha512', outer, 'hex'), 'hex');
  };
}
