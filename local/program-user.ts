import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { execaSync } from 'execa';
import { LocalStackError } from './failure.ts';

export interface ProgramUser {
  uid: number;
  gid: number;
  name: string;
}

/**
 * The user that Postgres runs as under root (Postgres refuses root): the cluster's owner if there is one, else the
 * system's `postgres`, else `nobody`. Creates no user. `undefined` when we aren't root.
 * @throws LocalStackError when the machine has no such user
 */
export function findPostgresUser(clusterDirectory: string): ProgramUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(`${clusterDirectory}/PG_VERSION`, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) {
    return { uid: owner.uid, gid: owner.gid, name: `user ${owner.uid}` };
  }
  const user = lookUpUser('postgres') ?? lookUpUser('nobody');
  if (user !== undefined) return user;
  throw new LocalStackError(
    'Postgres refuses to run as root and this machine has neither a user postgres nor nobody. Start Posthaste as an ordinary user, or set DATABASE_URL to a Postgres of your own.',
  );
}

function lookUpUser(name: string): ProgramUser | undefined {
  const id = (flag: string) => Number(execaSync('id', [flag, name]).stdout);
  try {
    return { uid: id('-u'), gid: id('-g'), name };
  } catch {
    return undefined;
  }
}

/**
 * The command line that runs a program as `user`. When the user can't traverse the folders above one of `paths` (a
 * checkout or data folder below /root), `setpriv` grants one capability that bypasses the check.
 * @param paths absolute paths that the program must reach
 * @throws LocalStackError when a path is out of reach and the capability can't be granted
 */
export function commandAs(
  user: ProgramUser | undefined,
  paths: readonly string[],
  command: string,
  args: readonly string[],
) {
  if (user === undefined) return { command, args: [...args] };
  const blocked = paths.map((path) => unreachableFolder(path, user)).find((folder) => folder !== undefined);
  if (blocked === undefined) return { command, args: [...args], user: { uid: user.uid, gid: user.gid } };
  const capability = grantableCapability();
  const flags = capability === undefined ? undefined : setprivFlags(user, capability);
  if (flags !== undefined && canRun('setpriv', [...flags, '--', 'true'])) {
    return { command: 'setpriv', args: [...flags, '--', command, ...args] };
  }
  throw new LocalStackError(
    `Postgres can't run as root, and ${user.name} may not enter ${blocked}. Move Posthaste to a folder that everyone may enter (such as /opt/posthaste), start it as an ordinary user, or set DATABASE_URL to a Postgres of your own.`,
  );
}

/**
 * `no_setuid_fixup` is needed because initdb checks its programs with access(2), which otherwise ignores capabilities
 * for everyone but root. All other capabilities are dropped with the user.
 */
function setprivFlags(user: ProgramUser, capability: string): string[] {
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const rights = [`--inh-caps=-all,+${capability}`, `--ambient-caps=+${capability}`];
  return ['--securebits=+no_setuid_fixup', ...identity, ...rights];
}

function unreachableFolder(path: string, user: ProgramUser): string | undefined {
  const parent = dirname(path);
  if (parent === path) return undefined;
  const above = unreachableFolder(parent, user);
  if (above !== undefined) return above;
  const folder = statSync(parent, { throwIfNoEntry: false });
  if (folder === undefined) return undefined;
  const bit = folder.uid === user.uid ? 0o100 : folder.gid === user.gid ? 0o010 : 0o001;
  return (folder.mode & bit) === 0 ? parent : undefined;
}

/**
 * A capability to bypass directory permissions that we hold and may pass on; containers often lack the first, narrower
 * one.
 */
function grantableCapability(): string | undefined {
  // capability.h: CAP_DAC_OVERRIDE is bit 1, CAP_DAC_READ_SEARCH bit 2.
  const candidates = [
    { name: 'dac_read_search', bit: 1n << 2n },
    { name: 'dac_override', bit: 1n << 1n },
  ];
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    const mask = (field: string) =>
      BigInt(`0x${new RegExp(`^${field}:\\s*(\\w+)`, 'm').exec(status)?.[1] ?? '0'}`);
    const held = mask('CapPrm') & mask('CapBnd');
    return candidates.find(({ bit }) => (held & bit) !== 0n)?.name;
  } catch {
    return undefined;
  }
}

const canRun = (command: string, args: string[]) => !execaSync(command, args, { reject: false }).failed;
