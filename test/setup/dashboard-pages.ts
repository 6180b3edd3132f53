import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { takePicture, type WatchedPage } from './dashboard.ts';
import type { SeededProject } from './dashboard-seed.ts';
import { eventually } from './eventually.ts';

/** A page and a name for it. */
export type NamedPage = [name: string, address: string];

/** URLs for pages whose path alone is not enough: records, and other states of a page. */
const knownPages = ({ ids }: SeededProject): Record<string, Record<string, string>> => ({
  '/sign-in': {
    'sign-in': '/sign-in',
    'sign-in-by-link': '/sign-in?token=x',
    'sign-in-failed': '/sign-in?error=No%20account%20has%20this%20address.',
  },
  ...inProject(ids.project, {
    '/campaigns/$campaignId': {
      'campaign-draft': `/campaigns/${ids.draft}`,
      'campaign-scheduled': `/campaigns/${ids.scheduled}`,
      'campaign-sent': `/campaigns/${ids.sent}`,
    },
    '/contacts/import': {
      'contacts-import': '/contacts/import',
      'contacts-import-run': `/contacts/import?job=${ids.importJob}`,
    },
    '/contacts/$contactId': { contact: `/contacts/${ids.contact}` },
    '/domains/$domainId': {
      domain: `/domains/${ids.domain}`,
      'domain-waits': `/domains/${ids.missingDomain}`,
    },
    '/emails': { emails: '/emails', email: `/emails?email=${ids.email}` },
    '/events': { events: '/events', event: `/events?name=${encodeURIComponent(ids.event)}` },
    '/segments/new': { 'segments-new': '/segments/new', 'segments-new-by-hand': '/segments/new?type=STATIC' },
    '/segments/$segmentId': {
      segment: `/segments/${ids.segment}`,
      'segment-by-hand': `/segments/${ids.list}`,
    },
    '/templates/$templateId': { template: `/templates/${ids.template}` },
    '/workflows/$workflowId': {
      workflow: `/workflows/${ids.workflow}`,
      'workflow-step': `/workflows/${ids.workflow}?step=${ids.step}`,
    },
    '/workflows/$workflowId/executions/$executionId': {
      'execution-waits': `/workflows/${ids.workflow}/executions/${ids.waiting}`,
      'execution-ended': `/workflows/${ids.workflow}/executions/${ids.ended}`,
    },
  }),
});

function inProject(id: string, pages: Record<string, Record<string, string>>): typeof pages {
  const own = (addresses: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(addresses).map(([name, address]) => [name, `/projects/${id}${address}`]),
    );
  return Object.fromEntries(
    Object.entries(pages).map(([path, addresses]) => [`/projects/$projectId${path}`, own(addresses)]),
  );
}

const pathsScript = `Object.values(__TSR_ROUTER__.routesById)
  .filter(({ options, children }) => options.component && !children).map(({ fullPath }) => fullPath)`;

/** Every page in the dashboard's router. Fails for a new page that needs a record and has none here. */
export async function everyPage(page: Page, seeded: SeededProject): Promise<NamedPage[]> {
  const paths = await page.evaluate<string[]>(pathsScript);
  const known = knownPages(seeded);
  expect(paths).toEqual(expect.arrayContaining(Object.keys(known)));
  return paths.flatMap((path) => {
    const address = path.replace('$projectId', seeded.ids.project);
    const name = path.replace('/projects/$projectId', '').split('/').filter(Boolean).join('-') || 'home';
    if (known[path] === undefined)
      expect(address, 'a record of it is missing in knownPages').not.toContain('$');
    return Object.entries(known[path] ?? { [name]: address });
  });
}

const arrivedScript = `(({ state, history }) =>
  state.status === 'idle' && state.resolvedLocation?.publicHref === history.location.href)(__TSR_ROUTER__)`;

