import { list, optionalText, optionalUrl } from './types.ts';

export const billingVariables = {
  STRIPE_SECRET_KEY: optionalText.describe(
    'Secret or restricted key of Stripe. Without it there is no billing: its endpoints return 503; ' +
      'limits still apply.',
  ),
  STRIPE_WEBHOOK_SECRET: optionalText.describe(
    'Signing secret of the webhook endpoint `/webhooks/incoming/stripe`; required with `STRIPE_SECRET_KEY`.',
  ),
  STRIPE_PRICE_IDS: list.describe(
    'Recurring prices that a project may subscribe to, the default first, separated by commas; required ' +
      'with `STRIPE_SECRET_KEY`.',
  ),
  STRIPE_API_URL: optionalUrl.describe(
    'Alternative address of the Stripe API, such as a local server in tests.',
  ),
};
