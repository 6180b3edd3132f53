import { apiKeyLookupHash, createApiKey } from './api-key.ts';
import { deriveKey } from './derive-key.ts';
import { decryptText, encryptText } from './encrypt.ts';

export interface NewProjectKeys {
  publicKey: string;
  secretKey: string;
  stored: {
    publicKeyHash: Buffer;
    secretKeyHash: Buffer;
    publicKeyEncrypted: Buffer;
    secretKeyEncrypted: Buffer;
  };
}

export interface KeyVault {
  createKeys(projectId: string): NewProjectKeys;
  openPublicKey(projectId: string, encrypted: Uint8Array): string;
  openSecretKey(projectId: string, encrypted: Uint8Array): string;
}

export function createKeyVault(appSecret: string): KeyVault {
  const encryptionKey = deriveKey(appSecret, 'api-key-encryption');
  const lookupKey = deriveKey(appSecret, 'api-key-lookup');
  const publicContext = (projectId: string) => `${projectId} public`;
  const secretContext = (projectId: string) => `${projectId} secret`;

  return {
    createKeys: (projectId) => {
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
    openPublicKey: (projectId, encrypted) => decryptText(encryptionKey, encrypted, publicContext(projectId)),
    openSecretKey: (projectId, encrypted) => decryptText(encryptionKey, encrypted, secretContext(projectId)),
  };
}
