import {
  condition,
  continueAsNew,
  defineSignal,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type ContactSnoozeActivities,
  type ContactSnoozeInput,
  type SnoozeOutcome,
  snoozeMovedSignal,
} from '../contracts/contact-snooze.ts';

const { endSnooze } = proxyLocalActivities<ContactSnoozeActivities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Events of a run; only someone who plays with the buttons gets there. */
const longestHistory = 500;

const moved = defineSignal(snoozeMovedSignal);

/**
 * Waits for the end of a contact's snooze. When that is, and whether there still is one, only the database says:
 * the workflow asks it at the start, after each signal and when the time has come.
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
      if (workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > longestHistory) {
        await continueAsNew<typeof contactSnooze>(input);
      }
    } else if (!news.waits) {
      setCurrentDetails(isResubscribed ? 'Subscribed again.' : 'Nothing is snoozed any more.');
      return isResubscribed ? 'resubscribed' : 'ended';
    }
  }
}
