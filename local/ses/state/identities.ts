import { randomInt } from 'node:crypto';
import { domainName, domainOf, parseMailbox } from '../protocol/addresses.ts';
import { badRequest, SesError } from '../protocol/ses-error.ts';
import type { Identity, IdentityStatus, State } from './state.ts';

const tokenLength = 32;
const tokenAlphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * The verified senders. There is no DNS to look into, so the name decides at each check (`GetEmailIdentity`):
 *
 * | name                                            | after a check |
 * |-------------------------------------------------|---------------|
 * | under `.invalid`, or with a label `pending`      | stays pending |
 * | with a label `failing`                           | failed        |
 * | everything else                                  | verified      |
 *
 * A status set through the control API stays whatever is checked.
 */
export class Identities {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** @throws SesError BadRequestException for a malformed name, AlreadyExistsException for a known one */
  async create(name: string, tags: Identity['tags']): Promise<Identity> {
    const key = toKey(name);
    if (this.#find(key) !== undefined) {
      throw new SesError('AlreadyExistsException', `Email identity ${key} already exist.`);
    }
    const identity: Identity = {
      status: 'pending',
      isPinned: false,
      tokens: key.includes('@') ? [] : [createToken(), createToken(), createToken()],
      createdAt: Date.now(),
      checkedAt: null,
      mailFrom: null,
      tags,
    };
    await this.#save(key, identity);
    return identity;
  }

  /** Reading an identity also checks it. @throws SesError NotFoundException */
  async check(name: string): Promise<Identity> {
    const key = toKey(name);
    const identity = this.#get(key);
    const status = identity.isPinned ? identity.status : statusAfterCheck(key);
    const mailFrom =
      identity.mailFrom === null
        ? null
        : {
            ...identity.mailFrom,
            isVerified: status === 'verified' && statusAfterCheck(identity.mailFrom.domain) === 'verified',
          };
    const checked = { ...identity, status, mailFrom, checkedAt: Date.now() };
    const isChanged = status !== identity.status || mailFrom?.isVerified !== identity.mailFrom?.isVerified;
    if (isChanged || identity.checkedAt === null) await this.#save(key, checked);
    return checked;
  }

  /** Pins the status until it is set again. @throws SesError NotFoundException */
  async pin(name: string, status: IdentityStatus): Promise<void> {
    const key = toKey(name);
    await this.#save(key, { ...this.#get(key), status, isPinned: true });
  }

  /** @throws SesError NotFoundException for an unknown identity, BadRequestException for a foreign domain */
  async setMailFrom(
    name: string,
    domain: string | null,
    behavior: 'USE_DEFAULT_VALUE' | 'REJECT_MESSAGE',
  ): Promise<void> {
    const key = toKey(name);
    const identity = this.#get(key);
    const mailFromDomain = domain?.toLowerCase() ?? '';
    if (
      mailFromDomain !== '' &&
      !(domainName.test(mailFromDomain) && mailFromDomain.endsWith(`.${domainOf(key)}`))
    ) {
      throw badRequest(
        `Provided MAIL-FROM domain <${mailFromDomain}> is not subdomain of the domain of the identity <${key}>.`,
      );
    }
    const mailFrom = mailFromDomain === '' ? null : { domain: mailFromDomain, behavior, isVerified: false };
    await this.#save(key, { ...identity, mailFrom });
  }

  /** @throws SesError NotFoundException */
  async delete(name: string): Promise<void> {
    const key = toKey(name);
    this.#get(key);
    await this.#state.update(({ identities }) => {
      delete identities[key];
    });
  }

  texts(name: string): string[] | null {
    return this.#state.value.texts[name.toLowerCase()] ?? null;
  }

  /** @param texts null restores the default */
  setTexts(name: string, texts: string[] | null): Promise<void> {
    return this.#state.update((value) => {
      const { [name.toLowerCase()]: _, ...others } = value.texts;
      value.texts = texts === null ? others : { ...others, [name.toLowerCase()]: texts };
    });
  }

  /**
   * Allows an address to send when it, its domain or a parent domain is verified.
   * @throws SesError MessageRejected, or MailFromDomainNotVerifiedException when the identity requires a verified MAIL
   * FROM domain
   */
  requireVerified(address: string): void {
    const identity = this.#candidates(address).find(({ status }) => status === 'verified');
    if (identity === undefined) {
      throw new SesError(
        'MessageRejected',
        `Email address is not verified. The following identities failed the check in region US-EAST-1: ${address}`,
      );
    }
    if (identity.mailFrom?.behavior === 'REJECT_MESSAGE' && !identity.mailFrom.isVerified) {
      throw new SesError(
        'MailFromDomainNotVerifiedException',
        `The MAIL FROM domain ${identity.mailFrom.domain} is not verified.`,
      );
    }
  }

  receives(address: string): boolean {
    return this.#find(domainOf(address))?.status === 'verified';
  }

  #candidates(address: string): Identity[] {
    const labels = domainOf(address).split('.');
    const names = [address.toLowerCase(), ...labels.map((_label, index) => labels.slice(index).join('.'))];
    return names.map((name) => this.#find(name)).filter((identity) => identity !== undefined);
  }

  #find(key: string): Identity | undefined {
    const { identities } = this.#state.value;
    return Object.hasOwn(identities, key) ? identities[key] : undefined;
  }

  #get(key: string): Identity {
    const identity = this.#find(key);
    if (identity === undefined) {
      throw new SesError('NotFoundException', `Email identity ${key} does not exist.`);
    }
    return identity;
  }

  #save(key: string, identity: Identity): Promise<void> {
    return this.#state.update(({ identities }) => {
      identities[key] = identity;
    });
  }
}

function toKey(name: string): string {
  if (name.includes('@')) return parseMailbox(name).toLowerCase();
  const key = name.toLowerCase();
  if (!domainName.test(key)) throw badRequest(`Invalid email identity ${name}.`);
  return key;
}

function statusAfterCheck(name: string): IdentityStatus {
  const labels = domainOf(name).split('.');
  if (labels.includes('failing')) return 'failed';
  return labels.includes('pending') || labels.at(-1) === 'invalid' ? 'pending' : 'verified';
}

function createToken(): string {
  return Array.from({ length: tokenLength }, () => tokenAlphabet[randomInt(tokenAlphabet.length)]).join('');
}
