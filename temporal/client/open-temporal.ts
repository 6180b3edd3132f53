import { notifyWaitingEmails } from '../../db/statements/outbox/due-commands.ts';
import { warnTo } from '../../runtime/logger.ts';
import type { Resources } from '../../runtime/resources.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { createTemporalClient } from './connect.ts';
import { createOutboxRelay, type RelayOptions } from './outbox-relay.ts';
import { createDataConverter } from './payload-codec.ts';

export type ProcessResources = Resources & ReturnType<typeof openTemporal>;

/**
 * Connects lazily, and does not start the relay: its table may not exist before `prepareDatabase`. Shutdown closes the
 * relay before the client.
 */
export function openTemporal(resources: Resources, shutdown: Shutdown) {
  const { config, environment, orm, log } = resources;
  const dataConverter = createDataConverter(config.TEMPORAL_PAYLOAD_KEY);
  const temporal = createTemporalClient(environment, dataConverter);
  shutdown.add('Temporal client', () => temporal.connection.close());
  const relay = createOutboxRelay({
    orm,
    client: temporal,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    warn: warnTo(log),
    notifyWorkers: () => notifyWaitingEmails(orm.em.fork()),
    emailRoundsAtATime: emailRoundsAtATime(config.DATABASE_POOL_SIZE),
    around: traceRounds(resources),
  });
  shutdown.add('relay', () => relay.stop());
  return { temporal, dataConverter, relay };
}

/** A round holds one connection, and its first try needs more. */
const emailRoundsAtATime = (poolSize: number) => Math.min(6, Math.max(1, Math.floor(poolSize / 3) - 1));

function traceRounds({ tracing }: Resources): RelayOptions['around'] {
  if (tracing === undefined) return undefined;
  return ({ lane, commands }, deliver) =>
    tracing.span(
      {
        name: 'relay',
        facts: { 'posthaste.lane': lane, 'posthaste.commands': commands },
        result: (workflowIds) => ({ 'temporal.workflow.ids': workflowIds }),
      },
      deliver,
    );
}
