import { describe, expect, it } from 'vitest';
import { findChromium } from './setup/chromium.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';
import type { TestSender } from './setup/sender.ts';
import { createContact, createWaitingWorkflow } from './setup/workflows.ts';

const executable = await findChromium();

describe.skipIf(executable === undefined)('in the dashboard, a workflow', () => {
  const { owner, project, tab, page, button, asked } = useDashboardStory(executable, 'Workflows');
  const headers = () => ({ 'X-Project-Id': project.id });
  const sender = {
    get: (path: string) => asked(path),
    post: (path: string, body: object) => owner.call('POST', path, body, headers()),
  } as TestSender;

  it('names the contact at each button that cancels an execution', async () => {
    const { id } = await createWaitingWorkflow(sender);
    for (const email of ['ada@example.com', 'grace@example.com']) {
      const contactId = await createContact(sender, email);
      expect((await sender.post(`/workflows/${id}/executions`, { contactId })).status).toBe(201);
    }
    await tab.signIn(owner);
    await page.goto(`projects/${project.id}/workflows/${id}?view=executions`);
    await button('Cancel the execution of grace@example.com').click();
    await page
      .getByRole('dialog')
      .getByText(/^grace@example.com enters no further step/)
      .waitFor();
    await page.keyboard.press('Escape');
    await button('Cancel the execution of ada@example.com').waitFor();
  });
});
