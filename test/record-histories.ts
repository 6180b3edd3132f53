import { mkdir, writeFile } from 'node:fs/promises';
import { historyText } from './setup/history-text.ts';
import { scriptedExecutions } from './setup/scripted-executions.ts';
import { scriptedShapes } from './setup/scripted-shapes.ts';
import { runWorkflow, startTimeSkipping } from './setup/time-skipping.ts';

/**
 * Records a history of every shape that a workflow can take, for the replay test. Run it when a workflow gets a new
 * shape, and commit the new files beside the old ones: running executions have histories like the old ones.
 *
 * `npm run record -- <label> [names of shapes]`
 */
const [label, ...names] = process.argv.slice(2);
if (label === undefined) throw new Error('Give the recording a label, such as the date.');

const folder = new URL('../temporal/histories/', import.meta.url);
await mkdir(folder, { recursive: true });
const environment = await startTimeSkipping();
for (const { name, type, input, activities, meanwhile } of [...scriptedExecutions, ...scriptedShapes]) {
  if (names.length > 0 && !names.includes(name)) continue;
  const { histories } = await runWorkflow(environment, type, input, activities, {}, meanwhile);
  for (const [index, history] of histories.entries()) {
    const part = histories.length > 1 ? `-${index + 1}` : '';
    await writeFile(new URL(`${name}${part}.${label}.json`, folder), historyText(history));
  }
}
await environment.teardown();
