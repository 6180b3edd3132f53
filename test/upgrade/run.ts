import { parseArgs } from 'node:util';
import { cleanUpNow, withCleanUp } from '../../bench/clean-up.ts';
import { layOutOldVersion, MissingCommit } from './old-version.ts';
import { rehearseUpgrade } from './rehearse-upgrade.ts';

/** Default version to upgrade from. It has its own lock file, so the first run needs the npm registry. */
const oldest = '334ae20';

const orders = ['workers first', 'api first'] as const;

const usage = `Usage: npm run rehearse:upgrade -- [--from ${oldest}] [--executions 20] [--recipients 4000] [--order "api first"]
Runs the version of a commit with executions waiting in every type of step and campaigns being sent, replaces it by this
version process by process while clients keep sending requests, and checks that no request fails and everything completes
correctly. Without --order it runs twice: workers first, then API first. Exits with 1 on a failure. Takes about 15 minutes.`;

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: oldest },
    executions: { type: 'string', default: '20' },
    recipients: { type: 'string', default: '4000' },
    order: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const chosen = orders.filter((order) => values.order === undefined || values.order === order);
const numbers = [values.executions, values.recipients];
if (values.help || chosen.length === 0 || numbers.some((value) => !/^[1-9]\d*$/.test(value))) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUpNow().finally(() => process.exit(1)));
}
const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
try {
  const from = await layOutOldVersion(values.from, say);
  for (const order of chosen) {
    say(`From ${values.from}, ${order}`);
    const [executions, recipients] = [Number(values.executions), Number(values.recipients)];
    const faults = await withCleanUp((cleanUp) =>
      rehearseUpgrade({ from, order, executions, recipients, say }, cleanUp),
    );
    for (const fault of faults) console.error(`✗ ${fault}`);
    say(
      faults.length === 0
        ? `✓ ${order}: no request failed, and everything ended as it should, once.`
        : `✗ ${order}: ${faults.length} faults`,
    );
    if (faults.length > 0) process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof MissingCommit ? error.message : error);
  process.exitCode = 1;
}
