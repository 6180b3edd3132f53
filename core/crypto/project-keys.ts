import { createSecretKey } from 'node:crypto';
import { apiKeyLookupHash, createApiKey } from './api-key.ts';
import { deriveKey } from './derive-key.ts';
import { decryptText, encryptText } from './encrypt.ts';

export type KeyVault = ReturnType<typeof createKeyVault>;

export function createKeyVault(appSecret: string) {
  // Made once: with a plain buffer, Node makes a key object per call, which takes most of the time of a short text.
  const encryptionKey = createSecretKey(deriveKey(appSecret, 'api-key-encryption'));
  const lookupKey = deriveKey(appSecret, 'api-key-lookup');
  const publicContext = (projectId: string) => `${projectId} public`;
  const secretContext = (projectId: string) => `${projectId} secret`;

  const openPublicKey = (projectId: string, encrypted: Uint8Array) =>
    decryptText(encryptionKey, encrypted, publicContext(projectId));

  return {
    createKeys: (projectId: string) => {
      const publicKey = createApiKey('public');
      const secretKey = createApiKey('secret');
      return {
        publicKey,
        secretKey,
        stored: {
          publicKeyHash: apiKeyLookupHash(lookupKey, publicKey),
          secretKeyHash: apiKeyLookupHash(lookupKey, secretKey),
          publicKeyEncrypted: encryptText(encryptionKey, publicKey, publicContext(projectId)),
          secretKeyEncrypted: encryptText(encryptionKey, secretKey, secretContext(projectId)),
        },
      };
    },
    openPublicKey,
    /** False when the key was encrypted with another `APP_SECRET`. */
    canOpenPublicKey: (projectId: string, encrypted: Uint8Array) => {
      try {
        openPublicKey(projectId, encrypted);
        return true;
      } catch {
        return false;
      }
    },
    openSecretKey: (projectId: string, encrypted: Uint8Array) =>
      decryptText(encryptionKey, encrypted, secretContext(projectId)),
  };
}
