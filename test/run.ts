import { run, runQuickChecks, tests } from './checks.ts';

/** All checks that a change has to pass. With arguments (parts of file names) only the tests run. */
const args = process.argv.slice(2);
process.exitCode = (args.length === 0 && (await runQuickChecks())) || (await run(tests(args)));
