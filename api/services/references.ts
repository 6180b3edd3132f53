import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { z } from 'zod';
import type { Condition } from '../../core/conditions/condition.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { DomainError } from '../../core/errors.ts';
import { stepTypes } from '../../core/workflows/step-config.ts';
import type { Em } from '../../db/orm.ts';
import { listMentions, type Mentioning, readMentions } from '../../db/statements/projects/list-mentions.ts';

/** With at most 128 KB each, or 1 MB of a step. */
const readAtOnce = 20;

interface Referring {
  id: string;
  name: string;
}

/** Without the kinds of records that do not refer to it. */
export const usedBy = (uses: Record<string, Referring[]>) =>
  Object.fromEntries(Object.entries(uses).filter(([, users]) => users.length > 0));

export const inUse = (message: string, uses: Record<string, unknown>) =>
  new DomainError('CONFLICT', message, {
    details: uses,
    suggestion: 'Remove the references that `details` lists first.',
  });

/**
 * Segments or campaigns whose condition refers to something, newest first.
 *
 * @param text occurs in every such condition
 */
export const findReferringConditions = (
  em: Em,
  projectId: string,
  kind: 'segments' | 'campaigns',
  text: string,
  refers: (condition: Condition) => boolean,
): Promise<Referring[]> =>
  findReferring(em, projectId, kind, text, (content) => {
    const parsed = parseCondition(content);
    return parsed.ok && refers(parsed.condition);
  });

const stepSchema = z.object({
  type: z.enum(stepTypes),
  config: z.record(z.string(), z.unknown()),
  eventName: z.string(),
});

/**
 * Workflows with a step that refers to something, newest first.
 *
 * @param text occurs in every such step or in the event name of its workflow
 */
export const findReferringWorkflows = (
  em: Em,
  projectId: string,
  text: string,
  refers: (step: z.output<typeof stepSchema>) => boolean,
): Promise<Referring[]> =>
  findReferring(em, projectId, 'workflows', text, (content) => refers(stepSchema.parse(content)));

/** A project may have tens of thousands of records, so a few are in memory, and one is parsed, at a time. */
async function findReferring(
  em: Em,
  projectId: string,
  kind: Mentioning,
  text: string,
  refers: (content: unknown) => boolean,
): Promise<Referring[]> {
  const ids = await listMentions(em, projectId, kind, text);
  const found = new Map<string, string>();
  for (let from = 0; from < ids.length; from += readAtOnce) {
    for (const { id, name, content } of await readMentions(em, kind, ids.slice(from, from + readAtOnce))) {
      await yieldToLoop();
      if (!found.has(id) && refers(content)) found.set(id, name);
    }
  }
  return [...found].map(([id, name]) => ({ id, name }));
}
