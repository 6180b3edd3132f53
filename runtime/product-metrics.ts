import { Counter, Gauge, type Registry } from 'prom-client';
import type { SenderFigures } from '../core/project-security.ts';
import type { Orm } from '../db/orm.ts';
import { registerDatabaseGauges } from './database-gauges.ts';
import type { Warn } from './logger.ts';

export type ProductMetrics = ReturnType<typeof createProductMetrics>;

export function createProductMetrics(registry: Registry, orm: Orm, warn: Warn) {
  registerDatabaseGauges(registry, orm, warn);
  return {
    ...createEmailCounters(registry),
    ...createSweepMetrics(registry),
    ...createExecutionMetrics(registry),
    watchStream: (lag: () => StreamLag) => registerStreamGauges(registry, lag),
    /** @param ping rejects when Temporal does not answer within the time */
    watchTemporal: (ping: (timeoutMs: number) => Promise<void>) => registerTemporalGauge(registry, ping),
  };
}

function labeledCounter<Label extends string>(
  registry: Registry,
  config: { name: string; help: string; label: Label; values: readonly string[] },
): Counter<Label> {
  const { name, help, label, values } = config;
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  // Prometheus sees an increase only if a sample precedes it.
  for (const value of values) counter.labels(value).inc(0);
  return counter;
}

function createEmailCounters(registry: Registry) {
  const handOvers = labeledCounter(registry, {
    name: 'posthaste_email_hand_overs_total',
    help: 'Hand-overs to the provider by outcome: accepted, refused, later, unknown, suppressed.',
    label: 'outcome',
    values: ['accepted', 'refused', 'later', 'unknown', 'suppressed'],
  });
  const notifications = labeledCounter(registry, {
    name: 'posthaste_provider_notifications_total',
    help: 'Messages at /webhooks/sns by outcome: applied, duplicate, unknown, over_limit, ignored, refused.',
    label: 'outcome',
    values: ['applied', 'duplicate', 'unknown', 'over_limit', 'ignored', 'refused'],
  });
  const miscounts = new Counter({
    name: 'posthaste_campaign_miscounts_total',
    help: 'Corrected differences between campaign counters and their emails. Must stay 0.',
    registers: [registry],
  });
  return {
    countHandOver: (outcome: string, emails = 1) => handOvers.inc({ outcome }, emails),
    countNotification: (outcome: string) => notifications.inc({ outcome }),
    countMiscounts: (differences: number) => miscounts.inc(differences),
  };
}

function createExecutionMetrics(registry: Registry) {
  const registers = [registry];
  const repairs = labeledCounter(registry, {
    name: 'posthaste_workflow_execution_repairs_total',
    help: 'Executions on which Postgres and Temporal disagreed: late executions that were signaled, orphaned workflows that were ended.',
    label: 'kind',
    values: ['late', 'orphaned'],
  });
  const endless = labeledCounter(registry, {
    name: 'posthaste_workflow_executions_endless_total',
    help: 'Executions that were ended because workflows start one another (chain) or a graph loops (loop) without a pause.',
    label: 'kind',
    values: ['chain', 'loop'],
  });
  const comparisons = new Counter({
    name: 'posthaste_workflow_executions_compared_total',
    help: 'Running execution workflows that were compared with Postgres.',
    registers,
  });
  const comparedAll = new Gauge({
    name: 'posthaste_workflow_executions_compared_all_timestamp_seconds',
    help: 'When these comparisons last reached the oldest workflow; 0 in a process where they have not.',
    registers,
  });
  return {
    countRepairs(reminded: number, orphaned: number) {
      repairs.inc({ kind: 'late' }, reminded);
      repairs.inc({ kind: 'orphaned' }, orphaned);
    },
    countEndless: (kind: 'chain' | 'loop') => endless.inc({ kind }),
    countComparisons(count: number, isRoundOver: boolean) {
      comparisons.inc(count);
      if (isRoundOver) comparedAll.setToCurrentTime();
    },
  };
}

function createSweepMetrics(registry: Registry) {
  const registers = [registry];
  const results = labeledCounter(registry, {
    name: 'posthaste_email_results_total',
    help: 'Outcomes of emails as bounce and complaint rates count them: sent, bounced, complained.',
    label: 'result',
    values: ['sent', 'bounced', 'complained'],
  });
  const suspensions = new Counter({
    name: 'posthaste_project_suspensions_total',
    help: 'Projects that were disabled for their bounces or complaints.',
    registers,
  });
  const finished = new Gauge({
    name: 'posthaste_sweep_finished_timestamp_seconds',
    help: 'When this process last finished a round of each sweep; 0 if it has not.',
    labelNames: ['sweep'],
    registers,
  });
  return {
    countResults({ sent, bounced, complained }: SenderFigures) {
      for (const [result, emails] of Object.entries({ sent, bounced, complained })) {
        results.inc({ result }, emails);
      }
    },
    countSuspensions: (projects: number) => suspensions.inc(projects),
    /** Exports a sweep as never finished, so that one that never finishes is seen. */
    expectSweep: (sweep: string) => finished.set({ sweep }, 0),
    noteSweep: (sweep: string) => finished.setToCurrentTime({ sweep }),
  };
}

/** Prometheus waits ten seconds for all metrics of a process. */
const temporalPatienceMs = 5_000;

function registerTemporalGauge(registry: Registry, ping: (timeoutMs: number) => Promise<void>): void {
  const up = new Gauge({
    name: 'posthaste_temporal_up',
    help: 'Whether Temporal answered this process within five seconds: 1 or 0.',
    registers: [registry],
    async collect() {
      const answers = await ping(temporalPatienceMs).then(
        () => true,
        () => false,
      );
      up.set(answers ? 1 : 0);
    },
  });
}

interface StreamLag {
  rowsBehind: number;
  secondsBehind: number;
  refusedRows: number;
}

function registerStreamGauges(registry: Registry, lag: () => StreamLag): void {
  const registers = [registry];
  const seconds = new Gauge({
    name: 'posthaste_journal_stream_lag_seconds',
    help: 'Age of the oldest row of the journal that ClickHouse does not have yet.',
    registers,
    collect() {
      seconds.set(lag().secondsBehind);
      rows.set(lag().rowsBehind);
      refused.set(lag().refusedRows);
    },
  });
  const rows = new Gauge({
    name: 'posthaste_journal_stream_lag_rows',
    help: 'Rows of the journal that ClickHouse does not have yet, counted up to 50,000.',
    registers,
  });
  const refused = new Gauge({
    name: 'posthaste_journal_refused_rows',
    help: 'Rows of the journal that ClickHouse refused, so that it has them without their data or not at all. Must not grow.',
    registers,
  });
}
