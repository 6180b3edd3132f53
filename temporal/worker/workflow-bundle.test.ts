import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const folders = ['workflows', 'contracts'].map((name) => new URL(`../${name}/`, import.meta.url).pathname);
const modules = folders.flatMap((folder) =>
  globSync('*.ts', { cwd: folder })
    .filter((name) => !name.endsWith('.test.ts'))
    .map((name) => folder + name),
);

/** At the top level of a module: a variable, or a constant that can be mutated. */
const state = /^(?:export )?(?:(?:let|var) .*|const .*= new .*)/gm;

describe('the workflow modules', () => {
  it.each(modules)('keep no state, because all workflows of a thread share them: %s', (module) => {
    expect(readFileSync(module, 'utf8').match(state) ?? []).toEqual([]);
  });
});
