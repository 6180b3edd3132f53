import { Counter, Gauge, type Registry } from 'prom-client';
import type { Orm } from '../db/orm.ts';
import { readOutboxFigures } from '../db/repositories/outbox/outbox.ts';

/** What operators watch besides requests: queues, hand-overs, notifications and the journal's stream. */
export interface ProductMetrics {
  /** One hand-over to the provider, or one email held back. */
  countHandOver(outcome: string, emails?: number): void;
  /** One message at `/webhooks/sns`. */
  countNotification(outcome: string): void;
  /** A recount of campaigns' figures that found so many differences. */
  countMiscounts(differences: number): void;
  /** A repair that had to remind, or end, so many workflows of executions. */
  countRepairs(reminded: number, orphaned: number): void;
  /** An execution that was ended because it would have gone on without an end. */
  countEndless(kind: 'chain' | 'loop'): void;
  /** A run that compared so many workflows of executions with theirs, and perhaps came to the oldest. */
  countComparisons(count: number, isRoundOver: boolean): void;
  /** Tells how far ClickHouse is behind the journal, at each scrape. */
  watchStream(lag: () => { rowsBehind: number; secondsBehind: number }): void;
}

/** Registers the product's own metrics. The outbox is read when the metrics are scraped. */
export function createProductMetrics(registry: Registry, orm: Orm): ProductMetrics {
  const handOvers = new Counter({
    name: 'posthaste_email_hand_overs_total',
    help: 'Hand-overs to the provider by outcome: accepted, refused, later, unknown, suppressed.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const notifications = new Counter({
    name: 'posthaste_provider_notifications_total',
    help: 'Messages at /webhooks/sns by outcome: applied, duplicate, unknown, ignored, refused.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const miscounts = new Counter({
    name: 'posthaste_campaign_miscounts_total',
    help: 'Differences between the counters of campaigns and their emails, which were put right. Must stay 0.',
    registers: [registry],
  });
  const repairs = new Counter({
    name: 'posthaste_workflow_execution_repairs_total',
    help: 'Executions on which Postgres and Temporal disagreed: late ones that were reminded, orphaned workflows that were ended.',
    labelNames: ['kind'],
    registers: [registry],
  });
  const endless = new Counter({
    name: 'posthaste_workflow_executions_endless_total',
    help: 'Executions that were ended because workflows start one another (chain), or a graph goes round (loop), without a pause.',
    labelNames: ['kind'],
    registers: [registry],
  });
  const comparisons = new Counter({
    name: 'posthaste_workflow_executions_compared_total',
    help: 'Running workflows of executions that were compared with what Postgres knows of them.',
    registers: [registry],
  });
  const comparedAll = new Gauge({
    name: 'posthaste_workflow_executions_compared_all_timestamp_seconds',
    help: 'When such a comparison last came to the oldest one; 0 in a process that has not seen it.',
    registers: [registry],
  });
  const waiting = new Gauge({
    name: 'posthaste_outbox_waiting',
    help: 'Commands that wait to be sent to Temporal, by lane: emails, work.',
    labelNames: ['lane'],
    registers: [registry],
    async collect() {
      for (const { lane, ...figures } of await readOutboxFigures(orm.em.fork())) {
        waiting.set({ lane }, figures.waiting);
        dead.set({ lane }, figures.dead);
        oldest.set({ lane }, figures.oldestSeconds);
      }
    },
  });
  const dead = new Gauge({
    name: 'posthaste_outbox_dead',
    help: 'Commands that were given up on. Must stay 0.',
    labelNames: ['lane'],
    registers: [registry],
  });
  const oldest = new Gauge({
    name: 'posthaste_outbox_oldest_seconds',
    help: 'Age of the oldest command that waits.',
    labelNames: ['lane'],
    registers: [registry],
  });

  return {
    countHandOver: (outcome, emails = 1) => handOvers.inc({ outcome }, emails),
    countMiscounts: (differences) => miscounts.inc(differences),
    countEndless: (kind) => endless.inc({ kind }),
    countRepairs(reminded, orphaned) {
      repairs.inc({ kind: 'late' }, reminded);
      repairs.inc({ kind: 'orphaned' }, orphaned);
    },
    countComparisons(count, isRoundOver) {
      comparisons.inc(count);
      if (isRoundOver) comparedAll.setToCurrentTime();
    },
    countNotification: (outcome) => notifications.inc({ outcome }),
    watchStream(lag) {
      const seconds = new Gauge({
        name: 'posthaste_journal_stream_lag_seconds',
        help: 'Age of the oldest row of the journal that ClickHouse does not have yet.',
        registers: [registry],
        collect() {
          seconds.set(lag().secondsBehind);
          rows.set(lag().rowsBehind);
        },
      });
      const rows = new Gauge({
        name: 'posthaste_journal_stream_lag_rows',
        help: 'Rows of the journal that ClickHouse does not have yet, counted up to 50,000.',
        registers: [registry],
      });
    },
  };
}
