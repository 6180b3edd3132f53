import { parseArgs } from 'node:util';
import { cleanUpNow } from '../../bench/clean-up.ts';
import { holds, presentFindings } from './findings.ts';
import { rehearse } from './rehearse.ts';
import { buildTemporalPrograms, findTemporalPrograms, type TemporalPrograms } from './temporal-programs.ts';

const usage = `Usage: npm run rehearse -- [--seconds 600] [--recipients 200000] [--executions 5000] [--every 20] [--seed 1]
       [--temporal server|development]
Runs the product as on several machines under load, kills its parts in turn, and compares what was accepted with what
exists at the end. Exits with 1 if something is missing or exists twice.
--temporal server uses the deployed Temporal server on its own Postgres, and builds it with Go if necessary. Once built,
it is the default.`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    recipients: { type: 'string', default: '200000' },
    executions: { type: 'string', default: '5000' },
    every: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000_000)) },
    temporal: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const { help, temporal, ...numbers } = values;
const isWrong =
  Object.values(numbers).some((value) => !/^[1-9]\d*$/.test(value)) ||
  !['server', 'development', undefined].includes(temporal);
if (help || isWrong) {
  console.log(usage);
  process.exit(help ? 0 : 1);
}

let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isInterrupted) return;
    isInterrupted = true;
    console.error('\nStopping …');
    void cleanUpNow().finally(() => process.exit(1));
  });
}

const temporalPrograms = await chooseTemporal();
const chosen = { ...numbers, temporal: temporalPrograms === undefined ? 'development' : 'server' };
const command = `npm run rehearse -- ${Object.entries(chosen)
  .map(([name, value]) => `--${name} ${value}`)
  .join(' ')}`;
console.log(command);
const { findings, faults, faultsInCampaign } = await rehearse({
  seed: Number(values.seed),
  seconds: Number(values.seconds),
  recipients: Number(values.recipients),
  executions: Number(values.executions),
  faultEverySeconds: Number(values.every),
  emailsPerSecond: 5,
  eventsPerSecond: 10,
  importRows: 2_000,
  importEverySeconds: 30,
  temporalPrograms,
  say: console.log,
});
console.log(
  `\n${faults} faults, ${faultsInCampaign} of them while the campaign left\n\n${presentFindings(findings)}`,
);
if (!findings.every(holds)) {
  console.error(`\nFailed at ${new Date().toISOString()}; to repeat: ${command}`);
  process.exitCode = 1;
}

async function chooseTemporal(): Promise<TemporalPrograms | undefined> {
  if (temporal === 'development') return undefined;
  if (temporal === 'server') return buildTemporalPrograms(console.log);
  const programs = await findTemporalPrograms();
  if (programs === undefined) {
    console.log(
      'With the development server of Temporal. --temporal server builds the one that is deployed.',
    );
  }
  return programs;
}
