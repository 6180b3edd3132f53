import { describe, expect, it } from 'vitest';
import { findChromium } from './setup/chromium.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';
import { eventually } from './setup/eventually.ts';
import type { TestSender } from './setup/sender.ts';
import {
  addStep,
  createContact,
  createForkedWorkflow,
  createWaitingWorkflow,
  createWorkflow,
} from './setup/workflows.ts';

const executable = await findChromium();

describe.skipIf(executable === undefined)('in the dashboard, a workflow', () => {
  const { owner, project, tab, page, button, suggested, asked } = useDashboardStory(executable, 'Workflows');
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
    await page.goto(`projects/${project.id}/workflows/${id}?view=outline`);
    await button('Remove Delay').click();
    await page.getByText('2 contacts wait in it now, and will still go through it.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await button('Remove Delay').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Executions' }).click();
    await page
      .getByRole('row', { name: /Deleted step/ })
      .first()
      .waitFor();
    await button(/All steps.*Step/).click();
    await page.getByRole('option', { name: 'Deleted step' }).click();
    await button(/Deleted step.*Step/).waitFor();
    await button('Cancel the execution of grace@example.com').waitFor();
  });

  it('stands once among what comes up, with all its contacts', async () => {
    const { id } = await createWaitingWorkflow(sender, { name: 'Announced', eventName: 'announced' });
    for (const email of ['first@example.com', 'second@example.com']) {
      const contactId = await createContact(sender, email);
      expect((await sender.post(`/workflows/${id}/executions`, { contactId })).status).toBe(201);
    }
    await eventually(
      () => asked(`/workflows/${id}/executions?status=WAITING`),
      ({ body }) => body.data.length === 2,
    );
    await page.goto(`projects/${project.id}`);
    await page
      .getByRole('link', { name: /^“Announced” continues for (first|second)@example.com and 1 other$/ })
      .click();
    await button('Cancel the execution of first@example.com').waitFor();
    await button('Cancel the execution of second@example.com').waitFor();
  });

  it('deletes a step and its settings only after a confirmation', async () => {
    const workflow = await createWaitingWorkflow(sender, { name: 'Asks', eventName: 'asked' });
    const path = `/workflows/${workflow.id}`;
    await page.goto(`projects/${project.id}${path}?view=outline`);
    const remove = button('Remove Delay');
    const dialog = page.getByRole('dialog', { name: 'Remove the step' });
    await remove.click();
    await dialog.getByText(/^“Delay” and its settings are deleted/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await asked(path)).body.steps).toHaveLength(2);
    await remove.click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await remove.waitFor({ state: 'detached' });
    expect((await asked(path)).body.steps).toHaveLength(1);
  });

  it('moves the canvas to what the keyboard focuses', async () => {
    const { id, steps } = await createWorkflow(sender, { name: 'Long', eventName: 'long' });
    let autoConnect = steps[0].id;
    for (let number = 1; number <= 20; number += 1) {
      const config = { amount: number, unit: 'days' };
      autoConnect = (
        await addStep(sender, id, { type: 'DELAY', name: `Wait ${number}`, config, autoConnect })
      ).id;
    }
    await page.goto(`projects/${project.id}/workflows/${id}?view=canvas`);
    for (const name of ['Remove Wait 20', 'Remove Wait 1', 'Insert a step between Wait 9 and Wait 10']) {
      await button(name).focus();
      const isInSight = () =>
        page.evaluate<boolean>(`(() => {
          const { top, bottom } = document.activeElement.getBoundingClientRect();
          const frame = document.querySelector('.react-flow').getBoundingClientRect();
          return top >= frame.top && bottom <= frame.bottom;
        })()`);
      await eventually(isInSight, (is) => is);
    }
  });

  it('centers the graph again when the window becomes wider', async () => {
    const { id } = await createWaitingWorkflow(sender, { name: 'Widened', eventName: 'widened' });
    const size = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`projects/${project.id}/workflows/${id}?view=canvas`);
    const distance = () =>
      page.evaluate<number>(`(() => {
        const centerOf = (selector) => {
          const { left, right } = document.querySelector(selector).getBoundingClientRect();
          return (left + right) / 2;
        };
        return Math.abs(centerOf('.react-flow__node-step') - centerOf('.react-flow'));
      })()`);
    await page.locator('.react-flow__node-step').first().waitFor();
    await page.setViewportSize({ width: 1440, height: 844 });
    await eventually(distance, (pixels) => pixels < 20);
    if (size) await page.setViewportSize(size);
  });

  it('shows no errors in a new step until the user tries to save it', async () => {
    const { id } = await createWorkflow(sender, { name: 'New step', eventName: 'new' });
    await page.goto(`projects/${project.id}/workflows/${id}?view=outline`);
    await button('Add a step after Trigger').click();
    await page.getByRole('menuitem', { name: 'Delay' }).click();
    const form = page.getByRole('dialog', { name: 'Delay' });
    await form.getByRole('textbox', { name: 'Wait for' }).waitFor();
    expect(await form.getByText(/required/).count()).toBe(0);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter a number above 0, such as 3 or 1.5').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delay: Not set up yet' }).waitFor();
    await button('Enable (1 problem left)').waitFor();
  });

  it('is not enabled without any steps', async () => {
    const { id } = await createWorkflow(sender, { name: 'Nothing', eventName: 'nothing' });
    await page.goto(`projects/${project.id}/workflows/${id}?view=outline`);
    await page.getByRole('button', { name: 'Trigger: Nothing follows yet. Add a step' }).waitFor();
    expect(await button('Enable (1 problem left)').isDisabled()).toBe(true);
  });

  it('says which fields an email can’t fill, as a workflow sends it', async () => {
    const domain = 'mail.workflows.test';
    const verified = (await sender.post('/domains', { domain })).body;
    await asked(`/domains/${verified.id}/verify`);
    const content = { subject: 'Order {{ event.order }}', from: `hello@${domain}` };
    const body = '<p>{{ plann }} <a href="{{ event.url }}">Track it</a></p>';
    const template = (await sender.post('/templates', { name: 'Shipped', ...content, body })).body;
    const { id, steps } = await createWorkflow(sender, { name: 'Ships', eventName: 'shipped' });
    await addStep(sender, id, {
      type: 'SEND_EMAIL',
      name: 'Tell them',
      config: {},
      autoConnect: steps[0].id,
    });
    await page.goto(`projects/${project.id}/workflows/${id}?view=outline`);
    await button(/^2\. Tell them/).click();
    const form = page.getByRole('dialog', { name: 'Tell them' });
    await form.getByRole('button', { name: /Template/ }).click();
    await page.getByRole('option', { name: 'Shipped' }).click();
    const problems = form.getByRole('list', { name: 'Problems' }).getByRole('listitem');
    await problems.getByText('No contact has a field “plann”, so nothing shows there').waitFor();
    expect(await problems.count()).toBe(1);
    await form.getByText('“Order {{ event.order }}”').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await button(/^2\. Tell them/).click();
    await form.getByRole('link', { name: 'Open the template' }).click();
    await page.getByRole('heading', { name: 'Shipped' }).waitFor();
    expect(page.url()).toContain(template.id);
  });

  it('shows at which step an execution failed', async () => {
    const { id, steps } = await createWorkflow(sender, { name: 'Fails', eventName: 'failing' });
    const config = { url: 'http://localhost:1/' };
    await addStep(sender, id, { type: 'WEBHOOK', name: 'Hook', config, autoConnect: steps[0].id });
    const contactId = await createContact(sender, 'linus@example.com');
    const started = await sender.post(`/workflows/${id}/executions`, { contactId });
    const path = `/workflows/${id}/executions/${started.body.id}`;
    const first = await eventually(
      () => asked(path),
      ({ body }) => body.status === 'FAILED',
    );
    await page.goto(`projects/${project.id}${path}`);
    const step = page.locator('.react-flow__node', { hasText: 'Hook' });
    await step.getByText(/public address/).waitFor();
    await page.goto(`projects/${project.id}/workflows?search=Fails`);
    await page.getByRole('link', { name: '1 failed' }).click();
    await page.getByRole('link', { name: 'linus@example.com' }).waitFor();
    await button(/^Failed \(1\)/).waitFor();

    await button('Retry failed 1').click();
    const dialog = page.getByRole('dialog', { name: 'Retry failed executions' });
    await dialog.getByRole('button', { name: /The last 24 hours/ }).waitFor();
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('1 execution continues').waitFor();
    // The URL still leads nowhere, so it fails again.
    const failedAfter = (before: string) =>
      eventually(
        () => asked(path),
        ({ body }) => body.status === 'FAILED' && body.completedAt > before,
      );
    const second = (await failedAfter(first.body.completedAt)).body;
    await page.goto(`projects/${project.id}${path}`);
    await button('Retry').click();
    await page.getByText('Continues at the step that failed').waitFor();
    await failedAfter(second.completedAt);
  });

  it('is not enabled in a version that the user has not seen', async () => {
    const workflow = await createWaitingWorkflow(sender, { name: 'Unseen', eventName: 'unseen' });
    const path = `/workflows/${workflow.id}`;
    await page.goto(`projects/${project.id}${path}?view=outline`);
    await button('Remove Delay').waitFor();
    const step = await addStep(sender, workflow.id, { type: 'EXIT', name: 'Theirs' });
    const [, delay] = (await asked(path)).body.steps;
    const joined = await sender.post(`${path}/transitions`, { fromStepId: delay.id, toStepId: step.id });
    expect(joined.status).toBe(201);
    await button('Enable').click();
    await page.getByText('Someone else has changed this workflow. You now see their version').waitFor();
    await button('Remove Theirs').waitFor();
    expect((await asked(path)).body.enabled).toBe(false);
    await button('Enable').click();
    await button('Disable').waitFor();
    await button('Disable').click();
    const toast = page.getByRole('alertdialog').filter({ hasText: 'Disabled. No new contacts enter' });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await button('Disable').waitFor();
    expect((await asked(path)).body.enabled).toBe(true);
    expect(tab.complaints().filter((text) => !text.includes('status of 409'))).toEqual([]);
  });

  it('keeps the input for a step when a phone is turned', async () => {
    const { id } = await createWaitingWorkflow(sender, { name: 'Turned', eventName: 'turned' });
    const size = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`projects/${project.id}/workflows/${id}`);
    await button(/^2\. Delay/).click();
    const name = page.getByRole('dialog', { name: 'Delay' }).getByRole('textbox', { name: 'Step name' });
    await name.fill('Ours');
    await page.setViewportSize({ width: 844, height: 390 });
    await eventually(
      () => page.evaluate<boolean>(`matchMedia('(min-width: 768px)').matches`),
      (isWide) => isWide,
    );
    expect(await name.inputValue()).toBe('Ours');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await name.waitFor({ state: 'detached' });
    if (size) await page.setViewportSize(size);
  });

  it('shows figures of its executions that agree with their list, and no step under way after a cancel', async () => {
    const { id } = await createWaitingWorkflow(sender, { name: 'Figures', eventName: 'figures' });
    await page.goto(`projects/${project.id}/workflows/${id}?view=executions`);
    await page.getByText('Nobody has entered yet').waitFor();
    const contactId = await createContact(sender, 'barbara@example.com');
    const started = await sender.post(`/workflows/${id}/executions`, { contactId });
    await button('Cancel all 1').waitFor();
    await page.goto(`projects/${project.id}/workflows/${id}/executions/${started.body.id}`);
    await page.getByText('Under way', { exact: true }).waitFor();
    await sender.post(`/workflows/${id}/executions/cancel-all`, {});
    const step = page.locator('[data-step]');
    await step.getByText('Cancelled', { exact: true }).waitFor();
    expect(await page.getByText('Under way', { exact: true }).count()).toBe(0);
  });

  it('names a template and a campaign that are older than the newest 100', async () => {
    const content = { subject: 'Hello', body: '<p>Hello</p>', from: 'hello@mail.names.test' };
    const { id: domainId } = (await sender.post('/domains', { domain: 'mail.names.test' })).body;
    await asked(`/domains/${domainId}/verify`);
    const template = await sender.post('/templates', { ...content, name: 'The first template' });
    const campaign = await sender.post('/campaigns', {
      ...content,
      name: 'The first campaign',
      audienceType: 'ALL',
    });
    for (let number = 0; number < 100; number += 1) {
      await sender.post('/templates', { ...content, name: `Template ${number}` });
      await sender.post('/campaigns', { ...content, name: `Campaign ${number}`, audienceType: 'ALL' });
    }
    const { id, steps } = await createWorkflow(sender, { name: 'Names', eventName: 'naming' });
    const config = { templateId: template.body.id };
    await addStep(sender, id, { type: 'SEND_EMAIL', name: 'Mail', config, autoConnect: steps[0].id });
    await page.goto(`projects/${project.id}/workflows/${id}?view=outline`);
    await page.getByText('The first template').waitFor();
    await page.goto(`projects/${project.id}/emails?campaignId=${campaign.body.data.id}`);
    await button(/^The first campaign/).waitFor();
  });

  it('is started for any contact by its address', async () => {
    const { id } = await createWaitingWorkflow(sender, { name: 'By hand', eventName: 'manual' });
    for (const address of ['ann@many.example', 'ann@bücher.example']) await createContact(sender, address);
    for (let number = 0; number < 100; number += 1) {
      await createContact(sender, `${number}ann@many.example`);
    }
    const typed = {
      'Ann@many.example': 'ann@many.example',
      'ann@bücher.example': 'ann@xn--bcher-kva.example',
    };
    for (const [text, address] of Object.entries(typed)) {
      await page.goto(`projects/${project.id}/workflows/${id}?view=executions`);
      await button('Start for a contact').click();
      const dialog = page.getByRole('dialog', { name: 'Start for a contact' });
      await suggested('Contact', text);
      await dialog.getByRole('button', { name: 'Start' }).click();
      await page.waitForURL(/executions\/[0-9a-f-]{36}$/);
      await page.getByText(address).first().waitFor();
    }
  });

  it('is not started for an address that no contact has, and the list of suggestions goes', async () => {
    const { id } = await createWaitingWorkflow(sender, { name: 'For nobody', eventName: 'nobody' });
    await createContact(sender, 'somebody@example.com');
    await page.goto(`projects/${project.id}/workflows/${id}?view=executions`);
    await button('Start for a contact').click();
    const dialog = page.getByRole('dialog', { name: 'Start for a contact' });
    await dialog.getByLabel('Contact').click();
    await page.getByRole('option').first().waitFor();
    await dialog.getByLabel('Contact').pressSequentially('nobody@example.com');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.getByText('No contact has this address').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
    expect(await dialog.getByLabel('Contact').inputValue()).toBe('nobody@example.com');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('lists the executions of one contact', async () => {
    const { id } = await createWaitingWorkflow(sender, { name: 'Filtered', eventName: 'filtered' });
    for (const email of ['sought@example.com', 'unsought@example.com', 'third@example.com']) {
      const contactId = await createContact(sender, email);
      expect((await sender.post(`/workflows/${id}/executions`, { contactId })).status).toBe(201);
    }
    await page.goto(`projects/${project.id}/workflows/${id}?view=executions`);
    await button('Cancel the execution of third@example.com').waitFor();
    await button('Cancel all 3').waitFor();
    await suggested('Find an address', 'sought@example.com');
    await button('Cancel the execution of third@example.com').waitFor({ state: 'detached' });
    await button('Cancel the execution of sought@example.com').waitFor();
    expect(await button('Cancel the execution of unsought@example.com').count()).toBe(0);
    expect(await button('Cancel all 3').count()).toBe(0);
    await page.reload();
    await button('Cancel the execution of sought@example.com').waitFor();
    await page.getByRole('combobox', { name: 'Find an address' }).fill('nobody@example.com');
    await page.getByText('Nothing matches').waitFor();
  });

  it('shows who is in a step', async () => {
    const { id } = await createForkedWorkflow(sender);
    for (const email of ['stays@example.com', 'leaves@example.com']) {
      const contactId = await createContact(sender, email);
      expect((await sender.post(`/workflows/${id}/executions`, { contactId })).status).toBe(201);
    }
    await eventually(
      () => asked(`/workflows/${id}/executions?status=WAITING`),
      ({ body }) => body.data.length === 1,
    );
    await page.goto(`projects/${project.id}/workflows/${id}?view=outline`);
    await button(/Wait.*1 waiting now/).click();
    await page.getByRole('dialog', { name: 'Wait' }).getByText('Show who is here').click();
    await button('Cancel the execution of stays@example.com').waitFor();
    expect(await page.getByRole('link', { name: 'leaves@example.com' }).count()).toBe(0);
    await button(/Wait.*Step/).click();
    await page.getByRole('option', { name: 'Leave' }).click();
    await page.getByRole('link', { name: 'leaves@example.com' }).waitFor();
    expect(await page.getByRole('link', { name: 'stays@example.com' }).count()).toBe(0);
  });

  it('has no step that sets one field twice', async () => {
    const { id, steps } = await createWorkflow(sender, { name: 'Twice', eventName: 'twice' });
    const config = { data: { plan: 'pro' } };
    await addStep(sender, id, { type: 'UPDATE_CONTACT', name: 'Note', config, autoConnect: steps[0].id });
    await page.goto(`projects/${project.id}/workflows/${id}?view=outline`);
    await button(/^2\. Note/).click();
    const form = page.getByRole('dialog', { name: 'Note' });
    await form.getByRole('button', { name: 'Set a field' }).click();
    await form.getByRole('combobox', { name: 'Field' }).nth(1).fill('plan');
    await page.keyboard.press('Tab');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Set each field only once').waitFor();
    expect((await asked(`/workflows/${id}`)).body.steps[1].config).toEqual(config);
    await form.getByRole('button', { name: 'Leave out plan' }).nth(1).click();
    await form.getByRole('button', { name: 'Cancel' }).click();
  });

  it('is named when the tracking of its segment is switched off', async () => {
    const segment = await sender.post('/segments', { name: 'VIP', type: 'STATIC', trackMembership: true });
    await createWorkflow(sender, { name: 'Greets VIPs', eventName: `segment.${segment.body.slug}.entry` });
    await page.goto(`projects/${project.id}/segments/${segment.body.id}?tab=settings`);
    await page.getByText('Track who joins and leaves').click();
    await button('Save').click();
    await page
      .getByText('Tracking must stay on, because the segment is used by workflows: “Greets VIPs”.')
      .waitFor();
    expect((await asked(`/segments/${segment.body.id}`)).body.trackMembership).toBe(true);
    await page.getByText('Track who joins and leaves').click();
    expect(tab.complaints().filter((text) => !text.includes('status of 409'))).toEqual([]);
  });

  it('keeps the input for a step that someone else has removed', async () => {
    const workflow = await createWaitingWorkflow(sender, { name: 'Removed', eventName: 'removed' });
    const [, delay] = (await asked(`/workflows/${workflow.id}`)).body.steps;
    await page.goto(`projects/${project.id}/workflows/${workflow.id}?view=outline`);
    await button(/^2\. Delay/).click();
    const form = page.getByRole('dialog', { name: 'Delay' });
    await form.getByRole('textbox', { name: 'Step name' }).fill('Ours');
    const path = `/workflows/${workflow.id}/steps/${delay.id}`;
    expect((await owner.call('DELETE', path, undefined, headers())).status).toBe(204);
    // The page reads the workflow again when its tab is shown again later.
    await page.clock.setFixedTime(Date.now() + 60_000);
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText('2. Delay').waitFor({ state: 'detached' });
    expect(await form.getByRole('textbox', { name: 'Step name' }).inputValue()).toBe('Ours');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Step not found').waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 404'))).toEqual([]);
  });
});
