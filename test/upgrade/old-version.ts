import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const root = fileURLToPath(new URL('../..', import.meta.url));

export class MissingCommit extends Error {}

/**
 * Checks out a commit of this repository with the dependencies of its own lock file; both are cached.
 *
 * @returns its folder, with a trailing slash
 * @throws MissingCommit if the clone does not have the commit
 */
export async function layOutOldVersion(commit: string, say: (line: string) => void): Promise<string> {
  const { exitCode } = await execa('git', ['cat-file', '-e', `${commit}^{commit}`], {
    cwd: root,
    reject: false,
  });
  if (exitCode !== 0) {
    throw new MissingCommit(
      `This clone does not have commit ${commit}: its history is shallow, or it has none. \`git fetch --unshallow\` helps, or name another commit with --from.`,
    );
  }
  const folder = join(root, '.cache', 'versions', commit);
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return `${folder}/`;
  const staged = `${folder}.${process.pid}`;
  await mkdir(staged, { recursive: true });
  try {
    say(`Checking out ${commit} and installing its dependencies (once) …`);
    const archive = join(staged, 'archive.tar');
    await execa('git', ['archive', '--output', archive, commit], { cwd: root });
    await execa('tar', ['--extract', '--file', archive], { cwd: staged });
    await rm(archive);
    await execa('npm', ['ci', '--no-audit', '--no-fund'], { cwd: staged });
    await rename(staged, folder);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
  return `${folder}/`;
}
