import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { newId } from '../../core/new-id.ts';
import { busy } from '../../core/testing/busy.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { useProject } from '../../test/setup/projects.ts';
import { createEmailDetailService } from './email-detail.ts';
import { createProjectPlaces } from './project-places.ts';
import { createTemplateTurns } from './template-turns.ts';

const database = useTestDatabase();
const project = useProject(database.em);

async function insertEmail(): Promise<string> {
  const [id, contentId] = [newId(), newId()];
  await database.sql(
    `insert into message_contents (id, project_id, subject, body, from_email) values ($1, $2, 'Hi', 'Hello', 'a@b.example')`,
    [contentId, project.id],
  );
  await database.sql(
    `insert into emails (id, project_id, source, to_email, from_email, content_id)
     values ($1, $2, 'TRANSACTIONAL', 'c@d.example', 'a@b.example', $3)`,
    [id, project.id, contentId],
  );
  return id;
}

it('readers do not wait for the templates of their project, nor the project for those of its readers', async () => {
  const templates = createTemplateTurns();
  const details = createEmailDetailService({
    orm: database.orm,
    templates,
    links: { apiUrl: 'https://api.example.com', linkKey: randomBytes(32) },
    viewsByLink: createProjectPlaces(2),
  });
  const id = await insertEmail();
  const readers = `${project.id} by link`;
  const firstWhileResting = async (owner: string) => {
    await templates.inTurn(owner, () => busy(1_000));
    const answered: string[] = [];
    await Promise.all([
      templates.inTurn(owner, () => answered.push('owner')),
      details.view(project.id, id).then(() => answered.push('reader')),
      details.get(project.id, id).then(() => answered.push('project')),
    ]);
    return answered[0];
  };
  expect(await firstWhileResting(project.id)).toBe('reader');
  expect(await firstWhileResting(readers)).toBe('project');
});
