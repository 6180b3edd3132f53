import { sealAccountLink } from '../../core/account-mail.ts';
import { accountMailTemplate, accountMailVariables } from '../../core/account-mail-layout.ts';
import {
  createOneTimeToken,
  type OneTimePurpose,
  oneTimeTokenHash,
} from '../../core/crypto/one-time-token.ts';
import { DomainError } from '../../core/errors.ts';
import { formatMessage, type MessageKey, resolveLocale } from '../../core/messages/messages.ts';
import { newId } from '../../core/new-id.ts';
import type { Em } from '../../db/orm.ts';
import { insertAccountMail } from '../../db/repositories/accounts/account-mails.ts';

interface MailKind {
  /** Path of the page that the link leads to. */
  path: string;
  hours: number;
  title: MessageKey;
  text: MessageKey;
  button: MessageKey;
}

const kinds: Readonly<Record<OneTimePurpose, MailKind>> = {
  'verify-email': {
    path: '/verify-email',
    hours: 24,
    title: 'account.verifyTitle',
    text: 'account.verifyText',
    button: 'account.verifyButton',
  },
  'reset-password': {
    path: '/reset-password',
    hours: 1,
    title: 'account.resetTitle',
    text: 'account.resetText',
    button: 'account.resetButton',
  },
  invitation: {
    path: '/invitation',
    hours: 7 * 24,
    title: 'account.invitationTitle',
    text: 'account.invitationText',
    button: 'account.invitationButton',
  },
};

/** How long a mailed link works. */
export function linkHours(purpose: OneTimePurpose): number {
  return kinds[purpose].hours;
}

export interface AccountMailOptions {
  /** Sender of the emails; null when the operator has named none. */
  from: { email: string; name: string } | null;
  /** Where the links lead. */
  siteUrl: string;
  /** Derived for the purpose `one-time-token`. */
  tokenKey: Buffer;
  /** Derived for the purpose `account-link`. */
  linkKey: Buffer;
}

export interface AccountMail {
  readonly isConfigured: boolean;
  /** @throws DomainError `SERVICE_UNAVAILABLE` without a sender address */
  requireConfigured(): void;
  /** A new token and what is stored of it. */
  createToken(purpose: OneTimePurpose): { token: string; hash: Buffer };
  /** What is stored of a token that somebody sends. */
  hashOf(purpose: OneTimePurpose, token: string): Buffer;
  /**
   * In a transaction: queues the email with the link. It goes through Temporal and the provider like every other.
   *
   * @param mail its `language` as a browser says it; `values` fill in the texts
   */
  queue(
    em: Em,
    mail: {
      to: string;
      purpose: OneTimePurpose;
      token: string;
      language: string | undefined;
      values?: Record<string, string>;
    },
  ): Promise<void>;
}

/** The emails of the service itself: links that prove who has an address. */
export function createAccountMail({ from, siteUrl, tokenKey, linkKey }: AccountMailOptions): AccountMail {
  const unconfigured = () =>
    new DomainError('SERVICE_UNAVAILABLE', 'This server sends no account emails', {
      suggestion: 'Its operator can set ACCOUNT_EMAIL_FROM.',
    });
  const hashOf = (purpose: OneTimePurpose, token: string) => oneTimeTokenHash(tokenKey, purpose, token);

  return {
    isConfigured: from !== null,
    requireConfigured() {
      if (from === null) throw unconfigured();
    },
    createToken(purpose) {
      const token = createOneTimeToken();
      return { token, hash: hashOf(purpose, token) };
    },
    hashOf,
    async queue(em, { to, purpose, token, language, values }) {
      if (from === null) throw unconfigured();
      const kind = kinds[purpose];
      const locale = resolveLocale(language);
      const contentId = newId();
      const say = (key: MessageKey) => formatMessage(locale, key, values);
      await insertAccountMail(em, {
        emailId: newId(),
        contentId,
        outboxId: newId(),
        toEmail: to,
        fromEmail: from.email,
        fromName: from.name,
        ...accountMailTemplate,
        variables: {
          ...accountMailVariables(locale, from.name, {
            title: say(kind.title),
            text: say(kind.text),
            button: say(kind.button),
            hours: kind.hours,
            hint: say('account.hint'),
          }),
          sealedLink: sealAccountLink(linkKey, contentId, `${siteUrl}${kind.path}?token=${token}`),
        },
      });
    },
  };
}
