import { relative } from 'node:path';
import { type Credentials, credentialsFile, type StackUrls } from './credentials.ts';

/** The one line that says that everything answers. Scripts wait for its beginning. */
export function presentReady(urls: StackUrls): string {
  const places = [`API ${urls.api}`, `docs ${urls.docs}`];
  if (urls.inbox !== null) places.push(`inbox ${urls.inbox}`);
  if (urls.inboundSmtp !== null) places.push(`incoming email ${urls.inboundSmtp}`);
  if (urls.temporalUi !== null) places.push(`Temporal ${urls.temporalUi}`);
  return `Posthaste is ready: ${places.join(' · ')}`;
}

/** What the first start made, and a first call to try. */
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
  lines.push('', `  All of this is kept in ${shown.startsWith('..') ? file : shown}.`);
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
