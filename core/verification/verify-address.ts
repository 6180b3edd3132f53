import { domainOfAddress } from '../addresses/email-address.ts';
import { isDisposableDomain } from './disposable-domains.ts';
import { isFreeProvider } from './free-providers.ts';
import { isRelayDomain } from './relay-domains.ts';
import { suggestDomain } from './suggest-domain.ts';

export interface DomainFacts {
  domainExists: boolean;
  hasWebsite: boolean;
  hasMxRecords: boolean;
  /** The only MX record is the null MX: the domain takes no mail (RFC 7505). */
  refusesMail: boolean;
  /** DNS works, but this domain's name servers do not, at least for MX. */
  isBroken: boolean;
}

/**
 * Checks an address against DNS and the lists of known domains. It is valid when mail can arrive (MX records other than
 * the null MX, or else A or AAAA records: RFC 5321, section 5.1) and it is neither disposable nor a recognized typo.
 * Does not check that the mailbox exists.
 *
 * @param email normalized
 */
export function verifyAddress(email: string, facts: DomainFacts) {
  const domain = domainOfAddress(email);
  const local = email.slice(0, email.length - domain.length - 1);
  const { domainExists, hasWebsite, hasMxRecords } = facts;
  // Senders use an address record only when DNS says that there is no MX.
  const takesMail = hasMxRecords || (hasWebsite && !facts.refusesMail && !facts.isBroken);
  const isDisposable = isDisposableDomain(domain);
  const suggestion = suggestDomain(domain, takesMail);
  const isTypo = suggestion !== undefined;
  const isAlias = isRelayDomain(domain);
  const isPlusAddressed = local.indexOf('+') > 0;
  const isPersonalEmail = !isTypo && isFreeProvider(domain);

  const reasons: string[] = [];
  if (!takesMail) reasons.push(whyNoMail(facts));
  if (isDisposable) reasons.push('The domain provides disposable addresses');
  if (isTypo) reasons.push(`The domain looks like a typo of ${suggestion}`);
  if (takesMail && !hasMxRecords) reasons.push('The domain has no mail server; mail goes to its web server');
  if (isAlias) reasons.push('The domain belongs to a forwarding or relay service');
  if (isPlusAddressed) reasons.push('The address has a tag after a plus sign');
  if (isPersonalEmail) reasons.push('The domain belongs to a free mailbox provider');
  return {
    email,
    valid: takesMail && !isDisposable && !isTypo,
    isDisposable,
    isAlias,
    isTypo,
    isPlusAddressed,
    isPersonalEmail,
    domainExists,
    hasWebsite,
    hasMxRecords,
    ...(isTypo && { suggestedEmail: `${local}@${suggestion}` }),
    reasons,
  };
}

function whyNoMail({ domainExists, refusesMail, isBroken }: DomainFacts): string {
  if (refusesMail) return 'The domain accepts no mail (null MX)';
  if (isBroken) return 'The name servers of the domain do not work';
  return domainExists ? 'The domain has no mail server' : 'The domain does not exist';
}
