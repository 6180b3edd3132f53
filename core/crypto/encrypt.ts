import { type CipherKey, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const formatVersion = 1;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + nonceBytes + tagBytes;

/**
 * Encrypts a text with AES-256-GCM and a random nonce: version byte, 12 bytes nonce, 16 bytes tag, ciphertext.
 *
 * @param context where the text belongs, such as row and column; decryption needs the same context, so a
 *   ciphertext copied to another row does not decrypt
 */
export function encryptText(key: CipherKey, text: string, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context, 'utf8'));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(formatVersion), nonce, cipher.getAuthTag(), body]);
}

/** @throws Error naming `APP_SECRET` when the key or the context differs, or a byte was changed */
export function decryptText(key: CipherKey, sealed: Uint8Array, context: string): string {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < headerBytes || bytes[0] !== formatVersion) throw new Error('Unknown ciphertext format');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(bytes.subarray(1 + nonceBytes, headerBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(headerBytes)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new Error('Stored data was encrypted with another APP_SECRET, or changed', { cause });
  }
}
