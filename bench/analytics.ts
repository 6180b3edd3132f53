import { runEngineBench } from './engine-bench.ts';
import type { BenchRun } from './report.ts';

export function benchAnalytics({ report }: BenchRun): Promise<void> {
  return runEngineBench('./analytics-run.ts', [], report);
}
