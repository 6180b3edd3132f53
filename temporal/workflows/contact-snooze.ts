import {
  condition,
  continueAsNew,
  defineSignal,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import {
  type ContactSnoozeActivities,
  type ContactSnoozeInput,
  type SnoozeOutcome,
  snoozeMovedSignal,
} from '../contracts/contact-snooze.ts';
import { isHistoryLong } from './history-limits.ts';

const { endSnooze } = proxyLocalActivities<ContactSnoozeActivities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

const moved = defineSignal(snoozeMovedSignal);

/**
 * Waits for the end of a contact's snooze. Only the database knows whether and when it ends: the workflow asks at the
 * start, after each signal and when the time has come.
 */
export async function contactSnooze(input: ContactSnoozeInput): Promise<SnoozeOutcome['outcome']> {
  const news = { waits: true };
  setHandler(moved, () => {
    news.waits = true;
  });
  let isResubscribed = false;
  for (;;) {
    news.waits = false;
    const snooze = await endSnooze(input);
    if (snooze.outcome === 'resubscribed') isResubscribed = true;
    if (snooze.outcome === 'waiting') {
      const end = new Date(Date.now() + snooze.inMs).toISOString().slice(0, 16).replace('T', ' ');
      setCurrentDetails(`Snoozed until **${end}** UTC.`);
      await condition(() => news.waits, snooze.inMs);
      if (isHistoryLong('contactSnooze')) await continueAsNew<typeof contactSnooze>(input);
    } else if (!news.waits) {
      setCurrentDetails(isResubscribed ? 'Subscribed again.' : 'The contact is no longer snoozed.');
      return isResubscribed ? 'resubscribed' : 'ended';
    }
  }
}
