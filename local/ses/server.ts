import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { accountRoutes } from './calls/account-routes.ts';
import { identityRoutes } from './calls/identity-routes.ts';
import { sendingRoutes } from './calls/sending-routes.ts';
import { type EventStack, startEvents } from './events/start-events.ts';
import { sendJson } from './http/answers.ts';
import { isFromHere } from './http/browser-guard.ts';
import { HttpProblem } from './http/http-problem.ts';
import { createRouter, type Route } from './http/router.ts';
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
import { openState } from './state/state.ts';

/** Longer than clients keep a connection, so that none is closed under a call in flight. */
const keepAliveTimeoutMs = 15 * 60 * 1_000;
const drainMs = 2_000;

export interface LocalSesOptions {
  port: number;
  host?: string;
  /** Public address used in notifications, without a trailing slash. Default: 127.0.0.1 and the port. */
  publicUrl?: string;
  /** Inbound SMTP; 0 takes any free port. Off when unset. */
  smtpPort?: number;
  dataDir: string;
  webhookUrl?: string;
  topicArn?: string;
  /** Emails per second that `GetAccount` reports; not enforced. */
  maxSendRate?: number;
  logger?: Logger;
}

export interface LocalSes {
  url: string;
  port: number;
  smtpPort: number | undefined;
  close(): Promise<void>;
}

export const defaultTopicArn = 'arn:aws:sns:us-east-1:000000000000:posthaste';
export const defaultMaxSendRate = 100_000;

/**
 * Starts the local email provider: the SES v2 calls for the unmodified AWS SDK, events as signed SNS
 * notifications, and the inbox page and API, all on one port. Everything that was accepted survives a restart
 * on the same folder.
 * @throws Error with `code` EADDRINUSE when the port is taken
 */
export async function startLocalSes(options: LocalSesOptions): Promise<LocalSes> {
  const logger = options.logger ?? pino({ level: 'silent' });
  await mkdir(options.dataDir, { recursive: true });

  let handle = (_request: IncomingMessage, response: ServerResponse): void => {
    sendJson(response, 503, { error: { message: 'The local SES is starting.' } });
  };
  const server = createServer({ keepAliveTimeout: keepAliveTimeoutMs }, (request, response) =>
    handle(request, response),
  );
  // Listen first: notifications contain the port, and a taken one must leave the files untouched.
  const port = await listen(server, options.port, options.host ?? '127.0.0.1');
  const url = options.publicUrl ?? `http://127.0.0.1:${port}`;

  const parts = await openParts(options, url);
  const { store, received, identities, events, state } = parts;
  const route = createRouter(routesOf(parts, options), answerUnknown, (error, request, response) =>
    answerFailure(error, request, response, logger),
  );
  handle = (request, response) => {
    if (isFromHere(request)) route(request, response);
    else sendJson(response, 403, { error: { message: 'Requests from other web sites are refused.' } });
  };
  logger.info({ url, messages: store.size, pendingEvents: store.pending.size }, 'local SES started');

  const smtp =
    options.smtpPort === undefined
      ? undefined
      : await openSmtpPort({
          port: options.smtpPort,
          host: options.host ?? '127.0.0.1',
          mail: received,
          identities,
        });

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
      await store.close();
      await state.close();
    },
  };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** What survives a restart, and the events that are still to be delivered. */
async function openParts(options: LocalSesOptions, url: string) {
  const topicArn = options.topicArn ?? defaultTopicArn;
  const state = await openState(options.dataDir);
  const store = await MailStore.open(options.dataDir);
  const received = await ReceivedMail.open(options.dataDir, store);
  const identities = new Identities(state);
  const faults = new Faults();
  const events: EventStack = await startEvents({
    store,
    received,
    state,
    dataDir: options.dataDir,
    baseUrl: url,
    topicArn,
    webhookUrl: options.webhookUrl ?? null,
  });
  return { state, store, received, identities, faults, events };
}

function routesOf(parts: Parts, options: LocalSesOptions): Route[] {
  const { store, received, identities, faults, events } = parts;
  const hasWebhook = options.webhookUrl !== undefined;
  return [
    ...sendingRoutes({ store, identities, hasWebhook }, faults),
    ...accountRoutes(store, options.maxSendRate ?? defaultMaxSendRate),
    ...identityRoutes(identities),
    ...events.routes,
    ...inboundRoutes(received, hasWebhook),
    ...messageRoutes(store),
    ...controlRoutes({ store, faults, events: events.control, identities }),
    ...pageRoutes(store, events.control),
    {
      method: 'GET',
      path: '/health',
      handle: ({ response }) => sendJson(response, 200, { status: 'ok', messages: store.size }),
    },
  ];
}

function listen(server: ReturnType<typeof createServer>, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(address.port);
    });
  });
}

function answerUnknown(request: IncomingMessage, response: ServerResponse): void {
  if (isSesCall(request)) {
    answerError(
      response,
      new SesError(
        'UnknownOperationException',
        `The local SES does not know ${request.method} ${request.url}.`,
      ),
    );
  } else {
    sendJson(response, 404, { error: { message: 'Not found.' } });
  }
}

function answerFailure(
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  logger: Logger,
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const known = error instanceof SesError || error instanceof HttpProblem ? error : null;
  if (known === null)
    logger.error({ err: error, method: request.method, url: request.url }, 'request failed');
  if (isSesCall(request)) {
    answerError(
      response,
      known instanceof SesError
        ? known
        : new SesError('InternalServiceErrorException', 'The local SES failed; see its log.'),
    );
  } else {
    const message = known?.message ?? 'The local SES failed; see its log.';
    sendJson(response, known?.status ?? 500, { error: { message } });
  }
}

function isSesCall(request: IncomingMessage): boolean {
  return request.url?.startsWith('/v2/') ?? false;
}
