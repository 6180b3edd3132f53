import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { createVerifiedPerson } from './account-mail.ts';
import type { TestAnswer } from './answer.ts';
import { takePicture, useDashboard } from './dashboard.ts';
import { eventually } from './eventually.ts';
import { fileFixture } from './fixtures.ts';
import { createOwnProject } from './people.ts';

/** The browser tab of a project owner. Each test continues where the previous one ended. */
export function useDashboardStory(executable: string | undefined, title: string) {
  const stage = useDashboard(executable);
  const owner = fileFixture(() => createVerifiedPerson(stage.stack));
  const project = fileFixture(() => createOwnProject(owner, title));
  const tab = fileFixture(() => stage.open());
  const page = fileFixture((): Page => tab.page);

  beforeEach(({ skip }) => skip(page.isClosed(), 'The page was closed after an earlier test failed'));

  afterEach(async ({ task }) => {
    const complaints = tab.complaints();
    const hasFailed = task.result?.state === 'fail';
    if (hasFailed || complaints.length > 0) {
      const name = `failed-${task.name.replaceAll(/\W+/g, '-')}`;
      for (const [n, open] of stage.openPages().entries())
        await takePicture(open, n === 0 ? name : `${name}-${n + 1}`);
    }
    // After a complaint alone the following tests may succeed; after another failure they can't.
    if (hasFailed) await page.context().close();
    expect(complaints).toEqual([]);
  });

  return {
    stage,
    owner,
    project,
    tab,
    page,
    button: (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true }),
    link: (name: string | RegExp) => page.getByRole('link', { name, exact: true }),
    field: (name: string, on = page) => on.getByRole('textbox', { name, exact: true }),
    /** Enters a text and leaves the field, which closes the suggestions. */
    async suggested(name: string | RegExp, text: string) {
      await page.getByRole('combobox', { name }).fill(text);
      await page.keyboard.press('Tab');
    },
    /** Waits for the sender that a new email begins with, which would otherwise join a typed one. */
    async usualSender(address: string) {
      const from = page.getByRole('combobox', { name: 'From' });
      await eventually(() => from.inputValue(), address);
    },
    heading: (name: string, on = page) => on.getByRole('heading', { name, exact: true }),
    sideBar: (name: string) => page.getByRole('navigation', { name: 'Project' }).getByText(name),
    asked: (path: string): Promise<TestAnswer> =>
      owner.call('GET', path, undefined, { 'X-Project-Id': project.id }),
  };
}
