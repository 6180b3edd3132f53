import { measureAcceptance } from './acceptance.ts';
import { measureTrackStatement } from './bare-statements.ts';
import { withBenchStack } from './bench-stack.ts';
import type { BenchRun } from './report.ts';
import { createTrackBodies } from './requests.ts';

export function benchTrack(run: BenchRun): Promise<void> {
  return withBenchStack((stack) =>
    measureAcceptance(stack, run, {
      path: '/v1/track',
      key: stack.project.publicKey,
      nextBody: createTrackBodies(),
      environment: {},
      measureStatement: () => measureTrackStatement(stack),
      items: 'events',
      bar: 6_000,
      p99BarMs: 25,
    }),
  );
}
