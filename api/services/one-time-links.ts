import { linkValidHours } from '../../core/accounts/limits.ts';
import {
  createOneTimeToken,
  type MailedPurpose,
  type OneTimePurpose,
  oneTimeTokenHash,
} from '../../core/crypto/one-time-token.ts';
import { DomainError } from '../../core/errors.ts';
import { formatMessage, type MessageKey, negotiateLocale } from '../../core/messages/messages.ts';
import type { Em } from '../../db/orm.ts';
import { type AccountEmailSender, queueAccountEmail } from '../../runtime/queue-account-email.ts';

const pages = {
  'verify-email': { path: '/verify-email', texts: 'account.verify' },
  'reset-password': { path: '/reset-password', texts: 'account.reset' },
  invitation: { path: '/accept-invitation', texts: 'account.invitation' },
} as const satisfies Record<MailedPurpose, unknown>;

interface MailedLink {
  to: string;
  purpose: MailedPurpose;
  token: string;
  /** The `Accept-Language` value. */
  language: string | undefined;
  /** Fill the placeholders of the texts. */
  values?: Record<string, string>;
}

export interface OneTimeLinksOptions {
  from: AccountEmailSender['from'] | null;
  siteUrl: string;
  tokenKey: Buffer;
  linkKey: AccountEmailSender['linkKey'];
}

export type OneTimeLinks = ReturnType<typeof createOneTimeLinks>;

/**
 * Creates and mails the one-time links that prove ownership of an address. Only token hashes are stored.
 * `requireConfigured` and `queueEmail` throw DomainError `SERVICE_UNAVAILABLE` without a sender address.
 */
export function createOneTimeLinks({ from, siteUrl, tokenKey, linkKey }: OneTimeLinksOptions) {
  function requireSender(): AccountEmailSender {
    if (from !== null) return { from, linkKey };
    throw new DomainError('SERVICE_UNAVAILABLE', 'This server sends no account emails', {
      suggestion: 'Its operator can set ACCOUNT_EMAIL_FROM.',
    });
  }
  const hashOf = (purpose: OneTimePurpose, token: string) => oneTimeTokenHash(tokenKey, purpose, token);

  return {
    isConfigured: from !== null,
    requireConfigured: () => void requireSender(),
    createToken(purpose: OneTimePurpose) {
      const token = createOneTimeToken();
      return { token, hash: hashOf(purpose, token) };
    },
    hashOf,
    /** Must run in a transaction. Queues the email with the link. */
    queueEmail(em: Em, { to, purpose, token, language, values }: MailedLink) {
      const { path, texts } = pages[purpose];
      const locale = negotiateLocale(language);
      const message = (key: MessageKey) => formatMessage(locale, key, values);
      queueAccountEmail(em, requireSender(), {
        to,
        locale,
        texts: {
          title: message(`${texts}Title`),
          text: message(`${texts}Text`),
          button: message(`${texts}Button`),
          hours: linkValidHours[purpose],
          hint: message('account.hint'),
        },
        link: `${siteUrl}${path}?token=${token}`,
      });
    },
  };
}
