import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { listen } from '../../testing/listen.ts';

const messageSchema = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation']),
  MessageId: z.string(),
  TopicArn: z.string(),
  Subject: z.string().optional(),
  Message: z.string(),
  Timestamp: z.string(),
  Token: z.string().optional(),
  SubscribeURL: z.string().optional(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.string(),
});

const eventSchema = z.looseObject({
  eventType: z.string(),
  mail: z.looseObject({
    messageId: z.string(),
    source: z.string(),
    destination: z.array(z.string()),
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
    tags: z.record(z.string(), z.array(z.string())),
  }),
});

type ReceivedMessage = z.output<typeof messageSchema>;
export type ReceivedEvent = z.output<typeof eventSchema>;

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>;

/** @returns undefined for a foreign request, such as one meant for the port's previous owner */
function readMessage(text: string): ReceivedMessage | undefined {
  if (text === '') return undefined;
  return messageSchema.parse(JSON.parse(text));
}

/**
 * Verifies every signature by the specification, independent of our code.
 *
 * @param confirm whether the receiver visits the `SubscribeURL`, as a webhook that trusts the topic does
 */
export async function startWebhookReceiver(options: { confirm: boolean; port?: number }) {
  const messages: ReceivedMessage[] = [];
  const attempts: ReceivedMessage[] = [];
  const headers = new Map<string, NodeJS.Dict<string | string[]>>();
  const keys = new Map<string, Promise<KeyObject>>();
  const waiting = new Set<() => void>();
  let status: number | null = 200;
  let forgeries = 0;

  const eventsById = new Map<string, ReceivedEvent>();
  const events = (): ReceivedEvent[] => [...eventsById.values()];

  const take = async (message: ReceivedMessage, request: IncomingMessage, response: ServerResponse) => {
    attempts.push(message);
    if (status === null) {
      request.socket.destroy();
      return;
    }
    const isGenuine = await isSignedBy(message, keys);
    if (!isGenuine) forgeries += 1;
    response.writeHead(isGenuine ? status : 403).end();
    if (!isGenuine || status !== 200) return;
    messages.push(message);
    headers.set(message.MessageId, request.headers);
    // An incoming email is not an event of a message.
    if (message.Type === 'Notification' && !message.Message.includes('"notificationType"')) {
      eventsById.set(message.MessageId, eventSchema.parse(JSON.parse(message.Message)));
    }
    if (message.SubscribeURL !== undefined && options.confirm) await fetch(message.SubscribeURL);
    for (const check of waiting) check();
  };
  const server = createServer(async (request, response) => {
    const message = readMessage(await text(request));
    if (message === undefined) response.writeHead(400).end();
    else await take(message, request, response);
  });
  // An idle connection that it closed could meet the next message, which would be sent again.
  server.keepAliveTimeout = 0;
  const port = await listen(server, options.port);
  return {
    url: `http://127.0.0.1:${port}/webhooks/sns`,
    /** Genuine messages answered with 200, in order of arrival, including repeats. */
    messages,
    attempts,
    headers,
    get forgeries() {
      return forgeries;
    },
    /** SES events among the messages, one per message id. */
    events,
    /** Status of all further responses; `null` cuts the connection. */
    answerWith: (wanted: number | null) => {
      status = wanted;
    },
    until: (condition: (events: ReceivedEvent[]) => boolean, timeoutMs = 180_000) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          const types = events().map(({ eventType }) => eventType);
          reject(
            new Error(`After ${timeoutMs} ms ${types.length} events, the last of them ${types.slice(-10)}`),
          );
        }, timeoutMs);
        const check = (): void => {
          if (!condition(events())) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function fetchKey(address: string): Promise<KeyObject> {
  const answer = await fetch(address);
  return new X509Certificate(await answer.text()).publicKey;
}

async function isSignedBy(message: ReceivedMessage, keys: Map<string, Promise<KeyObject>>): Promise<boolean> {
  const { SigningCertURL: address } = message;
  const key = keys.get(address) ?? fetchKey(address);
  keys.set(address, key);
  const algorithm = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
  const text = Buffer.from(canonicalText(message));
  return verify(algorithm, text, await key, Buffer.from(message.Signature, 'base64'));
}

/** Duplicated on purpose: a test of the signer must not use the signer's own canonical form. */
function canonicalText(message: ReceivedMessage): string {
  const names =
    message.Type === 'Notification'
      ? (['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const)
      : (['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const);
  let text = '';
  for (const name of names) {
    const value = message[name];
    if (value !== undefined) text += `${name}\n${value}\n`;
  }
  return text;
}
