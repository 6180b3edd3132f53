import { describe, expect, it } from 'vitest';
import { findChromium } from './setup/chromium.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';

const executable = await findChromium();
const sender = 'hello@mail.lost.test';
const content = { subject: 'Hello', body: '<p>Hello</p>', from: sender };

describe.skipIf(executable === undefined)('when the answer to a change is lost, the dashboard', () => {
  const { stage, owner, project, tab, page, button, field, usualSender, heading, asked } = useDashboardStory(
    executable,
    'Lost',
  );
  const post = async (path: string, body: object) =>
    (await owner.call('POST', path, body, { 'X-Project-Id': project.id })).body;
  const lossesAmong = () =>
    tab.complaints().filter((text) => !/CONNECTION_RESET|status of (409|404)/.test(text));
  const namesOf = async (path: string, key = 'name') => {
    const { data } = (await asked(path)).body;
    return data.map((one: Record<string, string>) => one[key]);
  };

  const unreachable = () => page.getByText(/^The server could not be reached/);

  /** The answer to the next request to the path is lost after the server has done it. */
  const loseAnswer = (path: string) =>
    page.route(
      `${stage.stack.url}${path}`,
      async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );

  /** Presses again after the answer to the first request to the path was lost. */
  async function pressTwice(path: string, press: () => Promise<unknown>): Promise<void> {
    await loseAnswer(path);
    await press();
    await unreachable().waitFor();
    await press();
    await unreachable().waitFor({ state: 'detached' });
  }

  async function fillNew(kind: string, name: string): Promise<void> {
    await page.goto(`projects/${project.id}/${kind}/new`);
    await field('Name').fill(name);
    await usualSender(sender);
    await field('Subject').fill('Hello');
  }

  /** Creates a template without an answer. @returns the button to press again */
  async function createUnanswered(name: string) {
    await fillNew('templates', name);
    await loseAnswer('/templates');
    const create = button('Create template');
    await create.click();
    await unreachable().waitFor();
    return create;
  }

  it('shows the keys that replaced others', async () => {
    await tab.signIn(owner);
    await page.goto(`projects/${project.id}/developers`);
    await button('Copy the public key').waitFor();
    const shown = async () => (await page.locator('main').textContent())?.match(/pk_\w+/)?.[0];
    const replaced = await shown();
    await button('Replace both keys').click();
    await loseAnswer(`/users/@me/projects/${project.id}/regenerate-keys`);
    await button('Replace the keys').click();
    await unreachable().waitFor();
    await button('Cancel').click();
    await expect.poll(shown).not.toBe(replaced);
    expect(lossesAmong()).toEqual([]);
  });

  it('adds a domain once', async () => {
    await page.goto(`projects/${project.id}/domains`);
    await button('Add a domain').click();
    await field('Domain').fill('mail.lost.test');
    await pressTwice('/domains', () => button('Add the domain').click());
    await heading('mail.lost.test').waitFor();
    const [domain] = (await asked(`/domains/project/${project.id}`)).body.data;
    await asked(`/domains/${domain.id}/verify`);
    expect(lossesAmong()).toEqual([]);
  });

  it.each([
    ['template', 'templates', 'Create template'],
    ['campaign', 'campaigns', 'Save draft'],
  ])('creates a %s once', async (name, kind, action) => {
    await fillNew(kind, name);
    await pressTwice(`/${kind}`, () => button(action).click());
    await button('Send a test').waitFor();
    expect(await namesOf(`/${kind}`)).toEqual([name]);
    expect(lossesAmong()).toEqual([]);
  });

  it('creates another record once the form has other input', async () => {
    await fillNew('templates', 'First');
    let presses = 0;
    await pressTwice('/templates', async () => {
      presses += 1;
      if (presses === 2) await field('Name').fill('Second');
      await button('Create template').click();
    });
    await heading('Second').waitFor();
    expect(await namesOf('/templates')).toEqual(expect.arrayContaining(['First', 'Second']));
    expect(lossesAmong()).toEqual([]);
  });

  it.each([429, 503])('creates a template once although the second try got %d', async (status) => {
    const name = `After ${status}`;
    const create = await createUnanswered(name);
    const error = { code: 'REFUSED', message: 'Not now' };
    await page.route(`${stage.stack.url}/templates`, (route) => route.fulfill({ status, json: { error } }), {
      times: 1,
    });
    await create.click();
    await page.getByText('Not now').waitFor();
    await create.click();
    await button('Send a test').waitFor();
    expect(await namesOf(`/templates?search=${encodeURIComponent(name)}`)).toEqual([name]);
    expect(lossesAmong().filter((text) => !text.includes(`status of ${status}`))).toEqual([]);
  });

  it('does not open a domain that is gone meanwhile', async () => {
    await page.goto(`projects/${project.id}/domains`);
    await button('Add a domain').click();
    await field('Domain').fill('gone.lost.test');
    await loseAnswer('/domains');
    await button('Add the domain').click();
    await unreachable().waitFor();
    const found = (await asked(`/domains/project/${project.id}`)).body.data;
    const { id } = found.find(({ domain }: { domain: string }) => domain === 'gone.lost.test');
    await owner.call('DELETE', `/domains/${id}`, undefined, { 'X-Project-Id': project.id });
    await button('Add the domain').click();
    await page.getByText(/^The first try may have worked/).waitFor();
    await button('Add the domain').click();
    await heading('gone.lost.test').waitFor();
    expect(lossesAmong()).toEqual([]);
  });

  it('does not keep a user from creating what a killed server left open', async () => {
    const create = await createUnanswered('Left open');
    const [template] = (await asked('/templates?search=Left')).body.data;
    await owner.call('DELETE', `/templates/${template.id}`, undefined, { 'X-Project-Id': project.id });
    await stage.stack.sql('update idempotency_keys set status_code = null, created_id = null');
    await create.click();
    await page.getByText(/^The server may still be working on the first try/).waitFor();
    await page.evaluate(() => {
      const { now } = Date;
      Date.now = () => now() + 60_000;
    });
    await create.click();
    await page.getByText(/^The first try may have worked/).waitFor();
    await create.click();
    await button('Send a test').waitFor();
    expect(await namesOf('/templates?search=Left')).toEqual(['Left open']);
    expect(lossesAmong()).toEqual([]);
  });

  it('creates a segment once', async () => {
    await page.goto(`projects/${project.id}/segments/new?type=STATIC`);
    await field('Name').fill('By hand');
    await pressTwice('/segments', () => button('Create segment').click());
    await heading('By hand').waitFor();
    expect(await namesOf('/segments')).toEqual(['By hand']);
    expect(lossesAmong()).toEqual([]);
  });

  it('adds a contact once, still subscribed', async () => {
    await page.goto(`projects/${project.id}/contacts`);
    await button('Add contact').first().click();
    await field('Address').fill('ada@example.com');
    const dialog = page.getByRole('dialog');
    const add = dialog.getByRole('button', { name: 'Add contact' });
    await pressTwice('/contacts', () => add.click());
    await heading('ada@example.com').waitFor();
    expect(await namesOf('/contacts', 'email')).toEqual(['ada@example.com']);
    expect(lossesAmong()).toEqual([]);
  });

  it('creates, copies and starts a workflow once', async () => {
    await page.goto(`projects/${project.id}/workflows`);
    await button('New workflow').first().click();
    await field('Name').fill('Onboarding');
    await page.getByRole('combobox', { name: /^Starts with/ }).fill('signed.up');
    await page.keyboard.press('Tab');
    await pressTwice('/workflows', () => button('Create the workflow').click());
    await heading('Onboarding').waitFor();
    const [{ id }] = (await asked('/workflows')).body.data;
    await pressTwice(`/workflows/${id}/duplicate`, async () => {
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    });
    await heading('Onboarding (Copy)').waitFor();
    expect((await namesOf('/workflows')).toSorted()).toEqual(['Onboarding', 'Onboarding (Copy)']);
    const [copy] = (await asked('/workflows')).body.data;
    const step = { type: 'DELAY', name: 'Wait', config: { amount: 1, unit: 'days' } };
    const trigger = (await asked(`/workflows/${copy.id}`)).body.steps[0].id;
    await post(`/workflows/${copy.id}/steps`, { ...step, autoConnect: trigger });
    await owner.call(
      'PATCH',
      `/workflows/${copy.id}`,
      { allowReentry: true },
      { 'X-Project-Id': project.id },
    );
    await page.goto(`projects/${project.id}/workflows/${copy.id}`);
    await page.getByRole('tab', { name: 'Executions' }).click();
    await button('Start for a contact').click();
    await page.getByRole('combobox', { name: 'Contact' }).fill('ada@example.com');
    await pressTwice(`/workflows/${copy.id}/executions`, () => button('Start').click());
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await asked(`/workflows/${copy.id}/executions`)).body.data).toHaveLength(1);
    expect(lossesAmong()).toEqual([]);
  });

  it('creates a project once', async () => {
    await page.goto(`projects/${project.id}`);
    await page.getByRole('button', { name: 'Lost' }).click();
    await page.getByRole('menuitem', { name: /New project/ }).click();
    await field('Name').fill('Another');
    await pressTwice('/users/@me/projects', () => button('Create the project').click());
    await heading('Another').waitFor();
    expect((await namesOf('/users/@me/projects')).toSorted()).toEqual(['Another', 'Lost']);
    expect(lossesAmong()).toEqual([]);
  });

  it('saves once', async () => {
    const { id } = await post('/templates', { ...content, name: 'Kept' });
    await page.goto(`projects/${project.id}/templates/${id}`);
    await field('Subject').fill('Twice');
    await pressTwice(`/templates/${id}`, () => button('Save').click());
    await page.getByText(/^Saved/).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    const contact = await post('/contacts', { email: 'joan@example.com', data: { plan: 'free' } });
    await page.goto(`projects/${project.id}/contacts/${contact.id}`);
    await field('plan').fill('pro');
    await pressTwice(`/contacts/${contact.id}`, () => button('Save plan').click());
    await page.getByText('plan is saved').waitFor();
    await button('Save plan').waitFor({ state: 'detached' });
    expect(lossesAmong()).toEqual([]);
  });

  it.each([
    ['templates', 'Template', 'Delete template', 'Templates', content],
    ['campaigns', 'Campaign', 'Delete campaign', 'Campaigns', { ...content, audienceType: 'ALL' }],
    ['segments', 'Segment', 'Delete segment', 'Segments', { type: 'STATIC' }],
    ['workflows', 'Workflow', 'Delete', 'Workflows', { eventName: 'x' }],
  ])('deletes one of the %s once', async (kind, name, action, title, body) => {
    const created = await post(`/${kind}`, { ...body, name });
    const { id } = created.data ?? created;
    await page.goto(`projects/${project.id}/${kind}/${id}`);
    await heading(name).waitFor();
    await page.getByRole('button', { name: /^More/ }).click();
    await page.getByRole('menuitem', { name: /^Delete/ }).click();
    await pressTwice(`/${kind}/${id}`, () => button(action).click());
    await heading(title).waitFor();
    expect(await namesOf(`/${kind}`)).not.toContain(name);
    expect(lossesAmong()).toEqual([]);
  });

  it('deletes a contact and a domain once', async () => {
    const contact = await post('/contacts', { email: 'grace@example.com' });
    await page.goto(`projects/${project.id}/contacts/${contact.id}`);
    await page.getByRole('button', { name: /^More/ }).click();
    await page.getByRole('menuitem', { name: /^Delete/ }).click();
    await pressTwice(`/contacts/${contact.id}`, () =>
      page
        .getByRole('dialog')
        .getByRole('button', { name: /^Delete/ })
        .click(),
    );
    await heading('Contacts').waitFor();
    const domain = await post('/domains', { domain: 'old.lost.test' });
    await page.goto(`projects/${project.id}/domains/${domain.id}`);
    await button('Remove').click();
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove' });
    await pressTwice(`/domains/${domain.id}`, () => remove.click());
    await heading('Domains').waitFor();
    expect(lossesAmong()).toEqual([]);
  });

  it('deletes a project once', async () => {
    await page.goto(`projects/${project.id}/settings?tab=danger`);
    await button('Delete the project').click();
    await field('Type “Lost” to confirm').fill('Lost');
    await pressTwice(`/users/@me/projects/${project.id}`, () => button('Delete for good').click());
    await page.getByText('Lost is deleted.').waitFor();
    await heading('Account').waitFor();
    expect(lossesAmong()).toEqual([]);
  });
});
