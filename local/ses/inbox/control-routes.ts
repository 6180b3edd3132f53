import Router from '@koa/router';
import { z } from 'zod';
import { firstLink } from '../events/first-link.ts';
import type { EventControl } from '../events/start-events.ts';
import { HttpProblem, isForm, readInput } from '../http/read-input.ts';
import type { MailStore, StoredMessage } from '../mail/mail-store.ts';
import type { PlannedEvent } from '../mail/records.ts';
import { hasEvents } from '../state/configuration-set.ts';
import { type Faults, faultSettingsSchema } from '../state/faults.ts';
import type { Identities } from '../state/identities.ts';
import { noSuchMessage, readMessage } from './message-routes.ts';

const eventSchema = z.object({
  type: z.enum(['open', 'click', 'bounce', 'complaint']),
  /** Link of a click; defaults to the first link of the message. */
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

export function controlRoutes({ store, faults, events, identities }: ControlOptions): Router {
  return (
    new Router()
      .post('/api/messages/:id/events', async (ctx) => {
        const stored = await readMessage(store, ctx.params.id);
        const wanted = await readInput(eventSchema, ctx);
        const event = toEvent(wanted, stored);
        if (!hasEvents(stored.record.configurationSet) || events.figures.webhook === null) {
          throw new HttpProblem(
            409,
            'The message was sent without a configuration set that publishes this event.',
          );
        }
        const { id } = stored.record;
        if (!store.addEvent(id, event)) throw noSuchMessage();
        ctx.status = isForm(ctx) ? 303 : 202;
        ctx.body = { eventType: event.type };
        if (isForm(ctx)) ctx.redirect(`/messages/${id}?event=${wanted.type}`);
      })
      .get('/api/faults', (ctx) => {
        ctx.body = faults.settings;
      })
      .put('/api/faults', async (ctx) => {
        faults.replace(await readInput(faultSettingsSchema, ctx));
        ctx.body = faults.settings;
      })
      .get('/api/events', (ctx) => {
        ctx.body = events.figures;
      })
      .put('/api/events', async (ctx) => {
        events.setPaused((await readInput(pauseSchema, ctx)).paused);
        ctx.body = events.figures;
      })
      .put('/api/identities/:name', async (ctx) => {
        const { name: identity = '' } = ctx.params;
        const { status } = await readInput(identitySchema, ctx);
        await identities.pin(identity, status);
        ctx.body = { identity, status };
      })
      // The zone of local domains: the TXT records at a name; null means that every lookup finds the expected record.
      .get('/api/records/:name', (ctx) => {
        ctx.body = { texts: identities.texts(ctx.params.name ?? '') };
      })
      .put('/api/records/:name', async (ctx) => {
        const { texts } = await readInput(recordSchema, ctx);
        await identities.setTexts(ctx.params.name ?? '', texts);
        ctx.body = { texts };
      })
  );
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
        throw new HttpProblem(400, 'link: the message has no link, so the request must name one');
      return { type: 'Click', link };
    }
  }
}
