import { createHmac, randomBytes } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  findKnownSource,
  rememberSources,
  returnAttempt,
  takeAttempt,
} from '../../db/repositories/accounts/sign-ins.ts';
import { addressSubject } from '../edge/address-subject.ts';

const cookieName = 'device';
const cookieSeconds = 365 * 24 * 60 * 60;

/** Where a sign-in comes from. */
export interface SignInClient {
  /** Value of the `Cookie` header. */
  cookie: string | undefined;
  /** Client address. */
  address: string;
}

/**
 * Bounds the passwords that may be tried for an account. Devices and addresses that signed in to it before have an
 * allowance each, so that a stranger who uses up the one of all others locks nobody out.
 * Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
export interface SignInGuard {
  /**
   * Counts a try for the account of an address, whether there is one or not.
   * @returns what gives the try back, because it was no wrong password
   * @throws DomainError `RATE_LIMIT_EXCEEDED`
   */
  admit(email: string, client: SignInClient): Promise<() => Promise<void>>;
  /** Remembers a device and an address. @returns the `Set-Cookie` value by which the device is known again */
  remember(em: Em, userId: string, client: SignInClient): Promise<string>;
}

export interface SignInGuardOptions {
  orm: Orm;
  /** Derived for the purpose `sign-in-source`. */
  key: Buffer;
  /** Wrong passwords per quarter of an hour; 0 = no bound. */
  limit: number;
  isHttps: boolean;
}

export function createSignInGuard({ orm, key, limit, isHttps }: SignInGuardOptions): SignInGuard {
  const hashOf = (text: string) => createHmac('sha256', key).update(text).digest();
  const deviceSource = (device: string) => hashOf(`device ${device}`);
  const addressSource = (address: string) => hashOf(addressSubject(address));
  const attributes = `Max-Age=${cookieSeconds}; Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;

  return {
    async admit(email, { cookie, address }) {
      if (limit === 0) return async () => undefined;
      const em = orm.em.fork();
      const device = readDevice(cookie);
      const sources = [...(device === undefined ? [] : [deviceSource(device)]), addressSource(address)];
      const known = await findKnownSource(em, email, sources);
      const subject = hashOf(`${email} ${known?.toString('hex') ?? 'others'}`);
      const retryAfterSeconds = await takeAttempt(em, subject, limit);
      if (retryAfterSeconds === undefined) return () => returnAttempt(em, subject);
      throw new DomainError('RATE_LIMIT_EXCEEDED', 'Too many wrong passwords for this account', {
        suggestion: `Try again in ${retryAfterSeconds} seconds, sign in on a device that you signed in on before, or choose a new password by a mailed link.`,
        retryAfterSeconds,
      });
    },

    async remember(em, userId, { cookie, address }) {
      const device = readDevice(cookie) ?? randomBytes(32).toString('base64url');
      await rememberSources(em, userId, [deviceSource(device), addressSource(address)]);
      return `${cookieName}=${device}; ${attributes}`;
    },
  };
}

/** Of our form; anyone may make one up, but only one that has signed in is known. */
function readDevice(header: string | undefined): string | undefined {
  return /(?:^|;\s*)device=([\w-]{43})(?=;|$)/.exec(header ?? '')?.[1];
}
