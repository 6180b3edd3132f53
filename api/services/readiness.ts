export type DependencyCheck = () => Promise<unknown>;

/** Without Postgres the API is not ready; without the others it still accepts requests and catches up. */
export interface ReadinessChecks {
  postgres: DependencyCheck;
  clickhouse?: DependencyCheck;
  temporal?: DependencyCheck;
}

export interface DependencyState {
  status: 'up' | 'down';
  latencyMs: number;
}

export interface Readiness {
  status: 'ready' | 'degraded' | 'unavailable';
  dependencies: Record<string, DependencyState>;
}

const checkTimeoutMs = 2_000;
// Several load balancers share one check.
const validForMs = 1_000;

/**
 * Returns a function that reports the state of every dependency. It never throws; a result is cached for one second.
 */
export function createReadiness(checks: ReadinessChecks): () => Promise<Readiness> {
  let latest: Promise<Readiness> | undefined;
  let latestAt = 0;
  return () => {
    if (latest === undefined || performance.now() - latestAt > validForMs) {
      latestAt = performance.now();
      latest = look(checks);
    }
    return latest;
  };
}

async function look(checks: ReadinessChecks): Promise<Readiness> {
  const names = Object.entries(checks).filter(([, check]) => check !== undefined);
  const states = await Promise.all(names.map(async ([name, check]) => [name, await stateOf(check)] as const));
  const dependencies = Object.fromEntries(states);
  const isDown = (state: DependencyState | undefined) => state?.status !== 'up';
  if (isDown(dependencies.postgres)) return { status: 'unavailable', dependencies };
  return { status: states.some(([, state]) => isDown(state)) ? 'degraded' : 'ready', dependencies };
}

async function stateOf(check: DependencyCheck): Promise<DependencyState> {
  const startedAt = performance.now();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('No answer in time')), checkTimeoutMs);
  let status: DependencyState['status'] = 'up';
  try {
    await Promise.race([check(), late.promise]);
  } catch {
    status = 'down';
  } finally {
    clearTimeout(timer);
  }
  return { status, latencyMs: Math.round(performance.now() - startedAt) };
}
