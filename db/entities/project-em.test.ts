import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../test/setup/database.ts';
import { lockRecord } from '../lock-record.ts';
import { allProjects, projectEm } from './project-em.ts';
import { Template } from './template.ts';

describe('the entity manager of a project', () => {
  const [owner, other] = [randomUUID(), randomUUID()];
  const database = useTestDatabase();
  let id: string;
  beforeAll(async () => {
    const em = database.em();
    const content = { subject: 'Hi', body: '<p>Hi</p>', fromEmail: 'us@example.com' };
    id = em.create(Template, { projectId: owner, name: 'Welcome', type: 'MARKETING', ...content }).id;
    await em.flush();
  });

  const of = (projectId: string) => projectEm(database.orm, projectId);
  const name = async () => (await of(owner).findOneOrFail(Template, { id })).name;

  it('finds its own records', async () => {
    expect(await of(owner).count(Template, { id })).toBe(1);
    expect(await name()).toBe('Welcome');
    expect(await lockRecord(of(owner), Template, { id })).toMatchObject({ id });
  });

  it('finds, changes and deletes no records of another project', async () => {
    expect(await of(other).findOne(Template, { id })).toBeNull();
    expect(await of(other).findOne(Template, id)).toBeNull();
    expect(await of(other).find(Template, {})).toEqual([]);
    expect(await lockRecord(of(other), Template, { id })).toBeNull();
    expect(await of(other).nativeUpdate(Template, { id }, { name: 'Taken' })).toBe(0);
    expect(await of(other).nativeDelete(Template, { id })).toBe(0);
    expect(await name()).toBe('Welcome');
  });

  it('keeps the project in a transaction', async () => {
    const found = await of(other).transactional((em) => em.findOne(Template, { id }));
    expect(found).toBeNull();
  });

  it('is required, unless a query asks for all projects', async () => {
    const em = database.em();
    await expect(em.findOne(Template, { id })).rejects.toThrow(`No arguments provided for filter 'project'`);
    await expect(em.nativeDelete(Template, { id })).rejects.toThrow('filter');
    await expect(lockRecord(em, Template, { id })).rejects.toThrow('filter');
    expect(await em.findOne(Template, { id }, allProjects)).toMatchObject({ projectId: owner });
  });
});
