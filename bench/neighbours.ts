import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { withCleanUp } from './clean-up.ts';
import { type LocalProduct, withLocalProduct } from './local-product.ts';
import { watchMemory } from './memory-watch.ts';
import {
  callWebhooks,
  createShortWorkflow,
  queueEmails,
  sendLargeEmails,
  slowBody,
  startExecutions,
  track,
  trackFailing,
  untilEnded,
} from './neighbour-loads.ts';
import { percentile } from './percentile.ts';
import { presentSpread, sendQuietly } from './quiet-emails.ts';
import type { BenchRun, Figure } from './report.ts';
import { createTenants, type Tenant } from './tenant.ts';

const everyMs = 200;
const aloneEmails = 50;
/** The quiet project sends for at most this long; beside a shorter load, at least this many emails. */
const [longestMs, leastEmails] = [30_000, 25];

const executions = 20_000;
const ownStarts = 10;
const [backlog, ratePerSecond] = [50_000, 50];
const [largeEmails, megabytes] = [200, 8];
const slowEmails = 3_000;
const webhookCalls = 20;
const failingItems = 10_000;
const mostMegabytes = 1_000;

interface Scenario {
  name: string;
  barMs: number;
  load: (tenants: Tenants) => Promise<{ over: Promise<string>; figures?: () => Promise<Figure[]> }>;
  environment?: Record<string, string>;
}

type Tenants = Record<'quiet' | 'loud' | 'third', Tenant> & { product: LocalProduct };

const scenarios: Scenario[] = [
  {
    name: `${executions.toLocaleString('en-US')} workflow starts`,
    barMs: 1_000,
    async load({ loud, third }) {
      await startExecutions(loud, executions);
      const own = await createShortWorkflow(third, 'ordered');
      return {
        over: delay(longestMs, ''),
        async figures() {
          const startedAt = Date.now();
          await track(third, ownStarts, 'ordered');
          await untilEnded(third, own, ownStarts, 120_000);
          const work = `${ownStarts} starts of a third project beside them, until all have ended`;
          return [{ work, value: (Date.now() - startedAt) / 1000, unit: 's', bar: { below: 5 } }];
        },
      };
    },
  },
  {
    name: `a backlog of ${backlog.toLocaleString('en-US')} behind ${ratePerSecond}/s`,
    barMs: 2_000,
    environment: { EMAIL_RATE_PER_SECOND: String(ratePerSecond) },
    async load({ loud, product }) {
      await queueEmails(loud, backlog);
      return {
        over: delay(longestMs, ''),
        figures: async () => [await countTransactions(product.databaseUrl)],
      };
    },
  },
  {
    name: `${largeEmails} emails of ${megabytes} MB`,
    barMs: 2_000,
    load: async ({ loud }) => ({ over: timed('accepted', sendLargeEmails(loud, largeEmails, megabytes)) }),
  },
  {
    name: `${slowEmails.toLocaleString('en-US')} emails that render slowly`,
    barMs: 1_000,
    async load({ loud }) {
      await queueEmails(loud, slowEmails, slowBody);
      return { over: delay(longestMs, '') };
    },
  },
  {
    name: 'WEBHOOK steps of many templates',
    barMs: 1_000,
    async load({ loud }) {
      const templates = await callWebhooks(loud, webhookCalls);
      return {
        over: delay(10_000, `${webhookCalls} calls of ${templates} templates, the most that are accepted`),
      };
    },
  },
  {
    name: `${failingItems.toLocaleString('en-US')} failing items`,
    barMs: 1_000,
    load: async ({ loud }) => ({ over: timed('answered', trackFailing(loud, failingItems)) }),
  },
];

async function timed(what: string, work: Promise<unknown>): Promise<string> {
  const startedAt = Date.now();
  await work;
  return `all ${what} after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** Includes the emails sent meanwhile. */
async function countTransactions(databaseUrl: string): Promise<Figure> {
  const seconds = 20;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const read = async () => {
    await client.query('select pg_stat_force_next_flush()');
    const { rows } = await client.query(
      `select sum(xact_commit)::float8 as count from pg_stat_database where datname = current_database()`,
    );
    return Number(rows[0]?.count);
  };
  const before = await read();
  await delay(seconds * 1_000);
  const count = await read();
  await client.end();
  return {
    work: 'transactions of the whole product meanwhile',
    value: (count - before) / seconds,
    unit: '/s',
    note: 'API, relay, sweeps and the hand-overs themselves included',
  };
}

const environment = { API_RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' };

async function measure(scenario: Scenario): Promise<Figure[]> {
  return withCleanUp(async (cleanUp) => {
    const directory = await mkdtemp(join(tmpdir(), 'posthaste-bench-'));
    cleanUp(() => rm(directory, { recursive: true, force: true }));
    const started = { ...environment, ...scenario.environment };
    return withLocalProduct(join(directory, 'data'), started, async (product) => {
      const tenants = { product, ...(await createTenants(product, ['quiet', 'loud', 'third'])) };
      const alone = await sendQuietly(product, tenants.quiet, everyMs, (sent) => sent < aloneEmails);
      const memory = watchMemory(product.pid);
      const load = await scenario.load(tenants);
      let isOver = false;
      const over = load.over.finally(() => {
        isOver = true;
      });
      const until = Date.now() + longestMs;
      const shouldContinue = (sent: number) => sent < leastEmails || (!isOver && Date.now() < until);
      const quiet = sendQuietly(product, tenants.quiet, everyMs, shouldContinue);
      const more = await load.figures?.();
      const beside = await quiet;
      const said = await over;
      const largest = memory();
      return [
        {
          work: `email beside ${scenario.name}, p99`,
          value: percentile(beside.handOverMs, 0.99),
          unit: 'ms',
          bar: { below: scenario.barMs },
          limits: [{ what: 'alone, p99', value: percentile(alone.handOverMs, 0.99), unit: 'ms' }],
          note:
            `${presentSpread(beside.handOverMs)}; alone ${presentSpread(alone.handOverMs)}; ` +
            `answers ${presentSpread(beside.answerMs)}${said === '' ? '' : `; ${said}`}`,
        },
        ...(more ?? []),
        {
          work: '  the largest process meanwhile',
          value: largest.megabytes,
          unit: 'MB',
          bar: { below: mostMegabytes },
          note: largest.name,
        },
      ];
    });
  });
}

/**
 * Latency of a quiet project's single emails beside a loud one, on what `npm start` starts, and its largest process.
 * `BENCH_NEIGHBOURS=backlog` runs only the scenarios whose name contains that.
 */
export async function benchNeighbours({ report }: BenchRun): Promise<void> {
  const only = process.env.BENCH_NEIGHBOURS ?? '';
  for (const scenario of scenarios.filter(({ name }) => name.includes(only))) {
    for (const figure of await measure(scenario)) report(figure);
  }
}
