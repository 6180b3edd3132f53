import { runQuickChecks } from './checks.ts';

process.exitCode = await runQuickChecks();
