import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`, { cause: error });
}

/**
 * Creates a Python environment with the pinned packages, or reuses that of an earlier run.
 *
 * @param folder created if missing
 * @returns the folder of its programs
 * @throws Error if there is no Python 3.10 or later with `venv`, or if the packages can't be installed
 */
export async function preparePython(folder: string, requirementsFile: string): Promise<string> {
  const programs = join(folder, 'bin');
  const marker = join(folder, 'installed.txt');
  const wanted = readFileSync(requirementsFile, 'utf8');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return programs;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  run('python3', ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  run(join(programs, 'python'), [...pip, '--no-deps', '--requirement', requirementsFile]);
  await writeFile(marker, wanted);
  return programs;
}
