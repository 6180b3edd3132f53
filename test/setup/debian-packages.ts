import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

/**
 * Downloads packages of Debian or Ubuntu and unpacks them into one folder. Needs no root: apt keeps its lists in a
 * folder of ours, and checks signatures and checksums as usual.
 *
 * @param alternatives for each package, its names in different releases; the first existing one is used
 * @param target afterward contains everything, or does not exist
 */
export async function unpackDebianPackages(
  alternatives: readonly (readonly string[])[],
  target: string,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'debian-packages-'));
  try {
    for (const part of ['lists/partial', 'cache/archives/partial']) {
      await mkdir(join(folder, part), { recursive: true });
    }
    const options = [
      `Dir::State::Lists=${folder}/lists`,
      `Dir::Cache=${folder}/cache`,
      'Dir::State::status=/dev/null',
      'Debug::NoLocking=1',
      'APT::Sandbox::User=',
      'Acquire::Languages=none',
    ].flatMap((option) => ['-o', option]);
    const apt = (...args: string[]) => execa('apt-get', [...options, ...args], { cwd: folder });
    await apt('update');
    for (const names of alternatives) await firstOf(names, (name) => apt('download', name));
    // Unpacks beside the target, so that it can be moved there atomically: other test processes may look for it.
    await mkdir(dirname(target), { recursive: true });
    const staged = `${target}.${process.pid}`;
    for (const archive of (await readdir(folder)).filter((name) => name.endsWith('.deb'))) {
      await execa('dpkg-deb', ['--extract', archive, staged], { cwd: folder });
    }
    await rename(staged, target).catch(() => rm(staged, { recursive: true, force: true }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function firstOf(names: readonly string[], attempt: (name: string) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const name of names) {
    try {
      await attempt(name);
      return;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `None of ${names.join(', ')} could be fetched`);
}
