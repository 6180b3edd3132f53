import { z } from 'zod';
import { accountsVariables } from './variables/accounts.ts';
import { billingVariables } from './variables/billing.ts';
import { imagesVariables } from './variables/images.ts';
import { limitsVariables } from './variables/limits.ts';
import { operationVariables } from './variables/operation.ts';
import { providersVariables } from './variables/providers.ts';
import { serverVariables } from './variables/server.ts';
import { storesVariables } from './variables/stores.ts';

/**
 * Every environment variable that Posthaste reads, with its default. `docs/configuration.md` is checked
 * against the keys and descriptions of this schema.
 */
export const environmentSchema = z.object({
  ...serverVariables,
  ...storesVariables,
  ...providersVariables,
  ...accountsVariables,
  ...limitsVariables,
  ...billingVariables,
  ...imagesVariables,
  ...operationVariables,
});

export type Config = z.output<typeof environmentSchema>;
