import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { type Logger, pino } from 'pino';
import { portOf } from '../../core/port-of.ts';
import { accountRoutes } from './calls/account-routes.ts';
import { identityRoutes } from './calls/identity-routes.ts';
import { sendingRoutes } from './calls/sending-routes.ts';
import { startEvents } from './events/start-events.ts';
import { isFromHere } from './http/browser-guard.ts';
import { HttpProblem } from './http/read-input.ts';
import { controlRoutes } from './inbox/control-routes.ts';
import { messageRoutes } from './inbox/message-routes.ts';
import { pageRoutes } from './inbox/page-routes.ts';
import { MailStore } from './mail/mail-store.ts';
import { answerError } from './protocol/exchange.ts';
import { SesError } from './protocol/ses-error.ts';
import { inboundRoutes } from './receiving/inbound-routes.ts';
import { ReceivedMail } from './receiving/received-mail.ts';
import { openSmtpPort } from './receiving/smtp-port.ts';
import { Faults } from './state/faults.ts';
import { Identities } from './state/identities.ts';
import { State } from './state/state.ts';

/** Longer than clients keep a connection open, so that none is closed under a call in flight. */
const keepAliveTimeoutMs = 15 * 60 * 1_000;
const drainMs = 2_000;

export interface LocalSesOptions {
  port: number;
  host?: string;
  /** Public address used in notifications, without a trailing slash. Default: 127.0.0.1 and the port. */
  publicUrl?: string | undefined;
  /** Inbound SMTP; 0 takes any free port. Off when unset. */
  smtpPort?: number | undefined;
  dataDir: string;
  webhookUrl?: string | undefined;
  /** How long the webhook may take to answer. Default: 15 seconds, as with SNS. */
  webhookAnswerMs?: number;
  topicArn?: string;
  /** Emails per second reported by `GetAccount`; not enforced. */
  maxSendRate?: number;
  logger?: Logger;
}

export const defaultTopicArn = 'arn:aws:sns:us-east-1:000000000000:posthaste';

/**
 * Starts the local email provider: the SES v2 calls for the unmodified AWS SDK, events as signed SNS notifications, and
 * the inbox page and API, all on one port. Everything accepted survives a restart on the same folder.
 * @throws Error with `code` EADDRINUSE when the port is taken
 */
export async function startLocalSes(options: LocalSesOptions) {
  const logger = options.logger ?? pino({ level: 'silent' });
  await mkdir(options.dataDir, { recursive: true });

  let handle: RequestListener = (_request, response) =>
    response.writeHead(503).end('The local SES is starting.');
  const server = createServer({ keepAliveTimeout: keepAliveTimeoutMs }, (request, response) =>
    handle(request, response),
  );
  // Listens first: notifications contain the port, and a taken port must leave the files untouched.
  const host = options.host ?? '127.0.0.1';
  await once(server.listen(options.port, host), 'listening');
  const port = portOf(server);
  const url = options.publicUrl ?? `http://127.0.0.1:${port}`;

  const parts = await openParts(options, url);
  const { store, received, identities, events, state } = parts;
  handle = createApp(parts, options, logger).callback();
  logger.info({ url, messages: store.size, pendingEvents: store.pendingEvents }, 'local SES started');

  const { smtpPort } = options;
  const smtp =
    smtpPort === undefined
      ? undefined
      : await openSmtpPort({ port: smtpPort, host, mail: received, identities });

  return {
    url,
    port,
    smtpPort: smtp?.port,
    close: async () => {
      await smtp?.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await Promise.race([closed, sleep(drainMs, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
      await events.stop();
      store.close();
      await state.close();
    },
  };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** The parts that survive a restart, and the delivery of pending events. */
async function openParts(options: LocalSesOptions, url: string) {
  const topicArn = options.topicArn ?? defaultTopicArn;
  const state = await State.open(options.dataDir);
  const store = new MailStore(options.dataDir);
  const received = new ReceivedMail(options.dataDir, store);
  const identities = new Identities(state);
  const faults = new Faults();
  const events = await startEvents({
    store,
    received,
    state,
    dataDir: options.dataDir,
    baseUrl: url,
    topicArn,
    webhookUrl: options.webhookUrl ?? null,
    answerMs: options.webhookAnswerMs,
  });
  return { state, store, received, identities, faults, events };
}

function createApp(parts: Parts, options: LocalSesOptions, logger: Logger): Koa {
  const { store, received, identities, faults, events } = parts;
  const hasWebhook = options.webhookUrl !== undefined;
  const app = new Koa();
  app.use((ctx, next) => next().catch((error) => answerFailure(ctx, error, logger)));
  app.use((ctx, next) => {
    if (isFromHere(ctx.req)) return next();
    throw new HttpProblem(403, 'Requests from other web sites are refused.');
  });
  app.use(sendingRoutes({ store, identities, hasWebhook }, faults));
  for (const router of [
    accountRoutes(store, options.maxSendRate ?? 100_000),
    identityRoutes(identities),
    events.routes,
    inboundRoutes(received, hasWebhook),
    messageRoutes(store),
    controlRoutes({ store, faults, events: events.control, identities }),
    pageRoutes(store, events.control),
    new Router().get('/health', (ctx) => {
      ctx.body = { status: 'ok', messages: store.size };
    }),
  ]) {
    app.use(router.routes());
  }
  app.use(({ method, url, path }) => {
    if (!isSesCall(path)) throw new HttpProblem(404, 'Not found.');
    throw new SesError('UnknownOperationException', `The local SES does not know ${method} ${url}.`);
  });
  // A client that disconnects during a response is not an error.
  app.on('error', (err) => logger.debug({ err }, 'a response was cut off'));
  return app;
}

function answerFailure(ctx: Context, error: unknown, logger: Logger): void {
  if (ctx.res.destroyed) return;
  const isKnown = error instanceof SesError || error instanceof HttpProblem;
  if (!isKnown) logger.error({ err: error, method: ctx.method, url: ctx.url }, 'request failed');
  const message = isKnown ? error.message : 'The local SES failed; see its log.';
  if (isSesCall(ctx.path)) {
    const code = isKnown ? 'BadRequestException' : 'InternalServiceErrorException';
    answerError(ctx, error instanceof SesError ? error : new SesError(code, message));
  } else {
    ctx.status = isKnown ? error.status : 500;
    ctx.body = { error: { message } };
  }
}

function isSesCall(path: string): boolean {
  return path.startsWith('/v2/');
}
