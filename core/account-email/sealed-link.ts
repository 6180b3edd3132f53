import { decryptText, encryptText } from '../crypto/encrypt.ts';
import { nilId } from '../nil-id.ts';

/** Project id of account emails. No project has it, so they appear in no project's lists or figures. */
export const accountEmailProjectId = nilId;

/**
 * Encrypts the link of an account email, because read access to the database must not be enough to follow it.
 *
 * @param key derived for the purpose `account-link`
 * @param link empty for an email without one
 */
export function sealAccountLink(key: Buffer, contentId: string, link: string): string {
  return encryptText(key, link, contentId).toString('base64');
}

/** @throws Error when it was sealed for another email or with another key */
export function openAccountLink(key: Buffer, contentId: string, sealed: string): string {
  return decryptText(key, Buffer.from(sealed, 'base64'), contentId);
}
