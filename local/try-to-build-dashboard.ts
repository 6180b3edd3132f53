import type { Logger } from 'pino';
import { buildDashboard, type DashboardBuild } from './build-dashboard.ts';

interface TriedBuild extends DashboardBuild {
  signal: AbortSignal;
  log: Pick<Logger, 'error'>;
}

/** Reports why a build fails and returns undefined: everything else works without a dashboard. */
export async function tryToBuildDashboard({ log, ...build }: TriedBuild): Promise<string | undefined> {
  try {
    return await buildDashboard(build);
  } catch (err) {
    build.signal.throwIfAborted();
    log.error({ err }, 'the dashboard could not be built');
    const reason = err instanceof Error ? err.message : String(err);
    build.say(
      `The dashboard could not be built, so Posthaste starts without it. "npm run web:build" tries again.\n${reason}`,
    );
    return undefined;
  }
}
