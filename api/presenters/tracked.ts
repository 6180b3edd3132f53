export const presentTracked = (event: { contactId: string; eventId: string; occurredAt: Date }) => ({
  success: true as const,
  data: { contact: event.contactId, event: event.eventId, timestamp: event.occurredAt.toISOString() },
});
