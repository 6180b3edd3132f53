import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { listen } from '../../local/testing/listen.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  isSecure: boolean;
  raw: string;
  parsed: Email;
}

export async function startSmtpInbox(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    disableReverseLookup: true,
    onConnect(_session, callback) {
      connections += 1;
      callback();
    },
    async onData(stream, { envelope, secure }, callback) {
      // Undefined when the client disconnects.
      const bytes = await buffer(stream).catch(() => undefined);
      if (bytes === undefined) return;
      mails.push({
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map((recipient) => recipient.address),
        isSecure: secure,
        raw: bytes.toString('latin1'),
        parsed: await PostalMime.parse(bytes),
      });
      callback();
    },
    ...options,
  });
  server.on('error', () => undefined);
  const port = await listen(server.server);
  return {
    port,
    mails,
    get connections() {
      return connections;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
