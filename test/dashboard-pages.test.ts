import { beforeAll, describe, expect, it } from 'vitest';
import { createVerifiedPerson } from './setup/account-mail.ts';
import { findChromium } from './setup/chromium.ts';
import { useDashboard, type WatchedPage } from './setup/dashboard.ts';
import { everyPage, inLooks, type Look, load, lookAtEach, type NamedPage } from './setup/dashboard-pages.ts';
import { type SeededProject, seedProject } from './setup/dashboard-seed.ts';
import { eventually } from './setup/eventually.ts';
import { createOwnProject, type TestPerson, testPassword } from './setup/people.ts';

const executable = await findChromium();
const looks: Look[] = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 1440 },
  { theme: 'dark', width: 360 },
  { theme: 'light', width: 360 },
];
/** Both themes and both widths, for parts of pages that have been checked as a whole. */
const fewLooks = looks.filter(({ theme, width }) => (theme === 'light') === (width === 1440));
/** Compressed size of the scripts that a page needs before it is usable. */
const maxScriptBytes = 250_000;

const isAllLoadedScript = `Object.values(__TSR_ROUTER__.routesById).every(({ options }) => !options.component?.preload)`;

const fontSizesScript = `[...document.querySelectorAll('input, textarea, .cm-content, .visual-email')].map(
  (field) => getComputedStyle(field).fontSize)`;

const isForGuests = ([, address]: NamedPage) => !/^\/(projects|account)/.test(address);

