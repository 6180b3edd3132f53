import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docsRoutes } from '../../api/routes/docs.ts';
import { routes } from '../../api/routes/index.ts';
import { callApi } from '../setup/people.ts';
import { checks } from './checks.ts';
import { expectRefusal } from './expectations.ts';
import { type Scene, startScene } from './scene.ts';
import { lines } from './table.ts';

let scene: Scene;
// biome-ignore lint/suspicious/noExplicitAny: the test looks into the document freely
let document: any;
beforeAll(async () => {
  scene = await startScene();
  document = (await callApi(scene.url, 'GET', '/openapi.json')).body;
});
afterAll(() => scene.close());

describe('the table, the routes and the document', () => {
  const named = lines.map(({ line }) => line);

  it('have the same lines, each once', () => {
    const documented = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(
        (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      ),
    );
    const hidden = [...routes, ...docsRoutes()].filter((route) => route.hidden === true);
    const undocumented = hidden.map(({ method, path }) => `${method} ${path}`);
    expect(named.toSorted()).toEqual([...documented, ...undocumented, 'GET /openapi.json'].sort());
  });

  const keyOf: Record<string, string> = {
    '[{"secretKey":[]},{"sessionCookie":[],"projectId":[]}]': 'sk',
    '[{"publicKey":[]}]': 'pk',
    '[{"sessionCookie":[]}]': 'session',
    '[{"sessionCookie":[]},{"secretKey":[]}]': 'session or sk',
    '[]': 'none',
  };

  it('name the same kinds of keys, and every status that the table knows', () => {
    for (const { line, key, success, refusals = [] } of lines) {
      const [method = '', path = ''] = line.split(' ');
      const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      if (operation === undefined) continue;
      expect([line, keyOf[JSON.stringify(operation.security)]]).toEqual([
        line,
        key === 'link' ? 'none' : key,
      ]);
      const known = new Set([success, ...refusals.map(({ status }) => status)]);
      const missing = [...known].filter((status) => operation.responses[status] === undefined);
      expect([line, missing]).toEqual([line, []]);
    }
  });
});

describe.each(lines)('$line', (line) => {
  for (const check of checks.filter(({ applies }) => applies(line))) {
    it(check.name(line), () => check.run(line, scene));
  }
  for (const refusal of line.refusals ?? []) {
    it(`answers ${refusal.status} when ${refusal.when}`, async () => {
      const call = await refusal.change(await scene.refusable(line), scene.ours);
      expectRefusal(line, await scene.send(line, call), refusal);
    });
  }
});
