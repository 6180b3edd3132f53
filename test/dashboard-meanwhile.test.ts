import { describe, expect, it } from 'vitest';
import { findChromium } from './setup/chromium.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';
import { eventually } from './setup/eventually.ts';
import { planIs } from './setup/segments.ts';

const executable = await findChromium();
const domain = 'mail.meanwhile.test';
const unavailable = {
  status: 503,
  json: {
    success: false,
    error: { code: 'SERVICE_UNAVAILABLE', message: 'The database does not answer', statusCode: 503 },
  },
};

describe.skipIf(executable === undefined)('about changes in the background, the dashboard', () => {
  const { stage, owner, project, tab, page, button, link, field, heading, sideBar, asked } =
    useDashboardStory(executable, 'Meanwhile');
  const headers = () => ({ 'X-Project-Id': project.id });
  const post = (path: string, body: object) => owner.call('POST', path, body, headers());
  const complaintsBut = (status: number) =>
    tab.complaints().filter((text) => !text.includes(`status of ${status}`));
  const campaign = {
    name: 'Ours',
    subject: 'Ours',
    body: '<p>Hello</p>',
    from: `hello@${domain}`,
    audienceType: 'ALL',
  };

  it('says on the home page which limits are reached or nearly reached', async () => {
    const { id } = (await post('/domains', { domain })).body;
    await asked(`/domains/${id}/verify`);
    const limits = { transactional: 5, campaigns: 0, workflows: 1 };
    const path = `/users/@me/projects/${project.id}/billing-limits`;
    expect((await owner.call('PUT', path, limits)).status).toBe(200);
    const to = ['ada', 'grace', 'linus', 'edsger'].map((name) => `${name}@example.com`);
    const { subject, body, from } = campaign;
    expect((await post('/v1/send', { to, from, subject, body })).status).toBe(200);
    await tab.signIn(owner);
    await page.goto(`projects/${project.id}`);
    await page.getByText('1 of 5 transactional emails is left this month.').waitFor();
    const reached = page.getByText('No more campaign emails leave this month: the limit of 0 is reached.');
    await reached.waitFor();
    expect(await page.getByText(/workflow emails/).count()).toBe(0);
    await link('Change the limits').first().click();
    await field('Campaigns').fill('');
    await button('Save the limits').click();
    await page.getByText('The limits are saved.').waitFor();
    await sideBar('Home').click();
    await page.getByText(/transactional emails is left/).waitFor();
    await reached.waitFor({ state: 'detached' });
  });

  it('says on every page that the project is disabled', async () => {
    const disable = (disabled: boolean) =>
      stage.stack.sql('update projects set disabled = $2, disabled_reason = $3 where id = $1', [
        project.id,
        disabled,
        disabled ? '12 % bounced' : null,
      ]);
    const note = page.getByText(/^This project is disabled and sends nothing: 12 % bounced\./);
    await disable(true);
    for (const path of ['', '/campaigns', '/settings']) {
      await page.goto(`projects/${project.id}${path}`);
      await note.waitFor();
    }
    await disable(false);
    await page.reload();
    await heading('Settings').waitFor();
    expect(await note.count()).toBe(0);
  });

  it('keeps unsaved changes to a campaign that somebody else has sent, as a draft', async () => {
    await post('/contacts', { email: 'ada@example.com' });
    const { id } = (await post('/campaigns', campaign)).body.data;
    const open = async () => {
      await page.goto(`projects/${project.id}/campaigns/${id}`);
      await field('Subject').fill('Mine');
    };
    await open();
    // As long as a name may be, with which "(Copy)" would not fit.
    await field('Name').fill('N'.repeat(255));
    expect((await post(`/campaigns/${id}/send`, {})).status).toBe(200);
    await button('Save').click();
    const note = page.getByText(/^This campaign has been sent since/);
    await note.waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await button('Save').or(button(/^Send/)).count()).toBe(0);
    expect(await field('Subject').inputValue()).toBe('Mine');
    await button('Keep my changes as a new draft').click();
    await page.getByText('Draft', { exact: true }).waitFor();
    expect(await field('Subject').inputValue()).toBe('Mine');
    expect((await asked('/campaigns?status=DRAFT')).body.data).toMatchObject([{ subject: 'Mine' }]);
    expect(complaintsBut(409)).toEqual([]);
  });

  it('restores what the version of somebody else has replaced, for as long as the page is open', async () => {
    const other = (await stage.open()).page;
    await other.context().addCookies(await page.context().cookies());
    await other.clock.install();
    const mine = planIs('mine');
    const { id } = (await post('/segments', { name: 'First', type: 'DYNAMIC', condition: mine })).body;
    await other.goto(`projects/${project.id}/segments/${id}?tab=settings`);
    const message = other.getByRole('alertdialog').filter({ hasText: 'Their version has been loaded' });
    const load = async (name: string, condition = mine) => {
      await field('Name', other).fill('Mine');
      await owner.call('PATCH', `/segments/${id}`, { name, condition }, headers());
      await button('Save', other).click();
      await button('Load theirs', other).click();
      await message.waitFor();
    };
    await load('Theirs');
    await other.clock.runFor(600_000);
    expect(await field('Name', other).inputValue()).toBe('Theirs');
    await message.getByRole('button', { name: 'Undo' }).click();
    expect(await field('Name', other).inputValue()).toBe('Mine');
    // One message at a time, and none once something newer is stored.
    await load('Their second');
    await load('Their third');
    expect(await message.count()).toBe(1);
    await field('Description', other).fill('Newer');
    await button('Save', other).click();
    await message.waitFor({ state: 'detached' });
    // What was typed since is newer than what it restores.
    await field('Description', other).fill('Mine');
    await load('Their fourth', planIs('theirs'));
    await field('Name', other).fill('Newest');
    await message.getByRole('button', { name: 'Undo' }).click();
    expect(await field('Description', other).inputValue()).toBe('Mine');
    expect(await field('Name', other).inputValue()).toBe('Newest');
    await button('Save', other).click();
    await heading('Newest', other).waitFor();
    expect((await asked(`/segments/${id}`)).body.condition).toEqual(mine);
    await load('Their last');
    await other.getByRole('navigation', { name: 'Project' }).getByText('Domains').click();
    await message.waitFor({ state: 'detached' });
    await other.context().close();
    await owner.call('DELETE', `/segments/${id}`, undefined, headers());
  });

  it('reads the figures of a campaign again as soon as it knows that the campaign has ended', async () => {
    const { id } = (await post('/campaigns', campaign)).body.data;
    const { data } = (await asked(`/campaigns/${id}`)).body;
    const stats = { ...(await asked(`/campaigns/${id}/stats`)).body, totalRecipients: 4 };
    const { page: report, signIn } = await stage.open();
    await signIn(owner);
    // A finished campaign is polled every 15 seconds.
    await report.addInitScript(
      'const { setInterval } = window; window.setInterval = (run, ms) => ms < 15_000 ? setInterval(run, ms) : 0',
    );
    const { createdAt } = data;
    const ofCampaign = { ...data, startedAt: createdAt, frozenAt: createdAt, totalRecipients: 4 };
    let status = 'SENDING';
    await report.route(`**/campaigns/${id}`, (route) =>
      route.request().isNavigationRequest()
        ? route.continue()
        : route.fulfill({ json: { success: true, data: { ...ofCampaign, status } } }),
    );
    const cancel = button('Cancel campaign', report);
    await report.route(`**/campaigns/${id}/stats`, async (route) => {
      const isOver = status === 'SENT' && (await cancel.count()) === 0;
      await route.fulfill({ json: { ...stats, sentCount: isOver ? 4 : 3 } });
    });
    await report.goto(`projects/${project.id}/campaigns/${id}`);
    await cancel.waitFor();
    const figures = report.getByLabel('Figures');
    await figures.getByText('3', { exact: true }).waitFor();
    await cancel.click();
    await report.getByText('0 of 4 emails have been sent and can’t be recalled.').waitFor();
    await button('Cancel', report).click();
    await cancel.waitFor();
    status = 'SENT';
    await cancel.waitFor({ state: 'detached' });
    await figures.getByText('4', { exact: true }).waitFor();
    await report.context().close();
  });

  it('shows no share of the recipients of a campaign while they are being gathered', async () => {
    const { id } = (await post('/campaigns', campaign)).body.data;
    const { data } = (await asked(`/campaigns/${id}`)).body;
    const sending = { ...data, status: 'SENDING', startedAt: data.createdAt, progress: 0, sentCount: 1 };
    let known = { frozenAt: null, totalRecipients: 200 };
    await page.route(`**/campaigns/${id}`, (route) =>
      route.request().isNavigationRequest()
        ? route.continue()
        : route.fulfill({ json: { success: true, data: { ...sending, ...known } } }),
    );
    const cancel = button('Cancel campaign');
    const askBeforeCancelling = async (text: string) => {
      await cancel.click();
      await page.getByText(text).waitFor();
      await button('Cancel').click();
    };
    await page.goto(`projects/${project.id}/campaigns/${id}`);
    await page.getByText('Recipients are being gathered; 1 sent so far').waitFor();
    await page.getByLabel('Figures').getByText('so far').waitFor();
    await askBeforeCancelling('1 email has been sent and can’t be recalled.');
    known = { frozenAt: data.createdAt, totalRecipients: 1 };
    await page.getByText('1 of 1 sent').waitFor();
    await askBeforeCancelling('1 of 1 email has been sent and can’t be recalled.');
    await page.unroute(`**/campaigns/${id}`);
  });

  it('shows no total of a campaign that was cancelled before all its recipients were gathered', async () => {
    const { id } = (await post('/campaigns', { ...campaign, name: 'Stopped' })).body.data;
    const cancelCampaign = `update campaigns
      set status = 'CANCELLED', started_at = created_at, total_recipients = $2 where id = $1`;
    await stage.stack.sql(cancelCampaign, [id, 200]);
    await page.goto(`projects/${project.id}/campaigns/${id}`);
    await page.getByLabel('Figures').getByText('before it was cancelled').waitFor();
    expect(await page.getByText(/\b200\b/).count()).toBe(0);
    await link('Campaigns').first().click();
    await page
      .getByRole('row', { name: /Stopped/ })
      .filter({ hasText: 'Cancelled–––' })
      .waitFor();
    await stage.stack.sql(cancelCampaign, [id, 0]);
    await page.goto(`projects/${project.id}/campaigns/${id}`);
    await page.getByText('It was cancelled before anything was sent.').waitFor();
  });

  it('shows on the home page and in the list that a scheduled campaign no longer is', async () => {
    const { id } = (await post('/campaigns', { ...campaign, name: 'Later' })).body.data;
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString();
    await post(`/campaigns/${id}/send`, { scheduledFor });
    const { page: home, signIn, openTab } = await stage.open();
    await signIn(owner);
    const { page: list } = await openTab();
    await home
      .context()
      .addInitScript(
        'const { setInterval } = window; window.setInterval = (run, ms) => setInterval(run, ms / 10)',
      );
    await home.goto(`projects/${project.id}`);
    await list.goto(`projects/${project.id}/campaigns?status=SCHEDULED`);
    const upcoming = home.getByText('The campaign “Later” is sent');
    await upcoming.waitFor();
    await list.getByRole('link', { name: 'Later' }).waitFor();
    expect((await post(`/campaigns/${id}/cancel`, {})).status).toBe(200);
    await upcoming.waitFor({ state: 'detached' });
    await list.getByRole('link', { name: 'Later' }).waitFor({ state: 'detached' });
    await home.context().close();
  });

  it('says that it no longer knows the progress of an import', async () => {
    await page.goto(`projects/${project.id}/contacts/import`);
    const job = { id: 'x', type: 'import', state: 'active', progress: 40, result: null };
    const times = { failedReason: null, createdAt: new Date().toISOString(), finishedAt: null };
    const polls = '**/contacts/import/*-*';
    await page.route(polls, (route) => route.fulfill({ json: { ...job, ...times } }));
    const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('email\nnew@example.com\n') };
    await page.setInputFiles('input[type=file]', file);
    await button('Import 1 row').click();
    await page.getByText(/^40 % done/).waitFor();
    const error = { code: 'NOT_FOUND', message: 'Job not found', statusCode: 404 };
    await page.route(polls, (route) => route.fulfill({ status: 404, json: { success: false, error } }));
    await page.getByText('Job not found').waitFor();
    expect(await page.getByText(/is done/).count()).toBe(0);
    await page.unroute(polls);
    await page.reload();
    await page.getByText('The import is complete.').waitFor();
    expect(complaintsBut(404)).toEqual([]);
  });

  it('says that its data may be out of date, and refreshes it automatically', async () => {
    const sending = '**/campaigns?*';
    await page.goto(`projects/${project.id}`);
    await page.getByText('No campaign is being sent.').waitFor();
    await page.route(sending, (route) => route.fulfill(unavailable));
    const note = page.getByText(/^The server can’t answer right now/);
    await note.waitFor();
    await page.unroute(sending);
    await note.waitFor({ state: 'detached' });
    expect(complaintsBut(503)).toEqual([]);
  });

  it('opens automatically once the server answers, however often it has failed', async () => {
    const projects = `${stage.stack.url}/users/@me/projects`;
    let calls = 0;
    await page.route(projects, (route) => {
      calls += 1;
      return route.fulfill(unavailable);
    });
    await page.goto(`projects/${project.id}`);
    await page.getByText('The database does not answer').waitFor();
    // One try makes three calls.
    await eventually(
      async () => calls,
      (count) => count > 6,
    );
    await page.unroute(projects);
    await heading('Meanwhile').waitFor();
    expect(tab.complaints()).not.toEqual([]);
  });

  it('shows a page that failed to load as soon as the server answers', async () => {
    const segments = `${stage.stack.url}/segments`;
    await page.route(segments, (route) => route.fulfill(unavailable));
    await sideBar('Segments').click();
    await page.getByText('The database does not answer').waitFor();
    await page.unroute(segments);
    await page.getByText('No segments yet').waitFor();
    expect(complaintsBut(503)).toEqual([]);
  });
});
