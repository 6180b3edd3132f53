import type { JsonObject } from '../json-value.ts';
import type { ContactLinks } from '../public-links.ts';

export interface VariableSources {
  contact: { id: string; email: string; subscribed: boolean; data: JsonObject };
  links: ContactLinks;
  /** Data of this send or event: overrides the contact's data, and null hides a value. */
  requestData?: JsonObject;
  workflow?: { event: JsonObject; context: JsonObject };
}

export type TemplateVariables = Readonly<Record<string, unknown>>;

/**
 * Builds a template's variables for one recipient: every field of `data` by its name and under `data`, and
 * the built-in ones, which override fields of the same name, except for `viewUrl`. `event` and `context` exist
 * only in workflows.
 */
export function buildVariables(sources: VariableSources): TemplateVariables {
  const { contact, links, requestData, workflow } = sources;
  // Spread is ten times as fast as an object without a prototype, and copies `__proto__` like any other field.
  const data: JsonObject = { ...contact.data, ...requestData };
  const builtIns: Record<string, unknown> = {
    id: contact.id,
    email: contact.email,
    subscribed: contact.subscribed,
    unsubscribeUrl: links.unsubscribeUrl,
    subscribeUrl: links.subscribeUrl,
    manageUrl: links.manageUrl,
    data,
    ...(workflow ? { event: workflow.event, context: workflow.context } : {}),
  };
  const { viewUrl } = links;
  const variables: Record<string, unknown> = { viewUrl, ...data, ...builtIns };
  for (const key of Object.keys(data)) {
    // A field named `event.plan` must not hide the event's plan.
    const dot = key.indexOf('.');
    if (dot > 0 && Object.hasOwn(builtIns, key.slice(0, dot))) delete variables[key];
  }
  return variables;
}
