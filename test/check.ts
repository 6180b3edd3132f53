import { quickChecks, run } from './checks.ts';

process.exitCode = await run(quickChecks);
