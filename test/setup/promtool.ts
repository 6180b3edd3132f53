import { access, chmod, constants, copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const cached = fileURLToPath(new URL('../../.cache/promtool/promtool', import.meta.url));

/** The first release that knows everything our rules and their tests use. */
const oldestUsable: readonly [number, number] = [2, 42];

/**
 * Finds promtool: `PROMTOOL_PATH`, the PATH, the cache folder, or the package of Debian and Ubuntu. No npm or PyPI
 * package has it.
 * @throws Error naming the ways to get it
 */
export async function findPromtool(): Promise<string> {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'promtool'));
  for (const path of [process.env.PROMTOOL_PATH ?? '', ...onPath, cached]) {
    if (path !== '' && (await isExecutable(path)) && (await isUsable(path))) return path;
  }
  try {
    await downloadFromDebian();
    return cached;
  } catch (cause) {
    throw new Error(
      'promtool is needed, and apt-get could not fetch it. Install Prometheus (`brew install prometheus`, or the package of your system), or set PROMTOOL_PATH.',
      { cause },
    );
  }
}

/** Needs no root: apt keeps its lists in a folder of ours, and checks signatures and checksums as always. */
async function downloadFromDebian(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'promtool-'));
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
    // Newer releases have a package for the tool alone.
    await apt('download', 'promtool').catch(() => apt('download', 'prometheus'));
    const [archive] = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
    await execa('dpkg-deb', ['--extract', archive ?? '', 'unpacked'], { cwd: folder });
    await mkdir(join(cached, '..'), { recursive: true });
    // In place at once: other test processes may look for it.
    const staged = `${cached}.${process.pid}`;
    await copyFile(join(folder, 'unpacked/usr/bin/promtool'), staged);
    await chmod(staged, 0o755);
    await rename(staged, cached);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isExecutable(path: string): Promise<boolean> {
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
