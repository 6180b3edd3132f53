import type { Page } from 'playwright-core';
import { findChromium, startChromium } from '../test/setup/chromium.ts';
import { withCleanUp } from './clean-up.ts';
import { percentile } from './percentile.ts';
import type { Figure } from './report.ts';

const limitMs = 200;
/**
 * Each round starts with a fresh page load, so that nothing is cached. Enough rounds that the 95th percentile is not
 * the slowest visit.
 */
const rounds = 21;
const patienceMs = 30_000;
const record = '/[0-9a-f-]{36}';

/** Visited in this order. Paths are below the project's; a record's path is the first one in the previous list. */
const visits: readonly [title: string, path: string][] = [
  ['Home', '/?'],
  ['Emails', '/emails'],
  ['Activity', '/activity'],
  ['Analytics', '/activity/analytics'],
  ['Contacts', '/contacts'],
  ['a contact', `/contacts${record}`],
  ['Segments', '/segments'],
  ['a segment', `/segments${record}`],
  ['Events', '/events'],
  ['Campaigns', '/campaigns'],
  ['a campaign', `/campaigns${record}`],
  ['Templates', '/templates'],
  ['a template', `/templates${record}`],
  ['Workflows', '/workflows'],
  ['a workflow', `/workflows${record}`],
  ['Suppressions', '/suppressions'],
  ['Images', '/images'],
  ['Developers', '/developers'],
  ['Settings', '/settings'],
];
const entrance = '/domains';

/**
 * Runs in the browser: waits for the frame after which the page of the path stays without skeletons. The previous page
 * stays until the code of the next one is loaded, so the heading has to be a different element.
 */
const untilSettledScript = `async (wanted, before) => {
  const startedAt = performance.now();
  const heading = () => document.querySelector('main h1');
  const isSettled = () => {
    return wanted.test(location.pathname) && heading() !== null && heading() !== before &&
      document.querySelector('main').querySelector('.animate-pulse, [aria-label="Loading"]') === null;
  };
  let settledAt;
  do {
    await new Promise(requestAnimationFrame);
    settledAt = isSettled() ? (settledAt ?? performance.now()) : undefined;
    if (performance.now() - startedAt > ${patienceMs}) throw new Error(wanted + ' does not settle');
  } while (settledAt === undefined || performance.now() - settledAt < 150);
  return settledAt - startedAt;
}`;

const settle = (page: Page, path: string): Promise<number> =>
  page.evaluate(`(${untilSettledScript})(/${path.replaceAll('/', '\\/')}$/, null)`);

/** @returns milliseconds from the click on a link to that path until the page is settled */
const follow = (page: Page, path: string): Promise<number> =>
  page.evaluate(`(() => {
    const wanted = /${path.replaceAll('/', '\\/')}$/;
    const link = [...document.querySelectorAll('a[href]')].find(({ pathname }) => wanted.test(pathname));
    if (link === undefined) throw new Error('No link leads to ' + wanted);
    const settled = (${untilSettledScript})(wanted, document.querySelector('main h1'));
    link.click();
    return settled;
  })()`);

/**
 * @returns a function that reads the CPU milliseconds used by the page's main thread, which hardly depend on other load
 */
async function watchMainThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
}

/** @param cookie session cookie of a member */
export function measurePages(
  url: string,
  projectId: string,
  cookie: { name: string; value: string },
): Promise<Figure[]> {
  return withCleanUp(async (cleanUp) => {
    const executable = await findChromium();
    if (executable === undefined) return [];
    const browser = await startChromium(executable);
    cleanUp(() => browser.close());
    const context = await browser.open({ viewport: { width: 1440, height: 900 } });
    await context.addCookies([{ ...cookie, url }]);
    const page = await context.newPage();
    const home = `/app/projects/${projectId}`;
    const readCpu = await watchMainThread(page);
    const taken = new Map<string, { ms: number; cpuMs: number }[]>(visits.map(([title]) => [title, []]));
    for (let round = 0; round <= rounds; round += 1) {
      await page.goto(`${url}${home}${entrance}`);
      await settle(page, home + entrance);
      for (const [title, path] of visits) {
        const before = await readCpu();
        const ms = await follow(page, home + path);
        taken.get(title)?.push({ ms, cpuMs: (await readCpu()) - before });
      }
    }
    return [...taken].map(([title, [first, ...later]]) => {
      const p50 = (key: 'ms' | 'cpuMs') =>
        percentile(
          later.map((visit) => visit[key]),
          0.5,
        ).toFixed(0);
      const note = `p50 ${p50('ms')} ms, ${p50('cpuMs')} ms of CPU in the page's thread; first ${first?.ms.toFixed(0)} ms`;
      const value = percentile(
        later.map(({ ms }) => ms),
        0.95,
      );
      return { work: `to ${title}`, value, unit: 'ms', bar: { below: limitMs }, note };
    });
  });
}