describe.skipIf(executable === undefined)('the dashboard', () => {
  const stage = useDashboard(executable);
  let seeded: SeededProject;

  beforeAll(async () => {
    seeded = await seedProject(stage.stack);
  });

  async function openAs(person?: TestPerson): Promise<WatchedPage> {
    const tab = await stage.open();
    if (person) await tab.signIn(person);
    await tab.page.goto('.');
    await tab.settled();
    // Before the sign-in, the page asks who is signed in.
    expect(tab.complaints().filter((text) => !text.includes('status of 401'))).toEqual([]);
    return tab;
  }

  /** Two tabs at a time, because one alone leaves a core idle. */
  async function lookInTwoTabs(
    person: TestPerson,
    pages: readonly NamedPage[],
    look: Parameters<typeof lookAtEach>[2],
    open?: typeof load,
  ): Promise<string[]> {
    const halves = [0, 1].map((half) => pages.filter((_, index) => index % 2 === half));
    const found = await Promise.all(
      halves.map(async (half) => {
        const tab = await openAs(person);
        const faults = await lookAtEach(tab, half, look, open);
        await tab.page.context().close();
        return faults;
      }),
    );
    return found.flat();
  }

  it('has no accessibility problems, browser errors or overflow on any page, in light and dark, on desktops and phones', async () => {
    const guest = await openAs();
    const pages = await everyPage(guest.page, seeded);
    const ofGuest = await lookAtEach(guest, pages.filter(isForGuests), inLooks(looks));
    await guest.page.context().close();
    const ofMember = await lookInTwoTabs(
      seeded.owner,
      pages.filter((page) => !isForGuests(page)),
      inLooks(looks),
    );
    expect(ofGuest.filter((fault) => !fault.includes('status of 401'))).toEqual([]);
    expect(ofMember).toEqual([]);
  });

  it('has fields that an iPhone does not zoom into', async () => {
    const phone = await stage.open({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await phone.signIn(seeded.owner);
    const found: string[] = [];
    for (const address of ['contacts', `templates/${seeded.ids.template}`, 'settings']) {
      await load(phone, `/projects/${seeded.ids.project}/${address}`);
      found.push(...(await phone.page.evaluate<string[]>(fontSizesScript)));
    }
    expect(new Set(found)).toEqual(new Set(['16px']));
    await phone.page.context().close();
  });

  it('has none in an empty project', async () => {
    const person = await createVerifiedPerson(stage.stack);
    const { id } = await createOwnProject(person, 'Empty');
    const tab = await openAs(person);
    const pages = (await everyPage(tab.page, seeded))
      .filter(
        ([name, address]) => address.startsWith('/projects/') && !/[?=]|-new|import/.test(address + name),
      )
      .filter(([, address]) => address.split('/').length <= 4)
      .map(([name, address]): NamedPage => [name, address.replace(seeded.ids.project, id)]);
    expect(await lookAtEach(tab, pages, inLooks(fewLooks, 'empty-'))).toEqual([]);
  });

  it('has none in its dialogs', async () => {
    const tab = await openAs(seeded.owner);
    const { page } = tab;
    const base = `/projects/${seeded.ids.project}`;
    const press = (name: string) => () => page.getByRole('button', { name, exact: true }).first().click();
    const dialogs: [name: string, address: string, open: () => Promise<void>][] = [
      ['palette', '', () => page.keyboard.press('Control+k')],
      ['contact', 'contacts', press('Add contact')],
      ['domain', 'domains', press('Add a domain')],
      ['member', 'settings?tab=members', press('Invite a member')],
      ['send', `campaigns/${seeded.ids.draft}`, press('Send to 4 people')],
      ['templates', `campaigns/${seeded.ids.draft}`, press('Start from a template')],
      ['test', `templates/${seeded.ids.template}`, press('Send a test')],
      ['designs', `templates/${seeded.ids.template}`, press('Designs')],
      ['image', `templates/${seeded.ids.template}`, press('Insert image')],
      ['workflow', 'workflows', press('New workflow')],
    ];
    const found: string[] = [];
    for (const [name, address, open] of dialogs) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await load(tab, `${base}/${address}`);
      await open();
      await page.getByRole('dialog').waitFor();
      found.push(...(await inLooks(fewLooks, 'dialog-')(tab, name)), ...tab.complaints());
    }
    expect(found).toEqual([]);
  });

  it('runs no script in texts of contacts, senders and colleagues, and fits texts with long words', async () => {
    // A single word, because it has no space.
    const markup =
      '<img/src=x/onerror=isHacked=1><script>isHacked=1</script><a/href=javascript:isHacked=1>x</a>';
    const hostile = await seedProject(stage.stack, (text) => `${text}${markup}`.slice(0, 99));
    const tab = await openAs(hostile.owner);
    const pages = (await everyPage(tab.page, hostile)).filter((page) => !isForGuests(page));
    await tab.page.context().close();
    const beyondOn = async ({ page, settled }: WatchedPage, width: number) => {
      await page.setViewportSize({ width, height: 800 });
      await settled();
      const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      return beyond > 0 ? [`${beyond} pixels wider than the window of ${width}`] : [];
    };
    const lookForScripts = async (watched: WatchedPage) => {
      const { page } = watched;
      const isHacked = await page.evaluate<boolean>(`'isHacked' in window`);
      const links = await page.locator('[href^="javascript:" i], [src^="javascript:" i]').count();
      return [
        ...(isHacked ? ['a script ran'] : []),
        ...(links > 0 ? ['a link that is a script'] : []),
        ...(await beyondOn(watched, 360)),
        ...(await beyondOn(watched, 800)),
        ...(await beyondOn(watched, 1440)),
      ];
    };
    const found = await lookInTwoTabs(hostile.owner, pages, lookForScripts, load);
    // Email frames allow no scripts, and the browser logs that.
    expect(found.filter((fault) => !fault.includes(`Blocked script execution in 'about:srcdoc'`))).toEqual(
      [],
    );
  });

  it('redirects from the sign-in only to its own pages', async () => {
    const { page } = await openAs();
    for (const next of ['//evil.example/', 'https://evil.example/', 'javascript:hacked()']) {
      await page.context().clearCookies();
      await page.goto(`sign-in?next=${encodeURIComponent(next)}`);
      await page.getByRole('textbox', { name: 'Email' }).fill(seeded.owner.email);
      await page.getByLabel('Password').fill(testPassword);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Northwind Coffee' }).waitFor();
      expect(page.url()).toBe(`${stage.stack.url}/app/projects/${seeded.ids.project}`);
    }
  });

  it.each([
    ['the sign-in', false],
    ['home', true],
  ])(`shows %s after at most ${maxScriptBytes / 1000} kB of scripts`, async (_, isSignedIn) => {
    const { page, settled, signIn } = await stage.open();
    if (isSignedIn) await signIn(seeded.owner);
    const scripts: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (!new URL(request.url()).pathname.endsWith('.js')) return;
      scripts.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto('.');
    await settled();
    const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(maxScriptBytes);
  });

  it('loads the code of its pages while it is idle, so that a click waits only for data', async () => {
    const { page, settled, signIn, complaints } = await stage.open({ isIdle: true });
    await signIn(seeded.owner);
    await page.goto('.');
    await eventually(() => page.evaluate<boolean>(isAllLoadedScript), Boolean);
    await settled();
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('.js')) scripts.push(request.url());
    });
    for (const [list, record, editor] of [
      ['Templates', 'Welcome', page.getByRole('textbox', { name: /^Body/ })],
      ['Workflows', 'Onboarding', page.locator('.react-flow__node').first()],
      ['Activity', 'Analytics', page.getByRole('figure')],
    ] as const) {
      await page.getByRole('navigation', { name: 'Project' }).getByText(list).click();
      await page.getByRole('link', { name: record, exact: true }).click();
      await editor.waitFor();
    }
    expect([...scripts, ...complaints()]).toEqual([]);
  });
});
