import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { unpackDebianPackages } from './debian-packages.ts';

const packages = fileURLToPath(new URL('../../.cache/prometheus', import.meta.url));
const unpacked = join(packages, 'usr/bin/promtool');

/** The first release that supports everything our rules and their tests use. */
const oldestUsable: readonly [number, number] = [2, 42];

/**
 * Finds promtool: `PROMTOOL_PATH`, the PATH, the cache folder, or the package of Debian and Ubuntu. No npm or PyPI
 * package contains it.
 *
 * @throws Error that names the ways to get it
 */
export async function findPromtool(): Promise<string> {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'promtool'));
  for (const path of [process.env.PROMTOOL_PATH ?? '', ...onPath, unpacked]) {
    if (path !== '' && (await isExecutable(path)) && (await isUsable(path))) return path;
  }
  try {
    // Newer releases have a separate package for the tool.
    await unpackDebianPackages([['promtool', 'prometheus']], packages);
    return unpacked;
  } catch (cause) {
    throw new Error(
      'promtool is needed, and apt-get could not fetch it. Install Prometheus (`brew install prometheus`, or the package of your system), or set PROMTOOL_PATH.',
      { cause },
    );
  }
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function isUsable(path: string): Promise<boolean> {
  const { stdout, stderr } = await execa(path, ['--version'], { reject: false });
  const match = /promtool, version (\d+)\.(\d+)/.exec(`${stdout}${stderr}`);
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > oldestUsable[0] || (major === oldestUsable[0] && minor >= oldestUsable[1]);
}
