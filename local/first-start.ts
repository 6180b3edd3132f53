import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Services } from '../api/edge/services.ts';
import { createPasswords } from '../api/services/passwords.ts';
import type { Orm } from '../db/orm.ts';
import { findUserByEmail, insertUser, markVerified } from '../db/repositories/accounts/users.ts';
import { sql } from '../db/sql.ts';
import { readJsonFile, writeFileAtomically } from './atomic-file.ts';
import { type Credentials, readCredentials, type StackUrls, writeCredentials } from './credentials.ts';
import { localSenderDomain } from './environment.ts';

export interface FirstStartOptions {
  dataDirectory: string;
  urls: StackUrls;
  /** Whether emails go to the local SES, which verifies every domain at once. */
  withLocalSes: boolean;
  services: Pick<Services, 'projects' | 'domains'>;
  orm: Orm;
}

export interface FirstStart {
  /** `undefined` when the database has accounts that we have no credentials of. */
  credentials: Credentials | undefined;
  /** Whether the account was made by this very start. */
  isNew: boolean;
}

const ownerEmail = `owner@${localSenderDomain}`;

const draftSchema = z.object({ email: z.string(), password: z.string() });

/**
 * Makes sure that a new stack can be used at once: an owner account, a project with both keys and, with the local
 * SES, a verified domain; `credentials.json` says how. An existing file only gets the addresses of this start.
 *
 * The password is written down before the account is made, so a start that was interrupted in between is finished
 * by the next one. A database that has users already is left alone.
 */
export async function prepareFirstStart(options: FirstStartOptions): Promise<FirstStart> {
  const { dataDirectory, urls } = options;
  const draftFile = join(dataDirectory, 'first-start.json');
  const known = await readCredentials(dataDirectory);
  if (known !== undefined) {
    const credentials = { ...known, urls };
    await writeCredentials(dataDirectory, credentials);
    await rm(draftFile, { force: true });
    return { credentials, isNew: false };
  }
  let draft = await readJsonFile(draftFile, draftSchema);
  if (draft === undefined || draft === 'malformed') {
    if (await hasUsers(options.orm)) return { credentials: undefined, isNew: false };
    draft = { email: ownerEmail, password: randomBytes(18).toString('base64url') };
    await writeFileAtomically(draftFile, `${JSON.stringify(draft)}\n`, 0o600);
  }
  const userId = await ensureOwner(options.orm, draft);
  const credentials = { ...draft, ...(await ensureProject(options, userId)), urls };
  await writeCredentials(dataDirectory, credentials);
  await rm(draftFile, { force: true });
  return { credentials, isNew: true };
}

async function hasUsers(orm: Orm): Promise<boolean> {
  const [row] = await sql<{ present: boolean }>(
    orm.em.fork(),
    'select exists (select 1 from users) as present',
    [],
  );
  return row?.present === true;
}

async function ensureOwner(orm: Orm, { email, password }: z.output<typeof draftSchema>): Promise<string> {
  const em = orm.em.fork();
  const passwordHash = await createPasswords().hash(password);
  const user =
    (await insertUser(em, { id: uuidv7(), email, name: 'Owner', passwordHash })) ??
    (await findUserByEmail(em, email));
  if (user === undefined) throw new Error(`the account ${email} was removed while it was being made`);
  // Nobody else can have an address of a reserved domain, and no email proves it.
  await markVerified(em, user.id);
  return user.id;
}

async function ensureProject(
  { services, withLocalSes }: FirstStartOptions,
  userId: string,
): Promise<Pick<Credentials, 'projectId' | 'publicKey' | 'secretKey' | 'domain'>> {
  const [existing] = await services.projects.list(userId);
  const project = existing ?? (await services.projects.create(userId, 'My project'));
  if (project.secretKey === undefined) throw new Error('the owner of a project sees its secret key');
  const { id: projectId, publicKey, secretKey } = project;
  const domain = withLocalSes ? await ensureDomain(services.domains, projectId) : null;
  return { projectId, publicKey, secretKey, domain };
}

async function ensureDomain(domains: Services['domains'], projectId: string): Promise<string> {
  const known = (await domains.list(projectId)).find(({ domain }) => domain === localSenderDomain);
  const { id } = known ?? (await domains.add(projectId, localSenderDomain));
  const checked = await domains.verify(projectId, id);
  if (!checked.verified) throw new Error(`the local SES did not verify ${localSenderDomain}`);
  return localSenderDomain;
}
