import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Router from '@koa/router';
import writeFileAtomic from 'write-file-atomic';
import type { MailStore } from '../mail/mail-store.ts';
import type { ReceivedMail } from '../receiving/received-mail.ts';
import type { State } from '../state/state.ts';
import { maximumInFlight, Publisher } from './publisher.ts';
import { createSigningKey, createSnsSigner, type SigningKey } from './sns-signer.ts';
import { Subscriber } from './subscriber.ts';
import { Webhook } from './webhook.ts';

export interface EventControl {
  readonly figures: Publisher['figures'] & { confirmed: boolean; webhook: string | null };
  setPaused(isPaused: boolean): void;
}

const silentFigures = {
  paused: false,
  confirmed: false,
  webhook: null,
  queued: 0,
  inFlight: 0,
  delivered: 0,
  retried: 0,
  failed: 0,
};

export async function startEvents(options: {
  store: MailStore;
  received: ReceivedMail;
  state: State;
  dataDir: string;
  baseUrl: string;
  topicArn: string;
  webhookUrl: string | null;
  answerMs: number | undefined;
}) {
  const { store, received, state, baseUrl, topicArn, webhookUrl, answerMs } = options;
  if (webhookUrl === null) {
    return {
      routes: new Router(),
      control: { figures: silentFigures, setPaused: () => {} },
      stop: async () => {},
    };
  }
  const signer = await createSnsSigner({ key: await loadSigningKey(options.dataDir) });
  const webhook = new Webhook(webhookUrl, maximumInFlight, answerMs);
  const onConfirmed = () => publisher.pump();
  const subscriber = new Subscriber({ state, signer, webhook, baseUrl, onConfirmed }, topicArn);
  const publisher = new Publisher({ store, received, signer, webhook, subscriber }, baseUrl);
  await subscriber.start();
  publisher.pump();
  return {
    routes: snsRoutes(subscriber, signer.certificateId, signer.certificatePem),
    control: {
      get figures() {
        const { isConfirmed: confirmed } = subscriber.current;
        return { ...publisher.figures, confirmed, webhook: webhookUrl };
      },
      setPaused: (isPaused: boolean) => publisher.setPaused(isPaused),
    },
    stop: async () => {
      subscriber.stop();
      await publisher.stop();
    },
  };
}

function snsRoutes(subscriber: Subscriber, certificateId: string, certificatePem: string): Router {
  return new Router()
    .get(`/sns/SimpleNotificationService-${certificateId}.pem`, (ctx) => {
      ctx.type = 'application/x-pem-file';
      ctx.body = certificatePem;
    })
    .get('/sns/confirm', async (ctx) => {
      const { arn } = subscriber.current;
      const isConfirmed = await subscriber.confirm(String(ctx.query.Token));
      ctx.status = isConfirmed ? 200 : 400;
      ctx.type = 'text/xml';
      ctx.body = isConfirmed
        ? `<ConfirmSubscriptionResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><ConfirmSubscriptionResult><SubscriptionArn>${arn}</SubscriptionArn></ConfirmSubscriptionResult></ConfirmSubscriptionResponse>`
        : '<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type><Code>InvalidParameter</Code><Message>Invalid token</Message></Error></ErrorResponse>';
    });
}

const pem = /-----BEGIN (?:[A-Z ]+)-----[\s\S]+?-----END (?:[A-Z ]+)-----/g;

/**
 * AWS uses 2048. Signing is most of the work per event: 220 µs of CPU with 2048, 70 with 1024, 30 with 512. A key this
 * small can be broken, but only the webhook configured here trusts it, and a client that can fetch the certificate can
 * make this server send any event anyway.
 */
const bits = 512;

/** The signing key stored in `directory`. Created on the first start, and again when its certificate has expired. */
export async function loadSigningKey(directory: string): Promise<SigningKey> {
  const path = join(directory, 'signing-key.pem');
  const kept = await readKey(path);
  if (kept !== null && isUsable(kept)) return kept;
  const made = await createSigningKey(bits);
  const text = `${made.privateKeyPem.trim()}\n${made.certificatePem.trim()}\n`;
  await writeFileAtomic(path, text, { mode: 0o600 });
  return made;
}

async function readKey(path: string): Promise<SigningKey | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const [privateKeyPem, certificatePem] = text.match(pem) ?? [];
  if (privateKeyPem === undefined || certificatePem === undefined) return null;
  return { privateKeyPem: `${privateKeyPem}\n`, certificatePem: `${certificatePem}\n` };
}

function isUsable({ certificatePem }: SigningKey): boolean {
  return new X509Certificate(certificatePem).validToDate.getTime() > Date.now();
}
