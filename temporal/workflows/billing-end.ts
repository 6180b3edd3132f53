import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { BillingEndActivities, BillingEndInput } from '../contracts/billing-end.ts';

const { endBilling } = proxyActivities<BillingEndActivities>({
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

export async function billingEnd(input: BillingEndInput): Promise<void> {
  setCurrentDetails('Ends the subscription at the payment processor.');
  await endBilling(input);
  setCurrentDetails('The subscription has ended.');
}
