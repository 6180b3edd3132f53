import { createHmac, randomBytes } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import { SignInSource } from '../../db/entities/sign-in.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  countSignInAttempt,
  giveBackSignInAttempt,
  rememberSignInSources,
} from '../../db/statements/accounts/sign-in-attempts.ts';
import { addressSubject } from '../access/address-subject.ts';

export interface SignInClient {
  /** As remembered by the browser, unverified; at most one is ours. */
  devices: readonly string[];
  address: string;
  /** The header, which can hold anything. */
  userAgent: string | undefined;
}

export type SignInGuard = ReturnType<typeof createSignInGuard>;

export interface SignInGuardOptions {
  orm: Orm;
  key: Buffer;
  /** Wrong passwords per 15 minutes; 0 means unlimited. */
  limit: number;
}

/**
 * Limits password attempts per account. Devices and addresses that have signed in before have their own quota, so
 * that a stranger who uses up the shared one locks nobody out.
 * Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
export function createSignInGuard({ orm, key, limit }: SignInGuardOptions) {
  const hashOf = (text: string) => createHmac('sha256', key).update(text).digest();
  const deviceSource = (device: string) => hashOf(`device ${device}`);
  const addressSource = (address: string) => hashOf(addressSubject(address));

  async function findKnown(
    em: Em,
    user: string | { email: string },
    sources: Buffer[],
  ): Promise<Buffer | undefined> {
    const known = await em.find(SignInSource, { user, source: { $in: sources } });
    return sources.find((source) => known.some((one) => source.equals(one.source)));
  }

  return {
    /**
     * Counts an attempt, whether or not the account exists.
     * @returns a function that undoes the count; call it when the password was right
     * @throws DomainError `RATE_LIMIT_EXCEEDED`
     */
    async admit(email: string, { devices, address }: SignInClient) {
      if (limit === 0) return async () => undefined;
      const em = orm.em.fork();
      const sources = [...devices.filter(isDevice).map(deviceSource), addressSource(address)];
      const known = await findKnown(em, { email }, sources);
      const subject = hashOf(`${email} ${known?.toString('hex') ?? 'others'}`);
      const retryAfterSeconds = await countSignInAttempt(em, subject, limit);
      if (retryAfterSeconds === undefined) return () => giveBackSignInAttempt(em, subject);
      throw new DomainError('RATE_LIMIT_EXCEEDED', 'Too many wrong passwords for this account', {
        suggestion: `Try again in ${retryAfterSeconds} seconds, sign in on a device that you have used before, or reset the password.`,
        retryAfterSeconds,
      });
    },

    /**
     * Remembers the device and address. Only a device that the user has signed in on before keeps its value: anyone
     * who controls a site on a parent domain can give browsers one, and would know it.
     * @returns what identifies the device from now on
     */
    async remember(em: Em, userId: string, { devices, address }: SignInClient) {
      const sent = devices.filter(isDevice);
      const known = await findKnown(em, userId, sent.map(deviceSource));
      const device =
        sent.find((one) => known?.equals(deviceSource(one))) ?? randomBytes(32).toString('base64url');
      await rememberSignInSources(em, userId, [deviceSource(device), addressSource(address)]);
      return device;
    },
  };
}

/** Anyone can forge a well-formed value; only devices that have signed in are known. */
const isDevice = (sent: string) => /^[\w-]{43}$/.test(sent);
