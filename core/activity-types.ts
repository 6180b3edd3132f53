/** Types of the rows of the activity feed (API contract, "Activity and analytics"). */
export const activityTypes = [
  'email.sent',
  'email.delivered',
  'email.opened',
  'email.clicked',
  'email.bounced',
  'email.complained',
  'email.received',
  'event.tracked',
  'contact.subscribed',
  'contact.unsubscribed',
  'contact.snoozed',
  'campaign.scheduled',
  'campaign.sent',
  'workflow.started',
  'workflow.completed',
] as const;

export type ActivityType = (typeof activityTypes)[number];

/** The type of what a client tracked, whatever its name. */
export const trackedActivityType: ActivityType = 'event.tracked';

/** The activity type of our own journal rows by their name. A name that is not here is not in the feed. */
export const activityTypeByName: Readonly<Record<string, ActivityType>> = {
  'email.sent': 'email.sent',
  'email.delivery': 'email.delivered',
  'email.open': 'email.opened',
  'email.click': 'email.clicked',
  'email.bounce': 'email.bounced',
  // Held back by us: a bounce that we spared the recipient's server. `bounceType` is `Suppressed` and `reason` says
  // why; like transient bounces it counts in no figure.
  'email.suppressed': 'email.bounced',
  'email.complaint': 'email.complained',
  'email.received': 'email.received',
  'contact.subscribed': 'contact.subscribed',
  'contact.unsubscribed': 'contact.unsubscribed',
  'contact.snoozed': 'contact.snoozed',
  'campaign.scheduled': 'campaign.scheduled',
  'campaign.sent': 'campaign.sent',
  'workflow.started': 'workflow.started',
  'workflow.completed': 'workflow.completed',
};

/**
 * The activity type of a journal row; undefined when the feed does not show it.
 *
 * @param kind of the row; a client may track a name that is also one of ours, and it stays a tracked event.
 */
export function activityTypeOf(
  kind: 'tracked' | 'emitted' | 'activity',
  name: string,
): ActivityType | undefined {
  if (kind === 'tracked') return trackedActivityType;
  return Object.hasOwn(activityTypeByName, name) ? activityTypeByName[name] : undefined;
}
