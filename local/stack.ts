import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { loadConfig } from '../core/config/load.ts';
import type { Config } from '../core/config/schema.ts';
import type { Credentials, StackUrls } from './credentials.ts';
import { chooseEmbeddedParts, localApiUrl, productEnvironment } from './environment.ts';
import { LocalStackError } from './failure.ts';
import { rememberPorts } from './ports.ts';
import { postgresUrl } from './postgres.ts';
import { startChildren } from './stack-children.ts';
import type { StackOptions } from './stack-options.ts';
import { portNumbers, reservePorts } from './stack-ports.ts';

export interface RunningStack {
  urls: StackUrls;
  /** `undefined` when the database was not made by us and has accounts of its own. */
  credentials: Credentials | undefined;
  isFirstStart: boolean;
}

/**
 * Starts everything that `npm start` is made of. The children come up side by side while this process loads the
 * product; then the product starts on top of them. When it answers, all of it answers.
 *
 * @throws LocalStackError or ConfigError with a sentence for the user.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const { environment, settings, data } = options;
  const parts = chooseEmbeddedParts(settings);
  const reserved = await reservePorts(settings, parts, data.path);
  try {
    const ports = portNumbers(reserved);
    const databaseUrl =
      settings.DATABASE_URL ?? postgresUrl(ports.POSTGRES_PORT ?? 0, data.secrets.postgresPassword);
    const complete = productEnvironment(environment, settings, parts, data, { ports, databaseUrl });
    const config = loadConfig(complete);
    await rememberPorts(data.path, ports);
    options.signal.throwIfAborted();
    const giveUp = new AbortController();
    const onAbort = () => giveUp.abort();
    options.signal.addEventListener('abort', onAbort, { once: true });
    const starting = startChildren({ ...options, signal: giveUp.signal }, parts, reserved, ports);
    // Loading the product and bundling the workflows take seconds of this process, while the children use the rest.
    const loading = loadProduct(options.log);
    const [product] = await Promise.all([loading, ...starting]);
    // From here on the children end in their turn.
    options.signal.removeEventListener('abort', onAbort);
    options.signal.throwIfAborted();
    await reserved.PORT?.release();
    const inboundSmtp = parts.ses ? `smtp://127.0.0.1:${ports.INBOUND_SMTP_PORT}` : null;
    return await startProductOnTop(options, product, config, complete, {
      withLocalSes: parts.ses,
      inboundSmtp,
    });
  } finally {
    await Promise.all(Object.values(reserved).map((port) => port.release()));
  }
}

async function loadProduct(log: Logger) {
  const [{ startProduct }, { installTemporalRuntime }, { loadWorkflowBundle }, { prepareFirstStart }] =
    await Promise.all([
      import('./product.ts'),
      import('../temporal/worker/start.ts'),
      import('../temporal/worker/workflow-bundle.ts'),
      import('./first-start.ts'),
    ]);
  installTemporalRuntime(log);
  await loadWorkflowBundle();
  return { startProduct, prepareFirstStart };
}

async function startProductOnTop(
  options: StackOptions,
  { startProduct, prepareFirstStart }: Awaited<ReturnType<typeof loadProduct>>,
  config: Config,
  environment: Record<string, string | undefined>,
  { withLocalSes, inboundSmtp }: { withLocalSes: boolean; inboundSmtp: string | null },
): Promise<RunningStack> {
  const { log, shutdown, settings, data } = options;
  const product = await startProduct({ config, environment, log, shutdown });
  void product.workerEnded.then(
    () => options.onFailure(new LocalStackError('The Temporal worker ended unexpectedly. Start again.')),
    options.onFailure,
  );
  const urls: StackUrls = {
    api: product.url,
    docs: `${product.url}/docs`,
    temporalUi: config.TEMPORAL_UI_URL ?? null,
    inbox: withLocalSes ? (config.SES_ENDPOINT ?? null) : null,
    inboundSmtp,
  };
  const { credentials, isNew } = await prepareFirstStart({
    dataDirectory: data.path,
    urls,
    withLocalSes,
    services: product.services,
    orm: product.resources.orm,
  });
  await waitUntilReady(`${localApiUrl(settings, config.PORT)}/ready`, options.signal);
  return { urls, credentials, isFirstStart: isNew };
}

const readyTimeoutMs = 20_000;

/** Asks the API itself whether everything answers: the same that a load balancer would ask. */
async function waitUntilReady(url: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const answer = await fetch(url).catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.ok) return;
    if (Date.now() > deadline) {
      const said = answer instanceof Error ? answer.message : (await answer.text()).slice(0, 500);
      throw new LocalStackError(`Posthaste started, but ${url} does not report everything as ready: ${said}`);
    }
    await delay(50);
  }
}
