import { sql } from '../db/testing/sql.ts';
import type { BenchStack } from './bench-stack.ts';
import { measureCpu } from './cpu-per-item.ts';
import { type LoadResult, requireStatus, runLoad } from './http-load.ts';
import type { Figure } from './report.ts';

const rounds = 3;
const seconds = 5;
const connections = 100;

/** Tables with the product's columns and indexes, without triggers. */
async function createTables({ orm }: BenchStack): Promise<void> {
  for (const [bare, like] of [
    ['bare_contacts', 'contacts'],
    ['bare_events', 'events'],
    ['bare_stats', 'contact_event_stats'],
  ]) {
    await sql(orm.em.fork(), `create table ${bare} (like ${like} including defaults including indexes)`);
  }
}

interface Side {
  name: string;
  api: { pid: number; port: number };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** The product and the skeleton in turns, because other load on the machine slows down both. */
export async function* measureBesideBare(stack: BenchStack, nextBody: () => string): AsyncGenerator<Figure> {
  await createTables(stack);
  const { publicKey, id } = stack.project;
  const bare = await stack.startApi({ BARE_KEY: publicKey, BARE_PROJECT: id }, 'bench/bare-track-main.ts');
  const product = await stack.startApi();
  const sides: Side[] = [
    { name: 'product', api: product },
    { name: 'skeleton', api: bare },
  ];
  const headers = { Authorization: `Bearer ${publicKey}` };
  const runs: { name: string; load: LoadResult; cpu: Record<string, number> }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, api } of sides) {
      const cpu = measureCpu({ API: api.pid, Postgres: stack.postgresPid });
      const target = { port: api.port, path: '/v1/track', headers };
      const load = requireStatus(await runLoad({ target, nextBody, connections, seconds }), 200);
      // The first round is the warm-up.
      if (round > 0) runs.push({ name, load, cpu: cpu(load.total) });
    }
  }
  await Promise.all([bare.stop(), product.stop()]);
  const of = (wanted: string) => {
    const mine = runs.filter(({ name }) => name === wanted);
    return {
      rate: median(mine.map(({ load }) => load.ratePerSecond)),
      api: median(mine.map(({ cpu }) => cpu.API ?? 0)),
      postgres: median(mine.map(({ cpu }) => cpu.Postgres ?? 0)),
    };
  };
  const [mine, theirs] = [of('product'), of('skeleton')];
  const present = ({ rate, api, postgres }: typeof mine) =>
    `${rate.toFixed(0)}/s, API ${api.toFixed(0)} µs, Postgres ${postgres.toFixed(0)} µs`;
  yield {
    work: "accepted, share of the skeleton's rate",
    value: (mine.rate / theirs.rate) * 100,
    unit: '%',
    bar: { atLeast: 85 },
    note: `product ${present(mine)}; skeleton ${present(theirs)}`,
  };
}
