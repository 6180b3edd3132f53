import { useState } from 'react';
import { $api, api } from '../../api/client.ts';
import { Button, OutsideLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { sayError } from '../../ui/toast.tsx';

const money = (amount: number, currency: string) =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount / 100);

/** Subscription and invoices at Stripe, whose pages take the payments. */
export function Billing({ projectId }: { projectId: string }) {
  const params = { path: { id: projectId } };
  const [isLeaving, setIsLeaving] = useState(false);
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
          <Button
            isPending={isLeaving}
            onPress={() => void leave(() => api.POST('/users/@me/projects/{id}/billing-portal', { params }))}
          >
            Manage payment
          </Button>
          <Button
            isPending={isLeaving}
            onPress={() =>
              void leave(() => api.POST('/users/@me/projects/{id}/checkout', { params, body: {} }))
            }
          >
            Subscribe
          </Button>
        </>
      }
    >
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