/** Navigates as a link does, without reloading the dashboard and axe. */
async function visit({ page, settled }: WatchedPage, address: string): Promise<void> {
  const { pathname, search } = new URL(`.${address}`, await page.evaluate<string>('document.baseURI'));
  await page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(pathname + search)})`);
  await eventually(() => page.evaluate<boolean>(arrivedScript), Boolean);
  await settled();
}

/** Loads the URL, as from a bookmark. */
export async function load({ page, settled }: WatchedPage, address: string): Promise<void> {
  await page.goto(`.${address}`);
  await settled();
}

/** Opens each page and runs `look` on it and on each of its tabs. @returns the findings */
export async function lookAtEach(
  tab: WatchedPage,
  pages: readonly NamedPage[],
  look: (tab: WatchedPage, name: string) => Promise<string[]>,
  open = visit,
): Promise<string[]> {
  const found: string[] = [];
  const lookAs = async (name: string) => {
    const faults = [...(await look(tab, name)), ...tab.complaints()];
    found.push(...faults.map((fault) => `${name}: ${fault}`));
  };
  for (const [name, address] of pages) {
    await open(tab, address);
    await lookAs(name);
    // Tabs behind a drawer are inert.
    const others = tab.page.locator('[role=tab][aria-selected=false]:not([inert] *)');
    for (const other of (await others.allTextContents()).filter((title) => title !== '')) {
      await tab.page.getByRole('tab', { name: other, exact: true }).click();
      await tab.settled();
      await lookAs(`${name}-${other.toLowerCase().replaceAll(/\W+/g, '-')}`);
    }
  }
  return found;
}

const sizes = { 1440: 900, 360: 740 } as const;

export interface Look {
  theme: 'light' | 'dark';
  width: keyof typeof sizes;
}

/**
 * Checks the page in each of `looks` for accessibility problems and overflow. With `PICTURES` it takes a picture of
 * each.
 */
export const inLooks =
  (looks: readonly Look[], prefix = '') =>
  async ({ page, settled }: WatchedPage, name: string): Promise<string[]> => {
    const faults: string[] = [];
    for (const { theme, width } of looks) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: sizes[width] });
      await settled();
      const found = await findBarriers(page, theme);
      const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (beyond > 0) found.push(`${beyond} pixels wider than the window`);
      found.push(...(await page.evaluate<string[]>(uselessScrollBarsScript)));
      if (await page.evaluate<boolean>(hidesTabsScript)) found.push('tabs out of sight');
      faults.push(...found.map((fault) => `${theme}, ${width}: ${fault}`));
      if (process.env.PICTURES) await takePicture(page, `${prefix}${name}-${theme}-${width}`);
    }
    return faults;
  };

/** Boxes whose content is too high by no more than a rounding error or a border. */
const uselessScrollBarsScript = `[...document.querySelectorAll('body *')]
  .filter((box) => ['auto', 'scroll'].includes(getComputedStyle(box).overflowY))
  .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight && scrollHeight < clientHeight + 4)
  .map(({ className }) => 'scrolls by a few pixels: ' + className)`;

const hidesTabsScript = `[...document.querySelectorAll('[role=tablist]')].some(
  ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)`;

/**
 * Violations that axe rates as serious or critical, and a page without `main`, which also takes a lost focus. Dark
 * differs from light only in colors.
 */
async function findBarriers(page: Page, theme: Look['theme']): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe.source);
  const options = {
    resultTypes: ['violations'],
    iframes: false,
    // The only rule that needs files is rated as moderate.
    preload: false,
    ...(theme === 'dark' && { runOnly: ['color-contrast'] }),
  };
  // Filtered in the page, because handing over the results of all rules takes as long as finding them.
  return page.evaluate<string[]>(`axe.run(${JSON.stringify(options)}).then(${seriousFindings})`);
}

const seriousFindings = `({ violations }) => violations
  .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || id === 'landmark-one-main')
  .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
    id + ': ' + failureSummary.split('\\n')[1] + ' ' + html))`;
