import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const root = new URL('../../', import.meta.url);

/** A history as it is recorded: stack traces name project files and no folder of this machine. */
export function historyText(history: Parameters<typeof historyToJSON>[0]): string {
  return historyToJSON(history).replaceAll(root.href, 'file:///').replaceAll(fileURLToPath(root), '/');
}
