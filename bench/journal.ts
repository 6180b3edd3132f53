import { runEngineBench } from './engine-bench.ts';
import type { BenchRun } from './report.ts';

/** `node bench/journal-run.ts --rows=… --events=… --seconds=…` runs it with more data. */
export function benchJournal({ report }: BenchRun): Promise<void> {
  return runEngineBench('./journal-run.ts', ['--rows=300000', '--events=1000000', '--seconds=8'], report);
}
