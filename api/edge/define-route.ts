import type { Services } from '../services/services.ts';
import { createDefineRoute } from './route.ts';

/**
 * Declares one route. The middleware chain, the OpenAPI document and the types of the handler's `ctx` all derive
 * from it.
 */
export const defineRoute = createDefineRoute<Services>();
