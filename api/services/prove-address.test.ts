import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { joinedProjectsPerUser } from '../../core/accounts/limits.ts';
import { Invitation, Membership } from '../../db/entities/project.ts';
import { allProjects } from '../../db/entities/project-em.ts';
import { User } from '../../db/entities/user.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { insertProject } from '../../test/setup/projects.ts';
import { proveAddress } from './prove-address.ts';

const { em, sql } = useTestDatabase();

it('adds a person to no more projects than others may add one to: the opened invitation, then the latest', async () => {
  const own = em();
  const email = 'ada@example.com';
  const user = own.create(User, { email });
  await own.flush();
  await sql(
    `with added as (
       insert into projects (id, name, public_key_hash, secret_key_hash, public_key_encrypted, secret_key_encrypted)
       select uuidv7(), 'Project', uuid_send(uuidv7()), uuid_send(uuidv7()), '', '' from generate_series(1, $2)
       returning id)
     insert into memberships (project_id, user_id, role, created_at)
     select id, $1, 'MEMBER', now() + interval '1 second' from added`,
    [user.id, joinedProjectsPerUser - 2],
  );
  const inviting = [];
  const opened = Buffer.from('opened');
  for (const days of [5, 7, -1, 6, 4]) {
    const projectId = await insertProject(own);
    inviting.push(projectId);
    const expiresAt = new Date(Date.now() + days * 24 * 60 * 60 * 1000);
    own.create(Invitation, {
      projectId,
      email,
      role: 'MEMBER',
      tokenHash: days === 4 ? opened : Buffer.from(randomUUID()),
      expiresAt,
    });
  }
  await own.flush();

  await em().transactional(async (proving) =>
    proveAddress(proving, await proving.findOneOrFail(User, user.id), undefined, opened),
  );
  const joined = await em().find(Membership, { user: user.id, project: { $in: inviting } });
  expect(joined.map(({ project }) => project.id).toSorted()).toEqual([inviting[1], inviting[4]].toSorted());
  expect(await em().count(Invitation, { email }, allProjects)).toBe(0);
});
