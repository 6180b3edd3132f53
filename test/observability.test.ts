import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../local/testing/free-port.ts';
import { eventually } from './setup/eventually.ts';
import { useProcessStack } from './setup/process-stack.ts';
import { findPromtool } from './setup/promtool.ts';
import { createTestSender } from './setup/sender.ts';
import { upload } from './setup/upload.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const alerts = read('deploy/prometheus/alerts.yml');
const names = [...alerts.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name);
const dashboards = globSync('deploy/grafana/dashboards/*.json', { cwd: root }).map((path) => ({
  path,
  // as: Grafana's own format; the tests below check the parts that they use.
  content: JSON.parse(read(path)) as Dashboard,
}));

interface Dashboard {
  uid: string;
  title: string;
  templating: { list: { name: string; type: string }[] };
  panels: {
    id: number;
    title: string;
    type: string;
    datasource?: { uid: string };
    targets?: { expr: string; refId: string }[];
    gridPos: { x: number; y: number; w: number; h: number };
  }[];
}

const expressions = dashboards.flatMap(({ content }) =>
  content.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
);

describe('the alerts', () => {
  let promtool: string;
  beforeAll(async () => {
    promtool = await findPromtool();
  });

  it('fire when they should, and only then', async () => {
    await execa(promtool, ['check', 'config', 'deploy/prometheus/prometheus.yml'], { cwd: root });
    const files = globSync('deploy/prometheus/*.test.yml', { cwd: root });
    const tests = await execa(promtool, ['test', 'rules', ...files], { cwd: root, reject: false });
    expect(tests.exitCode, tests.stdout + tests.stderr).toBe(0);
    const fired = new Set(files.flatMap((file) => read(file).match(/(?<=alertname=")\w+/g) ?? []));
    expect([...fired].sort()).toEqual([...names].sort());
  });

  it('have a severity, a duration and a runbook', () => {
    const runbooks = new Set([...read('docs/operations.md').matchAll(/^### (.+)$/gm)].map(anchorOf));
    const rules = alerts.split(/^ {6}- alert: /m).slice(1);
    expect(rules.length).toBe(names.length);
    for (const rule of rules) {
      expect(rule).toMatch(/^ {8}for: \d+m$/m);
      expect(rule).toMatch(/^ {10}severity: (critical|warning)$/m);
      expect(rule).toMatch(/^ {10}summary: '.+'$/m);
      expect(rule).toMatch(/^ {10}description: >-\n {12}\S/m);
      expect(runbooks).toContain(/^ {10}runbook: docs\/operations\.md#(.+)$/m.exec(rule)?.[1]);
    }
  });

  it('are all in the operations guide', () => {
    const guide = read('docs/operations.md');
    expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });

  it('and the dashboards are valid PromQL', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'posthaste-rules-'));
    const rules = expressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h'),
    }));
    const file = join(directory, 'dashboards.yml');
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboards', rules }] }));
    const { exitCode, stderr } = await execa(promtool, ['check', 'rules', file], { reject: false });
    await rm(directory, { recursive: true });
    expect(exitCode, stderr).toBe(0);
  });
});

/** Makes an anchor of a heading as GitHub does. */
function anchorOf([, heading = '']: RegExpExecArray): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

describe('the dashboards', () => {
  it('are found by Grafana and have unique names', () => {
    expect(dashboards.length).toBeGreaterThanOrEqual(4);
    expect(new Set(dashboards.map(({ content }) => content.uid)).size).toBe(dashboards.length);
    expect(read('deploy/grafana/provisioning/dashboards/posthaste.yml')).toContain(
      'path: /etc/grafana/dashboards',
    );
  });

  it.each(dashboards)('$path uses the data source that the user chooses', ({ content }) => {
    expect(content.templating.list).toContainEqual(
      expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' }),
    );
    for (const panel of content.panels.filter(({ type }) => type !== 'row')) {
      expect(panel.datasource?.uid, panel.title).toBe(`\${datasource}`);
      expect(panel.targets?.length, panel.title).toBeGreaterThan(0);
    }
  });

  it('show the slots and caches of our workers only: the Temporal server has workers of its own', () => {
    const shared = expressions.filter((expr) => /temporal_(worker_task_slots|sticky_cache)/.test(expr));
    expect(shared.length).toBeGreaterThan(0);
    for (const expr of shared) expect(expr).toContain('{service_name="temporal-core-sdk"}');
  });

  it.each(dashboards)('$path has no panels that overlap', ({ content }) => {
    const cells = content.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(content.panels.map(({ id }) => id)).size).toBe(content.panels.length);
  });
});

describe('every metric that alerts and dashboards name', () => {
  const stack = useProcessStack();

  /** The SDK exports these only after the first failure. */
  const onFailureOnly = new Set([
    'temporal_workflow_task_execution_failed_total',
    'temporal_activity_execution_failed_total',
  ]);

  it('is exported by a running API or worker', async () => {
    const [metricsPort, temporalPort] = [await freePort(), await freePort()];
    await Promise.all([
      stack.startApi(),
      stack.startWorker({
        METRICS_PORT: String(metricsPort),
        TEMPORAL_METRICS_PORT: String(temporalPort),
        // The stream exports its metrics while it waits for ClickHouse.
        CLICKHOUSE_URL: 'http://127.0.0.1:1',
      }),
    ]);
    const addresses = [`${stack.url}`, `http://127.0.0.1:${metricsPort}`, `http://127.0.0.1:${temporalPort}`];
    const texts = [alerts, ...expressions].join('\n');
    const named = texts.match(/\b(posthaste|nodejs|process|temporal)_\w+/g) ?? [];
    const used = new Set(named.map((name) => name.replace(/_(bucket|count|sum)$/, '')));
    expect(used.size).toBeGreaterThan(20);
    const sender = await createTestSender(stack.url);
    // A completed workflow makes the SDK export the latencies of workflows and activities.
    await upload(`${stack.url}/contacts/import`, sender.secretKey, 'email\nreader@example.com');
    const to = `someone@${sender.domain}`;
    await sender.post('/v1/send', { to, from: to, subject: 'Hello', body: '<p>Hello</p>' });
    const readMetrics = async () => {
      const answers = await Promise.all(addresses.map(async (url) => (await fetch(`${url}/metrics`)).text()));
      return answers.join('\n');
    };
    await eventually(
      async () => {
        const exported = new Set((await readMetrics()).match(/(?<=^# TYPE )\w+/gm));
        return [...used].filter((name) => !exported.has(name) && !onFailureOnly.has(name));
      },
      (missing) => missing.length === 0,
      120_000,
    );
    // Prometheus guesses quantiles between two limits of a histogram, which may be far apart.
    const quantiles = [...alerts.matchAll(/histogram_quantile\(.*?(\w+_bucket).*\) > ([\d.]+)$/gm)];
    expect(quantiles).toHaveLength(3);
    const text = await readMetrics();
    for (const [, bucket, limit] of quantiles) {
      expect(text).toMatch(new RegExp(`^${bucket}\\{.*le="${limit}"`, 'm'));
    }
  });
});
