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

interface LinkTexts {
  path: string;
  title: MessageKey;
  text: MessageKey;
  button: MessageKey;
}

const textsOf: Readonly<Record<MailedPurpose, LinkTexts>> = {
  'verify-email': {
    path: '/verify-email',
    title: 'account.verifyTitle',
    text: 'account.verifyText',
    button: 'account.verifyButton',
  },
  'reset-password': {
    path: '/reset-password',
    title: 'account.resetTitle',
    text: 'account.resetText',
    button: 'account.resetButton',
  },
  invitation: {
    path: '/accept-invitation',
    title: 'account.invitationTitle',
    text: 'account.invitationText',
    button: 'account.invitationButton',
  },
};

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
    /**
     * Must run in a transaction. Queues the email with the link.
     * @param email `language` is the `Accept-Language` value; `values` fill the placeholders of the texts
     */
    queueEmail(
      em: Em,
      {
        to,
        purpose,
        token,
        language,
        values,
      }: {
        to: string;
        purpose: MailedPurpose;
        token: string;
        language: string | undefined;
        values?: Record<string, string>;
      },
    ) {
      const { path, title, text, button } = textsOf[purpose];
      const locale = negotiateLocale(language);
      const message = (key: MessageKey) => formatMessage(locale, key, values);
      queueAccountEmail(em, requireSender(), {
        to,
        locale,
        texts: {
          title: message(title),
          text: message(text),
          button: message(button),
          hours: linkValidHours[purpose],
          hint: message('account.hint'),
        },
        link: `${siteUrl}${path}?token=${token}`,
      });
    },
  };
}
