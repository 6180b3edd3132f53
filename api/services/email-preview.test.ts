import { expect, it } from 'vitest';
import { busy } from '../../core/testing/busy.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { insertProject, useProject } from '../../test/setup/projects.ts';
import { createEmailPreviewService } from './email-preview.ts';
import { createTemplateTurns } from './template-turns.ts';

const database = useTestDatabase();
const project = useProject(database.em);

it("previews wait for their project's turn, and those of others continue", async () => {
  const turns = createTemplateTurns();
  const previews = createEmailPreviewService(database.orm, 'https://api.example.com', turns);
  const preview = (projectId: string) =>
    previews.render(
      projectId,
      {
        subject: 'Hello',
        body: '<p>Hello</p>',
        type: 'TRANSACTIONAL',
      },
      { takesVariables: false },
    );
  const other = await insertProject(database.em());
  await turns.inTurn(project.id, () => busy(1_000));

  const answered: string[] = [];
  await Promise.all(
    [project.id, other].map(async (projectId) => {
      await preview(projectId);
      answered.push(projectId);
    }),
  );
  expect(answered).toEqual([other, project.id]);
});
