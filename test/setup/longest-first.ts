import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that kill and restart processes mostly wait, some of them for minutes. */
const isPatient = (path: string) =>
  /fault|processes|rehearse|local\/(stack|postgres|temporal)\.test/.test(path);

const order = ['own', 'shared', 'parts'];

export class LongestFirst extends BaseSequencer {
  /**
   * Slow, waiting files run beside the others, so that no core is idle at the end. Files of one project run in a row,
   * so that a worker loads their shared modules once.
   */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const patient = sorted.filter(({ moduleId }) => isPatient(moduleId));
    const rest = sorted.filter(({ moduleId }) => !isPatient(moduleId));
    return [...patient, ...order.flatMap((name) => rest.filter(({ project }) => project.name === name))];
  }
}
