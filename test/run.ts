import { quickChecks, run, tests } from './checks.ts';

/** Everything that has to hold before a change is good. With arguments (parts of file names) only the tests run. */
const args = process.argv.slice(2);
process.exitCode = await run(args.length > 0 ? [tests(args)] : [...quickChecks, tests([])]);
