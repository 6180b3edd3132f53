import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { portOf } from '../../../core/port-of.ts';
import type { Identities } from '../state/identities.ts';
import { mostMailBytes, type ReceivedMail } from './received-mail.ts';

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/**
 * Accepts emails over SMTP, without TLS or authentication, for the domains that are verified here and, like SES,
 * rejects all others.
 * @throws Error with `code` EADDRINUSE when the port is taken
 */
export async function openSmtpPort(options: {
  port: number;
  host: string;
  mail: ReceivedMail;
  identities: Identities;
}) {
  const { mail, identities } = options;
  const server = new SMTPServer({
    name: 'local-ses',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: mostMailBytes,
    onRcptTo({ address }, _session, callback) {
      callback(identities.receives(address) ? null : refusal(550, `${address} has no verified domain`));
    },
    async onData(stream, { envelope }, callback) {
      try {
        const chunks: Buffer[] = [];
        // Content beyond the limit is read and dropped.
        for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk);
        if (stream.sizeExceeded) return callback(refusal(552, 'SES takes at most 40 MB'));
        const source = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const recipients = envelope.rcptTo.map(({ address }) => address);
        const id = await mail.accept({ source, recipients, raw: Buffer.concat(chunks) });
        callback(null, `OK ${id}`);
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
  const listening = server.listen(options.port, options.host);
  await once(listening, 'listening');
  // A client that hangs up is not an error of ours.
  server.on('error', () => undefined);
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: portOf(listening), close };
}
