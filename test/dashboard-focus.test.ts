import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { findChromium } from './setup/chromium.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';
import { eventually } from './setup/eventually.ts';
import type { TestSender } from './setup/sender.ts';
import { createWorkflow } from './setup/workflows.ts';

const executable = await findChromium();

describe.skipIf(executable === undefined)('in the dashboard, the focus', () => {
  const { owner, project, tab, page, button, field, heading, sideBar, asked } = useDashboardStory(
    executable,
    'Focus',
  );
  const post = (path: string, body: object) => owner.call('POST', path, body, { 'X-Project-Id': project.id });
  const sender = { get: asked, post } as TestSender;
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
  const focused = () =>
    page.evaluate<string>(
      `((element) => element.id === 'content' ? 'the page' : element.getAttribute('aria-label') ?? element.innerText.trim())(document.activeElement)`,
    );
  const focusIs = (expected: string | RegExp) =>
    eventually(focused, (name) => (typeof expected === 'string' ? name === expected : expected.test(name)));
  /** Presses by keyboard. */
  async function press(target: ReturnType<typeof button>) {
    await target.focus();
    await page.keyboard.press('Enter');
  }

  it('returns from a closed dialog, and moves to the page that a dialog opens', async () => {
    await tab.signIn(owner);
    await page.goto(`projects/${project.id}/contacts`);
    await press(button('Add contact'));
    await dialog('Add a contact').waitFor();
    await page.keyboard.press('Escape');
    await focusIs('Add contact');
    await page.keyboard.press('Enter');
    await field('Address').fill('ada@example.com');
    await page.keyboard.press('Enter');
    await heading('ada@example.com').waitFor();
    await focusIs('the page');
    expect(await page.getByRole('main', { name: 'ada@example.com' }).count()).toBe(1);
  });

  it('moves to the step whose form has closed', async () => {
    const { id } = await createWorkflow(sender, { name: 'Focus', eventName: 'focus' });
    await page.goto(`projects/${project.id}/workflows/${id}?view=outline`);
    await press(button('Add a step after Trigger'));
    await page.getByRole('menuitem', { name: 'Delay' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog('Delay').waitFor();
    await page.keyboard.press('Escape');
    await focusIs(/^2\. Delay/);
  });

  it('moves to the neighbor of a removed step', async () => {
    await press(button('Remove Delay'));
    await press(dialog('Remove the step').getByRole('button', { name: 'Remove' }));
    await focusIs('Add a step after Trigger');
  });

  it('stays on the button of a step that could not be added', async () => {
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database does not answer', statusCode: 503 };
    await page.route('**/steps', async (route) => {
      await delay(500);
      await route.fulfill({ status: 503, json: { success: false, error } });
    });
    await press(button('Add a step after Trigger'));
    await page.getByRole('menuitem', { name: 'Delay' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByText('The database does not answer').waitFor();
    await page.unroute('**/steps');
    await focusIs('Add a step after Trigger');
    expect(tab.complaints()).toHaveLength(1);
  });

  it('opens the suggestions of its field when they arrive late', async () => {
    await page.route('**/events/names*', async (route) => {
      await delay(1_000);
      await route.fulfill({ json: { names: ['came.late'] } });
    });
    await page.goto(`projects/${project.id}/workflows`);
    await press(button('New workflow'));
    await page.getByRole('combobox', { name: 'Starts with the event' }).focus();
    await page.getByRole('option', { name: 'came.late' }).waitFor();
    await page.unroute('**/events/names*');
    await page.keyboard.press('Escape');
    await page.getByRole('option').first().waitFor({ state: 'detached' });
    await field('Name').fill('Late');
    await button('Create the workflow').click();
    await page.getByRole('option', { name: 'came.late' }).waitFor();
    const [missing, suggestion] = await Promise.all(
      [page.getByText('Enter the name of an event'), page.getByRole('listbox')].map((shown) =>
        shown.boundingBox(),
      ),
    );
    expect((missing?.y ?? 0) + (missing?.height ?? 0)).toBeLessThanOrEqual(suggestion?.y ?? 0);
    await page.keyboard.press('Escape');
    await page.getByRole('option').first().waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });

  it('moves to the first invalid field of a form', async () => {
    await page.goto(`projects/${project.id}/campaigns/new`);
    await tab.settled();
    await press(button('Save draft'));
    await eventually(() => page.evaluate<string>('document.activeElement.name'), 'name');
    await field('Name').fill('First');
    await field('Subject').fill('Your {{ plann }} plan');
    await page.getByText('No contact has a field “plann”, so nothing shows in the subject').waitFor();
    await press(button('Save draft'));
    await page.getByRole('combobox', { name: 'From' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await sideBar('Contacts').click();
    await button('Leave').click();
    await heading('Contacts').waitFor();
  });

  it('returns from a dialog that the back button has closed', async () => {
    await sideBar('Segments').click();
    await sideBar('Contacts').click();
    await press(button('Add contact'));
    await dialog('Add a contact').waitFor();
    await page.evaluate('history.back()');
    await dialog('Add a contact').waitFor({ state: 'detached' });
    await focusIs('Add contact');
    // The browser goes forward again a moment after it has gone back.
    await page.waitForURL(/\/contacts$/);
    await page.evaluate('history.back()');
    await heading('Segments').waitFor();
  });
});
