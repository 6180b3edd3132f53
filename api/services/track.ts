import { toPatch } from '../../core/contact-data/contact-patch.ts';
import { newId } from '../../core/new-id.ts';
import type { BatchTrace } from '../../db/batching/batch-trace.ts';
import { Batcher } from '../../db/batching/batcher.ts';
import { retryTransaction } from '../../db/retry-transaction.ts';
import { type TrackedEvent, type TrackInput, trackEvents } from '../../db/statements/events/track-events.ts';
import type { TrackBody } from '../schemas/track.ts';
import { contactRefusal } from './contact-errors.ts';
import type { RecordedNames } from './recorded-names.ts';

const batchItems = 500;
const batchBytes = 1024 * 1024;
const waitingBytes = 64 * 1024 * 1024;

export function createTrackService(recordedNames: RecordedNames, committed: () => void, trace?: BatchTrace) {
  const batcher = new Batcher<TrackInput, TrackedEvent>({
    run: (inputs, lockMs) =>
      retryTransaction(() => recordedNames.write(inputs, (em) => trackEvents(em, inputs, lockMs))),
    maxItems: batchItems,
    // Twice the event's data, because the patch is part of it.
    weightOf: (input) => 2 * JSON.stringify(input.eventData).length,
    maxWeight: batchBytes,
    maxWaitingWeight: waitingBytes,
    concurrency: 2,
    minBeside: 50,
    groupOf: (input) => input.projectId,
    keysOf: (input) => [`${input.projectId} ${input.email}`],
    // Events of one contact share a statement unless they disagree on its subscription.
    kindOf: (input) => String(input.subscribed),
    limitsLocks: true,
    trace,
  });

  return {
    /**
     * Records an event and creates or patches its contact. Returns after the commit.
     * @throws DomainError `VALIDATION_ERROR` when the contact's data would exceed 64 KB, or the project its limit of
     * names
     */
    async track(projectId: string, body: TrackBody) {
      const occurredAt = new Date();
      const flipId = newId();
      const eventId = newId();
      const input: TrackInput = {
        projectId,
        email: body.email,
        contactId: newId(),
        subscribed: body.subscribed,
        patch: toPatch(body.data),
        eventId,
        eventName: body.event,
        eventData: body.data?.eventData ?? {},
        flipId,
        occurredAt,
      };
      try {
        await recordedNames.admit(input);
        const tracked = await batcher.submit(input);
        committed();
        return { contactId: tracked.contactId, eventId, occurredAt };
      } catch (error) {
        throw contactRefusal(error);
      }
    },
  };
}
