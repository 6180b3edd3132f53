import { createLogger } from '../../runtime/logger.ts';
import { installTemporalRuntime } from '../../temporal/worker/temporal-runtime.ts';

let isInstalled = false;

/** The native Temporal runtime exists once per process; test files of one worker share it. */
export function useTemporalRuntime(): void {
  if (!isInstalled) installTemporalRuntime(createLogger(process.env.TEST_LOG_LEVEL ?? 'silent'));
  isInstalled = true;
}
