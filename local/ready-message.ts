import { relative } from 'node:path';
import { signInLinkMinutes } from '../core/accounts/limits.ts';
import { type Credentials, credentialsFile, type StackUrls } from './credentials.ts';
import { chooseEmbeddedParts, type LocalEnvironment } from './environment.ts';

/** Scripts wait for the beginning of this line. */
export function presentReady(urls: StackUrls): string {
  const places = [`API ${urls.api}`, `docs ${urls.docs}`];
  if (urls.dashboard !== null) places.unshift(`dashboard ${urls.dashboard}`);
  if (urls.inbox !== null) places.push(`inbox ${urls.inbox}`);
  if (urls.inboundSmtp !== null) places.push(`incoming email ${urls.inboundSmtp}`);
  if (urls.temporalUi !== null) places.push(`Temporal ${urls.temporalUi}`);
  return `Posthaste is ready: ${places.join(' · ')}`;
}

/** For `AWS_REGION`, which many shells set for other programs; undefined if that is not what replaces the local SES. */
export function presentRealSes(settings: LocalEnvironment): string | undefined {
  const { AWS_REGION: region } = settings;
  const isReason =
    !chooseEmbeddedParts(settings).ses && chooseEmbeddedParts({ ...settings, AWS_REGION: undefined }).ses;
  if (!isReason) return undefined;
  return `AWS_REGION is set: emails leave through Amazon SES in ${region}. Without it, a local SES shows them in an inbox.`;
}

export function presentSignIn(link: string): string {
  return `One-time sign-in link, valid for ${signInLinkMinutes} minutes: ${link}`;
}

export function presentFirstStart(credentials: Credentials, dataDirectory: string): string {
  const file = credentialsFile(dataDirectory);
  const shown = relative(process.cwd(), file);
  const rows: [string, string][] = [
    ['Account', credentials.email],
    ['Password', credentials.password],
    ['Project', credentials.projectId],
    ['Public key', credentials.publicKey],
    ['Secret key', credentials.secretKey],
  ];
  if (credentials.domain !== null) rows.push(['Sender domain', `${credentials.domain} (verified)`]);
  const lines = rows.map(([label, value]) => `  ${label.padEnd(14)}${value}`);
  lines.push('', `  These credentials are stored in ${shown.startsWith('..') ? file : shown}.`);
  if (credentials.domain !== null) lines.push('', '  A first email:', '', ...firstEmail(credentials));
  return ['', ...lines, ''].join('\n');
}

function firstEmail({ urls, secretKey, domain }: Credentials): string[] {
  const body = JSON.stringify({
    to: 'someone@example.com',
    from: `hello@${domain}`,
    subject: 'Hello',
    body: '<p>It works.</p>',
  });
  return [
    `  curl ${urls.api}/v1/send -H 'Authorization: Bearer ${secretKey}' \\`,
    `    -H 'Content-Type: application/json' -d '${body}'`,
  ];
}
