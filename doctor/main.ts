import { ConfigError, loadConfig } from '../core/config/load.ts';
import { type Finding, presentFindings, reporter, worstLevel } from './finding.ts';
import { runDoctor } from './run-doctor.ts';

/**
 * Reports what is wrong with a deployment: `node doctor/main.ts [--json]`, with the environment of its processes. Exits
 * with 1 when there is an error.
 */
export async function main(environment: Record<string, string | undefined>, args: string[]): Promise<void> {
  const findings = await examine(environment);
  const text = args.includes('--json')
    ? `${JSON.stringify({ status: worstLevel(findings), findings }, null, 2)}\n`
    : presentFindings(findings);
  // Exits explicitly: a connection left by a failed call would keep the process alive.
  process.stdout.write(text, () => process.exit(worstLevel(findings) === 'error' ? 1 : 0));
}

async function examine(environment: Record<string, string | undefined>): Promise<Finding[]> {
  try {
    return await runDoctor(loadConfig(environment), environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [
      reporter('Configuration').error(
        error.message.replaceAll(/\n */g, ' '),
        'docs/configuration.md lists every variable.',
      ),
    ];
  }
}

if (import.meta.main) await main(process.env, process.argv.slice(2));
