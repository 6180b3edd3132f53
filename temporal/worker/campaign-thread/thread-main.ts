import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createOrm } from '../../../db/orm.ts';
import { openEmailProviders } from '../../../runtime/email-providers.ts';
import { presentError, type Warn } from '../../../runtime/logger.ts';
import { openTracing } from '../../../runtime/open-tracing.ts';
import { databaseAddress, statementLimits } from '../../../runtime/resources.ts';
import { createSendRates } from '../../../runtime/send-rates.ts';
import { traceBulkHandOvers } from '../../../runtime/trace-hand-overs.ts';
import { createBatchSender } from '../../activities/campaigns/create-batch-sender.ts';
import { createHeadStart } from '../../activities/campaigns/head-start.ts';
import { keptOpen, warmStatements } from '../../activities/campaigns/warm-statements.ts';
import { warmUp } from '../../activities/campaigns/warm-up.ts';
import { createClaimedRenderer } from '../../activities/sending/render-claimed.ts';
import type { Order, Outcomes, Report, ThreadData } from './messages.ts';

/**
 * The thread that sends campaign batches: rendering and hand-overs block it for seconds at a time, which must not delay
 * transactional email. It has its own connections and, on Linux, a lower priority once the process has loaded.
 */
if (parentPort === null) throw new Error('This module must run in a worker thread');
const port = parentPort;
const { config }: ThreadData = workerData;
const report = (message: Report) => port.postMessage(message);
const warn: Warn = (message, err) =>
  report({ kind: 'warning', message, error: err === undefined ? undefined : presentError(err) });

const ends: (() => Promise<void>)[] = [];
const tracing = await openTracing(config, 'posthaste-campaigns', warn, { add: (_, end) => ends.push(end) });
const { provider } = await openEmailProviders(config);
ends.push(() => provider.close());
const orm = createOrm({
  ...databaseAddress(config),
  poolSize: config.DATABASE_CAMPAIGN_POOL_SIZE,
  keptOpen,
  limits: statementLimits(config, 'worker'),
  validateRows: config.VALIDATE_ROWS,
  warn: (message) => warn(message, undefined),
});
ends.push(() => orm.close());

let outcomes: Outcomes = {};
function reportRecorded(): void {
  report({ kind: 'recorded', outcomes });
  outcomes = {};
}

const render = createClaimedRenderer(config, 'many');
const rates = createSendRates(config, provider, warn);
const send = createBatchSender({
  orm,
  provider: tracing === undefined ? provider : traceBulkHandOvers(provider, tracing),
  render,
  rates,
  unknownSeconds: config.UNKNOWN_OUTCOME_SECONDS,
  count: (outcome) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  },
  warn,
  recorded: reportRecorded,
});

const underWay = new Map<number, AbortController>();
const headStart = createHeadStart({ orm, sendBatch: send, isBusy: () => underWay.size > 0, warn });
const isIdle = () => underWay.size === 0 && !headStart.isSending();

async function handle(order: Order): Promise<void> {
  switch (order.kind) {
    case 'send': {
      const { id, input } = order;
      const stop = new AbortController();
      underWay.set(id, stop);
      try {
        report({ kind: 'sent', id, result: await send(input, stop.signal) });
      } catch (error) {
        report({ kind: 'failed', id, error: presentError(error) });
      } finally {
        underWay.delete(id);
      }
      return;
    }
    case 'abort':
      underWay.get(order.id)?.abort();
      return;
    case 'begin':
      headStart.begin(order.campaignId);
      return;
    case 'look':
      headStart.look(order.campaignId);
      return;
    case 'take over':
      // Fetched only now: earlier, the provider may not be up.
      void rates();
      await headStart.takeOver();
      if (isIdle()) await warmStatements(orm, warn);
      return;
    case 'lower priority':
      // On other platforms this would change the priority of the whole process.
      if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      return;
    case 'end head start':
      await headStart.stop();
      return;
    case 'end':
      await headStart.stop();
      for (const end of ends.toReversed()) await end();
      // Connections to a vanished host would keep it running.
      process.exit(0);
  }
}

port.on('message', (order: Order) => void handle(order));
await warmUp({ render, provider, isDue: isIdle });
report({ kind: 'up' });
