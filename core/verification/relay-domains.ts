import { matchesDomain } from './registrable-domain.ts';

/**
 * Domains of services that forward mail to a user's own mailbox, from their documentation. No package keeps
 * such a list.
 */
const relayDomains: ReadonlySet<string> = new Set([
  // Apple, DuckDuckGo, Firefox
  ...['privaterelay.appleid.com', 'duck.com', 'mozmail.com', 'relay.firefox.com'],
  // SimpleLogin and Proton Pass
  ...['simplelogin.com', 'simplelogin.co', 'simplelogin.fr', 'aleeas.com', 'slmail.me', 'slmails.com'],
  ...['silomails.com', 'dralias.com', '8alias.com', '8shield.net', 'alias.proton.me'],
  ...['passmail.net', 'passmail.com', 'passinbox.com', 'passfwd.com'],
  // addy.io
  ...['addy.io', 'addymail.com', 'anonaddy.com', 'anonaddy.me', 'mailer.me'],
  // Others
  ...['33mail.com', 'erine.email', 'forwardemail.net', 'hideaddress.net', 'spamgourmet.com', 'opayq.com'],
  ...['proxiedmail.com', 'lockrmail.com', 'bumpmail.io', 'bump.email', 'mf.me', 'maskmy.id', 'maily.org'],
]);

export function isRelayDomain(domain: string): boolean {
  return matchesDomain(domain, relayDomains);
}
