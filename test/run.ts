import { quickChecks, run, tests } from './checks.ts';

/** All checks that a change has to pass. With arguments (parts of file names) only the tests run. */
const args = process.argv.slice(2);
process.exitCode = await run(args.length > 0 ? [tests(args)] : [...quickChecks, tests([])]);
