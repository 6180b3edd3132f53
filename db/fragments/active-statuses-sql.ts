import { activeStatuses } from '../../core/workflows/execution-status.ts';

/** In the form that the partial indexes use: `('RUNNING', 'WAITING')`. */
export const activeStatusesSql = `(${activeStatuses.map((status) => `'${status}'`).join(', ')})`;
