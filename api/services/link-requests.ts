import { negotiateLocale } from '../../core/messages/messages.ts';
import { type LinkPurpose, LinkRequest } from '../../db/entities/link-request.ts';
import type { Em, Orm } from '../../db/orm.ts';
import type { LinkMailer } from './link-mailer.ts';
import type { OneTimeLinks } from './one-time-links.ts';

/** `email` is normalized; `language` is the `Accept-Language` value. */
export interface RequestedLink {
  email: string;
  language?: string | undefined;
}

export interface LinkRequestsOptions {
  orm: Orm;
  oneTimeLinks: Pick<OneTimeLinks, 'requireConfigured'>;
  linkMailer: Pick<LinkMailer, 'wake'>;
}

export type LinkRequestsService = ReturnType<typeof createLinkRequestsService>;

/**
 * Promises links by email, which `LinkMailer` mails. The response and its timing are the same for known and unknown
 * addresses and at any rate of requests, because each of them only adds a row.
 */
export function createLinkRequestsService({ orm, oneTimeLinks, linkMailer }: LinkRequestsOptions) {
  function promise(em: Em, purpose: LinkPurpose, { email, language }: RequestedLink): void {
    em.create(LinkRequest, { email, purpose, language: negotiateLocale(language) });
  }

  async function request(purpose: LinkPurpose, link: RequestedLink): Promise<void> {
    oneTimeLinks.requireConfigured();
    const em = orm.em.fork();
    promise(em, purpose, link);
    await em.flush();
    linkMailer.wake();
  }

  return {
    /**
     * Promises a verification link, if the address has an unverified account.
     * @throws DomainError `SERVICE_UNAVAILABLE` when this server sends no account emails
     */
    requestVerification: (link: RequestedLink) => request('verify-email', link),

    /** @throws DomainError as `requestVerification` */
    requestPasswordReset: (link: RequestedLink) => request('reset-password', link),

    /** Promises a verification link in the transaction that adds the account. Call `promised` after the commit. */
    promiseVerification: (em: Em, link: RequestedLink) => promise(em, 'verify-email', link),

    promised: linkMailer.wake,
  };
}
