import type { JsonObject } from '../json-value.ts';

export interface ContactLinks {
  unsubscribeUrl: string;
  subscribeUrl: string;
  manageUrl: string;
}

export interface VariableSources {
  contact: { id: string; email: string; subscribed: boolean; data: JsonObject };
  links: ContactLinks;
  /** Values of this send or event only; they win over the contact's, null hides one. */
  requestData?: JsonObject;
  /** In workflows: the data of the triggering event, and what the steps before brought. */
  workflow?: { event: JsonObject; context: JsonObject };
}

export type TemplateVariables = Readonly<Record<string, unknown>>;

/**
 * The variables of a template for one recipient: every field of `data` by its name and once more under `data`,
 * and the built-in ones, which win over fields of the same name (those stay readable under `data`). `locale` is
 * the contact's field. `event` and `context` are built in for workflows only.
 *
 * @returns an object without a prototype, for `Template.render`
 */
export function buildVariables(sources: VariableSources): TemplateVariables {
  const { contact, links, requestData, workflow } = sources;
  const data: JsonObject = Object.assign(Object.create(null), contact.data, requestData);
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
  const variables: Record<string, unknown> = Object.assign(Object.create(null), data, builtIns);
  for (const key of Object.keys(data)) {
    // A field named `event.plan` must not stand in front of the plan of the event.
    const dot = key.indexOf('.');
    if (dot > 0 && Object.hasOwn(builtIns, key.slice(0, dot))) delete variables[key];
  }
  return variables;
}
