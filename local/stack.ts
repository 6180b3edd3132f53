import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { loadConfig } from '../core/config/load.ts';
import type { Config } from '../core/config/schema.ts';
import { dashboardUrl } from '../core/config/urls.ts';
import {
  type CampaignThread,
  openCampaignThread,
} from '../temporal/worker/campaign-thread/campaign-thread.ts';
import { tryToBuildDashboard } from './build-dashboard.ts';
import type { StackUrls } from './credentials.ts';
import { chooseEmbeddedParts, localApiUrl, productEnvironment } from './environment.ts';
import { LocalStackError } from './failure.ts';
import { rememberPorts } from './ports.ts';
import { postgresUrl } from './postgres.ts';
import { type StackOptions, startChildren } from './stack-children.ts';
import { portNumbers, reservePorts } from './stack-ports.ts';

/** Before spawning it, the first start may have to download Temporal. */
const longestSpawnMs = 2_000;

/**
 * Starts everything that `npm start` runs. The children and the campaign thread start concurrently while this process
 * loads the product, which then starts on top of them. Resolves when all of it answers.
 * @throws LocalStackError or ConfigError with a message for the user
 */
export async function startStack(options: StackOptions) {
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
    const children = startChildren({ ...options, signal: giveUp.signal }, parts, reserved, ports);
    const campaigns = openCampaignThread(config, options.log, options.shutdown);
    // Loading blocks this thread for a second, during which it could not start any of them.
    await Promise.race([children.spawned, delay(longestSpawnMs)]);
    const loading = loadProduct(options.log);
    const building = settings.DASHBOARD_DIR ?? tryToBuildDashboard(options);
    const [product, dashboardFolder] = await Promise.all([loading, building, ...children.up]);
    // From here on, the shutdown ends the children in order.
    options.signal.removeEventListener('abort', onAbort);
    options.signal.throwIfAborted();
    await reserved.PORT?.release();
    const inboundSmtp = parts.ses ? `smtp://127.0.0.1:${ports.INBOUND_SMTP_PORT}` : null;
    return await startProductOnTop(
      options,
      product,
      campaigns,
      { ...config, DASHBOARD_DIR: dashboardFolder },
      complete,
      { withLocalSes: parts.ses, inboundSmtp },
    );
  } finally {
    await Promise.all(Object.values(reserved).map((port) => port.release()));
  }
}

async function loadProduct(log: Logger) {
  const [
    { startProduct },
    { installTemporalRuntime },
    { loadWorkflowBundle },
    { prepareFirstStart, createSignInLink },
  ] = await Promise.all([
    import('./product.ts'),
    import('../temporal/worker/temporal-runtime.ts'),
    import('../temporal/worker/workflow-bundle.ts'),
    import('./first-start.ts'),
  ]);
  installTemporalRuntime(log);
  await loadWorkflowBundle();
  return { startProduct, prepareFirstStart, createSignInLink };
}

async function startProductOnTop(
  options: StackOptions,
  { startProduct, prepareFirstStart, createSignInLink }: Awaited<ReturnType<typeof loadProduct>>,
  campaigns: CampaignThread,
  config: Config,
  environment: Record<string, string | undefined>,
  { withLocalSes, inboundSmtp }: { withLocalSes: boolean; inboundSmtp: string | null },
) {
  const { log, shutdown, settings, data } = options;
  const product = await startProduct({ config, environment, log, shutdown, campaigns });
  void product.workerEnded.then(
    () => options.onFailure(new LocalStackError('The Temporal worker ended unexpectedly. Start again.')),
    options.onFailure,
  );
  const urls: StackUrls = {
    dashboard: dashboardUrl(config) ?? null,
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
  const { orm } = product.resources;
  const { accountLinks } = product.services;
  const signInLink = credentials && (await createSignInLink({ orm, accountLinks }, credentials));
  return { urls, credentials, isFirstStart: isNew, signInLink };
}

/** Enough for a busy machine; the error then says what is not ready. */
const readyTimeoutMs = 60_000;

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
