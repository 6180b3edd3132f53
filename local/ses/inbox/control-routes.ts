import { z } from 'zod';
import { firstLink } from '../events/first-link.ts';
import type { EventControl } from '../events/start-events.ts';
import { redirect, sendJson } from '../http/answers.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { isForm, readInput } from '../http/read-input.ts';
import type { Route } from '../http/router.ts';
import type { MailStore, StoredMessage } from '../mail/mail-store.ts';
import type { PlannedEvent } from '../mail/records.ts';
import { hasEvents } from '../state/configuration-set.ts';
import { type Faults, faultSettingsSchema } from '../state/faults.ts';
import type { Identities } from '../state/identities.ts';
import { findMessage } from './message-routes.ts';

const eventSchema = z.object({
  type: z.enum(['open', 'click', 'bounce', 'complaint']),
  /** Of a click; default the first link of the message. */
  link: z.url().optional(),
  bounceType: z.enum(['Permanent', 'Transient']).default('Permanent'),
});
const pauseSchema = z.object({ paused: z.boolean() });
const recordSchema = z.object({ texts: z.array(z.string()).nullable() });
const identitySchema = z.object({ status: z.enum(['pending', 'verified', 'failed']) });

interface ControlOptions {
  store: MailStore;
  faults: Faults;
  events: EventControl;
  identities: Identities;
}

export function controlRoutes(options: ControlOptions): Route[] {
  return [
    eventOfMessageRoute(options),
    ...faultRoutes(options.faults),
    ...eventRoutes(options.events),
    ...domainRoutes(options.identities),
  ];
}

function eventOfMessageRoute({ store, events }: ControlOptions): Route {
  return {
    method: 'POST',
    path: '/api/messages/:id/events',
    handle: async ({ request, response, params }) => {
      const message = findMessage(store, params.id);
      const wanted = await readInput(eventSchema, request);
      const stored = await store.read(message.line);
      const event = toEvent(wanted, stored);
      if (!hasEvents(stored.record.configurationSet) || events.figures.webhook === null) {
        throw new HttpProblem(
          409,
          'The message was sent without a configuration set that publishes this event.',
        );
      }
      if (!(await store.addEvent(message, event))) findMessage(store, params.id);
      if (isForm(request)) redirect(response, `/messages/${message.id}?event=${wanted.type}`);
      else sendJson(response, 202, { eventType: event.type });
    },
  };
}

function faultRoutes(faults: Faults): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/faults',
      handle: ({ response }) => sendJson(response, 200, faults.settings),
    },
    {
      method: 'PUT',
      path: '/api/faults',
      handle: async ({ request, response }) => {
        faults.replace(await readInput(faultSettingsSchema, request));
        sendJson(response, 200, faults.settings);
      },
    },
  ];
}

function eventRoutes(events: EventControl): Route[] {
  return [
    { method: 'GET', path: '/api/events', handle: ({ response }) => sendJson(response, 200, events.figures) },
    {
      method: 'PUT',
      path: '/api/events',
      handle: async ({ request, response }) => {
        events.setPaused((await readInput(pauseSchema, request)).paused);
        sendJson(response, 200, events.figures);
      },
    },
  ];
}

function domainRoutes(identities: Identities): Route[] {
  return [
    {
      method: 'PUT',
      path: '/api/identities/:name',
      handle: async ({ request, response, params }) => {
        const { status } = await readInput(identitySchema, request);
        await identities.pin(params.name ?? '', status);
        sendJson(response, 200, { identity: params.name, status });
      },
    },
    // The zone of local domains: the TXT records at a name; null: every lookup finds the expected record.
    {
      method: 'GET',
      path: '/api/records/:name',
      handle: ({ response, params }) =>
        sendJson(response, 200, { texts: identities.texts(params.name ?? '') }),
    },
    {
      method: 'PUT',
      path: '/api/records/:name',
      handle: async ({ request, response, params }) => {
        const { texts } = await readInput(recordSchema, request);
        await identities.setTexts(params.name ?? '', texts);
        sendJson(response, 200, { texts });
      },
    },
  ];
}

function toEvent(wanted: z.output<typeof eventSchema>, { record, content }: StoredMessage): PlannedEvent {
  const { recipients } = record;
  switch (wanted.type) {
    case 'open':
      return { type: 'Open' };
    case 'complaint':
      return { type: 'Complaint', recipients };
    case 'bounce':
      return { type: 'Bounce', bounceType: wanted.bounceType, bounceSubType: 'General', recipients };
    case 'click': {
      const link = wanted.link ?? firstLink(content.html);
      if (link === null)
        throw new HttpProblem(400, 'link: the message has no link, so the request must give one');
      return { type: 'Click', link };
    }
  }
}
