import { decryptText, encryptText } from './crypto/encrypt.ts';

/**
 * Stands in for the project of the emails that the service sends about accounts: no project has it, so they show in
 * nobody's lists and figures.
 */
export const accountMailProjectId = '00000000-0000-0000-0000-000000000000';

/**
 * The link of an account email as it is stored: sealed, because reading the database must not be enough to follow it.
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
