import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { z } from 'zod';

const root = new URL('../../', import.meta.url);

/** A history in the form in which it is recorded: stack traces name project files and no folder of this machine. */
export function historyText(history: Parameters<typeof historyToJSON>[0]): string {
  return historyToJSON(history).replaceAll(root.href, 'file:///').replaceAll(fileURLToPath(root), '/');
}

const eventsSchema = z.object({ events: z.array(z.object({ eventType: z.string() })) });

/** Event types in order, such as `WORKFLOW_EXECUTION_STARTED`. */
export function eventTypesOf(history: Parameters<typeof historyToJSON>[0]): string[] {
  const { events } = eventsSchema.parse(JSON.parse(historyToJSON(history)));
  return events.map(({ eventType }) => eventType.replace('EVENT_TYPE_', ''));
}
