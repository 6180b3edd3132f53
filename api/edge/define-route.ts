import { createDefineRoute } from './route.ts';
import type { Services } from './services.ts';

/**
 * Declares one route: what it takes, what it answers, who may call it and the handler. The router, the checks and
 * the OpenAPI document are all made from this object; the handler's types follow from the schemas.
 */
export const defineRoute = createDefineRoute<Services>();
