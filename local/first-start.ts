import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createPasswords } from '../api/services/passwords.ts';
import type { Services } from '../api/services/services.ts';
import { DomainError } from '../core/errors.ts';
import { User } from '../db/entities/user.ts';
import type { Orm } from '../db/orm.ts';
import { type Credentials, readCredentials, type StackUrls, writeCredentials } from './credentials.ts';
import { localSenderDomain } from './environment.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

export interface FirstStartOptions {
  dataDirectory: string;
  urls: StackUrls;
  withLocalSes: boolean;
  services: Pick<Services, 'projects' | 'domains'>;
  orm: Orm;
}

export interface FirstStart {
  /** `undefined` when the database has accounts, but not that of `credentials.json`. */
  credentials: Credentials | undefined;
  isNew: boolean;
}

type OwnProject = Awaited<ReturnType<Services['projects']['list']>>[number];
type ProjectKeys = Pick<Credentials, 'projectId' | 'publicKey' | 'secretKey'>;

const ownerEmail = `owner@${localSenderDomain}`;

const draftSchema = z.object({ email: z.string(), password: z.string() });

/**
 * Makes a new stack usable: an owner account, a project with both keys and, with the local SES, a verified domain,
 * written to `credentials.json`. The password is stored before the account is created, so the next start completes an
 * interrupted one. Later starts only update the file's addresses and keys, which another `DATABASE_URL` and a rotation
 * change, and add the domain if the first had no local SES. A database without users gets the account of the file; one
 * with accounts of others alone is left as it is.
 */
export async function prepareFirstStart(options: FirstStartOptions): Promise<FirstStart> {
  const { dataDirectory, orm, services, urls } = options;
  const draftFile = join(dataDirectory, 'first-start.json');
  const known = await readCredentials(dataDirectory);
  const draft = await readJsonFile(draftFile, draftSchema);
  const account = draft ?? known;
  const owner = account && (await orm.em.fork().findOne(User, { email: account.email }));
  if (!owner && (await orm.em.fork().count(User)) > 0) return { credentials: undefined, isNew: false };
  if (owner && known && draft === undefined) {
    const projects = (await services.projects.list(owner.id))
      .map(keysOf)
      .filter((keys) => keys !== undefined);
    const keys = projects.find(({ projectId }) => projectId === known.projectId) ?? projects[0];
    const domain = known.domain ?? (keys ? await ensureOwnDomain(options, keys.projectId) : null);
    const credentials = { ...known, ...keys, domain, urls };
    await writeCredentials(dataDirectory, credentials);
    return { credentials, isNew: false };
  }
  const { email, password } = account ?? {
    email: ownerEmail,
    password: randomBytes(18).toString('base64url'),
  };
  await writeJsonFile(draftFile, { email, password });
  const userId = await ensureOwner(orm, { email, password });
  const credentials = { email, password, ...(await ensureProject(options, userId)), urls };
  await writeCredentials(dataDirectory, credentials);
  await rm(draftFile, { force: true });
  return { credentials, isNew: true };
}

/** URL of a page that signs the owner in once; undefined when the account is gone. */
export async function createSignInLink(
  { orm, accountLinks }: { orm: Orm; accountLinks: Services['accountLinks'] },
  { email, urls }: Credentials,
): Promise<string | undefined> {
  const user = await orm.em.fork().findOne(User, { email });
  if (user === null || urls.dashboard === null) return undefined;
  return `${urls.dashboard}/sign-in?token=${await accountLinks.createSignIn(user.id)}`;
}

async function ensureOwner(orm: Orm, { email, password }: z.output<typeof draftSchema>): Promise<string> {
  const em = orm.em.fork();
  const passwordHash = await createPasswords().hash(password);
  const user = (await em.findOne(User, { email })) ?? em.create(User, { email, name: 'Owner', passwordHash });
  // Nobody else can own an address of a reserved domain, and no email can prove it.
  user.emailVerified = true;
  await em.flush();
  return user.id;
}

async function ensureProject(
  options: FirstStartOptions,
  userId: string,
): Promise<ProjectKeys & Pick<Credentials, 'domain'>> {
  const { projects } = options.services;
  const [existing] = await projects.list(userId);
  const keys = keysOf(existing ?? (await projects.create(userId, 'My project')));
  if (keys === undefined) throw new Error('The owner of a project has no access to its secret key');
  return { ...keys, domain: await ensureOwnDomain(options, keys.projectId) };
}

/** Only administrators see the secret key. */
function keysOf({ project, publicKey, secretKey }: OwnProject): ProjectKeys | undefined {
  return secretKey === undefined ? undefined : { projectId: project.id, publicKey, secretKey };
}

/** Null with a real provider, and while another project has the domain. */
async function ensureOwnDomain(
  { services: { domains }, withLocalSes }: FirstStartOptions,
  projectId: string,
): Promise<string | null> {
  if (!withLocalSes) return null;
  try {
    const known = (await domains.list(projectId)).find(({ domain }) => domain === localSenderDomain);
    const { id } = known ?? (await domains.add(projectId, localSenderDomain));
    const checked = await domains.verify(projectId, id);
    if (checked.status !== 'verified') throw new Error(`The local SES did not verify ${localSenderDomain}`);
    return localSenderDomain;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'CONFLICT') return null;
    throw error;
  }
}
