import { z } from 'zod';
import type { Route } from '../http/router.ts';
import { answerCall, readCall } from '../protocol/exchange.ts';
import type { ConfigurationSets } from '../state/configuration-sets.ts';

const createSchema = z.object({ ConfigurationSetName: z.string() });
const destinationSchema = z.object({
  EventDestinationName: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  EventDestination: z.object({
    Enabled: z.boolean().default(false),
    MatchingEventTypes: z.array(z.string()).default([]),
    SnsDestination: z.object({ TopicArn: z.string() }).optional(),
  }),
});

export function configurationSetRoutes(sets: ConfigurationSets): Route[] {
  return [
    {
      method: 'POST',
      path: '/v2/email/configuration-sets',
      handle: async ({ request, response }) => {
        await sets.create((await readCall(createSchema, request)).ConfigurationSetName);
        answerCall(response, {});
      },
    },
    {
      method: 'GET',
      path: '/v2/email/configuration-sets/:name',
      handle: ({ response, params }) => {
        const name = params.name ?? '';
        sets.get(name);
        answerCall(response, {
          ConfigurationSetName: name,
          SendingOptions: { SendingEnabled: true },
          ReputationOptions: { ReputationMetricsEnabled: false },
          DeliveryOptions: { TlsPolicy: 'OPTIONAL' },
          SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
          Tags: [],
        });
      },
    },
    {
      method: 'POST',
      path: '/v2/email/configuration-sets/:name/event-destinations',
      handle: async ({ request, response, params }) => {
        const call = await readCall(destinationSchema, request);
        await sets.addDestination(params.name ?? '', call.EventDestinationName, {
          enabled: call.EventDestination.Enabled,
          matchingEventTypes: call.EventDestination.MatchingEventTypes,
          topicArn: call.EventDestination.SnsDestination?.TopicArn ?? null,
        });
        answerCall(response, {});
      },
    },
    {
      method: 'GET',
      path: '/v2/email/configuration-sets/:name/event-destinations',
      handle: ({ response, params }) => {
        answerCall(response, {
          EventDestinations: Object.entries(sets.get(params.name ?? '')).map(([name, destination]) => ({
            Name: name,
            Enabled: destination.enabled,
            MatchingEventTypes: destination.matchingEventTypes,
            ...(destination.topicArn !== null && { SnsDestination: { TopicArn: destination.topicArn } }),
          })),
        });
      },
    },
  ];
}
