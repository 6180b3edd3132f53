import { measureAcceptance } from './acceptance.ts';
import { measureTrackStatement } from './bare-statements.ts';
import { measureBesideBare } from './bare-track.ts';
import { withBenchStack } from './bench-stack.ts';
import { type BenchRun, reportEach } from './report.ts';
import { createTrackBodies } from './requests.ts';

export function benchTrack(run: BenchRun): Promise<void> {
  return withBenchStack(async (stack) => {
    await measureAcceptance(stack, run, {
      path: '/v1/track',
      key: stack.project.publicKey,
      nextBody: createTrackBodies(),
      environment: {},
      measureStatement: () => measureTrackStatement(stack),
      items: 'events',
      bar: 6_000,
      p99BarMs: 25,
    });
    if (!run.isQuick) await reportEach(measureBesideBare(stack, createTrackBodies()), run.report);
  });
}
