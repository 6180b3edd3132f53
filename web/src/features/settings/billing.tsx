import { useState } from 'react';
import { $api, api } from '../../api/client.ts';
import { Button, OutsideLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
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

const ended = new Set(['canceled', 'incomplete_expired']);
const statusWords = new Map([
  ['active', 'Active'],
  ['trialing', 'On trial'],
  ['past_due', 'A payment has failed'],
  ['unpaid', 'Payments have failed'],
  ['incomplete', 'The first payment has not succeeded'],
  ['paused', 'Paused'],
  ['canceled', 'Ended'],
  ['incomplete_expired', 'Ended'],
]);

interface Subscription {
  /** Of Stripe. */
  status: string;
  currentPeriodEnd: string | null;
  endsAt: string | null;
}

/** Subscription and invoices at Stripe, whose pages take the payments. */
export function Billing({ projectId }: { projectId: string }) {
  const params = { path: { id: projectId } };
  const [isLeaving, setIsLeaving] = useState(false);
  const consumption = $api.useQuery('get', '/users/@me/projects/{id}/billing-consumption', { params });
  const subscription = consumption.data?.subscription;
  const invoices = $api.useQuery('get', '/users/@me/projects/{id}/billing-invoices', { params });
  const leave = async (open: () => Promise<{ data?: { url: string } }>) => {
    setIsLeaving(true);
    try {
      const { data } = await open();
      if (data) window.location.assign(data.url);
    } catch (error) {
      sayError(error);
      setIsLeaving(false);
    }
  };
  return (
    <Section
      title="Billing"
      actions={
        <>
          {subscription && (
            <Button
              isPending={isLeaving}
              onPress={() =>
                void leave(() => api.POST('/users/@me/projects/{id}/billing-portal', { params }))
              }
            >
              Manage payment
            </Button>
          )}
          {(subscription === null || (subscription && ended.has(subscription.status))) && (
            <Button
              isPending={isLeaving}
              onPress={() =>
                void leave(() => api.POST('/users/@me/projects/{id}/checkout', { params, body: {} }))
              }
            >
              Subscribe
            </Button>
          )}
        </>
      }
    >
      {subscription === null && <p className="text-muted">No subscription.</p>}
      {subscription && <SubscriptionState subscription={subscription} />}
      <Loaded query={invoices}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">No invoice yet.</p>
          ) : (
            <Table
              label="Invoices"
              rows={data}
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
                { header: 'Status', cell: ({ status }) => status },
                {
                  header: 'Due',
                  align: 'right',
                  cell: ({ amountDue, currency }) => money(amountDue, currency),
                },
                { header: 'Date', align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function SubscriptionState({ subscription }: { subscription: Subscription }) {
  const { status, currentPeriodEnd, endsAt } = subscription;
  const isEnded = ended.has(status);
  const at = endsAt ?? (isEnded ? null : currentPeriodEnd);
  return (
    <p>
      {statusWords.get(status) ?? status}
      {at !== null && (
        <>
          , {endsAt === null ? 'renews' : isEnded ? 'since' : 'ends'} <Time at={at} form="exact" />
        </>
      )}
    </p>
  );
}
