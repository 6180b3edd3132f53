import { z } from 'zod';
import { fillAudience } from './audience-data.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { fetchText } from './call-api.ts';
import { percentile } from './percentile.ts';
import { type BenchRun, type Figure, reportEach } from './report.ts';

const rounds = 9;
/** For a page found through an index, and for a query that scans every contact of the project. */
const [pageBarMs, passBarMs] = [50, 800];

const cursor = z.string().nullable();
const listSchema = z.object({ data: z.array(z.unknown()), total: z.number(), cursor });
const partSchema = z.object({ count: z.number(), cursor });
const countSchema = z.object({ count: z.number() });
const deletedSchema = z.object({ deletedFrom: z.number() });

type Call = <Answer>(schema: z.ZodType<Answer>, path: string, method?: string) => Promise<[Answer, number]>;

function callsOf(url: string, key: string): Call {
  return async (schema, path, method = 'GET') => {
    const startedAt = performance.now();
    const text = await fetchText(`${url}${path}`, { method, key });
    const ms = performance.now() - startedAt;
    return [schema.parse(JSON.parse(text)), ms];
  };
}

async function repeat<Answer>(
  run: () => Promise<[Answer, number]>,
): Promise<{ answer: Answer; median: number; worst: number }> {
  let [answer] = await run();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [latest, ms] = await run();
    answer = latest;
    times.push(ms);
  }
  return { answer, median: percentile(times, 0.5), worst: Math.max(...times) };
}

const lists: { work: string; query: string; barMs: number }[] = [
  { work: 'page and total of all', query: '', barMs: pageBarMs },
  { work: 'page and total of the unsubscribed', query: 'status=unsubscribed', barMs: pageBarMs },
  { work: 'page and total of the snoozed, by address', query: 'status=snoozed&sort=email', barMs: pageBarMs },
  { work: 'search of an address', query: 'search=user777123@', barMs: passBarMs },
  { work: 'search that a fifth matches', query: 'search=shop.example', barMs: passBarMs },
  { work: 'search that nothing matches', query: 'search=nobody-has-this', barMs: passBarMs },
  { work: 'filter that a seventh matches', query: 'filter[data.plan]=pro', barMs: pageBarMs },
  { work: 'filter that nothing matches', query: 'filter[data.plan]=gold', barMs: pageBarMs },
  {
    work: 'filter on nested data, by address',
    query: 'filter[data.address.zip]=12345&sort=email',
    barMs: pageBarMs,
  },
];

async function* measureLists(call: Call): AsyncGenerator<Figure> {
  for (const { work, query, barMs } of lists) {
    const { answer, median, worst } = await repeat(() => call(listSchema, `/contacts?${query}`));
    const note = `total ${answer.total}; slowest of ${rounds} ${worst.toFixed(0)} ms`;
    yield { work: `contact list: ${work}`, value: median, unit: 'ms', bar: { below: barMs }, note };
  }
}

/** All calls for a filter, one after the other. */
async function* measureWhole(call: Call): AsyncGenerator<Figure> {
  const follow = async <Page extends { cursor: string | null }>(
    schema: z.ZodType<Page>,
    path: string,
    foundIn: (page: Page) => number,
  ): Promise<[found: number, calls: number, ms: number]> => {
    let [found, calls, whole] = [0, 0, 0];
    let next: string | null = null;
    do {
      const [page, ms]: [Page, number] = await call(
        schema,
        `${path}${next === null ? '' : `&cursor=${next}`}`,
      );
      found += foundIn(page);
      calls += 1;
      whole += ms;
      next = page.cursor;
    } while (next !== null);
    return [found, calls, whole];
  };
  const list = await follow(
    listSchema,
    '/contacts?filter[data.address.zip]=12345',
    ({ data }) => data.length,
  );
  const counted = await follow(partSchema, '/contacts/count?filter[data.plan]=pro', ({ count }) => count);
  for (const [work, [found, calls, ms]] of [
    ['a rare value in the whole project', list],
    ['exact count of a value', counted],
  ] as const) {
    yield {
      work: `contacts: ${work}`,
      value: ms / 1000,
      unit: 's',
      note: `${found} found in ${calls} calls`,
    };
  }
}

async function measureDeepPage(call: Call): Promise<Figure> {
  let cursor: string | null = null;
  for (let page = 0; page < 200; page += 1) {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`;
    const [list] = await call(listSchema, `/contacts?limit=100${query}`);
    cursor = list.cursor;
  }
  const { median } = await repeat(() => call(listSchema, `/contacts?cursor=${cursor}`));
  return { work: 'contact list: page 1,000', value: median, unit: 'ms', bar: { below: pageBarMs } };
}

async function* measureFields(call: Call): AsyncGenerator<Figure> {
  const { answer, median } = await repeat(() => call(countSchema, '/contacts/fields'));
  const note = `${answer.count} fields`;
  yield { work: 'contact fields with coverage', value: median, unit: 'ms', bar: { below: pageBarMs }, note };
  for (const [field, what] of [
    ['data.plan', 'few values'],
    ['data.lastSeen', 'a value per contact'],
    ['data.address.city', 'nested'],
  ]) {
    const values = await repeat(() => call(countSchema, `/contacts/fields/${field}/values`));
    yield {
      work: `field values: ${what}`,
      value: values.median,
      unit: 'ms',
      bar: { below: passBarMs },
      note: `${values.answer.count} values; slowest of ${rounds} ${values.worst.toFixed(0)} ms`,
    };
  }
}

async function* measure(stack: BenchStack): AsyncGenerator<Figure> {
  await fillAudience(stack.databaseUrl, stack.project.id, { events: 1_000 });
  const api = await stack.startApi();
  const call = callsOf(`http://127.0.0.1:${api.port}`, stack.project.secretKey);
  yield* measureLists(call);
  yield* measureWhole(call);
  yield await measureDeepPage(call);
  yield* measureFields(call);
  const [{ deletedFrom }, ms] = await call(deletedSchema, '/contacts/fields/data.orders', 'DELETE');
  const note = `${(deletedFrom / (ms / 1000)).toFixed(0)} contacts/s, at most 2,000 locked at a time`;
  yield { work: `deletion of a field of ${deletedFrom} contacts`, value: ms / 1000, unit: 's', note };
}

export function benchContacts({ report }: BenchRun): Promise<void> {
  return withBenchStack((stack) => reportEach(measure(stack), report));
}
