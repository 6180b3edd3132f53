import { setTimeout as delay } from 'node:timers/promises';

type DependencyCheck = () => Promise<unknown>;

/** Without Postgres the API is not ready; without the others it still accepts requests and catches up. */
export interface ReadinessChecks {
  postgres: DependencyCheck;
  clickhouse?: DependencyCheck;
  temporal?: DependencyCheck;
}

const checkTimeoutMs = 2_000;
// Several load balancers share one check.
const validForMs = 1_000;

/**
 * Returns a function that reports the state of every dependency. It never throws; a result is cached for one second.
 */
export function createReadiness(checks: ReadinessChecks) {
  let latest: ReturnType<typeof look> | undefined;
  let latestAt = 0;
  return () => {
    if (latest === undefined || performance.now() - latestAt > validForMs) {
      latestAt = performance.now();
      latest = look(checks);
    }
    return latest;
  };
}

async function look(checks: ReadinessChecks) {
  const states = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await stateOf(check)] as const),
  );
  const dependencies = Object.fromEntries(states);
  const isDegraded = states.some(([, { status }]) => status === 'down');
  const status = dependencies.postgres?.status !== 'up' ? 'unavailable' : isDegraded ? 'degraded' : 'ready';
  return { status, dependencies } as const;
}

async function stateOf(check: DependencyCheck) {
  const startedAt = performance.now();
  const answered = check().then(
    () => 'up' as const,
    () => 'down' as const,
  );
  const status = await Promise.race([answered, delay(checkTimeoutMs, 'down' as const, { ref: false })]);
  return { status, latencyMs: Math.round(performance.now() - startedAt) };
}
