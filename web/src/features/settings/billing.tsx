import { useState } from 'react';
import { byCursor } from '../../api/by-cursor.ts';
import { $api, api } from '../../api/client.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button, OutsideLink } from '../../ui/button.tsx';
import { Pages } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { sayError } from '../../ui/toast.tsx';

/** @param amount in the smallest unit: not all currencies have cents */
function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency });
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions();
  return format.format(amount / 10 ** digits);
}

const states = new Map<string, { label: string; tone: Tone; isUnpaid?: boolean }>([
  ['active', { label: 'Active', tone: 'good' }],
  ['trialing', { label: 'On trial', tone: 'good' }],
  ['past_due', { label: 'A payment has failed', tone: 'bad', isUnpaid: true }],
  ['unpaid', { label: 'Payments have failed', tone: 'bad', isUnpaid: true }],
  ['incomplete', { label: 'The first payment has not succeeded', tone: 'bad', isUnpaid: true }],
  ['paused', { label: 'Paused', tone: 'warn' }],
  ['canceled', { label: 'Ended', tone: 'neutral' }],
  ['incomplete_expired', { label: 'Ended', tone: 'neutral' }],
]);

export interface Subscription {
  /** Status at Stripe. */
  status: string;
  currentPeriodEnd: string | null;
  endsAt: string | null;
}

const isEnded = ({ status }: Subscription) => status === 'canceled' || status === 'incomplete_expired';

/** Whether no subscription is running, so that a checkout may be opened. */
const lacksSubscription = (subscription: Subscription | null) =>
  subscription === null || isEnded(subscription);

type Outcome = 'success' | 'cancelled' | undefined;

/** Whether the user has paid, but Stripe has not reported it to the API yet. */
export const isAwaited = (checkout: Outcome, subscription: Subscription | null | undefined) =>
  checkout === 'success' && subscription !== undefined && lacksSubscription(subscription);

interface CheckoutNoteProps {
  checkout: Outcome;
  /** Undefined until it is known. */
  subscription: Subscription | null | undefined;
}

/** The outcome of the Stripe checkout that redirected here. */
export function CheckoutNote({ checkout, subscription }: CheckoutNoteProps) {
  if (checkout === undefined || subscription === undefined) return null;
  const isSetUp = checkout === 'success' && !isAwaited(checkout, subscription);
  return (
    <p
      role="status"
      className={`rounded-md px-3 py-2 ${isSetUp ? 'bg-good-soft text-good' : 'bg-hover text-muted'}`}
    >
      {checkout === 'cancelled'
        ? 'No payment was made.'
        : isSetUp
          ? 'The subscription is set up.'
          : 'Stripe is confirming the payment. The subscription shows here once that is done.'}
    </p>
  );
}

interface BillingProps {
  projectId: string;
  /** Undefined until it is known. */
  subscription: Subscription | null | undefined;
  isAwaited: boolean;
}

/** The subscription and invoices, with links to the Stripe pages that take payments. */
export function Billing({ projectId, subscription, isAwaited }: BillingProps) {
  const params = { path: { id: projectId } };
  const [leavingTo, setLeavingTo] = useState<'portal' | 'checkout' | null>(null);
  const invoices = $api.useInfiniteQuery(
    'get',
    '/users/@me/projects/{id}/billing-invoices',
    { params },
    byCursor,
  );
  const leave = async (to: 'portal' | 'checkout', open: () => Promise<{ data?: { url: string } }>) => {
    setLeavingTo(to);
    try {
      const { data } = await open();
      // The back button may restore this page in its current state.
      window.addEventListener('pagehide', () => setLeavingTo(null), { once: true });
      if (data) window.location.assign(data.url);
    } catch (error) {
      sayError(error);
      setLeavingTo(null);
    }
  };
  return (
    <Section
      title="Billing"
      actions={
        <>
          {subscription && (
            <Button
              isPending={leavingTo === 'portal'}
              onPress={() =>
                void leave('portal', () => api.POST('/users/@me/projects/{id}/billing-portal', { params }))
              }
            >
              Manage payment
            </Button>
          )}
          {subscription !== undefined && lacksSubscription(subscription) && !isAwaited && (
            <Button
              isPending={leavingTo === 'checkout'}
              onPress={() =>
                void leave('checkout', () =>
                  api.POST('/users/@me/projects/{id}/checkout', { params, body: {} }),
                )
              }
            >
              Subscribe
            </Button>
          )}
        </>
      }
    >
      {subscription === null && !isAwaited && <p className="text-muted">No subscription.</p>}
      {subscription && <SubscriptionState subscription={subscription} />}
      <Pages
        query={invoices}
        rowsOf={({ data }) => data}
        empty={<p className="text-muted">No invoice yet.</p>}
      >
        {(rows) => (
          <Table
            label="Invoices"
            rows={rows}
            idOf={({ id }) => id}
            columns={[
              {
                header: 'Invoice',
                cell: ({ number, id, hostedUrl }) =>
                  hostedUrl === null ? (
                    (number ?? id)
                  ) : (
                    <OutsideLink href={hostedUrl}>{number ?? id}</OutsideLink>
                  ),
              },
              { header: 'Status', cell: ({ status }) => <span className="capitalize">{status}</span> },
              {
                header: 'Amount',
                align: 'right',
                cell: ({ amountDue, currency }) => money(amountDue, currency),
              },
              { header: 'Date', align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Pages>
    </Section>
  );
}

function SubscriptionState({ subscription }: { subscription: Subscription }) {
  const { status, currentPeriodEnd, endsAt } = subscription;
  const { label, tone, isUnpaid = false } = states.get(status) ?? { label: status, tone: 'neutral' };
  const isOver = isEnded(subscription);
  const at = endsAt ?? (isOver || isUnpaid ? null : currentPeriodEnd);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Badge tone={tone}>{label}</Badge>
      {isUnpaid && <p>Change how you pay, or pay the open invoice, under “Manage payment”.</p>}
      {at !== null && (
        <p>
          {endsAt === null ? 'Renews' : isOver ? 'Since' : 'Ends'} <Time at={at} form="exact" />
        </p>
      )}
    </div>
  );
}
